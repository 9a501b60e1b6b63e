package retrieval

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"example.com/assay/eval/task"
	"example.com/assay/memory/index"
	"example.com/assay/memory/text"
)

// BM25 is the textbook baseline, exact and in memory:
//
//	score = Σ qf · ln(1 + (N − df + ½)/(df + ½)) · tf/(tf + k1·(1 − b + b·len/avglen))
//
// over the words of the query, with qf their count in the query (Robertson and Zaragoza, "The
// probabilistic relevance framework", 2009, with the idf of Lucene, which is never negative). A
// passage is its title and its text.
//
// Its analyser: runs of letters and digits, lower case, possessive 's removed, the 33 stop words of
// Lucene's English analyser removed, Porter2 stems.
//
// It is safe for concurrent use.
type BM25 struct {
	ids      []string
	postings map[string][]posting
	norm     []float64 // k1 · (1 − b + b·len/avglen) of a passage
}

type posting struct {
	passage int
	tf      float64
}

// LuceneStops is the stop list of Lucene's English analyser.
var LuceneStops = func() text.StopList {
	list := text.StopList{}
	for _, word := range strings.Fields(`
		a an and are as at be but by for if in into is it no not of on or
		such that the their then there these they this to was will with`) {
		list[word] = struct{}{}
	}
	return list
}()

// NewBM25 indexes the passages of a dataset. Zero params mean those of the published baselines: k1
// .9, b .4. The error is cancellation.
func NewBM25(ctx context.Context, d *Dataset, params index.BM25, progress task.Progress) (*BM25, error) {
	k1, b := .9, .4
	if params.K1 > 0 {
		k1, b = params.K1, params.B
	}
	x := &BM25{postings: map[string][]posting{}, norm: make([]float64, len(d.Passages))}
	total := 0.0
	for i, p := range d.Passages {
		if i%1000 == 0 {
			if err := context.Cause(ctx); err != nil {
				return nil, err
			}
			if progress != nil {
				progress("indexing", i, len(d.Passages))
			}
		}
		x.ids = append(x.ids, p.ID)
		terms := text.Terms(p.Title+"\n"+p.Text, LuceneStops)
		x.norm[i] = float64(len(terms))
		total += float64(len(terms))
		for _, t := range counted(terms) {
			x.postings[t.term] = append(x.postings[t.term], posting{passage: i, tf: t.n})
		}
	}
	average := max(total/float64(max(1, len(d.Passages))), math.SmallestNonzeroFloat64)
	for i, length := range x.norm {
		x.norm[i] = k1 * (1 - b + b*length/average)
	}
	return x, nil
}

type count struct {
	term string
	n    float64
}

// counted returns the terms with how often each is there, sorted.
func counted(terms []string) []count {
	sorted := slices.Sorted(slices.Values(terms))
	var out []count
	for _, t := range sorted {
		if n := len(out); n > 0 && out[n-1].term == t {
			out[n-1].n++
			continue
		}
		out = append(out, count{t, 1})
	}
	return out
}

// Rank returns the passages that share a word with the query, best first; of
// equal ones the one with the lower id. The error is cancellation.
func (x *BM25) Rank(ctx context.Context, query string, k int) ([]Scored, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	scores := make([]float64, len(x.ids))
	n := float64(len(x.ids))
	for _, t := range counted(text.Terms(query, LuceneStops)) {
		list := x.postings[t.term]
		df := float64(len(list))
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		for _, p := range list {
			scores[p.passage] += t.n * idf * p.tf / (p.tf + x.norm[p.passage])
		}
	}
	var found []Scored
	for i, score := range scores {
		if score > 0 {
			found = append(found, Scored{x.ids[i], score})
		}
	}
	slices.SortFunc(found, byScore)
	return found[:max(0, min(k, len(found)))], nil
}

// byScore sorts by score, highest first, then by ID.
func byScore(a, b Scored) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) }
