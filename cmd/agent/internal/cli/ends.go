package cli

import (
	"errors"
	"strings"

	"example.com/assay/state"
)

// EndOf is the end of a run that an error kept from beginning. Wrong usage counts as a
// rejected input.
func EndOf(err error) state.End {
	if _, ok := errors.AsType[UsageError](err); ok {
		return state.End{Status: state.StatusRejected, Error: err.Error()}
	}
	return state.Outcome{Err: err}.End()
}

// An EndError is an error of a run that says how the run ended.
type EndError struct {
	End state.End
	err error // of the run; nil when the run only lost model calls
}

func (e EndError) Error() string {
	words := e.End.Words()
	if e.err != nil && !strings.Contains(words, strings.TrimSuffix(e.err.Error(), ".")) {
		return strings.TrimSuffix(e.err.Error(), ".") + ". " + words
	}
	return words
}

func (e EndError) Unwrap() error { return e.err }

// Told is what a verb returns after it printed its answer: nil for an answer, an exit code
// when the answer explains its end, and an error for a run that could not search.
func Told(end state.End, runErr error) error {
	_, usage := errors.AsType[UsageError](runErr)
	switch {
	case usage || runErr != nil && end.Status == state.StatusFailed:
		return runErr
	case runErr != nil || end.Status == state.StatusUnavailable:
		return EndError{end, runErr}
	case end.Status == state.StatusAnswered:
		return nil
	}
	return Silent(end.Status.ExitCode())
}
