package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"example.com/assay/llm"
)

// maxAnswer is how many bytes of an answer are read: 16 MiB. A longer one is
// a *llm.ResponseError. A streamed answer may take four times as many, as each
// piece of it comes in an envelope.
const maxAnswer = 16 << 20

// Transport carries a provider's calls. It follows no redirect, which is a
// *llm.StatusError: a key must not travel to another server. Its errors are
// those of the context and of Token, *llm.StatusError, *llm.ConnectionError and
// *llm.ResponseError; the client around it wraps them. A response that it
// returns has a status of success and a body that is one JSON value, read to
// its end, or a stream of them.
//
// A stream's body is server-sent events that hold a JSON value or "[DONE]" each, without
// comments and other fields.
// What goes wrong in it is noted in the call's Outcome, and the body ends.
type Transport struct {
	Provider string                                    // the name in errors
	Base     http.RoundTripper                         // default http.DefaultTransport
	Secrets  []string                                  // cut out of all that comes back
	Token    func(ctx context.Context) (string, error) // sent as bearer token, and a secret; default none
	MaxBytes int64                                     // default maxAnswer
	// Event judges each event of a stream, a JSON value, and each whole answer,
	// of which only the error counts. Default: an answer is not to be streamed.
	Event func(event []byte) (Verdict, error)
}

// RoundTrip makes one call. Its error is noted in the call's Outcome, too.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.roundTrip(req)
	if o := outcomeOf(req.Context()); o != nil {
		o.note(err)
	}
	return resp, err
}

func (t *Transport) roundTrip(req *http.Request) (*http.Response, error) {
	base, limit := t.Base, t.MaxBytes
	if base == nil {
		base = http.DefaultTransport
	}
	if limit <= 0 {
		limit = maxAnswer
	}
	secrets := t.Secrets
	if t.Token != nil {
		token, err := t.Token(req.Context())
		if err != nil {
			return nil, err
		}
		secrets = append(slices.Clip(secrets), token)
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := base.RoundTrip(req)
	if err != nil {
		return nil, t.lost(req.Context(), err)
	}
	if succeeded(resp) && streamed(resp) && t.Event != nil {
		resp.Body = t.stream(req.Context(), resp, scrubber(secrets), 4*limit)
		resp.ContentLength = -1
		return resp, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if closeErr := resp.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, t.lost(req.Context(), err)
	}
	if int64(len(body)) > limit {
		return nil, t.tooLong(limit)
	}
	body = scrubber(secrets).scrub(body)
	if !succeeded(resp) {
		return nil, t.statusError(resp, scrubber(secrets), body)
	}
	if !json.Valid(body) {
		return nil, &llm.ResponseError{Provider: t.Provider, Err: fmt.Errorf("it is not JSON (%d bytes of %q)", len(body), llm.Cut(resp.Header.Get("Content-Type"), 50))}
	}
	if t.Event != nil {
		if _, err := t.Event(body); err != nil {
			return nil, err
		}
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return resp, nil
}

func succeeded(resp *http.Response) bool { return resp.StatusCode >= 200 && resp.StatusCode <= 299 }

func (t *Transport) tooLong(limit int64) error {
	return &llm.ResponseError{Provider: t.Provider, Err: fmt.Errorf("it is longer than %d bytes", limit)}
}

// lost is the error of a call without a whole answer.
func (t *Transport) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &llm.ConnectionError{Provider: t.Provider, Err: err}
}

// minSecret is the length from which a key is taken for a secret. Local
// servers want placeholders such as "ollama", and cutting these out of every
// answer would damage it.
const minSecret = 8

// scrubber cuts secrets out of what a server says.
type scrubber []string

func (s scrubber) scrub(body []byte) []byte {
	for _, secret := range s {
		if len(secret) >= minSecret {
			body = bytes.ReplaceAll(body, []byte(secret), []byte("[key]"))
		}
	}
	return body
}

func (t *Transport) statusError(resp *http.Response, s scrubber, body []byte) error {
	e := &llm.StatusError{Provider: t.Provider, Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), time.Now())}
	s.fill(e, body)
	return e
}

// fill puts what a server said into e. An escape in the JSON may have hidden a
// key from the first look, so that each field is scrubbed again.
func (s scrubber) fill(e *llm.StatusError, body []byte) {
	e.Message, e.Code, e.Param = said(body)
	for _, field := range []*string{&e.Message, &e.Code, &e.Param} {
		*field = llm.Cut(string(s.scrub([]byte(*field))), 300)
	}
}
