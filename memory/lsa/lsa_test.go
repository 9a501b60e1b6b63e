package lsa

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"example.com/assay/memory/vector"
)

// corpusOf numbers the terms of texts given as lists of words.
func corpusOf(texts ...[]string) Corpus {
	var c Corpus
	for _, words := range texts {
		c.Terms = append(c.Terms, words...)
	}
	slices.Sort(c.Terms)
	c.Terms = slices.Compact(c.Terms)
	for _, words := range texts {
		var row []Cell
		for _, t := range Bag(words) {
			at, _ := slices.BinarySearch(c.Terms, t.Text)
			row = append(row, Cell{Term: int32(at), N: int32(t.N)})
		}
		c.Docs = append(c.Docs, row)
	}
	return counted(c)
}

// counted is a corpus whose sample is all of it.
func counted(c Corpus) Corpus {
	c.Passages, c.DF = len(c.Docs), make([]int, len(c.Terms))
	for _, row := range c.Docs {
		for _, cell := range row {
			if int(cell.Term) >= 0 && int(cell.Term) < len(c.DF) {
				c.DF[cell.Term]++
			}
		}
	}
	return c
}

func randomTexts(n int) [][]string {
	rng := rand.New(rand.NewPCG(9, 9))
	zipf := rand.NewZipf(rng, 1.2, 3, 400)
	out := make([][]string, n)
	for i := range out {
		for range 10 + rng.IntN(10) {
			out[i] = append(out[i], fmt.Sprintf("w%03d", zipf.Uint64()))
		}
	}
	return out
}

// fitted is a model of that many dimensions; 0 for as many as Fit chooses.
func fitted(t testing.TB, c Corpus, dims int) *Model {
	t.Helper()
	if dims == 0 {
		dims = dimensions(c.Passages)
	}
	m, err := fit(t.Context(), c, dims, powerIters)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBag(t *testing.T) {
	words := []string{"b", "a", "b", "c", "b"}
	want := []Term{{"a", 1}, {"b", 3}, {"c", 1}}
	if got := Bag(words); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if words[0] != "b" {
		t.Error("the argument was sorted")
	}
	if got := Bag(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
}

// The randomised basis spans what the exact decomposition does: both project
// the matrix alike, to the rank asked for.
func TestAgainstExactDecomposition(t *testing.T) {
	c := corpusOf(randomTexts(60)...)
	const k = 8
	m, a := weigh(c)
	basis, err := leftVectors(t.Context(), a, k, 6)
	if err != nil {
		t.Fatal(err)
	}
	dense := mat.NewDense(a.rows, a.cols, nil)
	for r, row := range a.byRow {
		for _, e := range row {
			dense.Set(r, int(e.at), e.value)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(dense, mat.SVDThin) {
		t.Fatal("no decomposition")
	}
	exact := svd.Values(nil)
	var kept float64
	for _, v := range exact[:k] {
		kept += v * v
	}
	var projected mat.Dense
	projected.Mul(basis.T(), dense)
	if got := math.Pow(mat.Norm(&projected, 2), 2); math.Abs(got-kept) > 1e-3*kept {
		t.Errorf("the basis keeps %v of the matrix, the exact one %v", got, kept)
	}
	var gram mat.Dense
	gram.Mul(basis.T(), basis)
	for i := range k {
		for j := range k {
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(gram.At(i, j)-want) > 1e-9 {
				t.Fatalf("basis vectors %d and %d have the product %v", i, j, gram.At(i, j))
			}
		}
	}
	if len(m.terms) != a.rows {
		t.Errorf("%d terms, %d rows", len(m.terms), a.rows)
	}
}

func TestFitIsDeterministic(t *testing.T) {
	c := corpusOf(randomTexts(700)...)
	var want []byte
	for _, procs := range []int{1, 8, 2} {
		previous := runtime.GOMAXPROCS(procs)
		got, err := fitted(t, c, 40).MarshalBinary()
		runtime.GOMAXPROCS(previous)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("with %d processors the model differs", procs)
		}
	}
}

func TestTinyCorpora(t *testing.T) {
	same := []string{"otter", "river"}
	tests := []struct {
		name string
		c    Corpus
		dims int
	}{
		{"nothing", Corpus{}, 0},
		{"no terms", corpusOf(nil, nil), 0},
		{"one passage", corpusOf(same), 1},
		{"two passages", corpusOf(same, []string{"badger", "wood"}), 2},
		{"identical", corpusOf(same, same, same, same), 1},
		{"one word each", corpusOf([]string{"a"}, []string{"b"}, []string{"c"}), 3},
		{"an empty passage", corpusOf(same, nil, []string{"wood"}), 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := fitted(t, test.c, 0)
			if m.Dims() != test.dims || m.Docs() != len(test.c.Docs) {
				t.Fatalf("%d dimensions of %d passages, want %d of %d", m.Dims(), m.Docs(), test.dims, len(test.c.Docs))
			}
			v, known := m.Project(Bag(same))
			if test.dims > 0 && slices.Contains(test.c.Terms, "otter") {
				if math.Abs(vector.Dot(v, v)-1) > 1e-5 || math.Abs(known-1) > 1e-9 {
					t.Errorf("vector %v, known %v", v, known)
				}
			}
			for _, x := range m.Embed(Bag([]string{"otter", "zyx"})) {
				if math.IsNaN(float64(x)) {
					t.Fatal("not a number")
				}
			}
		})
	}
}

func TestFitRefuses(t *testing.T) {
	tests := []Corpus{
		{Terms: []string{"b", "a"}},
		{Terms: []string{"a", "a"}},
		{Terms: []string{"a"}, Docs: [][]Cell{{{Term: 1, N: 1}}}},
		{Terms: []string{"a"}, Docs: [][]Cell{{{Term: 0, N: 0}}}},
		{Terms: []string{"a", "b"}, Docs: [][]Cell{{{Term: 1, N: 1}, {Term: 0, N: 1}}}},
		{Terms: []string{"a"}, Docs: [][]Cell{{{Term: -1, N: 1}}}},
	}
	for _, c := range tests {
		if _, err := Fit(t.Context(), counted(c)); err == nil {
			t.Errorf("%+v was accepted", c)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fit(ctx, corpusOf(randomTexts(20)...)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Unknown words lower the similarity to everything that does not hold them,
// and raise it between texts that share them.
func TestUnknownWords(t *testing.T) {
	m := fitted(t, corpusOf(randomTexts(100)...), 0)
	embed := func(words ...string) []float32 { return m.Embed(Bag(words)) }
	plain := embed("w001", "w002", "w003")
	last := 1.0001
	for _, words := range [][]string{{}, {"xa"}, {"xa", "xb"}, {"xa", "xb", "xc"}} {
		v := embed(append([]string{"w001", "w002", "w003"}, words...)...)
		if math.Abs(vector.Dot(v, v)-1) > 1e-5 {
			t.Errorf("with %v the length is %v", words, vector.Dot(v, v))
		}
		s := vector.Dot(plain, v)
		_, known := m.Project(Bag(append([]string{"w001", "w002", "w003"}, words...)))
		if math.Abs(s-math.Sqrt(known)) > 1e-4 || s >= last {
			t.Errorf("with %v the similarity is %v, known %v, before %v", words, s, known, last)
		}
		last = s
	}
	if a, b := embed("w001", "xa"), embed("w001", "xb"); vector.Dot(a, b) > .5 {
		t.Errorf("texts with different unknown words: %v", vector.Dot(a, b))
	}
	if a, b := embed("w001", "xa"), embed("w002", "xa"); vector.Dot(a, b) < .5 {
		t.Errorf("texts that share an unknown word: %v", vector.Dot(a, b))
	}
	if v := embed(); vector.Dot(v, v) != 0 {
		t.Errorf("of nothing: %v", v)
	}
	if v := embed("xa"); math.Abs(vector.Dot(v, v)-1) > 1e-5 {
		t.Errorf("of an unknown word alone: length %v", vector.Dot(v, v))
	}
}

// Words that occur together come close, whether or not a text holds both.
func TestMeaningByCompany(t *testing.T) {
	var texts [][]string
	for range 10 {
		texts = append(texts, []string{"ship", "sail", "mast"}, []string{"boat", "sail", "mast"}, []string{"bread", "flour", "oven"}, []string{"cake", "flour", "oven"})
	}
	m := fitted(t, corpusOf(texts...), 2)
	ship, boat, cake := m.Embed(Bag([]string{"ship"})), m.Embed(Bag([]string{"boat"})), m.Embed(Bag([]string{"cake"}))
	if near, far := vector.Dot(ship, boat), vector.Dot(ship, cake); near < .8 || far > .2 {
		t.Errorf("ship and boat %v, ship and cake %v", near, far)
	}
}

func TestRoundTrip(t *testing.T) {
	m := fitted(t, corpusOf(randomTexts(50)...), 0)
	data, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Model
	if err := got.Decode(data, ""); err != nil {
		t.Fatal(err)
	}
	bag := Bag([]string{"w001", "w007", "unknown"})
	if got.ID() != m.ID() || m.ID() == "" || !slices.Equal(got.Embed(bag), m.Embed(bag)) {
		t.Errorf("%s embeds otherwise than %s", got.ID(), m.ID())
	}
	other := fitted(t, corpusOf(randomTexts(51)...), 0)
	if other.ID() == m.ID() {
		t.Error("two models have one id")
	}
	for n := range data {
		if err := new(Model).Decode(data[:n], ""); err == nil {
			t.Fatalf("%d of %d bytes were accepted", n, len(data))
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, n := range []int{0, 1, 3} {
		data, err := fitted(f, corpusOf(randomTexts(n)...), 0).MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var m Model
		if m.Decode(data, "") != nil {
			return
		}
		m.Embed(Bag([]string{"w001", "x"}))
		again, err := m.MarshalBinary()
		if err != nil || new(Model).Decode(again, "") != nil {
			t.Errorf("a decoded model does not survive encoding: %v", err)
		}
	})
}

// A few passages of very many terms are not a corpus of prose: terms of one passage are left out.
func TestManyTermsInFewPassages(t *testing.T) {
	for _, c := range []struct{ docs, terms, want int }{{999, manyTerms - 1, 1}, {999, manyTerms, 2}, {1000, 10, 2}} {
		if got := leastDocs(c.docs, c.terms); got != c.want {
			t.Errorf("%d passages of %d terms: terms of %d passages, want %d", c.docs, c.terms, got, c.want)
		}
	}
}
