package cassette_test

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
)

// Errors come back with their type, their text and what follows from it.
func TestErrors(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	errs := []error{
		&llm.StatusError{Provider: "p", Status: 429, RetryAfter: 90 * time.Second, Message: "slow down", Code: "rate", Param: "n"},
		&llm.StatusError{Provider: "p", Status: 429, Code: "insufficient_quota"},
		&llm.ConnectionError{Provider: "p", Err: io.ErrUnexpectedEOF},
		&llm.ConnectionError{Provider: "p", Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}},
		&llm.ResponseError{Provider: "p", Err: errors.New("not JSON")},
		&llm.TruncatedError{Provider: "p", Model: "m", Usage: llm.Usage{OutputTokens: 7}},
		&llm.BlockedError{Provider: "p", Model: "m", Reason: "SAFETY", Message: "no"},
		&llm.UnsupportedError{Provider: "p", Model: "m", What: "a seed"},
		&llm.TimeoutError{After: time.Minute},
		&llm.CircuitError{Failures: 3, Until: at, Last: errors.New("down")},
		&llm.BudgetError{What: "money", Session: true, Spent: 1.5, Max: 1},
		&llm.PriceError{Model: "m"},
		errors.New("something else"),
	}
	for _, want := range errs {
		want := fmt.Errorf("giving up at attempt 3: %w", want)
		file := record(t, scripted(llmtest.Answer{Err: want, Chunks: []string{"ha"}}), nil, func(m llm.Model) {
			if _, err := m.Generate(t.Context(), user("s", "x")); !errors.Is(err, want) {
				t.Errorf("while recording: %v", err)
			}
		})
		_, got := replay(t, file).Generate(t.Context(), user("s", "x"))
		if got == nil || got.Error() != want.Error() || llm.Retryable(got) != llm.Retryable(want) {
			t.Errorf("got %v, retryable %v; want %v", got, llm.Retryable(got), want)
			continue
		}
		typed := errors.Unwrap(want)
		if diff := cmp.Diff(fields(typed), fields(errors.Unwrap(got))); diff != "" {
			t.Errorf("%T (-want +got):\n%s", typed, diff)
		}
	}
}

// fields is a typed error as JSON, with the errors in it as texts.
func fields(err error) string {
	switch e := err.(type) {
	case *llm.CircuitError:
		return fmt.Sprint(e.Failures, e.Until, e.Last)
	case *llm.ConnectionError:
		return fmt.Sprint("connection", e.Provider, e.Err, e)
	case *llm.ResponseError:
		return fmt.Sprint("response", e.Provider, e.Err, e)
	}
	if err == nil || fmt.Sprintf("%T", err) == "*errors.errorString" {
		return ""
	}
	data, jsonErr := json.Marshal(err)
	return fmt.Sprintf("%T %s %v %v", err, data, err, jsonErr)
}
