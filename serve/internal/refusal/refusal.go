// Package refusal maps errors to HTTP statuses. The protocols and the pages share it. It writes no
// answer: each protocol has its own format.
package refusal

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// An Error is a request refused with a status.
type Error struct {
	Status int
	Text   string
}

func (e *Error) Error() string { return e.Text }

// New returns an *Error.
func New(status int, format string, args ...any) error {
	return &Error{status, fmt.Sprintf(format, args...)}
}

// Later tells a client when to repeat a request that was refused for now. A limit on what is kept, of
// which only the client's owner can remove something, has no time.
func Later(h http.Header, err error) {
	full := (*runs.FullError)(nil)
	status := Status(err)
	switch {
	case errors.As(err, &full) && full.After > 0:
		h.Set("Retry-After", strconv.Itoa(full.Seconds()))
	case full == nil && (status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable):
		h.Set("Retry-After", "1")
	}
}

// JSON says what is wrong with JSON that cannot be decoded, without the names of Go's types.
func JSON(err error) string {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return strings.TrimPrefix(err.Error(), "json: ")
	case wrong.Field == "":
		return "it cannot be a " + wrong.Value
	}
	return fmt.Sprintf("the field %q cannot be a %s", wrong.Field, wrong.Value)
}

// Status returns the HTTP status for a request's error: the status of an *Error, one for each error
// of packages runs, store and graph, and 500 for all others.
func Status(err error) int {
	var (
		refused *Error
		invalid *runs.InvalidError
		missing *runs.NotFoundError
		item    *store.InvalidError
		tooLong *http.MaxBytesError
	)
	switch {
	case errors.As(err, &refused):
		return refused.Status
	case errors.As(err, &missing), errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound
	case errors.As(err, &tooLong):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &invalid), errors.As(err, &item), errors.Is(err, graph.ErrInvalidUpdate), errors.Is(err, store.ErrNoEmbedder):
		return http.StatusUnprocessableEntity
	case errors.Is(err, runs.ErrBusy), errors.Is(err, runs.ErrExists), errors.Is(err, graph.ErrThreadBusy), errors.As(err, new(*graph.MismatchError)):
		return http.StatusConflict
	case errors.Is(err, runs.ErrNoGraph):
		return http.StatusBadRequest
	case errors.Is(err, runs.ErrFull):
		return http.StatusTooManyRequests
	case errors.Is(err, runs.ErrClosing):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
