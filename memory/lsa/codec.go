package lsa

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// magic begins an encoded model; its last byte is the format's version.
const magic = "assay-lsa\x01"

var errTruncated = errors.New("the data ends early")

// content encodes the model: magic, passages, terms, dimensions, then per
// term its length, text and df, then the rows as little-endian float32.
func (m *Model) content() []byte {
	out := make([]byte, 0, len(magic)+16*len(m.terms)+4*len(m.u)+32)
	out = append(out, magic...)
	out = binary.AppendUvarint(out, uint64(m.docs))
	out = binary.AppendUvarint(out, uint64(len(m.terms)))
	out = binary.AppendUvarint(out, uint64(m.dims))
	for t, term := range m.terms {
		out = binary.AppendUvarint(out, uint64(len(term)))
		out = append(out, term...)
		out = binary.AppendUvarint(out, uint64(m.df[t]))
	}
	for _, v := range m.u {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

// MarshalBinary encodes the model. It never fails.
func (m *Model) MarshalBinary() ([]byte, error) { return m.content(), nil }

// Decode replaces the model by the one that MarshalBinary encoded in data, which it does not
// retain. A caller that stored the model's ID and checks data by other means may pass it to save
// hashing; "" computes it.
func (m *Model) Decode(data []byte, id string) error {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return errors.New("decoding the embedder: not an encoded model of this version")
	}
	got, err := decode(data[len(magic):])
	if err != nil {
		return fmt.Errorf("decoding the embedder: %w", err)
	}
	got.id = id
	if id == "" {
		got.id = got.hash()
	}
	*m = *got
	return nil
}

func decode(data []byte) (*Model, error) {
	uvarint := func() (uint64, error) {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return 0, errTruncated
		}
		data = data[n:]
		return v, nil
	}
	var head [3]uint64
	for i := range head {
		v, err := uvarint()
		if err != nil {
			return nil, err
		}
		if v > math.MaxInt32 {
			return nil, fmt.Errorf("a count of %d is not plausible", v)
		}
		head[i] = v
	}
	docs, terms, dims := int(head[0]), int(head[1]), int(head[2])
	if terms > len(data) {
		return nil, errTruncated
	}
	m := &Model{docs: docs, dims: dims, terms: make([]string, terms), df: make([]uint32, terms)}
	for t := range terms {
		size, err := uvarint()
		if err != nil {
			return nil, err
		}
		if size > uint64(len(data)) {
			return nil, errTruncated
		}
		m.terms[t] = string(data[:size])
		data = data[size:]
		if t > 0 && m.terms[t-1] >= m.terms[t] {
			return nil, errors.New("the terms are not in order")
		}
		df, err := uvarint()
		if err != nil {
			return nil, err
		}
		if df == 0 || df > uint64(docs) {
			return nil, fmt.Errorf("term %q is in %d of %d passages", m.terms[t], df, docs)
		}
		m.df[t] = uint32(df)
	}
	if uint64(len(data)) != 4*uint64(terms)*uint64(dims) {
		return nil, errTruncated
	}
	m.u = make([]float32, terms*dims)
	for i := range m.u {
		m.u[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	m.finish()
	return m, nil
}
