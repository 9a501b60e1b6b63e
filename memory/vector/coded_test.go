package vector

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"
)

// A coded set finds what a set of the same lists in single precision finds, but for
// what eight bits say; a change of its file is an error and not another answer.
func TestCoded(t *testing.T) {
	const n, dims = 600, 40
	rng := rand.New(rand.NewPCG(1, 1))
	rows := make([]float32, n*dims)
	for i := range n {
		row := rows[i*dims : (i+1)*dims]
		for j := range row {
			row[j] = float32(rng.NormFloat64())
		}
		scale := float32(1 / length(row))
		for j := range row {
			row[j] *= scale
		}
	}
	lists, err := Train(t.Context(), rows, dims)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCoder(lists, n)
	for _, part := range [][2]int32{{300, 600}, {0, 300}} {
		var ords []int32
		for i := part[0]; i < part[1]; i++ {
			ords = append(ords, i)
		}
		if err := c.Put(t.Context(), ords, rows[part[0]*dims:part[1]*dims]); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if n, err := c.WriteTo(&file); err != nil || n != int64(file.Len()) {
		t.Fatal(n, err)
	}
	exact, err := NewSet(rows, dims, lists)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenCoded(bytes.NewReader(file.Bytes()), c.Lists(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int32(n) {
		for j, v := range s.Row(i) {
			if math.Abs(float64(v-exact.Row(i)[j])) > 1./127 {
				t.Fatalf("row %d is another", i)
			}
		}
		got, want := s.Top(exact.Row(i), 5, 0, nil), exact.Top(exact.Row(i), 5, 0, nil)
		if got[0].Row != i || math.Abs(got[0].Value-want[0].Value) > .01 || common(got, want) < 3 {
			t.Fatalf("row %d: %v, want %v", i, got, want)
		}
	}
	if s.Len() != n || s.Dims() != dims || s.Err() != nil {
		t.Errorf("%d rows of %d, %v", s.Len(), s.Dims(), s.Err())
	}
	for at := 0; at < file.Len(); at += 131 {
		damaged := slices.Clone(file.Bytes())
		damaged[at] ^= 4
		s, err := OpenCoded(bytes.NewReader(damaged), c.Lists(), nil)
		if err != nil {
			continue
		}
		for i := range int32(n) {
			s.Row(i)
		}
		if s.Err() == nil {
			t.Errorf("byte %d was changed, and nothing said so", at)
		}
	}
	if _, err := OpenCoded(bytes.NewReader(file.Bytes()[:100]), c.Lists(), nil); err == nil {
		t.Error("a cut file was opened")
	}
}

// The lists outlive their coder, whose codes are as large as the file.
func TestListsDoNotKeepTheCoder(t *testing.T) {
	rows := make([]float32, 64*8)
	for i := range rows {
		rows[i] = float32(i%7) - 3
	}
	trained, err := Train(t.Context(), rows, 8)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCoder(trained, 64)
	coder, lists := weak.Make(c), c.Lists()
	c = nil
	runtime.GC()
	if coder.Value() != nil {
		t.Error("the coder is kept")
	}
	runtime.KeepAlive(lists)
}

// BenchmarkMillion looks at all of a million rows of 384 coordinates for the nearest hundred.
func BenchmarkMillion(b *testing.B) {
	const rows, dims = 1000000, 384
	lists, r := Even(rows, dims), rand.New(rand.NewPCG(1, 2))
	coder, v := NewCoder(lists, rows), make([]float32, dims)
	for i := range int32(rows) {
		for j := range v {
			v[j] = float32(r.IntN(2001)-1000) / 11000 // about one long
		}
		if err := coder.Put(b.Context(), []int32{i}, v); err != nil {
			b.Fatal(err)
		}
	}
	var file bytes.Buffer
	if _, err := coder.WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	set, err := OpenCoded(bytes.NewReader(file.Bytes()), lists, nil)
	if err != nil {
		b.Fatal(err)
	}
	set.Top(v, 100, 0, nil) // reads them
	for b.Loop() {
		if got := set.Top(v, 100, 0, nil); got[0].Row != rows-1 {
			b.Fatal(got[0])
		}
	}
}
