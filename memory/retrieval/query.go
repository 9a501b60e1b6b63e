package retrieval

import (
	"example.com/assay/state"
)

// A Query is what is searched for.
type Query struct {
	Primary      string   // what the hits must answer
	Alternatives []string // other wordings; they add candidates and do not score them
	K            int      // hits wanted; default 5
	// About is what the hits must be about, in place of Primary: of each group one
	// text. The confidence is that of the group that they are least about. It
	// changes no hit. Default: Primary alone.
	About   [][]string
	Exclude []string // ids of passages that must not be returned
	Repeats bool     // return also passages that nearly repeat a better one

	// Filter keeps passages of which every condition holds; the search is that
	// of an index that holds no others, but for the weights of words. A key that
	// no passage has is an *UnknownKeyError.
	Filter []Condition
	// MMR chooses among the best hits by marginal relevance, which is MMR parts
	// relevance and 1−MMR parts difference from the hits before: 1 is the usual
	// order, .7 a fair mixture. 0, the default, does not choose. The confidence
	// stays that of the usual order.
	MMR float64
	// Neighbours is how many passages of the document are put before and behind
	// each hit, at most 20; default 0. They may be hits themselves, or excluded.
	Neighbours int
}

// A Result is the answer to a Query. Confidence is calibrated from Similarity
// and Strength, which are those of Query.About where it is given, and grows with
// both.
type Result struct {
	Hits       []state.Hit        // best first, at most K, without near duplicates
	Confidence float64            // 0 to 1: from .70 the hits are about this, up to .35 the corpus does not hold it
	Similarity float64            // 0 to 1: how much of the question the first five hits cover
	Strength   float64            // 0 to 1: how much the best of them has of it in absolute terms, over the query's background
	Candidates int                // passages that were scored
	Widened    int                // of those, how many only other wordings brought
	Respelt    []state.Respelling `json:",omitempty"` // what was searched for in place of words that the index has not, and beside those that have another form
	Citations  []Cited            // numbered parts of documents that the query names, in its order

	Reranker string // ID of what ordered the hits in place of the index, a trained ranker too; empty when nothing did
	Fallback string // why a reranker that was asked did not order them, at most 300 bytes; else empty

	Uninspected string // why a detector of orders that was asked did not look at the hits, at most 300 bytes; else empty
}

// A Cited is a numbered part of a document that a query names, "Rule 8.7.1",
// and what the index has of it.
type Cited struct {
	Text      string `json:"text"`            // as the query writes it
	Found     string `json:"found,omitempty"` // what was found; empty: no heading and no number is that
	Exact     bool   `json:"exact"`           // whether passages are that part; else Found is what it is a part of, or lies in
	Passages  int    `json:"passages"`        // that were found
	Documents int    `json:"documents"`       // that they are of, those of one title once; in several, the number alone does not put passages first
}
