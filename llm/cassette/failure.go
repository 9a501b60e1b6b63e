package cassette

import (
	"crypto/tls"
	"errors"
	"time"

	"example.com/assay/llm"
)

// A failure is a recorded error: its text, and the fields of the typed error in its chain, if any.
type failure struct {
	Text       string     `json:"text"`
	Kind       string     `json:"kind,omitempty"` // one of the kinds below
	Provider   string     `json:"provider,omitempty"`
	Model      string     `json:"model,omitempty"`
	Status     int        `json:"status,omitempty"`
	RetryAfter string     `json:"retry_after,omitempty"`
	Message    string     `json:"message,omitempty"`
	Code       string     `json:"code,omitempty"`
	Param      string     `json:"param,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Inner      string     `json:"inner,omitempty"` // the text of the error inside the typed error
	Usage      llm.Usage  `json:"usage,omitzero"`
	After      string     `json:"after,omitempty"`
	Failures   int        `json:"failures,omitempty"`
	Until      *time.Time `json:"until,omitempty"`
	What       string     `json:"what,omitempty"`
	Session    bool       `json:"session,omitempty"`
	Spent      float64    `json:"spent,omitempty"`
	Max        float64    `json:"max,omitempty"`
}

// Kinds of failures.
const (
	kindStatus      = "status"
	kindConnection  = "connection"
	kindUntrusted   = "untrusted" // a connection that a retry cannot repair
	kindResponse    = "response"
	kindTruncated   = "truncated"
	kindBlocked     = "blocked"
	kindUnsupported = "unsupported"
	kindTimeout     = "timeout"
	kindCircuit     = "circuit"
	kindBudget      = "budget"
	kindPrice       = "price"
	kindUnspecified = ""
)

// failureOf describes an error; nil for nil.
func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	if e, ok := errors.AsType[*llm.BudgetError](err); ok {
		f.Kind, f.What, f.Session, f.Spent, f.Max = kindBudget, e.What, e.Session, e.Spent, e.Max
	} else if e, ok := errors.AsType[*llm.PriceError](err); ok {
		f.Kind, f.Model = kindPrice, e.Model
	} else if e, ok := errors.AsType[*llm.CircuitError](err); ok {
		f.Kind, f.Failures, f.Until, f.Inner = kindCircuit, e.Failures, &e.Until, text(e.Last)
	} else if e, ok := errors.AsType[*llm.StatusError](err); ok {
		f.Kind, f.Provider, f.Status, f.Message, f.Code, f.Param = kindStatus, e.Provider, e.Status, e.Message, e.Code, e.Param
		f.RetryAfter = duration(e.RetryAfter)
	} else if e, ok := errors.AsType[*llm.ConnectionError](err); ok {
		f.Kind, f.Provider, f.Inner = kindConnection, e.Provider, text(e.Err)
		if !llm.Retryable(e) {
			f.Kind = kindUntrusted
		}
	} else if e, ok := errors.AsType[*llm.ResponseError](err); ok {
		f.Kind, f.Provider, f.Inner = kindResponse, e.Provider, text(e.Err)
	} else if e, ok := errors.AsType[*llm.TruncatedError](err); ok {
		f.Kind, f.Provider, f.Model, f.Usage = kindTruncated, e.Provider, e.Model, e.Usage
	} else if e, ok := errors.AsType[*llm.BlockedError](err); ok {
		f.Kind, f.Provider, f.Model, f.Reason, f.Message = kindBlocked, e.Provider, e.Model, e.Reason, e.Message
	} else if e, ok := errors.AsType[*llm.UnsupportedError](err); ok {
		f.Kind, f.Provider, f.Model, f.What = kindUnsupported, e.Provider, e.Model, e.What
	} else if e, ok := errors.AsType[*llm.TimeoutError](err); ok {
		f.Kind, f.After = kindTimeout, duration(e.After)
	}
	return f
}

// err returns the recorded error: the same text and the same type.
func (f *failure) err() error {
	var typed error
	switch f.Kind {
	case kindBudget:
		typed = &llm.BudgetError{What: f.What, Session: f.Session, Spent: f.Spent, Max: f.Max}
	case kindPrice:
		typed = &llm.PriceError{Model: f.Model}
	case kindCircuit:
		e := &llm.CircuitError{Failures: f.Failures, Last: errors.New(f.Inner)}
		if f.Until != nil {
			e.Until = *f.Until
		}
		typed = e
	case kindStatus:
		typed = &llm.StatusError{Provider: f.Provider, Status: f.Status, Message: f.Message, Code: f.Code, Param: f.Param, RetryAfter: parsed(f.RetryAfter)}
	case kindConnection:
		typed = &llm.ConnectionError{Provider: f.Provider, Err: errors.New(f.Inner)}
	case kindUntrusted:
		typed = &llm.ConnectionError{Provider: f.Provider, Err: replayed{f.Inner, &tls.CertificateVerificationError{Err: errors.New(f.Inner)}}}
	case kindResponse:
		typed = &llm.ResponseError{Provider: f.Provider, Err: errors.New(f.Inner)}
	case kindTruncated:
		typed = &llm.TruncatedError{Provider: f.Provider, Model: f.Model, Usage: f.Usage}
	case kindBlocked:
		typed = &llm.BlockedError{Provider: f.Provider, Model: f.Model, Reason: f.Reason, Message: f.Message}
	case kindUnsupported:
		typed = &llm.UnsupportedError{Provider: f.Provider, Model: f.Model, What: f.What}
	case kindTimeout:
		typed = &llm.TimeoutError{After: parsed(f.After)}
	case kindUnspecified:
	}
	return replayed{f.Text, typed}
}

// replayed is an error with its recorded text.
type replayed struct {
	text  string
	typed error // may be nil
}

func (e replayed) Error() string { return e.text }
func (e replayed) Unwrap() error { return e.typed }

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func duration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// parsed reads a text of duration; a text changed by hand may yield 0.
func parsed(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return d
}
