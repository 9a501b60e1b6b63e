package retrieval

import (
	"fmt"

	"example.com/assay/state"
)

// A SearchError says that a search failed, so the corpus was not searched.
type SearchError struct {
	Query string
	Err   error
}

func (e *SearchError) Error() string { return fmt.Sprintf("searching %q: %v", e.Query, e.Err) }

func (e *SearchError) Unwrap() error { return e.Err }

// Cause is the cause of the wrapped error, such as a refused key of an embedder, else the
// index.
func (e *SearchError) Cause() state.Cause {
	if cause := state.CauseOf(e.Err); cause != "" {
		return cause
	}
	return state.CauseIndex
}

// Lost lists the losses of a search that succeeded without its reranker or without its
// detector of prompt injection.
func Lost(found Result, query string) []state.Loss {
	var losses []state.Loss
	if found.Fallback != "" {
		losses = append(losses, state.Loss{Missing: fmt.Sprintf("the reranker's order of the passages on “%s”", query), Cause: state.CauseModel, Error: found.Fallback})
	}
	if found.Uninspected != "" {
		losses = append(losses, state.Loss{Missing: fmt.Sprintf("the detector's look at the passages on “%s”", query), Cause: state.CauseModel, Error: found.Uninspected})
	}
	return losses
}

// Warnings are the warnings for such a search.
func Warnings(found Result) []string {
	var warnings []string
	if found.Fallback != "" {
		warnings = append(warnings, NotReranked+found.Fallback)
	}
	if found.Uninspected != "" {
		warnings = append(warnings, NotInspected+found.Uninspected)
	}
	return warnings
}
