package ranking

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/indextest"
	"example.com/assay/memory/lsa"
	"example.com/assay/memory/retrieval"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// simpleBM25 is BM25 as a textbook writes it, over the terms of every passage.
func simpleBM25(corpus [][]string, query []string, doc int) float64 {
	var total, score float64
	for _, own := range corpus {
		total += float64(len(own))
	}
	n := float64(len(corpus))
	for _, q := range query {
		var df, tf float64
		for _, own := range corpus {
			if slices.Contains(own, q) {
				df++
			}
		}
		for _, w := range corpus[doc] {
			if w == q {
				tf++
			}
		}
		norm := 1 - .7 + .7*float64(len(corpus[doc]))/(total/n)
		score += math.Log(1+(n-df+.5)/(df+.5)) * tf * 2.2 / (tf + 1.2*norm)
	}
	return score
}

func TestBM25AgainstOracle(t *testing.T) {
	passages := indextest.Synthesise(200, 7)
	var corpus [][]string
	for i := range passages {
		passages[i].Doc = passages[i].ID // no names, no document scores
		corpus = append(corpus, text.Terms(passages[i].Text, text.DocStops))
	}
	x := corpusOf(t, passages)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		draw := rng.Perm(60)
		query := []string{indextest.Word(uint64(draw[0])), indextest.Word(uint64(draw[1])), indextest.Word(uint64(draw[2])), "nowher"}
		sig, _, err := x.score(t.Context(), query, nil, newScratch(len(passages), len(passages)))
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range passages {
			ord, _ := x.Table.Find(p.ID)
			want := simpleBM25(corpus, query, i)
			if math.Abs(sig.plain[ord]-want) > 1e-9 || math.Abs(sig.scoped[ord]-want) > 1e-9 {
				t.Fatalf("%q on %s: %v and %v, want %v", query, p.ID, sig.plain[ord], sig.scoped[ord], want)
			}
		}
	}
}

// Words of a document's name count as far as its score does not: not at all
// where the query clearly names it, in full where two documents are level.
func TestRestoreNames(t *testing.T) {
	var level, clear []state.Passage
	for i, s := range []string{"Barter is older than coin.", "Salt served in barter.", "Barter is older than coin.", "Salt served in barter."} {
		p := state.Passage{ID: fmt.Sprint(i), Doc: fmt.Sprint(i / 2), Title: "Barter", Text: s, End: len(s), Source: fmt.Sprint(i / 2)}
		level = append(level, p)
		if i >= 2 {
			p.Title, p.Text = "Weaving", "Looms and shuttles."
		}
		clear = append(clear, p)
	}
	for _, test := range []struct {
		name     string
		passages []state.Passage
		share    float64
	}{{"level", level, 1}, {"clear", clear, 0}} {
		x := corpusOf(t, test.passages)
		sig, _, err := x.score(t.Context(), []string{"barter"}, nil, newScratch(4, 2))
		if err != nil {
			t.Fatal(err)
		}
		if sig.plain[0] == 0 || math.Abs(sig.scoped[0]-test.share*sig.plain[0]) > 1e-12 {
			t.Errorf("%s: %v of %v is kept", test.name, sig.scoped[0], sig.plain[0])
		}
	}
}

// commonWords are the most frequent words of synthesised passages.
var commonWords = []string{indextest.Word(0), indextest.Word(1), indextest.Word(2), indextest.Word(3), indextest.Word(5)}

// In a document that has a name and ten passages, a term's idf is the mean of
// that among all passages and that among the document's.
func TestIDFWithinDocuments(t *testing.T) {
	const docs, each = 3, 12
	words := indextest.Synthesise(docs*each, 11)
	var passages []state.Passage
	var bags [][]string
	for i, p := range words {
		name := []string{"Quarry", "Orchard", "Harbour"}[i/each]
		passages = append(passages, state.Passage{ID: fmt.Sprintf("%02d", i), Doc: name, Title: name, Text: p.Text, End: len(p.Text), Source: name})
		bags = append(bags, text.Terms(p.Text+" "+name+" "+name, text.DocStops))
	}
	x := corpusOf(t, passages)
	query := commonWords
	sig, _, err := x.score(t.Context(), query, nil, newScratch(docs*each, docs))
	if err != nil {
		t.Fatal(err)
	}
	unequal := 0
	for i := range passages {
		var want float64
		for _, q := range query {
			within := bags[i/each*each : i/each*each+each]
			df := 0.0
			for _, bag := range within {
				if slices.Contains(bag, q) {
					df++
				}
			}
			one := simpleBM25(bags, []string{q}, i)
			global := globalIDF(bags, q)
			want += one / global * (global + math.Log(1+(each-df+.5)/(df+.5))) / 2
		}
		if math.Abs(sig.scoped[i]-want) > 1e-9 {
			t.Fatalf("passage %d: %v, want %v", i, sig.scoped[i], want)
		}
		if math.Abs(sig.scoped[i]-sig.plain[i]) > .1 {
			unequal++
		}
	}
	if unequal == 0 {
		t.Error("nothing was tested: within documents the terms are as frequent as among all passages")
	}
}

func globalIDF(bags [][]string, term string) float64 {
	df := 0.0
	for _, bag := range bags {
		if slices.Contains(bag, term) {
			df++
		}
	}
	return math.Log(1 + (float64(len(bags))-df+.5)/(df+.5))
}

// Unknown words lower the cosine by the root of the share that is known.
func TestCosineOfUnknownWords(t *testing.T) {
	x := corpusOf(t, documentsOf("a larch hull with oak frames", "a larch hull and moss", "oak frames and tar", "a linen kite", "moss and tar", "a kite of waxed linen"))
	known, mixed := &signals{}, &signals{}
	x.project([]string{"larch", "hull"}, known)
	x.project([]string{"larch", "hull", "qwvzx"}, mixed)
	_, share := x.model.Project(lsa.Bag([]string{"larch", "hull", "qwvzx"}))
	largest := 0.0
	for ord := range int32(x.Table.Len()) {
		c := x.cosine(known, ord)
		if got, want := x.cosine(mixed, ord), c*math.Sqrt(share); math.Abs(got-want) > 1e-6 {
			t.Fatalf("passage %d: %v, want %v of %v", ord, got, want, c)
		}
		largest = max(largest, c)
	}
	if largest < .3 || share > .9 {
		t.Errorf("nothing was tested: %v, %v", largest, share)
	}
}

// Of a query of more words than are looked at, those count that few passages hold,
// wherever they stand in the alphabet. Words that no passage holds count last.
func TestLongQuery(t *testing.T) {
	var common, unknown strings.Builder
	for i := range 2 * maxTerms {
		fmt.Fprintf(&common, "a%03dx ", i)
		fmt.Fprintf(&unknown, "b%03dx ", i)
	}
	texts := make([]string, 12)
	for i := range texts {
		texts[i] = common.String() + fmt.Sprintf("page%d", i)
	}
	texts[7] = "A zymurgist brews with yeast."
	x := corpusOf(t, documentsOf(texts...))
	for _, query := range []string{
		common.String() + "zymurgist",
		common.String() + unknown.String() + "zymurgist",
		"zymurgist " + unknown.String(),
	} {
		s := newScratch(x.Table.Len(), len(x.Table.Docs))
		sig, _, err := x.score(t.Context(), x.Reader.Terms(query), nil, s)
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(sig.terms))
		for i, q := range sig.terms {
			names[i] = q.term
		}
		if len(names) > maxTerms || !slices.IsSorted(names) || !slices.Contains(names, "zymurgist") {
			t.Errorf("%.20s…: looked at %d terms: %v", query, len(names), names)
		}
		held := 0
		for _, holds := range sig.holds {
			if holds != 0 {
				held++
			}
		}
		if want := map[bool]int{true: 12, false: 1}[strings.Contains(query, "a000x")]; held != want {
			t.Errorf("%.20s…: %d passages hold a term, want %d", query, held, want)
		}
	}
}

// Outside of the filter no signal has a value: nothing there can be a bridge,
// a seed, the best document or the background of a query.
func TestFilterSilencesTheRest(t *testing.T) {
	passages := indextest.Synthesise(200, 5)
	for i := range passages {
		passages[i].Metadata = map[string]string{"third": fmt.Sprint(i % 3), "dir": fmt.Sprintf("d%d/e%d", i%2, i%5)}
	}
	x := corpusOf(t, passages)
	s := x.scratch.Get().(*scratch)
	var err error
	if s.only, err = x.subset(t.Context(), []retrieval.Condition{{Key: "third", OneOf: []string{"1"}}, {Key: "dir", Prefix: "d0/e3"}}); err != nil {
		t.Fatal(err)
	}
	sig, _, err := x.score(t.Context(), commonWords, nil, s)
	if err != nil {
		t.Fatal(err)
	}
	inside, outside := 0, 0
	for ord, in := range s.only.passages {
		any := sig.plain[ord] + sig.scoped[ord] + sig.names[ord] + float64(sig.holds[ord])
		if in && any > 0 {
			inside++
		}
		if !in && any > 0 {
			outside++
		}
	}
	for doc, in := range s.only.docs {
		if !in && sig.docs[doc] > 0 {
			outside++
		}
	}
	for _, ord := range x.candidates(sig, func(ord int32) bool { return !s.only.has(ord) }) {
		if !s.only.has(ord) {
			outside++
		}
	}
	if inside == 0 || outside > 0 || !s.only.docs[sig.best] {
		t.Errorf("%d inside and %d outside have values; the best document is inside: %v", inside, outside, s.only.docs[sig.best])
	}
}

// A search leaves nothing behind in the memory that it shares with the next, also not what
// a citation gave to passages that no word of the query reaches.
func TestScratchIsCleared(t *testing.T) {
	passages := indextest.Synthesise(60, 7)
	for i := range passages { // a number that is in no text
		passages[i].Metadata = map[string]string{"number": fmt.Sprintf("9.%d.1", i)}
	}
	x := corpusOf(t, passages)
	for _, query := range []string{"Rule 9.2.1", "9.4.1 or Rule 9.8.1", strings.Join(commonWords, " "), "Rule 9.7.1 on " + commonWords[0]} {
		a := Asked{Terms: x.Reader.Terms(query), Citations: citation.Parse(query)}
		if _, err := x.Search(t.Context(), a, retrieval.Query{Primary: query}); err != nil {
			t.Fatal(err)
		}
		s := x.scratch.Get().(*scratch)
		s.clear()
		for ord := range s.plain {
			if s.plain[ord] != 0 || s.scoped[ord] != 0 || s.names[ord] != 0 || s.pairs[ord] != 0 || s.holds[ord] != 0 {
				t.Fatalf("%q leaves something of passage %d behind", query, ord)
			}
		}
		x.scratch.Put(s)
	}
}
