package runs

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Errors of callers. Other errors come from the database.
var (
	// ErrBusy reports that the thread's last run has not ended.
	ErrBusy = errors.New("the thread has a run already: wait for its end, or choose another multitask strategy")
	// ErrExists reports that a new thread has the ID of an existing one.
	ErrExists = errors.New("it exists already")
	// ErrNoGraph reports that the thread has had no run, so its graph is unknown.
	ErrNoGraph = errors.New("the thread has had no run yet: its graph is not known")
	// ErrClosing reports that the manager is stopping.
	ErrClosing = errors.New("the server is stopping")
	// ErrFull reports that a limit does not allow a run now: see FullError.
	ErrFull = errors.New("too many runs wait already: try again later")
)

// A NotFoundError reports an ID that does not exist in the space.
type NotFoundError struct{ What, ID string } // What is "thread", "run", "graph" or "checkpoint"

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.What, e.ID) }

// An InvalidError reports a request that can never succeed.
type InvalidError struct{ Err error }

func (e *InvalidError) Error() string { return e.Err.Error() }
func (e *InvalidError) Unwrap() error { return e.Err }

// checkTexts refuses names and conditions that a store cannot hold.
func checkTexts(texts ...string) error {
	for _, text := range texts {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return &InvalidError{fmt.Errorf("%.40q has U+0000 or is not UTF-8", text)}
		}
	}
	return nil
}

// Causes that end a run's context.
var (
	errCancelled = errors.New("the run was cancelled")
	errStopping  = errors.New("the server stops")
)
