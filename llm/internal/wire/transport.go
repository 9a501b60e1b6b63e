package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/assay/llm"
)

// MaxAnswer is how many bytes of an answer are read: 16 MiB. A longer one is
// a *llm.ResponseError.
const MaxAnswer = 16 << 20

// Transport carries a provider's calls. It follows no redirect, which is a
// *llm.StatusError: a key must not travel to another server. Its errors are those of the context,
// *llm.StatusError, *llm.ConnectionError and *llm.ResponseError; the client
// around it wraps them. A response that it returns has a status of success
// and a body that is one JSON value, read to its end.
type Transport struct {
	Provider string            // the name in errors
	Base     http.RoundTripper // default http.DefaultTransport
	Secrets  []string          // cut out of all that comes back
	MaxBytes int64             // default MaxAnswer
}

// RoundTrip makes one call.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	base, limit := t.Base, t.MaxBytes
	if base == nil {
		base = http.DefaultTransport
	}
	if limit <= 0 {
		limit = MaxAnswer
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, t.lost(req, err)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, t.lost(req, err)
	}
	if int64(len(body)) > limit {
		return nil, &llm.ResponseError{Provider: t.Provider, Err: fmt.Errorf("it is longer than %d bytes", limit)}
	}
	body = t.scrub(body)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, t.statusError(resp, body)
	}
	if !json.Valid(body) {
		return nil, &llm.ResponseError{Provider: t.Provider, Err: fmt.Errorf("it is not JSON (%d bytes of %q)", len(body), llm.Cut(resp.Header.Get("Content-Type"), 50))}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

// lost is the error of a call without a whole answer.
func (t *Transport) lost(req *http.Request, err error) error {
	if req.Context().Err() != nil {
		return err
	}
	return &llm.ConnectionError{Provider: t.Provider, Err: err}
}

// minSecret is the length from which a key is taken for a secret. Local
// servers want placeholders such as "ollama", and cutting these out of every
// answer would damage it.
const minSecret = 8

func (t *Transport) scrub(body []byte) []byte {
	for _, secret := range t.Secrets {
		if len(secret) >= minSecret {
			body = bytes.ReplaceAll(body, []byte(secret), []byte("[key]"))
		}
	}
	return body
}

func (t *Transport) statusError(resp *http.Response, body []byte) error {
	e := &llm.StatusError{Provider: t.Provider, Status: resp.StatusCode, RetryAfter: RetryAfter(resp.Header.Get("Retry-After"), time.Now())}
	e.Message, e.Code, e.Param = said(body)
	// An escape in the JSON may have hidden a key from the first look.
	for _, field := range []*string{&e.Message, &e.Code, &e.Param} {
		*field = llm.Cut(string(t.scrub([]byte(*field))), 300)
	}
	return e
}

// said reads an error's message, code and parameter out of a body: of an
// object under "error", a text under "error", or the top level. Of a body
// that is no JSON object it is the first line.
func said(body []byte) (message, code, param string) {
	type detail struct {
		Message json.RawMessage `json:"message"`
		Code    json.RawMessage `json:"code"`
		Type    json.RawMessage `json:"type"`
		Status  json.RawMessage `json:"status"`
		Param   json.RawMessage `json:"param"`
	}
	var top struct {
		detail
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &top); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		return strings.ToValidUTF8(line, "�"), "", ""
	}
	d := top.detail
	if text := text(top.Error); text != "" {
		message = text
	} else if bytes.HasPrefix(top.Error, []byte("{")) {
		var inner detail
		if err := json.Unmarshal(top.Error, &inner); err == nil {
			d = inner
		}
	}
	if message == "" {
		message = text(d.Message)
	}
	for _, field := range []json.RawMessage{d.Code, d.Status, d.Type} {
		if code = text(field); code != "" {
			break
		}
	}
	return message, code, text(d.Param)
}

// text is the string that a JSON value is, else "".
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// maxWait bounds what a server can ask for, so that no sum overflows.
const maxWait = 24 * time.Hour

// RetryAfter reads the header of that name: seconds, or a date, which is
// taken against now. Anything else, and the past, is 0; more than a day is a
// day.
func RetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if header == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		if !(seconds > 0) { // also NaN
			return 0
		}
		return time.Duration(min(seconds, maxWait.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(0, at.Sub(now)), maxWait)
	}
	return 0
}

// Plain returns the typed error inside what a client library returned, and
// whether there is one.
func Plain(err error) (error, bool) {
	if e, ok := errors.AsType[*llm.StatusError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*llm.ConnectionError](err); ok {
		return e, true
	}
	if e, ok := errors.AsType[*llm.ResponseError](err); ok {
		return e, true
	}
	return nil, false
}
