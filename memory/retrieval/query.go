package retrieval

import (
	"example.com/assay/state"
)

// A Query describes a search.
type Query struct {
	Primary      string   // what the hits must answer
	Alternatives []string // other wordings; they add candidates and do not score them
	K            int      // hits wanted; default 5
	// About replaces Primary in the confidence. The hits must be about one text of each
	// group; the confidence is that of the group that they fit least. It changes no hit.
	// Default: Primary alone.
	About   [][]string
	Exclude []string // ids of passages that must not be returned
	// Read is a question that the leading stretches are read together with, where an encoder can:
	// state.Hit.Read. Default: nothing is read.
	Read    string
	Repeats bool // also return passages that nearly repeat a better one

	// Filter keeps passages for which every condition holds. The search behaves as if the
	// index held no others, except for the weights of words. For a key that no passage has
	// the error is an *UnknownKeyError.
	Filter []Condition
	// MMR chooses among the best hits by marginal relevance, which is MMR parts
	// relevance and 1−MMR parts difference from the hits before: 1 is the usual
	// order, .7 a fair mixture. 0, the default, does not choose. The confidence
	// stays that of the usual order.
	MMR float64
	// Neighbours is how many passages before and after each hit come with it, at most 20;
	// default 0. They may be hits themselves, or excluded.
	Neighbours int
}

// A Result is the answer to a Query. Confidence is a function of Similarity and Strength
// and grows with both. Query.About, if set, replaces the query in these three.
type Result struct {
	Hits       []state.Hit        // best first, at most K, without near duplicates
	Confidence float64            // 0 to 1: from .70 the hits are about this, up to .35 the corpus does not hold it
	Similarity float64            // 0 to 1: how much of the question the first five hits cover
	Strength   float64            // 0 to 1: how much the best of them has of it in absolute terms, over the query's background
	Candidates int                // passages that were scored
	Widened    int                // how many of them only other wordings found
	Respelt    []state.Respelling `json:",omitempty"` // replacements of words that the index lacks, and additional forms of others
	Citations  []Cited            // numbered parts of documents that the query names, in its order

	Reranker string // ID of the reranker or trained ranker that ordered the hits; empty for the index's own order
	Fallback string // why the reranker did not order them, at most 300 bytes; empty if it did

	Uninspected string // why the detector of prompt injection did not inspect the hits, at most 300 bytes; empty if it did
}

// A Cited is a numbered part of a document that a query names, such as "Rule 8.7.1", and
// its passages in the index.
type Cited struct {
	Text      string `json:"text"`            // as the query writes it
	Found     string `json:"found,omitempty"` // what was found; empty: no heading and no number is that
	Exact     bool   `json:"exact"`           // whether passages are that part; else Found is what it is a part of, or lies in
	Passages  int    `json:"passages"`        // that were found
	Documents int    `json:"documents"`       // that they are of, those of one title once; in several, the number alone does not put passages first
}
