package index

import (
	"context"
	"math"
	"math/bits"

	"example.com/assay/memory/text"
)

// FeatureVersion changes whenever a feature means something else than before.
// A ranker that was trained on other features must not be used.
const FeatureVersion = 1

// A feature is a number that says something about a passage and a question.
// Scaled ones are divided by their largest value among the candidates; the
// others mean the same in every question.
type feature struct {
	name   string
	scaled bool
}

// Places of the features in a row.
const (
	fFused = iota
	fFusedRaw
	fScoped
	fPlain
	fPairs
	fCosine
	fLink
	fDocument
	fGraph
	fDocumentShare
	fPlace
	fRare
	fFlat
	fWritten
	fDirichlet
	fCoverage
	fTermShare
	fNamed
	fAdjacent
	fNear
	fRun
	fWindow
	fSentence
	fSentenceBM25
	fQuerySentence
	fHeading
	fTitle
	fLength
	fStops
	fDigits
	fSentences
	fDistinct
	fColon
	fQueryLength
	fFamily
	fFirst
	fFew
	fPlaceNear
	fAskedBest
	fAskedSum
	fAskedCover
	fAsked
	features
)

var featureTable = [features]feature{
	fFused:         {"fused", true},
	fFusedRaw:      {"fused_raw", false},
	fScoped:        {"bm25", true},
	fPlain:         {"bm25_plain", true},
	fPairs:         {"bigram", true},
	fCosine:        {"lsa", false},
	fLink:          {"title_link", false},
	fDocument:      {"document", false},
	fGraph:         {"graph", true},
	fDocumentShare: {"document_share", false},
	fPlace:         {"place", false},
	fRare:          {"bm25_rare", true},
	fFlat:          {"bm25_flat", true},
	fWritten:       {"bm25_written", true},
	fDirichlet:     {"dirichlet", false},
	fCoverage:      {"coverage", false},
	fTermShare:     {"term_share", false},
	fNamed:         {"named", false},
	fAdjacent:      {"adjacent", true},
	fNear:          {"near", true},
	fRun:           {"run", false},
	fWindow:        {"window", false},
	fSentence:      {"sentence", false},
	fSentenceBM25:  {"sentence_bm25", true},
	fQuerySentence: {"query_sentence", true},
	fHeading:       {"heading", false},
	fTitle:         {"title", false},
	fLength:        {"length", false},
	fStops:         {"stops", false},
	fDigits:        {"digits", false},
	fSentences:     {"sentences", false},
	fDistinct:      {"distinct", false},
	fColon:         {"colon", false},
	fQueryLength:   {"query_length", false},
	fFamily:        {"family", false},
	fFirst:         {"like_first", false},
	fFew:           {"like_few", false},
	fPlaceNear:     {"place_near", false},
	fAskedBest:     {"asked_best", false},
	fAskedSum:      {"asked_sum", false},
	fAskedCover:    {"asked_cover", false},
	fAsked:         {"asked", false},
}

// features computes a row of features for each candidate, which are ranked.
func (x *Index) features(ctx context.Context, question string, list []string, sig *signals, ranked []candidate) ([][]float64, error) {
	w := x.wording(question, list, sig)
	rows := make([][]float64, len(ranked))
	flat := make([]float64, len(ranked)*features)
	places := make([]place, len(ranked))
	family := make(map[int]float64)
	for i, c := range ranked {
		family[x.table.rows[c.ord].doc] += 1 / float64(i+1)
	}
	for i := range ranked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &ranked[i]
		row := flat[i*features : (i+1)*features : (i+1)*features]
		rows[i] = row
		p, err := x.store.passage(x.table.rows[c.ord].id)
		if err != nil {
			return nil, err
		}
		row[fFused], row[fFusedRaw], row[fPlace] = c.fused, c.fused, 1/float64(i+1)
		row[fScoped], row[fPairs], row[fLink], row[fDocument], row[fGraph] = c.parts[0], c.parts[1], c.parts[3], c.parts[4], c.parts[5]
		row[fPlain], row[fCosine] = sig.plain[c.ord], sig.cosine[c.ord]
		doc := x.table.rows[c.ord].doc
		if sig.top > 0 {
			row[fDocumentShare] = math.Pow(sig.docs[doc]/sig.top, 4)
		}
		row[fFamily] = family[doc] - 1/float64(i+1)
		places[i] = place{doc, p.Line, p.Start}
		for j, other := range ranked[:min(few+1, len(ranked))] {
			if j == i {
				continue
			}
			like := x.alike(c.ord, other.ord)
			if j == 0 || i == 0 && j == 1 {
				row[fFirst] = like
			}
			row[fFew] = max(row[fFew], like)
		}
		r := w.read(x, p.Text)
		r.fill(row, w, x, float64(x.table.rows[c.ord].length))
		row[fHeading], row[fTitle] = w.share(x.held(w, lastHeading(p))), w.share(x.held(w, p.Title))
		row[fQueryLength] = math.Log1p(float64(len(sig.terms)))
	}
	for i, row := range rows {
		for j := range min(few+1, len(rows)) {
			if j != i {
				row[fPlaceNear] = max(row[fPlaceNear], places[i].near(places[j]))
			}
		}
	}
	for f, def := range featureTable {
		if !def.scaled {
			continue
		}
		var top float64
		for _, row := range rows {
			top = max(top, row[f])
		}
		for _, row := range rows {
			if top > 0 {
				row[f] /= top
			}
		}
	}
	return rows, nil
}

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

func (x *Index) wording(question string, list []string, sig *signals) *wording {
	w := &wording{terms: sig.terms, idfs: sig.idfs, cfs: sig.cfs, number: make(map[string]int), written: make(map[string]int)}
	w.tokens = x.avgLen * float64(len(x.table.rows))
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
	for _, span := range text.Sentences(question) {
		var mask uint64
		sentence := question[span.Start:span.End]
		for i, t := range text.Tokens(sentence) {
			at, ok := w.number[x.stem(t.Text)]
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

func (x *Index) held(w *wording, s string) uint64 {
	var mask uint64
	if s == "" {
		return 0
	}
	for _, t := range text.Tokens(s) {
		if at, ok := w.number[x.stem(t.Text)]; ok {
			mask |= 1 << at
		}
	}
	return mask
}

// A reading is a passage's text as a question's terms.
type reading struct {
	at        []int8 // per word that is no stop word: place of the term, -1 for none
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

func (w *wording) read(x *Index, s string) *reading {
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
		if text.DocStops.Has(t.Text) {
			r.stops++
			continue
		}
		if c := t.Text[0]; c >= '0' && c <= '9' {
			r.digits++
		}
		stem := x.stem(t.Text)
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

func (r *reading) fill(row []float64, w *wording, x *Index, length float64) {
	n := float64(len(r.at))
	var held uint64
	matched := 0
	for i, q := range w.terms {
		tf := r.tf[i]
		if tf > 0 {
			held |= 1 << i
			matched++
		}
		row[fRare] += q.weight * math.Pow(w.idfs[i], 1.5) * saturate(tf, length, x.avgLen, bodyK1, bodyB)
		row[fFlat] += q.weight * w.idfs[i] * saturate(tf, length, x.avgLen, .6, .6)
		row[fWritten] += q.weight * w.idfs[i] * saturate(r.tfWritten[i], length, x.avgLen, bodyK1, bodyB)
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
			sum += w.idfs[i] * saturate(r.tf[i], length, x.avgLen, bodyK1, bodyB)
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
func (r *reading) proximity(w *wording, x *Index) (adjacent, near float64) {
	n := float64(len(r.at))
	norm := .5 + .5*n/max(1, x.avgLen)
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

// few is how many of the best candidates the others are compared with.
const few = 3

// A place is where a passage stands: record or byte of a document.
type place struct{ doc, line, start int }

// near is 1/(1+d) of two passages that are d records, or d thousand bytes,
// apart in a document; else 0.
func (p place) near(q place) float64 {
	if p.doc != q.doc {
		return 0
	}
	if p.line != q.line {
		return 1 / (1 + math.Abs(float64(p.line-q.line)))
	}
	return 1 / (1 + math.Abs(float64(p.start-q.start))/1000)
}
