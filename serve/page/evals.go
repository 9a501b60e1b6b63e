package page

import (
	"context"
	"io"
)

// Evals are the results of cases. For an unknown ID their error is a *runs.NotFoundError.
type Evals interface {
	// List describes the results that a tenant may see, the oldest first, and those files
	// that could not be read.
	List(ctx context.Context, tenant string) (reports []Report, unread []Fact, err error)
	// Write writes one as a page that holds everything it needs.
	Write(ctx context.Context, tenant, id string, w io.Writer) error
}

// A Report describes the results of cases.
type Report struct {
	ID      string
	Date    string // RFC 3339, UTC
	Model   string
	Version string // of the program that ran the cases
	Cases   int
	Passed  int    // cases that passed in every repeat
	Set     string // identifies the cases; results of different sets are not compared
	Figures []Figure
}

// A Figure is a metric with its 95 % interval.
type Figure struct {
	Name          string
	Value, Lo, Hi float64
	IsShare       bool // it is from 0 to 1
}
