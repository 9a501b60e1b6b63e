package index

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/assay/memory/text"
)

// Numbers of pseudo-questions. Every one costs a search when the corpus is
// indexed.
const (
	pseudoSentences = 100 // sentences that questions are made of
	pseudoSeed      = 42
	shortest        = 2 // terms of a question
	longest         = 6
)

// A pseudo question is made from the corpus to learn how similar to their
// hits questions are that the corpus answers, and others.
type pseudo struct {
	terms   []string
	held    bool // the corpus answers it
	without int  // document that is left out of the search; -1 for none
}

// pseudoQuestions makes up to three questions of each of up to a hundred
// sentences, always the same for the same corpus:
//
//   - answered: some of the sentence's content words, shuffled, up to two
//     fifths of them replaced by words from elsewhere or by unknown ones, as
//     people ask in words of their own;
//   - absent: words of the sentence of which at least half occur in its
//     document only, asked of the corpus without that document;
//   - foreign: each word from another sentence, so that nothing speaks of
//     them together, and a share of them, growing from none to three
//     quarters, replaced by words that the corpus does not hold. The words
//     that stay are frequent ones more often than not.
func (x *Index) pseudoQuestions(ctx context.Context) ([]pseudo, error) {
	if len(x.table.rows) == 0 {
		return nil, nil
	}
	rng := rand.New(rand.NewPCG(pseudoSeed, uint64(len(x.table.rows))))
	sentences, err := x.sampleSentences(ctx, rng)
	if err != nil {
		return nil, err
	}
	var out []pseudo
	for i, s := range sentences {
		size := min(len(s.terms), shortest+rng.IntN(longest-shortest+1))
		asked := pick(rng, s.terms, size)
		for j := range rng.IntN(2*size/5 + 1) {
			asked[j] = elsewhere(rng, sentences)
			if rng.IntN(3) == 0 {
				asked[j] = unknown(j)
			}
		}
		out = append(out, pseudo{terms: asked, held: true, without: -1})
		if half := (size + 1) / 2; len(s.own) >= half && len(x.table.docs) > judged {
			asked := append(pick(rng, s.own, half), pick(rng, s.terms, size-half)...)
			out = append(out, pseudo{terms: asked, without: s.doc})
		}
		if len(sentences) > longest {
			out = append(out, pseudo{terms: foreign(rng, sentences, max(size, 3), i%4), without: -1})
		}
	}
	return out, nil
}

// A sampled sentence: its distinct content terms, those of them that occur in
// no other document, and its document.
type sampled struct {
	terms, own []string
	doc        int
}

// sampleSentences draws passages and one sentence of each that has enough
// content words.
func (x *Index) sampleSentences(ctx context.Context, rng *rand.Rand) ([]sampled, error) {
	var out []sampled
	order := rng.Perm(len(x.table.rows))
	for _, ord := range order[:min(len(order), 3*pseudoSentences)] {
		if len(out) == pseudoSentences {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := x.store.passage(x.table.rows[ord].id)
		if err != nil {
			return nil, err
		}
		spans := text.Sentences(p.Text)
		if len(spans) == 0 {
			continue
		}
		span := spans[rng.IntN(len(spans))]
		s := sampled{terms: distinct(terms(p.Text[span.Start:span.End], text.QueryStops)), doc: x.table.rows[ord].doc}
		if len(s.terms) <= shortest {
			continue
		}
		if s.own, err = x.ownTerms(ctx, s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// ownTerms lists the terms of a sentence that no other document holds.
func (x *Index) ownTerms(ctx context.Context, s sampled) ([]string, error) {
	var own []string
	for _, t := range s.terms {
		found, err := x.store.postings(ctx, bodyField, t, x.table.drawn, nil)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(p posting) bool { return x.table.rows[p.ord].doc != s.doc }) {
			own = append(own, t)
		}
	}
	return own, nil
}

// pick draws n of the list, in random order.
func pick(rng *rand.Rand, list []string, n int) []string {
	list = slices.Clone(list)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:n]
}

// elsewhere draws a word of any sentence.
func elsewhere(rng *rand.Rand, sentences []sampled) string {
	s := sentences[rng.IntN(len(sentences))]
	return s.terms[rng.IntN(len(s.terms))]
}

// unknown is a term that no tokenizer makes, so that no corpus holds it.
func unknown(i int) string { return fmt.Sprintf("\x00%d", i) }

// foreign makes a question of n words of n sentences, of which the given
// number of quarters are unknown.
func foreign(rng *rand.Rand, sentences []sampled, n, quarters int) []string {
	out := make([]string, 0, n)
	for _, at := range rng.Perm(len(sentences))[:n] {
		s := sentences[at]
		out = append(out, s.terms[rng.IntN(len(s.terms))])
	}
	for i := range (n*quarters + 3) / 4 {
		out[i] = unknown(i)
	}
	return out
}
