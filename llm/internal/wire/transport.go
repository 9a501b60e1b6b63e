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

// maxAnswer bounds the bytes of an answer: 16 MiB. A longer one is a *llm.ResponseError. A streamed
// answer may have four times as many, since each piece comes in an envelope.
const maxAnswer = 16 << 20

// Transport carries a provider's calls. It does not follow redirects, since a key must not travel
// to another server: a redirect is a *llm.StatusError. It returns the context's error, an error of
// Token, *llm.StatusError, *llm.ConnectionError or *llm.ResponseError; the client around it wraps
// them. A returned response has a status of success and a body that is one JSON value, already
// read, or a stream of them.
//
// A stream's body is server-sent events with one JSON value or "[DONE]" each, without comments and
// other fields. An error in it is recorded in the call's Outcome, and the body ends.
type Transport struct {
	Provider string                                    // the name in errors
	Base     http.RoundTripper                         // default http.DefaultTransport
	Secrets  []string                                  // cut out of everything that comes back
	Token    func(ctx context.Context) (string, error) // sent as a bearer token and treated as a secret; default none
	MaxBytes int64                                     // default maxAnswer
	// Event judges each event of a stream, and each whole answer, for which only its error counts.
	// Default: no answer is streamed.
	Event func(event []byte) (Verdict, error)
	// Rewrite changes each event of a stream, and each whole answer, before Event. Default: none.
	Rewrite func(data []byte) []byte
}

// RoundTrip makes one call. It also records its error in the call's Outcome.
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
	if t.Rewrite != nil {
		body = t.Rewrite(body)
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

// lost returns the error of a call without a complete answer.
func (t *Transport) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err
	}
	return &llm.ConnectionError{Provider: t.Provider, Err: err}
}

// minSecret is the minimum length of a secret. Local servers use placeholder keys such as "ollama";
// cutting these out of every answer would damage it.
const minSecret = 8

// scrubber cuts secrets out of a server's texts.
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

// fill sets the fields of e from a server's body. It scrubs each field again, since a JSON escape
// may have hidden a key at first.
func (s scrubber) fill(e *llm.StatusError, body []byte) {
	e.Message, e.Code, e.Param = said(body)
	for _, field := range []*string{&e.Message, &e.Code, &e.Param} {
		*field = llm.Cut(string(s.scrub([]byte(*field))), 300)
	}
}
