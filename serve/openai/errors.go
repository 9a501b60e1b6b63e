package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// A failure is an error in the clients' format. Clients choose their own error type by its status.
type failure struct {
	Status  int
	Message string
	Param   string // the field at fault; may be empty
	Code    string // empty for the status's default
	Final   bool   // the same request would fail again: clients must not retry it
}

func (e *failure) Error() string { return e.Message }

// MarshalJSON writes the body of the answer.
func (e *failure) MarshalJSON() ([]byte, error) {
	kind, code := "invalid_request_error", e.Code
	switch {
	case e.Status == http.StatusUnauthorized:
		kind, code = "authentication_error", "invalid_api_key"
	case e.Status == http.StatusForbidden:
		kind = "permission_error"
	case e.Status == http.StatusTooManyRequests:
		kind, code = "rate_limit_error", "rate_limit_exceeded"
	case e.Status >= http.StatusInternalServerError:
		kind = "server_error"
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return json.Marshal(map[string]any{"error": map[string]any{"message": e.Message, "type": kind, "param": orNull(e.Param), "code": orNull(code)}})
}

// invalid is the failure of a request with an invalid field.
func invalid(param, code, format string, args ...any) error {
	return &failure{Status: http.StatusBadRequest, Message: fmt.Sprintf(format, args...), Param: param, Code: code}
}

func failureOf(err error) *failure {
	var own *failure
	if errors.As(err, &own) {
		return own
	}
	status := refusal.Status(err)
	if status == http.StatusUnprocessableEntity { // a status that this protocol does not use
		status = http.StatusBadRequest
	}
	full := (*runs.FullError)(nil)
	return &failure{Status: status, Message: err.Error(), Final: errors.As(err, &full) && full.After == 0}
}

// send answers with a failure.
func send(w http.ResponseWriter, e *failure) {
	if e.Final {
		w.Header().Set("X-Should-Retry", "false")
	}
	reply(w, e.Status, e)
}

// Refuse answers a request that may not reach the handler, in the protocol's error format.
func Refuse(w http.ResponseWriter, status int, text string) {
	send(w, &failure{Status: status, Message: text})
}

// quoted cuts a caller's text to a length that fits a sentence.
func quoted(s string) string {
	if len(s) > 100 {
		s = s[:100] + "…"
	}
	return fmt.Sprintf("%q", s)
}
