package index

import (
	"context"
	"slices"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

const (
	shingle  = 5  // words
	nearDupe = .9 // Jaccard similarity of shingles from which a passage repeats another; at .8 rules were lost that differ in the words that matter

	// covered is the share of a passage's shingles from which better hits of other
	// sources say what it says: one manual in several formats is cut at other places.
	// A word that differs in a passage of a hundred costs as much as nearDupe allows.
	covered = .95

	// Copies rank beside what they repeat. Behind the last hit, so many more
	// passages are looked at, as long as they score nearly as much.
	copiesBehind = 8
	copiesScore  = .95
)

// distinct reads the best n passages, leaving out those that repeat a better
// one: the same bytes of a source, text that is nearly the same, or text that better
// ones of other sources hold already. They are listed with it. Where repeats are wanted, none are left out.
func (x *Index) distinct(ctx context.Context, ranked []candidate, n int, wanted bool) ([]candidate, error) {
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
		p, err := x.store.passage(x.table.rows[c.ord].id)
		if err != nil {
			return nil, err
		}
		c.passage = p
		if wanted {
			out = append(out, c)
			continue
		}
		c.words = shingles(p.Text)
		at := slices.IndexFunc(out, func(better candidate) bool { return repeats(c, better) })
		if at < 0 {
			at = cover(c, out)
		}
		switch {
		case at >= 0:
			out[at].copies = append(out[at].copies, p.ID)
		case len(out) < n:
			out = append(out, c)
		}
	}
	return out, nil
}

func repeats(c, better candidate) bool {
	p := c.passage
	return p.Source != "" && p.End > p.Start && sameSpan(p, better.passage) || jaccard(c.words, better.words) >= nearDupe
}

// cover returns which of the better passages holds most of c, where those of other
// sources hold nearly all of it together, else -1.
func cover(c candidate, better []candidate) int {
	held := map[string]bool{}
	best, most := -1, 0
	for i, b := range better {
		if b.passage.Source == c.passage.Source {
			continue
		}
		n := 0
		for s := range c.words {
			if _, ok := b.words[s]; ok {
				held[s] = true
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	if float64(len(held)) < covered*float64(len(c.words)) {
		return -1
	}
	return best
}

// hit is what a candidate becomes.
func (c *candidate) hit(remote bool) state.Hit {
	return state.Hit{Passage: c.passage, Scores: c.scores(remote), Copies: c.copies}
}

// shingles are the runs of five words of s; a shorter text is one run.
func shingles(s string) map[string]struct{} {
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

func jaccard(a, b map[string]struct{}) float64 {
	both := 0
	for s := range a {
		if _, ok := b[s]; ok {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
