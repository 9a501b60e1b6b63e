package ranking

import (
	"context"
	"math"

	"example.com/assay/memory/index/internal/analysis"
)

// FeatureVersion changes whenever a feature means something else than before.
const FeatureVersion = 2

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
func (x *Corpus) features(ctx context.Context, question string, list []string, sig *signals, ranked []candidate) ([][]float64, error) {
	w := x.wording(question, list, sig)
	rows := make([][]float64, len(ranked))
	flat := make([]float64, len(ranked)*features)
	places := make([]place, len(ranked))
	family := make(map[int]float64)
	for i, c := range ranked {
		family[x.Table.Doc(c.ord)] += 1 / float64(i+1)
	}
	for i := range ranked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := &ranked[i]
		row := flat[i*features : (i+1)*features : (i+1)*features]
		rows[i] = row
		p, err := x.Store.Passage(c.ord)
		if err != nil {
			return nil, err
		}
		row[fFused], row[fFusedRaw], row[fPlace] = c.fused-c.cited, c.fused-c.cited, 1/float64(i+1)
		row[fScoped], row[fPairs], row[fLink], row[fDocument], row[fGraph] = c.parts[0], c.parts[1], c.parts[3], c.parts[4], c.parts[5]
		row[fPlain], row[fCosine] = sig.plain[c.ord], x.cosine(sig, c.ord)
		doc := x.Table.Doc(c.ord)
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
		l := analysis.LanguageOf(p)
		r := w.read(x, l, p.Text)
		r.fill(row, w, x, float64(x.Table.Length(c.ord)))
		row[fHeading], row[fTitle] = w.share(x.held(w, l, analysis.LastHeading(p))), w.share(x.held(w, l, p.Title))
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

// FeatureNames names what is in a row of features.
func FeatureNames() []string {
	out := make([]string, len(featureTable))
	for i, f := range featureTable {
		out[i] = f.name
	}
	return out
}
