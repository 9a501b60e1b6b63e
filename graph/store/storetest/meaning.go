package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"example.com/assay/graph/store"
)

func words(name string, vocabulary ...string) *Words {
	return &Words{Name: name, Vocabulary: vocabulary}
}

func checkMeaning(t *testing.T, open Open) {
	w := words("w", "fish", "bread", "tea")
	s := open(t, &store.Options{Embedder: w})
	apply(t, s,
		put("a/both", `{"z":"fish","y":{"x":["bread","",3]}}`),
		put("a/fish", `{"t":"fish"}`),
		put("a/no text", `{"n":1,"b":true}`),
		put("b/fish", `{"t":"fish","n":1}`),
		put("b/tea", `{"t":"tea","n":1}`),
		put("b/unknown", `{"t":"what"}`))
	if got, want := w.Seen(), []string{"bread\nfish", "fish", "fish", "tea", "what"}; !reflect.DeepEqual(got, want) {
		t.Errorf("embedded %q, want %q", got, want)
	}
	found(t, s, store.Query{Text: "fish"}, "a/fish", "b/fish", "a/both", "b/tea", "b/unknown")
	if got := w.Seen(); !reflect.DeepEqual(got, []string{"fish"}) {
		t.Errorf("a search embedded %q", got)
	}
	results := search(t, s, store.Query{Text: "fish"})
	for i, want := range []float64{1, 1, math.Sqrt2 / 2, 0, 0} {
		if math.Abs(results[i].Score-want) > 1e-6 {
			t.Errorf("%s scores %v, want %v", results[i].Key, results[i].Score, want)
		}
	}
	found(t, s, store.Query{Text: "fish", Limit: 2}, "a/fish", "b/fish")
	found(t, s, store.Query{Text: "fish", Limit: 2, Offset: 1}, "b/fish", "a/both")
	found(t, s, store.Query{Text: "fish", Offset: 9})
	found(t, s, store.Query{Text: "fish", Namespace: ns("b")}, "b/fish", "b/tea", "b/unknown")
	found(t, s, store.Query{Text: "fish", Filters: []store.Filter{store.Equal("n", 1)}}, "b/fish", "b/tea")
	if results := search(t, s, store.Query{}); len(results) != 6 || results[0].Score != 0 {
		t.Errorf("without a text: %v", results)
	}
	apply(t, s, put("b/fish", `{"t":"tea"}`), remove("a/fish"))
	found(t, s, store.Query{Text: "tea", Limit: 2}, "b/fish", "b/tea")

	many := make([]store.Op, 300)
	for i := range many {
		many[i] = put(fmt.Sprintf("m/%03d", i), fmt.Sprintf(`{"t":"%s tea"}`, []string{"tea", "bread", "fish fish"}[i%3]))
	}
	apply(t, s, many...)
	found(t, s, store.Query{Text: "tea", Namespace: ns("m"), Limit: 3, Offset: 99}, "m/297", "m/001", "m/004")

	_, err := open(t, nil).Search(t.Context(), store.Query{Text: "fish"})
	if !errors.Is(err, store.ErrNoEmbedder) {
		t.Errorf("without an embedder: %v", err)
	}
}

func checkFields(t *testing.T, open Open) {
	w := words("w", "fish", "tea")
	s := open(t, &store.Options{Embedder: w, Fields: []string{"title", "body.text"}})
	apply(t, s,
		put("n/1", `{"title":"tea","body":{"text":["fish","fish"]},"other":"tea"}`),
		put("n/2", `{"title":"fish tea"}`),
		put("n/3", `{"other":"fish"}`))
	if got, want := w.Seen(), []string{"tea", "fish\nfish", "fish tea"}; !reflect.DeepEqual(got, want) {
		t.Errorf("embedded %q, want %q", got, want)
	}
	found(t, s, store.Query{Text: "fish"}, "n/1", "n/2") // the better of its vectors counts
	found(t, s, store.Query{Text: "tea"}, "n/1", "n/2")
	w.Seen()
	// Vectors of different fields are never compared, even from one embedder.
	other := open(t, &store.Options{Embedder: w, Fields: []string{"other"}})
	found(t, other, store.Query{Text: "fish"}, "n/3", "n/1")
}

func checkOtherEmbedder(t *testing.T, open Open) {
	plain := open(t, nil)
	apply(t, plain, put("n/0", `{"t":"tea"}`))
	first := words("first", "fish", "tea")
	apply(t, open(t, &store.Options{Embedder: first}), put("n/1", `{"t":"fish"}`), put("n/2", `{"t":"tea"}`), put("other/3", `{"t":"tea"}`))

	second := words("second", "tea", "fish", "bread")
	s := open(t, &store.Options{Embedder: second})
	q := store.Query{Namespace: ns("n"), Text: "tea", Limit: 2}
	found(t, s, q, "n/0", "n/2")
	if got, want := second.Seen(), []string{"tea", "tea", "fish", "tea"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the first search embedded %q, want %q", got, want)
	}
	found(t, s, q, "n/0", "n/2")
	if got, want := second.Seen(), []string{"tea"}; !reflect.DeepEqual(got, want) {
		t.Errorf("the second search embedded %q, want %q", got, want)
	}

	// An embedder that keeps its ID but changes its dimensions is an error.
	liar := open(t, &store.Options{Embedder: words("second", "tea")})
	if _, err := liar.Search(t.Context(), q); err == nil {
		t.Error("vectors of different dimensions were compared")
	}
	// An item that changes while it is embedded keeps the vector of its new value.
	third := words("third", "fish", "tea")
	racing := open(t, &store.Options{Embedder: third})
	third.Fail = func(v [][]float32) ([][]float32, error) {
		if len(v) == 3 {
			third.Fail = nil
			apply(t, racing, put("n/1", `{"t":"tea tea"}`), remove("n/2"))
		}
		return v, nil
	}
	search(t, racing, q)
	found(t, racing, q, "n/0", "n/1")
	if results := search(t, racing, q); results[1].Score < 0.99 {
		t.Errorf("the new value scores %v, as the old one", results[1].Score)
	}
}

func checkBadEmbedder(t *testing.T, open Open) {
	errBroken := errors.New("broken")
	w := words("w", "fish", "tea")
	s := open(t, &store.Options{Embedder: w})
	apply(t, s, put("n/1", `{"t":"fish"}`))
	inf := float32(math.Inf(1))
	for name, fail := range map[string]func(v [][]float32) ([][]float32, error){
		"an error":              func([][]float32) ([][]float32, error) { return nil, errBroken },
		"too few":               func(v [][]float32) ([][]float32, error) { return v[1:], nil },
		"too many":              func(v [][]float32) ([][]float32, error) { return append(v, v[0]), nil },
		"none":                  func([][]float32) ([][]float32, error) { return nil, nil },
		"empty":                 func(v [][]float32) ([][]float32, error) { v[0] = nil; return v, nil },
		"one is longer":         func(v [][]float32) ([][]float32, error) { v[len(v)-1] = []float32{1, 2, 3}; return v, nil },
		"all are of other size": func(v [][]float32) ([][]float32, error) { return slices.Repeat([][]float32{{1}}, len(v)), nil },
		"infinite":              func(v [][]float32) ([][]float32, error) { v[0][0] = inf; return v, nil },
		"not a number":          func(v [][]float32) ([][]float32, error) { v[0][1] = inf - inf; return v, nil },
	} {
		w.Fail = fail
		err := s.Apply(t.Context(), put("n/2", `{"t":"fish"}`), put("n/3", `{"t":"tea"}`), remove("n/1"))
		if err == nil || name == "an error" && !errors.Is(err, errBroken) {
			t.Errorf("%s: error %v", name, err)
		}
		if _, err := s.Search(t.Context(), store.Query{Text: "tea"}); err == nil {
			t.Errorf("%s: a search went well", name)
		}
		found(t, s, store.Query{}, "n/1")
	}
	w.Fail = nil
	three := open(t, &store.Options{Embedder: w, Dimensions: 3})
	if err := three.Apply(t.Context(), put("n/2", `{"t":"fish"}`)); err == nil {
		t.Error("two dimensions were taken for three")
	}
	found(t, s, store.Query{}, "n/1")
	ctx, cancel := context.WithCancel(t.Context())
	w.Fail = func(v [][]float32) ([][]float32, error) { cancel(); return v, nil }
	if err := s.Apply(ctx, put("n/2", `{"t":"fish"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended while embedding: %v", err)
	}
	w.Fail = nil
	found(t, s, store.Query{}, "n/1")
}
