package retrieval

import "example.com/assay/state"

// Names of the scores of a hit. The first is the sum of the others, so that a trace shows what
// put a passage where it is.
const (
	RankerFused     = "fused"
	RankerBM25      = "bm25"
	RankerBigram    = "bigram"
	RankerLSA       = "lsa"
	RankerTitleLink = "title_link"
	RankerDocument  = "document"
	RankerGraph     = "graph"
	RankerMeaning   = "meaning"  // of a remote embedder; only where there is one
	RankerCitation  = "citation" // only of passages that the query names by their number
	RankerHeading   = "heading"  // only of the first passage below a heading that the query is about
)

// Names of the scores that are not summands of a hit's first score. They order hits in its
// place.
const (
	RankerMMR     = "mmr"     // marginal relevance, where Query.MMR asks for it
	RankerTrained = "trained" // a ranker that was trained on judged questions
	RankerRerank  = "rerank"  // a model that was asked
)

// meanings say what a score rewards, for people.
var meanings = map[string]string{
	RankerFused:     "what passages are ordered by: the sum of the others",
	RankerBM25:      "words of the query, the rarer in the corpus the more",
	RankerBigram:    "pairs of neighbouring words of the query",
	RankerLSA:       "words that stand in the same contexts as those of the query",
	RankerTitleLink: "the best passages mention its title",
	RankerDocument:  "its document as a whole fits, better than others",
	RankerGraph:     "it is like the passages that fit best",
	RankerMeaning:   "the embedder's vectors of query and passage are near",
	RankerCitation:  "the query names it by its number",
	RankerHeading:   "it is the first below a heading that the query is about",
	"definition":    "it defines what the query asks for", // in records of earlier programs
	RankerMMR:       "relevance less likeness to the hits before",
	RankerTrained:   "the ranker that was trained on judged questions",
	RankerRerank:    "the reranker's own score",
}

// Meaning says in a few words what a score rewards, and nothing for an unknown one.
func Meaning(ranker string) string { return meanings[ranker] }

// An Explanation takes the scores of a hit apart.
type Explanation struct {
	Sum      state.Score   // the first score
	Summands []state.Score // of Sum, without those that are 0
	Others   []state.Score // what orders hits in place of Sum
}

// Explain takes the scores of a hit apart. Without scores the explanation is empty.
func Explain(scores []state.Score) Explanation {
	var e Explanation
	for i, s := range scores {
		switch {
		case i == 0:
			e.Sum = s
		case s.Ranker == RankerMMR || s.Ranker == RankerTrained || s.Ranker == RankerRerank:
			e.Others = append(e.Others, s)
		case s.Value != 0:
			e.Summands = append(e.Summands, s)
		}
	}
	return e
}
