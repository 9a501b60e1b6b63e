package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/memory/index/internal/codec"
)

// tableMagic begins the table's file; its last byte is the format's version.
const tableMagic = "assay-table\x03"

// Encode returns what the file holds, in pieces.
func (t *Table) Encode() [][]byte {
	head, tail := &codec.Encoder{}, &codec.Encoder{}
	head.Raw([]byte(tableMagic))
	head.Strs(t.Docs)
	head.Strs(t.names)
	for _, key := range t.keys {
		head.Fixed64(key)
	}
	head.Uint(t.Len())
	head.Uint(len(t.Drawn))
	tail.Strs(t.NameTerms)
	for _, name := range t.NameOf {
		tail.Uint(len(name))
		for _, n := range name {
			tail.Uint(int(n.Term))
			tail.Uint(int(n.Count))
		}
	}
	tail.Uint(len(t.Titles))
	for _, ref := range t.Titles {
		tail.Fixed32(uint32(ref.Ord))
	}
	return [][]byte{head.Out, t.fixed, t.ids, tail.Out}
}

// DecodeTable reads a table. It keeps data.
func DecodeTable(data []byte) (*Table, error) {
	d := codec.NewDecoder(data, tableMagic)
	t := &Table{Docs: d.Strs(), names: d.Strs()}
	t.keys = make([]uint64, len(t.names))
	for i := range t.keys {
		t.keys[i] = d.Fixed64()
	}
	n := d.Count()
	places := d.Uint()
	if places < n || places > 2*len(data) { // parts of which more is deleted are merged
		d.Fail(fmt.Errorf("%d places of %d passages are not plausible", places, n))
	}
	t.decodeRows(d, n, places)
	t.decodeNames(d)
	if err := d.End(); err != nil {
		return nil, fmt.Errorf("reading the passage table: %w", err)
	}
	return t, nil
}

// decodeRows finds the rows, draws them and checks them on all processors.
func (t *Table) decodeRows(d *codec.Decoder, n, places int) {
	t.fixed = d.Raw(n * rowSize)
	t.ends = make([]uint32, n)
	end := 0
	for i := 0; i < n && d.Err == nil; i++ {
		end += int(binary.LittleEndian.Uint32(t.fixed[i*rowSize+rowID:]))
		if t.ends[i] = uint32(end); end > len(d.In) {
			d.Fail(codec.ErrTruncated)
		}
	}
	t.ids = d.Raw(end)
	if d.Err != nil {
		return
	}
	const chunk = 1 << 14
	errs := make([]error, (n+chunk-1)/chunk)
	codec.Parallel(len(errs), func(c int) { errs[c] = t.checkRows(c*chunk, min((c+1)*chunk, n), places) })
	if err := errors.Join(errs...); err != nil {
		d.Fail(err)
		return
	}
	t.Drawn = slices.Repeat([]int32{-1}, places)
	for ord := range int32(n) {
		at := t.Place(ord)
		if t.Drawn[at] >= 0 {
			d.Fail(fmt.Errorf("passage %q has another's place", t.ID(ord)))
			return
		}
		t.Drawn[at] = ord
	}
}

// checkRows looks whether some rows are in order and name only what there is.
func (t *Table) checkRows(from, to, places int) error {
	for ord := int32(from); ord < int32(to); ord++ {
		if t.Doc(ord) >= len(t.Docs) || t.number(ord, rowTitle) >= len(t.names) || t.number(ord, rowSource) >= len(t.names) || t.number(ord, rowPlace) >= places {
			return fmt.Errorf("row %d names what there is not", ord)
		}
		if ord > 0 && bytes.Compare(t.idBytes(ord-1), t.idBytes(ord)) >= 0 {
			return fmt.Errorf("passage %q is out of order", t.ID(ord))
		}
	}
	return nil
}

// decodeNames reads what was derived from the rows when they were written.
func (t *Table) decodeNames(d *codec.Decoder) {
	t.NameTerms = d.Strs()
	t.NameOf = make([][]NameTerm, len(t.Docs))
	var flat []NameTerm
	for doc := range t.NameOf {
		n := d.Count()
		from := len(flat)
		for range n {
			flat = append(flat, NameTerm{int32(d.Below(len(t.NameTerms))), int32(d.Uint())})
		}
		if n > 0 {
			t.NameOf[doc] = flat[from:len(flat):len(flat)]
		}
	}
	ords := d.Fixed32s(d.Count())
	t.Titles = make([]TitleRef, len(ords))
	for i, ord := range ords {
		if int(ord) >= t.Len() {
			d.Fail(fmt.Errorf("title %d is of no passage", i))
			return
		}
		t.Titles[i] = TitleRef{Key: t.keys[t.number(int32(ord), rowTitle)], Ord: int32(ord)}
	}
}
