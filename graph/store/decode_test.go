package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

func FuzzDecodeVectors(f *testing.F) {
	f.Add("w", encodeVectors("w", [][]float32{{1, 2}, {3, -4}}))
	f.Add("w", encodeVectors("w", nil))
	f.Add("w", []byte("\x01w\x80\x80\x80\x80\x80\x80\x80\x80\x20\x08"))
	f.Add("", []byte{0})
	f.Fuzz(func(t *testing.T, index string, data []byte) {
		vectors, known, err := decodeVectors(index, data)
		if err != nil || !known {
			if vectors != nil {
				t.Errorf("vectors %v beside %v", vectors, err)
			}
			return
		}
		again, known, err := decodeVectors(index, encodeVectors(index, vectors))
		if err != nil || !known || len(again) != len(vectors) {
			t.Errorf("%v came back as %v, %v", vectors, again, err)
		}
	})
}

func TestVectorsComeBack(t *testing.T) {
	want := [][]float32{{1, -2.5, math.MaxFloat32}, {0, math.SmallestNonzeroFloat32, 3}}
	data := encodeVectors("model\x00field", want)
	got, known, err := decodeVectors("model\x00field", data)
	if err != nil || !known || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, %v", got, known, err)
	}
	if _, known, err := decodeVectors("model", data); err != nil || known {
		t.Errorf("vectors of another index: %v, %v", known, err)
	}
	for n := 1; n < len(data); n++ {
		if _, _, err := decodeVectors("model\x00field", data[:n]); err == nil {
			t.Errorf("%d bytes of %d are taken for vectors", n, len(data))
		}
	}
}

func TestCosine(t *testing.T) {
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{0, 1}, 0},
		{[]float32{1, 2}, []float32{2, 4}, 1},
		{[]float32{1, 2}, []float32{-1, -2}, -1},
		{[]float32{3, 4}, []float32{3, 0}, 0.6},
		{[]float32{0, 0}, []float32{3, 0}, 0},
		{[]float32{math.MaxFloat32, 0}, []float32{math.MaxFloat32, 0}, 1},
		{[]float32{1e-38, 0}, []float32{1e-38, 0}, 1},
	} {
		if got := cosine(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("cosine of %v and %v is %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Anything may come as a filter, and what is taken must be usable.
func FuzzParseFilters(f *testing.F) {
	for _, seed := range []string{`{"a":{"$gte":1}}`, `{"a":{"b":{"$in":[1,"x",null,true]}}}`, `{"$eq":1}`, `{"a":[]}`, `null`, `{"a":{"$in":null}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		filters, err := ParseFilters(data)
		var invalid *InvalidError
		if err != nil && !errors.As(err, &invalid) {
			t.Fatalf("error %v", err)
		}
		for _, filter := range filters {
			c, err := filter.condition()
			if err != nil {
				t.Fatalf("a filter of %q is refused: %v", data, err)
			}
			c.matches(map[string]any{"a": map[string]any{"b": json.Number("1")}})
		}
	})
}

func TestParseFilters(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{}`, ""},
		{`{"b":1,"a":"x"}`, `a $eq ["x"]; b $eq [1]`},
		{`{"a":{"$lt":2,"$gte":1}}`, `a $gte [1]; a $lt [2]`},
		{`{"a":{"b":{"c":null},"d":{"$in":[]}}}`, `a.b.c $eq [null]; a.d $in []`},
		{`{"a":{"$eq":true,"$ne":"s"}}`, `a $eq [true]; a $ne ["s"]`},
		{`{"a":{"$in":[1,"b",null]}}`, `a $in [1,"b",null]`},
		{``, "invalid"}, {`null`, "invalid"}, {`[]`, "invalid"}, {`{"a":{}}`, "invalid"},
		{`{"a":[1]}`, "invalid"}, {`{"a":{"$eq":{}}}`, "invalid"}, {`{"a":{"$in":1}}`, "invalid"}, {`{"a":{"$in":[[]]}}`, "invalid"},
		{`{"a":{"$near":1}}`, "invalid"}, {`{"a":{"$eq":1,"b":2}}`, "invalid"}, {`{"$and":[]}`, "invalid"}, {`{"a":{"b":{},"c":1}}`, "invalid"},
		{`{"a":{"$gt":true}}`, "invalid"}, {`{"a":{"$lt":null}}`, "invalid"}, {`{"":1}`, "invalid"}, {`{"a":{"":1}}`, "invalid"},
	} {
		filters, err := ParseFilters([]byte(c.in))
		var parts []string
		for _, f := range filters {
			operands, _ := json.Marshal(append([]json.RawMessage{}, f.operands...))
			parts = append(parts, fmt.Sprintf("%s %s %s", f.field, f.op, operands))
		}
		got := strings.Join(parts, "; ")
		var invalid *InvalidError
		if errors.As(err, &invalid) {
			got = "invalid"
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for _, o := range []Options{{TTL: -2}, {Dimensions: -1}, {Fields: []string{"a."}}, {Embedder: nameless{}}} {
		var invalid *InvalidError
		if _, err := New(nil, &o); !errors.As(err, &invalid) || invalid.What != "options" {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

type nameless struct{ Embedder }

func (nameless) ID() string { return "" }
