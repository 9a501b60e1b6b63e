package index

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Numbers of pseudo-questions. Every one costs a search when the corpus is
// indexed.
const (
	pseudoSentences = 100 // passages that questions are made of
	pseudoSeed      = 42
	shortest        = 2  // terms of a question
	brief           = 6  // terms that a short question has at most
	longest         = 20 // and a long one
)

// A pseudo question is made from the corpus to learn how much evidence is
// found for questions that the corpus answers, and for others.
type pseudo struct {
	terms   []string
	held    bool   // the corpus answers it
	without int    // document that is left out of the search; -1 for none
	text    string // the terms as words, for an embedder that has not seen terms
}

// pseudoQuestions makes three questions of each of up to a hundred passages,
// always the same for the same corpus. Every other passage makes long
// questions, of up to twenty terms, the others short ones:
//
//   - answered: content words of a sentence, of a long question also of the
//     sentence that follows and of the heading, shuffled, up to two fifths of
//     them (half, of a long one) replaced by words from elsewhere or by
//     unknown ones, as people ask in words of their own;
//   - absent: words of the sentence of which at least half occur in its
//     document only, asked of the corpus without that document; or, where it
//     has too few of those, words of the sentence of which the rarest, up to
//     half, are replaced by unknown ones: a question on another subject in
//     the corpus' manner of speaking;
//   - foreign: each word from another sentence, of two drawn there the more
//     frequent one if the question is long, so that nothing speaks of them
//     together, and a share of them, growing from none to three quarters,
//     replaced by unknown words. The words that stay are frequent ones more
//     often than not.
func (x *Index) pseudoQuestions(ctx context.Context) ([]pseudo, error) {
	if x.table.len() == 0 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(pseudoSeed, uint64(x.table.len())))
	samples, spelled, err := x.samples(ctx, rng)
	if err != nil {
		return nil, err
	}
	var out []pseudo
	for i, s := range samples {
		long := i%2 == 1
		size, from := min(len(s.words), shortest+rng.IntN(brief-shortest+1)), names(s.words)
		replaced := 2 * size / 5
		if long {
			size, from = min(len(s.around), brief+1+rng.IntN(longest-brief)), s.around
			replaced = size / 2
		}
		asked := pick(rng, from, size)
		for j := range rng.IntN(replaced + 1) {
			asked[j] = draw(rng, samples).term
			if rng.IntN(3) == 0 {
				asked[j] = unknown(j)
			}
		}
		out = append(out, pseudo{terms: asked, held: true, without: -1})
		out = append(out, x.absent(rng, s, min(size, len(s.words))))
		if size = max(size, 3); len(samples) > size {
			out = append(out, pseudo{terms: foreign(rng, samples, size, i%4, long), without: -1})
		}
	}
	for i := range out {
		out[i].text = spelled.text(out[i].terms)
	}
	return out, nil
}

// A sample is the words of a sentence, the rarest first; the terms of the
// sentence, the next one and the passage's heading; and its document.
type sample struct {
	words  []word
	around []string
	doc    int
}

// A word is a term, how many passages hold it, and whether all of them are of
// one document.
type word struct {
	term string
	held int
	own  bool
}

// rarestFirst orders words by the passages that hold them.
func rarestFirst(a, b word) int {
	return cmp.Or(cmp.Compare(a.held, b.held), cmp.Compare(a.term, b.term))
}

// names are the terms of words.
func names(words []word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.term
	}
	return out
}

// samples draws passages and one sentence of each that has enough content
// words. The spelling is that of all their terms.
func (x *Index) samples(ctx context.Context, rng *rand.Rand) ([]sample, spelling, error) {
	var out []sample
	spelled := spelling{}
	order := rng.Perm(x.table.len())
	for _, ord := range order[:min(len(order), 3*pseudoSentences)] {
		if len(out) == pseudoSentences {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		p, err := x.store.passage(x.table.id(int32(ord)))
		if err != nil {
			return nil, nil, err
		}
		spans := text.Sentences(p.Text)
		if len(spans) == 0 {
			continue
		}
		at := rng.IntN(len(spans))
		first, last := spans[at], spans[min(at+1, len(spans)-1)]
		content := x.content(p)
		list := distinct(content(p.Text[first.Start:first.End]))
		if len(list) <= shortest {
			continue
		}
		s := sample{doc: x.table.doc(int32(ord))}
		around := content(p.Text[first.Start:last.End])
		s.around = distinct(append(around, content(lastHeading(p))...))
		if s.words, err = x.words(ctx, list, s.doc); err != nil {
			return nil, nil, err
		}
		spelled.learn(p.Text[first.Start:last.End], content)
		spelled.learn(lastHeading(p), content)
		out = append(out, s)
	}
	return out, spelled, nil
}

// content makes the terms of a passage's sentences that a question would hold.
func (x *Index) content(p state.Passage) func(s string) []string {
	l := languageOf(p)
	return func(s string) []string {
		if l == text.English {
			return terms(s, text.QueryStops)
		}
		return l.Terms(s)
	}
}

// words looks the terms of a sentence up, and sorts the rarest first.
func (x *Index) words(ctx context.Context, list []string, doc int) ([]word, error) {
	out := make([]word, len(list))
	var found []posting
	for i, t := range list {
		var err error
		if found, err = x.store.postings(ctx, bodyField, t, found[:0]); err != nil {
			return nil, err
		}
		elsewhere := func(p posting) bool { return x.table.doc(p.ord) != doc }
		out[i] = word{term: t, held: len(found), own: !slices.ContainsFunc(found, elsewhere)}
	}
	slices.SortFunc(out, rarestFirst)
	return out, nil
}

// absent makes a question of n words that the corpus has no answer to.
func (x *Index) absent(rng *rand.Rand, s sample, n int) pseudo {
	own := slices.DeleteFunc(slices.Clone(s.words), func(w word) bool { return !w.own })
	half := (n + 1) / 2
	if len(own) >= half && len(x.table.docs) > judged {
		terms := append(pick(rng, names(own), half), pick(rng, names(s.words), n-half)...)
		return pseudo{terms: terms, without: s.doc}
	}
	asked := pick(rng, s.words, n)
	slices.SortFunc(asked, rarestFirst)
	out := pseudo{terms: names(asked), without: -1}
	for i := range 1 + rng.IntN(half) {
		out.terms[i] = unknown(i)
	}
	return out
}

// pick draws n of the list, in random order.
func pick[T any](rng *rand.Rand, list []T, n int) []T {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// draw draws a word of any sentence.
func draw(rng *rand.Rand, samples []sample) word {
	s := samples[rng.IntN(len(samples))]
	return s.words[rng.IntN(len(s.words))]
}

// unknown is a term that no tokenizer makes, so that no corpus holds it.
func unknown(i int) string { return fmt.Sprintf("\x00%d", i) }

// foreign makes a question of n words of n sentences, of which the given
// number of quarters are unknown.
func foreign(rng *rand.Rand, samples []sample, n, quarters int, common bool) []string {
	out := make([]string, 0, n)
	for _, at := range rng.Perm(len(samples))[:n] {
		list := samples[at].words
		w := rng.IntN(len(list))
		if common {
			w = max(w, rng.IntN(len(list)))
		}
		out = append(out, list[w].term)
	}
	for i := range (n*quarters + 3) / 4 {
		out[i] = unknown(i)
	}
	return out
}
