package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// A StatusError reports that a provider's server answered with an HTTP status other than success.
type StatusError struct {
	Provider   string        // "openai", "gemini"
	Status     int           // the HTTP status
	RetryAfter time.Duration // how long the server asks to wait; 0 if it does not
	Message    string        // the server's message, at most 300 bytes, without keys
	Code       string        // the provider's own name of the error, such as "insufficient_quota"; empty when it gives none
	Param      string        // the field of the request that the server refuses, such as "temperature"; empty when it names none
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("%s answered %d %s", e.Provider, e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		text += " (check the key)"
	case http.StatusNotFound:
		text += " (check the model's name and the base URL)"
	}
	return text
}

// A ConnectionError reports that no complete answer came from a provider's server: it was not
// reached, or the connection ended early.
type ConnectionError struct {
	Provider string
	Err      error
}

func (e *ConnectionError) Error() string {
	if e.untrusted() {
		return fmt.Sprintf("connecting to %s: %v (check the base URL and the machine's root certificates)", e.Provider, e.Err)
	}
	return fmt.Sprintf("connecting to %s: %v (check the network and the base URL)", e.Provider, e.Err)
}

func (e *ConnectionError) Unwrap() error { return e.Err }

// untrusted reports whether the server's certificate was refused or missing. A retry does not
// change that.
func (e *ConnectionError) untrusted() bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](e.Err); ok {
		return true
	}
	_, ok := errors.AsType[tls.RecordHeaderError](e.Err) // the server speaks http
	return ok || errors.Is(e.Err, http.ErrSchemeMismatch)
}

// A BucketsError reports that a call was not made because the Buckets of its rate failed.
type BucketsError struct{ Err error }

func (e *BucketsError) Error() string { return fmt.Sprintf("waiting for the rate limit: %v", e.Err) }

func (e *BucketsError) Unwrap() error { return e.Err }

// A ResponseError reports that a server answered with success, but not in its provider's format: it
// may be another kind of server.
type ResponseError struct {
	Provider string
	Err      error
}

func (e *ResponseError) Error() string {
	return fmt.Sprintf("reading the answer of %s: %v (check the base URL)", e.Provider, e.Err)
}

func (e *ResponseError) Unwrap() error { return e.Err }

// A TruncatedError reports that a model stopped at its token limit, so the answer is incomplete.
type TruncatedError struct {
	Provider string
	Model    string
	Usage    Usage // what the cut answer cost
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("%s model %q stopped at its limit after %d tokens, within the answer: use a model with a larger limit or a shorter input", e.Provider, e.Model, e.Usage.OutputTokens)
}

// A BlockedError reports that the provider withheld the answer, or that the model declined to
// answer.
type BlockedError struct {
	Provider string
	Model    string
	Reason   string // "refusal", "content_filter", or the provider's word, such as "SAFETY"
	Message  string // the given reason, at most 300 bytes; may be empty
}

func (e *BlockedError) Error() string {
	text := fmt.Sprintf("%s model %q gave no answer: %s", e.Provider, e.Model, e.Reason)
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// An UnsupportedError reports that a request has a part that the provider's API, or its client
// library, cannot carry. Nothing was sent.
type UnsupportedError struct {
	Provider string
	Model    string
	What     string // such as "a seed"
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s model %q does not take %s: leave it out, or ask another model", e.Provider, e.Model, e.What)
}

// quotaExhausted is the code of a status 429 that a retry cannot help.
const quotaExhausted = "insufficient_quota"

// Retryable reports whether the same call may succeed on a retry: after statuses 408, 409, 429 and
// 5xx, lost connections, timeouts (TimeoutError) and a BucketsError. An exhausted quota, a refused
// certificate and all other errors are final. It decides by type, status and code, never by text.
func Retryable(err error) bool {
	if e, ok := errors.AsType[*StatusError](err); ok {
		switch e.Status {
		case http.StatusRequestTimeout, http.StatusConflict:
			return true
		case http.StatusTooManyRequests:
			return e.Code != quotaExhausted
		}
		return e.Status >= 500 && e.Status <= 599
	}
	if e, ok := errors.AsType[*ConnectionError](err); ok {
		return !e.untrusted()
	}
	if _, ok := errors.AsType[*BucketsError](err); ok {
		return true
	}
	_, ok := errors.AsType[*TimeoutError](err)
	return ok
}

// Misread reports whether a model answered, but not in the form of its skill. Every node has a
// documented fallback for that. It has none for a model that does not answer.
func Misread(err error) bool {
	_, ok := errors.AsType[*ParseError](err)
	return ok
}

// Stops returns the reason why a run must stop at a model's error, or nil when it may try another
// way. A run stops when it is cancelled, its budget is spent, or a tool asks a person
// (graph.Interrupt). A saved run continues from there.
func Stops(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, spent := errors.AsType[*BudgetError](err); spent || graph.IsInterrupt(err) {
		return err
	}
	return nil
}

// Cause is key for a refused key, budget for an exhausted quota, and else model.
func (e *StatusError) Cause() state.Cause {
	switch {
	case e.Status == http.StatusUnauthorized, e.Status == http.StatusForbidden:
		return state.CauseKey
	case e.Code == quotaExhausted:
		return state.CauseBudget
	}
	return state.CauseModel
}

// Cause is network.
func (e *ConnectionError) Cause() state.Cause { return state.CauseNetwork }

// Cause is model.
func (e *ResponseError) Cause() state.Cause { return state.CauseModel }

// Cause is model.
func (e *TruncatedError) Cause() state.Cause { return state.CauseModel }

// Cause is model.
func (e *BlockedError) Cause() state.Cause { return state.CauseModel }

// Cause is model.
func (e *UnsupportedError) Cause() state.Cause { return state.CauseModel }

// Cause is model.
func (e *ParseError) Cause() state.Cause { return state.CauseModel }

// Cause is model.
func (e *TimeoutError) Cause() state.Cause { return state.CauseModel }

// Cause is budget.
func (e *BudgetError) Cause() state.Cause { return state.CauseBudget }

// Cause is budget.
func (e *PriceError) Cause() state.Cause { return state.CauseBudget }

// Cause is the cause of the last failure.
func (e *CircuitError) Cause() state.Cause {
	if cause := state.CauseOf(e.Last); cause != "" {
		return cause
	}
	return state.CauseModel
}
