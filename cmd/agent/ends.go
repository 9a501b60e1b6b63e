package main

import (
	"errors"
	"strings"

	"example.com/assay/state"
)

// endOf is the end of a run that did not begin. Wrong usage is a refused input.
func endOf(err error) state.End {
	if _, ok := errors.AsType[usageError](err); ok {
		return state.End{Status: state.StatusRejected, Error: err.Error()}
	}
	return state.Outcome{Err: err}.End()
}

// An endError is an error of a run that says how the run ended.
type endError struct {
	end state.End
	err error // of the run; nil for one that lost its calls
}

func (e endError) Error() string {
	words := e.end.Words()
	if e.err != nil && !strings.Contains(words, strings.TrimSuffix(e.err.Error(), ".")) {
		return strings.TrimSuffix(e.err.Error(), ".") + ". " + words
	}
	return words
}

func (e endError) Unwrap() error { return e.err }

// told is what a verb returns when its answer was printed: nil for an answer, an exit
// code for an end that the answer tells, and an error for a run that could not look.
func told(end state.End, runErr error) error {
	_, usage := errors.AsType[usageError](runErr)
	switch {
	case usage || runErr != nil && end.Status == state.StatusFailed:
		return runErr
	case runErr != nil || end.Status == state.StatusUnavailable:
		return endError{end, runErr}
	case end.Status == state.StatusAnswered:
		return nil
	}
	return silent(end.Status.ExitCode())
}
