package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// tableMagic begins the table's file; its last byte is the format's version.
const tableMagic = "assay-table\x03"

// encode returns what the file holds, in pieces.
func (t *table) encode() [][]byte {
	head, tail := &encoder{}, &encoder{}
	head.raw([]byte(tableMagic))
	head.strs(t.docs)
	head.strs(t.names)
	for _, key := range t.keys {
		head.fixed64(key)
	}
	head.uint(t.len())
	head.uint(len(t.drawn))
	tail.strs(t.nameTerms)
	for _, name := range t.nameOf {
		tail.uint(len(name))
		for _, n := range name {
			tail.uint(int(n.term))
			tail.uint(int(n.count))
		}
	}
	tail.uint(len(t.titles))
	for _, ref := range t.titles {
		tail.fixed32(uint32(ref.ord))
	}
	return [][]byte{head.out, t.fixed, t.ids, tail.out}
}

// decodeTable reads a table. It keeps data.
func decodeTable(data []byte) (*table, error) {
	rest, ok := bytes.CutPrefix(data, []byte(tableMagic))
	if !ok {
		return nil, errors.New("reading the passage table: not a passage table of this version")
	}
	d := &decoder{in: rest}
	t := &table{docs: d.strs(), names: d.strs()}
	t.keys = make([]uint64, len(t.names))
	for i := range t.keys {
		t.keys[i] = d.fixed64()
	}
	n := d.count()
	places := d.uint()
	if places < n || places > 2*len(data) { // parts of which more is deleted are merged
		d.fail(fmt.Errorf("%d places of %d passages are not plausible", places, n))
	}
	t.decodeRows(d, n, places)
	t.decodeNames(d)
	if err := d.end(); err != nil {
		return nil, fmt.Errorf("reading the passage table: %w", err)
	}
	return t, nil
}

// decodeRows finds the rows, draws them and checks them on all processors.
func (t *table) decodeRows(d *decoder, n, places int) {
	t.fixed = d.raw(n * rowSize)
	t.ends = make([]uint32, n)
	end := 0
	for i := 0; i < n && d.err == nil; i++ {
		end += int(binary.LittleEndian.Uint32(t.fixed[i*rowSize+rowID:]))
		if t.ends[i] = uint32(end); end > len(d.in) {
			d.fail(errTruncated)
		}
	}
	t.ids = d.raw(end)
	if d.err != nil {
		return
	}
	const chunk = 1 << 14
	errs := make([]error, (n+chunk-1)/chunk)
	parallel(len(errs), func(c int) { errs[c] = t.checkRows(c*chunk, min((c+1)*chunk, n), places) })
	if err := errors.Join(errs...); err != nil {
		d.fail(err)
		return
	}
	t.drawn = make([]int32, places)
	for i := range t.drawn {
		t.drawn[i] = -1
	}
	for ord := range int32(n) {
		at := t.place(ord)
		if t.drawn[at] >= 0 {
			d.fail(fmt.Errorf("passage %q has another's place", t.id(ord)))
			return
		}
		t.drawn[at] = ord
	}
}

// checkRows looks whether some rows are in order and name only what there is.
func (t *table) checkRows(from, to, places int) error {
	for ord := int32(from); ord < int32(to); ord++ {
		if t.doc(ord) >= len(t.docs) || t.number(ord, rowTitle) >= len(t.names) || t.number(ord, rowSource) >= len(t.names) || t.number(ord, rowPlace) >= places {
			return fmt.Errorf("row %d names what there is not", ord)
		}
		if ord > 0 && bytes.Compare(t.idBytes(ord-1), t.idBytes(ord)) >= 0 {
			return fmt.Errorf("passage %q is out of order", t.id(ord))
		}
	}
	return nil
}

// decodeNames reads what was derived from the rows when they were written.
func (t *table) decodeNames(d *decoder) {
	t.nameTerms = d.strs()
	t.nameOf = make([][]nameTerm, len(t.docs))
	var flat []nameTerm
	for doc := range t.nameOf {
		n := d.count()
		from := len(flat)
		for range n {
			flat = append(flat, nameTerm{int32(d.below(len(t.nameTerms))), int32(d.uint())})
		}
		if n > 0 {
			t.nameOf[doc] = flat[from:len(flat):len(flat)]
		}
	}
	ords := d.fixed32s(d.count())
	t.titles = make([]titleRef, len(ords))
	for i, ord := range ords {
		if int(ord) >= t.len() {
			d.fail(fmt.Errorf("title %d is of no passage", i))
			return
		}
		t.titles[i] = titleRef{key: t.keys[t.number(int32(ord), rowTitle)], ord: int32(ord)}
	}
}
