package storage

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sort"

	"example.com/assay/memory/index/internal/codec"
)

// The file of pairs holds the passages of each pair of adjacent terms, by a key of
// 48 bits of the two: of a million passages the pairs are thirty million, nearly
// all of them of one passage, so their terms are not kept. It is blocks of
// pairs sorted by key, then the directory of the blocks, then its end: where the
// directory begins, its check sum, and the magic. A block is checked when it is
// read.
const (
	pairsMagic  = "assay-pairs\x01"
	pairBlock   = 256       // keys of a block
	pairEntry   = 8 + 8 + 4 // first key, end and check sum of a block in the directory
	pairsEnding = 8 + 4     // before the magic
	pairBits    = 48        // of a key
	tfLater     = 1         // bit of a posting whose frequency follows
)

// A pairAt says that a passage holds a pair once more.
type pairAt struct {
	key uint64
	doc int32
}

// appendPairs appends the keys of adjacent terms.
func appendPairs(keys []uint64, terms []string) []uint64 {
	for i := 1; i < len(terms); i++ {
		keys = append(keys, shortened(keyOf(keyOf(keyOf(keyStart, terms[i-1]), " "), terms[i])))
	}
	return keys
}

// PairKey is the key of two terms, joined by a space.
func PairKey(pair string) uint64 { return shortened(keyOf(keyStart, pair)) }

// shortened makes a key of the hash of two terms with a space between them.
func shortened(h uint64) uint64 { return (h ^ h>>32) * 0x9E3779B97F4A7C15 >> (64 - pairBits) }

// A pairWriter writes pairs in the order of their keys.
type pairWriter struct {
	file      *os.File
	out       *bufio.Writer
	block     []byte
	first     uint64
	last      uint64
	keys      int
	at        uint64
	directory []byte
}

func newPairWriter(path string) (*pairWriter, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &pairWriter{file: f, out: bufio.NewWriterSize(f, 1<<18)}, nil
}

// add writes the postings of a key, sorted by passage.
func (w *pairWriter) add(key uint64, list []Posting) error {
	if w.keys == 0 {
		w.first, w.last = key, key
	}
	w.block = binary.AppendUvarint(w.block, key-w.last)
	w.block = binary.AppendUvarint(w.block, uint64(len(list)))
	var before int32
	for _, p := range list {
		step := uint64(p.Ord-before) << 1
		before = p.Ord
		if p.TF == 1 {
			w.block = binary.AppendUvarint(w.block, step)
			continue
		}
		w.block = binary.AppendUvarint(w.block, step|tfLater)
		w.block = binary.AppendUvarint(w.block, uint64(p.TF))
	}
	w.last = key
	if w.keys++; w.keys == pairBlock {
		return w.flush()
	}
	return nil
}

func (w *pairWriter) flush() error {
	if w.keys == 0 {
		return nil
	}
	w.at += uint64(len(w.block))
	w.directory = binary.LittleEndian.AppendUint64(w.directory, w.first)
	w.directory = binary.LittleEndian.AppendUint64(w.directory, w.at)
	w.directory = binary.LittleEndian.AppendUint32(w.directory, crc32.Checksum(w.block, codec.Castagnoli))
	_, err := w.out.Write(w.block)
	w.block, w.keys = w.block[:0], 0
	return err
}

func (w *pairWriter) close() error {
	err := w.flush()
	ending := binary.LittleEndian.AppendUint64(nil, w.at)
	ending = binary.LittleEndian.AppendUint32(ending, crc32.Checksum(w.directory, codec.Castagnoli))
	for _, data := range [][]byte{w.directory, ending, []byte(pairsMagic)} {
		if err == nil {
			_, err = w.out.Write(data)
		}
	}
	if err == nil {
		err = w.out.Flush()
	}
	return errors.Join(err, w.file.Close())
}

// pairs is such a file, open. It is safe for concurrent use.
type pairs struct {
	file      *os.File
	directory []byte
}

func openPairs(path string) (*pairs, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	p := &pairs{file: f}
	if err := p.load(); err != nil {
		return nil, errors.Join(fmt.Errorf("reading the pairs: %w", err), f.Close())
	}
	return p, nil
}

func (p *pairs) load() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - pairsEnding - int64(len(pairsMagic))
	ending := make([]byte, pairsEnding+len(pairsMagic))
	if size < 0 {
		return codec.ErrTruncated
	}
	if _, err := p.file.ReadAt(ending, size); err != nil {
		return err
	}
	if string(ending[pairsEnding:]) != pairsMagic {
		return errors.New("not a file of pairs of this version")
	}
	at := binary.LittleEndian.Uint64(ending)
	if at > uint64(size) || (uint64(size)-at)%pairEntry != 0 {
		return codec.ErrTruncated
	}
	p.directory = make([]byte, uint64(size)-at)
	if _, err := p.file.ReadAt(p.directory, int64(at)); err != nil {
		return err
	}
	if crc32.Checksum(p.directory, codec.Castagnoli) != binary.LittleEndian.Uint32(ending[8:]) {
		return errors.New("its directory was changed")
	}
	return nil
}

func (p *pairs) close() error { return p.file.Close() }

func (p *pairs) blocks() int { return len(p.directory) / pairEntry }

func (p *pairs) first(block int) uint64 {
	return binary.LittleEndian.Uint64(p.directory[block*pairEntry:])
}

// read returns a block that is as it was written.
func (p *pairs) read(block int) ([]byte, error) {
	entry := p.directory[block*pairEntry:]
	var from uint64
	if block > 0 {
		from = binary.LittleEndian.Uint64(p.directory[(block-1)*pairEntry+8:])
	}
	to := binary.LittleEndian.Uint64(entry[8:])
	if to < from {
		return nil, fmt.Errorf("reading the pairs: %w", codec.ErrTruncated)
	}
	data := make([]byte, to-from)
	if _, err := p.file.ReadAt(data, int64(from)); err != nil {
		if errors.Is(err, io.EOF) {
			err = codec.ErrTruncated
		}
		return nil, fmt.Errorf("reading the pairs: %w", err)
	}
	if crc32.Checksum(data, codec.Castagnoli) != binary.LittleEndian.Uint32(entry[16:]) {
		return nil, errors.New("reading the pairs: a block was changed")
	}
	return data, nil
}

// of appends the postings of a key.
func (p *pairs) of(key uint64, out []Posting) ([]Posting, error) {
	block := sort.Search(p.blocks(), func(block int) bool { return p.first(block) > key }) - 1
	if block < 0 {
		return out, nil
	}
	data, err := p.read(block)
	if err != nil {
		return nil, err
	}
	c := pairCursor{d: codec.Decoder{In: data}, key: p.first(block)}
	for len(c.d.In) > 0 {
		from := len(out)
		at, list := c.next(out)
		if c.d.Err != nil {
			return nil, fmt.Errorf("reading the pairs: %w", c.d.Err)
		}
		if at == key {
			return list, nil
		}
		if at > key {
			break
		}
		out = list[:from]
	}
	return out, nil
}

// A pairCursor reads a block.
type pairCursor struct {
	d   codec.Decoder
	key uint64
}

// next appends the postings of the next key.
func (c *pairCursor) next(out []Posting) (uint64, []Posting) {
	c.key += c.d.Uint64()
	n := c.d.Count()
	var doc int32
	for range n {
		step := c.d.Uint()
		tf := 1
		if step&tfLater != 0 {
			tf = c.d.Uint()
		}
		doc += int32(step >> 1)
		out = append(out, Posting{Ord: doc, TF: int32(tf)})
	}
	return c.key, out
}

// A pairStream reads the whole of a file in order.
type pairStream struct {
	pairs *pairs
	block int
	c     pairCursor
	key   uint64
	list  []Posting
	place func(doc int32) int32 // -1 of one that is left out
	ended bool
}

// next goes on to the next key.
func (s *pairStream) next() error {
	if len(s.c.d.In) == 0 {
		if s.block == s.pairs.blocks() {
			s.ended = true
			return nil
		}
		data, err := s.pairs.read(s.block)
		if err != nil {
			return err
		}
		s.c = pairCursor{d: codec.Decoder{In: data}, key: s.pairs.first(s.block)}
		s.block++
	}
	s.key, s.list = s.c.next(s.list[:0])
	for i := range s.list {
		s.list[i].Ord = s.place(s.list[i].Ord)
	}
	s.list = slices.DeleteFunc(s.list, func(p Posting) bool { return p.Ord < 0 })
	return s.c.d.Err
}

// mergePairs writes the pairs of several files, whose passages come one file's
// after the other's.
func mergePairs(path string, streams []*pairStream) (err error) {
	w, err := newPairWriter(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	return eachPair(streams, w.add)
}

// eachPair calls fn for the pairs of several files in the order of their keys. fn does
// not keep the list.
func eachPair(streams []*pairStream, fn func(key uint64, list []Posting) error) error {
	for _, s := range streams {
		if err := s.next(); err != nil {
			return err
		}
	}
	var list []Posting
	for {
		var least *pairStream
		for _, s := range streams {
			if !s.ended && (least == nil || s.key < least.key) {
				least = s
			}
		}
		if least == nil {
			return nil
		}
		key := least.key
		list = list[:0]
		for _, s := range streams {
			if !s.ended && s.key == key {
				list = append(list, s.list...)
				if err := s.next(); err != nil {
					return err
				}
			}
		}
		if len(list) > 0 {
			if err := fn(key, list); err != nil {
				return err
			}
		}
	}
}
