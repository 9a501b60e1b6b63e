package telemetry

import (
	"context"
	"errors"
	"strconv"

	"example.com/assay/graph"
	"example.com/assay/llm"
)

// Kinds of errors without a type of their own.
const (
	kindMisfit = "misfit" // an answer that does not fit its schema
	kindOther  = "_OTHER" // the conventions' word for the rest
)

// kindOf returns the kind of an error from its type, for error.type: there are few kinds, and none
// contains error text. An HTTP status is its number.
func kindOf(err error) string {
	if e, ok := errors.AsType[*llm.StatusError](err); ok {
		return strconv.Itoa(e.Status)
	}
	switch {
	case is[*llm.TimeoutError](err), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case is[*llm.ConnectionError](err):
		return "connection"
	case is[*llm.TruncatedError](err):
		return "truncated"
	case is[*llm.BlockedError](err):
		return "blocked"
	case is[*llm.BudgetError](err):
		return "budget"
	case is[*llm.ResponseError](err):
		return "format"
	case is[*llm.ParseError](err):
		return kindMisfit
	case is[*graph.PanicError](err):
		return "panic"
	}
	return kindOther
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
