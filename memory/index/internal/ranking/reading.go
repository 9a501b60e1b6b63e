package ranking

import (
	"math"
	"math/bits"

	"example.com/assay/memory/text"
)

// A wording is a question as its candidates are read for it.
type wording struct {
	terms     []weighted
	idfs, cfs []float64
	tokens    float64        // in the corpus
	number    map[string]int // term → place in terms
	written   map[string]int // word as written → its term
	named     uint64         // terms written with a capital within a sentence, or with a digit
	pairs     [][2]int       // terms that follow each other
	sentences []uint64       // terms of each sentence of the question
	mass      float64
}

func (x *Corpus) wording(question string, list []string, sig *signals) *wording {
	w := &wording{terms: sig.terms, idfs: sig.idfs, cfs: sig.cfs, number: make(map[string]int), written: make(map[string]int)}
	w.tokens = x.AvgLen * float64(x.Passages)
	for i, t := range sig.terms {
		w.number[t.term] = i
		w.mass += sig.idfs[i]
	}
	for i := 1; i < len(list); i++ {
		a, okA := w.number[list[i-1]]
		b, okB := w.number[list[i]]
		if okA && okB && a != b {
			w.pairs = append(w.pairs, [2]int{a, b})
		}
	}
	spoken := x.Reader.Spoken(question)
	for _, span := range text.Sentences(question) {
		var mask uint64
		sentence := question[span.Start:span.End]
		for i, t := range text.Tokens(sentence) {
			at, ok := 0, false
			for _, l := range spoken {
				if n, has := w.number[x.Reader.Stems.Stem(l, t.Text)]; has {
					at, ok = n, true
				}
			}
			if !ok {
				continue
			}
			mask |= 1 << at
			if _, ok := w.written[t.Text]; !ok {
				w.written[t.Text] = at
			}
			c := sentence[t.Start]
			if c >= '0' && c <= '9' || i > 0 && c >= 'A' && c <= 'Z' {
				w.named |= 1 << at
			}
		}
		if mask != 0 {
			w.sentences = append(w.sentences, mask)
		}
	}
	return w
}

// share is the part of the question's idf that a set of terms makes up.
func (w *wording) share(held uint64) float64 {
	if w.mass == 0 {
		return 0
	}
	return w.sum(held) / w.mass
}

func (w *wording) sum(held uint64) float64 {
	var sum float64
	for ; held != 0; held &= held - 1 {
		sum += w.idfs[bits.TrailingZeros64(held)]
	}
	return sum
}

func (x *Corpus) held(w *wording, l text.Language, s string) uint64 {
	var mask uint64
	if s == "" {
		return 0
	}
	for _, t := range text.Tokens(s) {
		if at, ok := w.number[x.Reader.Stems.Stem(l, t.Text)]; ok {
			mask |= 1 << at
		}
	}
	return mask
}

// A reading is a passage's text as a question's terms.
type reading struct {
	at        []int8 // per word but stop words: place of the term, -1 for none
	tf        []float64
	tfWritten []float64
	ends      []int // end of each sentence, counted in at
	run       int   // longest run of the question's words, stop words between them allowed
	words     int
	stops     int
	digits    int
	distinct  int
	colon     bool
}

func (w *wording) read(x *Corpus, l text.Language, s string) *reading {
	r := &reading{tf: make([]float64, len(w.terms)), tfWritten: make([]float64, len(w.terms))}
	seen := make(map[string]struct{})
	spans := text.Sentences(s)
	next, run := 0, 0
	for _, t := range text.Tokens(s) {
		for next < len(spans) && t.Start >= spans[next].End {
			r.ends = append(r.ends, len(r.at))
			next++
		}
		r.words++
		if l.Stops(l.Word(t.Text)) {
			r.stops++
			continue
		}
		if c := t.Text[0]; c >= '0' && c <= '9' {
			r.digits++
		}
		stem := x.Reader.Stems.Stem(l, t.Text)
		seen[stem] = struct{}{}
		at, ok := w.number[stem]
		if !ok {
			r.at = append(r.at, -1)
			run = 0
			continue
		}
		run++
		r.run = max(r.run, run)
		r.at = append(r.at, int8(at))
		r.tf[at]++
		if _, ok := w.written[t.Text]; ok {
			r.tfWritten[at]++
		}
	}
	r.ends = append(r.ends, len(r.at))
	r.distinct = len(seen)
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] > ' ' {
			r.colon = s[i] == ':'
			break
		}
	}
	return r
}

const (
	nearby       = 8  // words that a pair of terms lies within
	windowWords  = 24 // of the best window
	dirichletMu  = 400.0
	sentenceBase = .02 // per word of a sentence
)

func (r *reading) fill(row []float64, w *wording, x *Corpus, length float64) {
	n := float64(len(r.at))
	var held uint64
	matched := 0
	for i, q := range w.terms {
		tf := r.tf[i]
		if tf > 0 {
			held |= 1 << i
			matched++
		}
		row[fRare] += q.weight * math.Pow(w.idfs[i], 1.5) * saturate(tf, length, x.AvgLen, x.K1, x.B)
		row[fFlat] += q.weight * w.idfs[i] * saturate(tf, length, x.AvgLen, .6, .6)
		row[fWritten] += q.weight * w.idfs[i] * saturate(r.tfWritten[i], length, x.AvgLen, x.K1, x.B)
		if w.cfs[i] > 0 {
			row[fDirichlet] += q.weight * math.Log1p(tf*w.tokens/(dirichletMu*w.cfs[i]))
		}
	}
	row[fDirichlet] += float64(len(w.terms)) * math.Log(dirichletMu/(n+dirichletMu))
	row[fDirichlet] /= float64(max(1, len(w.terms)))
	row[fCoverage] = w.share(held)
	row[fTermShare] = float64(matched) / float64(max(1, len(w.terms)))
	if named := w.sum(w.named); named > 0 {
		row[fNamed] = w.sum(held&w.named) / named
	}
	row[fAdjacent], row[fNear] = r.proximity(w, x)
	row[fRun] = float64(r.run)
	row[fWindow] = r.window(w)
	from := 0
	for _, end := range r.ends {
		var mask uint64
		var bm float64
		for _, at := range r.at[from:end] {
			if at >= 0 && mask&(1<<at) == 0 {
				mask |= 1 << at
				bm += w.terms[at].weight * w.idfs[at]
			}
		}
		size := float64(end - from)
		row[fSentence] = max(row[fSentence], w.share(mask)/(1+sentenceBase*size))
		row[fSentenceBM25] = max(row[fSentenceBM25], bm*2.2/(1+1.2*(.25+.75*size/15)))
		from = end
	}
	for _, mask := range w.sentences {
		var sum float64
		for m := mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			sum += w.idfs[i] * saturate(r.tf[i], length, x.AvgLen, x.K1, x.B)
		}
		row[fQuerySentence] = max(row[fQuerySentence], sum)
	}
	row[fLength] = math.Log1p(n)
	words := float64(max(1, r.words))
	row[fStops], row[fDigits] = float64(r.stops)/words, float64(r.digits)/words
	row[fSentences] = math.Log1p(float64(len(r.ends)))
	row[fDistinct] = float64(r.distinct) / max(1, n)
	if r.colon {
		row[fColon] = 1
	}
}

// proximity scores the pairs of the question's neighbouring terms: adjacent
// and in order, and within a few words in any order.
func (r *reading) proximity(w *wording, x *Corpus) (adjacent, near float64) {
	n := float64(len(r.at))
	norm := .5 + .5*n/max(1, x.AvgLen)
	for _, pair := range w.pairs {
		a, b := int8(pair[0]), int8(pair[1])
		if r.tf[a] == 0 || r.tf[b] == 0 {
			continue
		}
		var ordered, close float64
		lastA, lastB := -nearby-1, -nearby-1
		for i, at := range r.at {
			switch at {
			case a:
				if i-lastB <= nearby {
					close++
				}
				lastA = i
			case b:
				if i-lastA == 1 {
					ordered++
				}
				if i-lastA <= nearby {
					close++
				}
				lastB = i
			}
		}
		weight := (w.idfs[a] + w.idfs[b]) / 2
		adjacent += weight * ordered / (ordered + norm)
		near += weight * close / (close + norm)
	}
	return adjacent, near
}

// window is the largest share of the question within a few words.
func (r *reading) window(w *wording) float64 {
	counts := make([]int, len(w.terms))
	var sum, best float64
	for i, at := range r.at {
		if at >= 0 {
			if counts[at]++; counts[at] == 1 {
				sum += w.idfs[at]
			}
		}
		if i >= windowWords {
			if old := r.at[i-windowWords]; old >= 0 {
				if counts[old]--; counts[old] == 0 {
					sum -= w.idfs[old]
				}
			}
		}
		best = max(best, sum)
	}
	if w.mass == 0 {
		return 0
	}
	return best / w.mass
}
