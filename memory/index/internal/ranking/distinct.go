package ranking

import (
	"context"
	"slices"

	"example.com/assay/memory/text"
)

const (
	shingle  = 5  // words
	nearDupe = .9 // Jaccard similarity of shingles from which a passage repeats another; at .8 rules were lost that differ in the words that matter

	// A copy ranks next to what it repeats. So this many passages after the last hit are
	// compared too, as long as they score nearly as much as it.
	copiesBehind = 8
	copiesScore  = .95
)

// distinct reads the best n passages, leaving out those that repeat a better
// one: the same bytes of a source, or text that is nearly the same. They are
// listed with it. Where repeats are wanted, none are left out.
func (x *Corpus) distinct(ctx context.Context, ranked []candidate, n int, wanted bool) ([]candidate, error) {
	var out []candidate
	behind := 0
	for _, c := range ranked {
		if len(out) == n {
			if wanted || behind == copiesBehind || n == 0 || c.fused < copiesScore*out[n-1].fused {
				break
			}
			behind++
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if c.passage.ID == "" {
			p, err := x.Store.Passage(c.ord)
			if err != nil {
				return nil, err
			}
			c.passage = p
		}
		if wanted {
			out = append(out, c)
			continue
		}
		c.words = Shingles(c.passage.Text)
		at := slices.IndexFunc(out, func(better candidate) bool { return repeats(c, better) })
		switch {
		case at >= 0:
			out[at].copies = append(out[at].copies, c.passage.ID)
		case len(out) < n:
			out = append(out, c)
		}
	}
	return out, nil
}

// repeats reports whether a candidate is the same bytes of a source as a better one, or
// nearly the same text.
func repeats(c, better candidate) bool {
	p, q := c.passage, better.passage
	return p.Source != "" && p.End > p.Start && p.Source == q.Source && p.Start == q.Start && p.End == q.End ||
		jaccard(c.words, better.words) >= nearDupe
}

func jaccard(a, b map[string]struct{}) float64 {
	both := 0
	for s := range a {
		if _, ok := b[s]; ok {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// Shingles returns the runs of five words of s, each followed by a space. A shorter text
// is one run.
func Shingles(s string) map[string]struct{} {
	tokens := text.Tokens(s)
	out := make(map[string]struct{}, len(tokens))
	for i := 0; i == 0 || i+shingle <= len(tokens); i++ {
		var key []byte
		for _, t := range tokens[i:min(i+shingle, len(tokens))] {
			key = append(append(key, t.Text...), ' ')
		}
		out[string(key)] = struct{}{}
	}
	return out
}
