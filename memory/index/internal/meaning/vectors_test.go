package meaning

import (
	"math"
	"slices"
	"testing"

	"example.com/assay/memory/index/internal/codec"
	"example.com/assay/memory/vector"
)

// Of two passages whose nearest rows are alike, the one whose other rows are nearer comes first.
func TestRestOfRows(t *testing.T) {
	set, err := vector.NewSet([]float32{1, 0, 0, 1, .96, .28, .6, .8}, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(set, []int{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	q := []float32{.98, .2}
	if a, b := m.Cosine(q, 0), m.Cosine(q, 1); a >= b || b > 1 {
		t.Errorf("a passage that touches on it %v, one that is about it %v", a, b)
	}
	if m, err = New(set, []int{1, 3}); err != nil {
		t.Fatal(err)
	}
	if got, want := m.Cosine(q, 0), set.Dot(q, 0); got != want {
		t.Errorf("a passage of one row %v, want its cosine %v", got, want)
	}
}

func TestScale(t *testing.T) {
	s := Scale{Floor: .6, Ceiling: .9}
	for cosine, want := range map[float64]float64{-1: 0, .6: 0, .75: .5, .9: 1, .96: 1.2} {
		if got := s.Of(cosine); math.Abs(got-want) > 1e-12 {
			t.Errorf("%v is at %v; want %v", cosine, got, want)
		}
	}
	if got := (Scale{Floor: .5, Ceiling: .5}).Of(.6); got != 0 {
		t.Errorf("an embedder that tells nothing apart says %v", got)
	}
}

func TestDecode(t *testing.T) {
	whole := magic + "\x02" + string(codec.EncodeVectors([]float32{1, 0, .6, .8}))
	set, err := Decode([]byte(whole), 2, nil)
	if err != nil || !slices.Equal(set.Row(1), []float32{.6, .8}) {
		t.Fatal(err)
	}
	for _, bad := range []string{"", magic, magic + "\xff\xff\xff\xff\x07", whole[:len(whole)-4]} {
		if _, err := Decode([]byte(bad), 2, nil); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
	for _, bad := range []string{"", "\x01\x01", "\x02\x01\x00", "\x02\x01\x01\x01", "\x02\x01"} {
		if _, err := DecodeCounts([]byte(bad), 2); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}
