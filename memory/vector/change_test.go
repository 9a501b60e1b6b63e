package vector

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// codedRows codes some of the rows by the lists of others, as a file is made of them.
func codedRows(t *testing.T, lists *Lists, rows []float32, which []int32) *Set {
	t.Helper()
	var own []float32
	ords := make([]int32, len(which))
	for i, row := range which {
		ords[i] = int32(i)
		own = append(own, rows[int(row)*lists.dims:int(row+1)*lists.dims]...)
	}
	c := NewCoder(lists, len(which))
	if err := c.Put(t.Context(), ords, own); err != nil {
		t.Fatal(err)
	}
	return reopened(t, c, nil)
}

func reopened(t *testing.T, c *Coder, change []byte) *Set {
	t.Helper()
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	s, err := OpenCoded(bytes.NewReader(file.Bytes()), c.Lists(), change)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file with what changed since answers as the file of all the rows does, and so does
// a file that is made of it; change after change.
func TestChange(t *testing.T) {
	const n, dims = 800, 24
	rng := rand.New(rand.NewPCG(3, 1))
	rows := make([]float32, n*dims)
	for i := range rows {
		rows[i] = float32(rng.NormFloat64())
	}
	lists, err := Train(t.Context(), rows, dims)
	if err != nil {
		t.Fatal(err)
	}
	which := make([]int32, 0, n) // even rows are there from the beginning
	for i := int32(0); i < n; i += 2 {
		which = append(which, i)
	}
	first := NewCoder(lists, len(which))
	for i, row := range which {
		if err := first.Put(t.Context(), []int32{int32(i)}, rows[int(row)*dims:int(row+1)*dims]); err != nil {
			t.Fatal(err)
		}
	}
	s := reopened(t, first, nil)
	for round, step := range []struct{ remove, add []int32 }{
		{nil, []int32{1}}, {[]int32{0, 400}, nil}, {[]int32{1, 798}, []int32{0, 77, 799}}, {[]int32{77, 6}, []int32{5, 7, 9, 11}},
	} {
		was := which
		which = slices.DeleteFunc(slices.Concat(which, step.add), func(row int32) bool { return slices.Contains(step.remove, row) })
		slices.Sort(which)
		kept := make([]int32, len(which))
		for i, row := range which {
			at, ok := slices.BinarySearch(was, row)
			if kept[i] = int32(at); !ok {
				kept[i] = -1
			}
		}
		c := NewChange(s, kept)
		if c == nil {
			t.Fatalf("round %d: so little wants a new file", round)
		}
		whole := NewCoder(lists, len(which))
		for i, row := range which {
			if kept[i] >= 0 {
				whole.Keep(int32(i), s, kept[i])
				continue
			}
			v := rows[int(row)*dims : int(row+1)*dims]
			if err := c.Put(t.Context(), []int32{int32(i)}, v); err != nil {
				t.Fatal(err)
			}
			if err := whole.Put(t.Context(), []int32{int32(i)}, v); err != nil {
				t.Fatal(err)
			}
		}
		s = reopened(t, first, c.Encode())
		for name, want := range map[string]*Set{"of all rows": codedRows(t, lists, rows, which), "made of it": reopened(t, whole, nil)} {
			if s.Len() != want.Len() {
				t.Fatalf("round %d: %d rows, want %d", round, s.Len(), want.Len())
			}
			for i := range int32(len(which)) {
				if !slices.Equal(s.Row(i), want.Row(i)) || s.Lists().Of(i) != want.Lists().Of(i) {
					t.Fatalf("round %d: row %d is not that of the file %s", round, i, name)
				}
			}
			for q := range n {
				query := rows[q*dims : (q+1)*dims]
				if got, want := s.Top(query, 7, 0, nil), want.Top(query, 7, 0, nil); !slices.Equal(got, want) {
					t.Fatalf("round %d: query %d finds %v, the file %s %v", round, q, got, name, want)
				}
			}
		}
	}
	many := make([]int32, len(which))
	for i := range many {
		many[i] = int32(i)
		if i%8 == 0 {
			many[i] = -1
		}
	}
	if NewChange(s, many) != nil {
		t.Error("an eighth of the rows changed, and the file stays")
	}
}

func TestDamagedChange(t *testing.T) {
	rows := make([]float32, 64*8)
	for i := range rows {
		rows[i] = float32(i%7) - 3
	}
	lists, err := Train(t.Context(), rows, 8)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCoder(lists, 64)
	kept := make([]int32, 64)
	for i := range kept {
		kept[i] = int32(i)
	}
	kept[5], kept[40] = -1, -1
	change := NewChange(reopened(t, c, nil), kept).Encode()
	var file bytes.Buffer
	if _, err := c.WriteTo(&file); err != nil {
		t.Fatal(err)
	}
	codes := len(change) - 2*c.codes.width - 2*4
	for at := range codes - 2*4 { // lists, steps and codes can be any
		bad := slices.Clone(change)
		bad[at] ^= 0x80
		if _, err := OpenCoded(bytes.NewReader(file.Bytes()), c.Lists(), bad); err == nil {
			t.Errorf("byte %d of the change was changed, and it was opened", at)
		}
	}
	for _, bad := range [][]byte{{}, change[:len(change)-1], append(slices.Clone(change), 0)} {
		if _, err := OpenCoded(bytes.NewReader(file.Bytes()), c.Lists(), bad); err == nil {
			t.Errorf("a change of %d bytes was opened, it has %d", len(bad), len(change))
		}
	}
}
