package runs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Errors of callers. Others are faults of the database.
var (
	// ErrBusy is a run on a thread whose last run has not ended.
	ErrBusy = errors.New("the thread has a run already: wait for its end, or choose another multitask strategy")
	// ErrExists is a new thread with the ID of another.
	ErrExists = errors.New("it exists already")
	// ErrNoGraph is a thread without a run, whose graph is therefore not known.
	ErrNoGraph = errors.New("the thread has had no run yet: its graph is not known")
	// ErrClosing is a request to a manager that stops.
	ErrClosing = errors.New("the server is stopping")
	// ErrFull is a run too many: as many wait as may.
	ErrFull = errors.New("too many runs wait already: try again later")
)

// A NotFoundError is an ID that the space does not have.
type NotFoundError struct{ What, ID string } // What is "thread", "run", "graph" or "checkpoint"

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.ID) }

// An InvalidError is a request that can never succeed.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string { return e.Err.Error() }
func (e *InvalidError) Unwrap() error { return e.Err }

// checkTexts refuses names and conditions that no store can hold.
func checkTexts(texts ...string) error {
	for _, text := range texts {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return &InvalidError{fmt.Errorf("%.40q has U+0000 or is not UTF-8", text)}
		}
	}
	return nil
}

// Reasons for which a run's context ends.
var (
	errCancelled = errors.New("the run was cancelled")
	errStopping  = errors.New("the server stops")
)
