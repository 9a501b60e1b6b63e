package embed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A record is, in little-endian numbers: magic (4 bytes), dimensions (4), key
// (32), CRC-32C of these (4), the coordinates as float32, and the CRC-32C of
// the record up to there (4). The last byte of the magic is the version.
const (
	recordMagic = "avc\x01"
	headSize    = 4 + 4 + 32 + 4
	maxDims     = 1 << 16
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func recordSize(dims int) int64 { return headSize + 4*int64(dims) + 4 }

func appendRecord(out []byte, key Key, v []float32) []byte {
	from := len(out)
	out = append(out, recordMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(v)))
	out = append(out, key[:]...)
	out = binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[from:], castagnoli))
	for _, x := range v {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out[from:], castagnoli))
}

// decodeHead reads a record's head.
func decodeHead(head []byte) (key Key, dims int, ok bool) {
	if len(head) != headSize || string(head[:4]) != recordMagic ||
		binary.LittleEndian.Uint32(head[headSize-4:]) != crc32.Checksum(head[:headSize-4], castagnoli) {
		return key, 0, false
	}
	dims = int(binary.LittleEndian.Uint32(head[4:]))
	copy(key[:], head[8:])
	return key, dims, dims > 0 && dims <= maxDims
}

// decodeRecord reads the vector of a whole record of a key.
func decodeRecord(data []byte, want Key) ([]float32, bool) {
	if len(data) < headSize+4 {
		return nil, false
	}
	key, dims, ok := decodeHead(data[:headSize])
	body := len(data) - 4
	if !ok || key != want || recordSize(dims) != int64(len(data)) ||
		binary.LittleEndian.Uint32(data[body:]) != crc32.Checksum(data[:body], castagnoli) {
		return nil, false
	}
	v := make([]float32, dims)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[headSize+4*i:]))
	}
	return v, true
}

// A segment is a file of records.
type segment struct {
	path string
	file *os.File
	end  int64 // of the last whole record that was seen
	used bool  // a vector of it was returned
	gone bool  // deleted; what it holds is no longer in the cache
}

func segmentName(n int) string { return fmt.Sprintf("%08d.vec", n) }

// segmentNumber returns the number of "00000001.vec", or 0.
func segmentNumber(name string) int {
	digits, ok := strings.CutSuffix(name, ".vec")
	if !ok || len(digits) < 8 || strings.Trim(digits, "0123456789") != "" {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// openSegment opens a file of the cache; flags may add os.O_CREATE.
func openSegment(path string, flags int) (*segment, error) {
	f, err := os.OpenFile(path, os.O_RDWR|flags, 0o600)
	if err != nil {
		return nil, err
	}
	return &segment{path: path, file: f}, nil
}

// scan reports the records that were appended since the last scan. It stops
// where one is not whole, because it is being written or never was finished.
func (s *segment) scan(found func(key Key, at int64, dims int)) error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	var head [headSize]byte
	for s.end+headSize <= info.Size() {
		if _, err := s.file.ReadAt(head[:], s.end); errors.Is(err, io.EOF) {
			return nil // another process has cut it off meanwhile
		} else if err != nil {
			return err
		}
		key, dims, ok := decodeHead(head[:])
		if !ok || s.end+recordSize(dims) > info.Size() {
			return nil
		}
		found(key, s.end, dims)
		s.end += recordSize(dims)
	}
	return nil
}

// read returns the vector at a place, unless the record is damaged.
func (s *segment) read(key Key, p place) ([]float32, bool) {
	data := make([]byte, recordSize(int(p.dims)))
	if _, err := s.file.ReadAt(data, p.at); err != nil {
		return nil, false
	}
	return decodeRecord(data, key)
}

// write appends records behind the last whole one, cutting off what a dead
// process left there. The caller holds the lock and has scanned.
func (s *segment) write(keys []Key, vectors [][]float32) error {
	if err := s.file.Truncate(s.end); err != nil {
		return err
	}
	var size int64
	for _, v := range vectors {
		size += recordSize(len(v))
	}
	data := make([]byte, 0, size)
	for i, key := range keys {
		data = appendRecord(data, key, vectors[i])
	}
	if _, err := s.file.WriteAt(data, s.end); err != nil {
		return errors.Join(err, s.file.Truncate(s.end))
	}
	s.end += size
	return nil
}

// refresh sees what other processes have added and deleted.
func (c *Cache) refresh() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	order := make([]int, 0, len(entries))
	for _, e := range entries {
		if n := segmentNumber(e.Name()); n > 0 {
			order = append(order, n)
		}
	}
	slices.Sort(order)
	var kept []int
	for _, n := range order {
		ok, err := c.follow(n)
		if err != nil {
			return err
		}
		if ok {
			kept = append(kept, n)
		}
	}
	for _, n := range c.order {
		if _, still := slices.BinarySearch(kept, n); !still {
			if err := c.drop(n); err != nil {
				return err
			}
		}
	}
	c.order = kept
	return nil
}

// follow reads what is new in a segment, and reports whether it exists. A
// file that took the place of another of its name is a new segment.
func (c *Cache) follow(n int) (bool, error) {
	s := c.segments[n]
	path := c.dir + string(os.PathSeparator) + segmentName(n)
	if s != nil {
		there, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		mine, err := s.file.Stat()
		if err != nil {
			return false, err
		}
		if !os.SameFile(mine, there) {
			if err := c.drop(n); err != nil {
				return false, err
			}
			s = nil
		}
	}
	if s == nil {
		var err error
		if s, err = openSegment(path, 0); errors.Is(err, os.ErrNotExist) {
			return false, nil // swept since the directory was read
		} else if err != nil {
			return false, err
		}
		c.segments[n] = s
	}
	return true, s.scan(func(key Key, at int64, dims int) { c.places[key] = place{s, at, int32(dims)} })
}

// drop forgets a segment that was deleted, and what it held.
func (c *Cache) drop(n int) error {
	s := c.segments[n]
	if s == nil {
		return nil
	}
	s.gone = true
	delete(c.segments, n)
	for key, p := range c.places {
		if p.in == s {
			delete(c.places, key)
		}
	}
	return s.file.Close()
}
