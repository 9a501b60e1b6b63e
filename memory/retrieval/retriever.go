// Package retrieval has the plain types of a search (queries, conditions, results) and the check
// of passages for prompt injection. It does not search: memory/index does, and this package does
// not link it.
package retrieval

import "context"

// A Retriever finds passages. memory.Corpus is one.
type Retriever interface {
	Search(ctx context.Context, q Query) (Result, error)
}

// NotReranked begins the warning of a search whose reranker failed.
const NotReranked = "the passages are in the index's own order, since the reranker failed: "

// NotInspected begins the warning of a search whose detector of orders failed.
const NotInspected = "prompt injection was looked for in the passages by rules alone, since the detector failed: "
