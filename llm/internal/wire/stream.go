package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"example.com/assay/llm"
)

// A Verdict says what an event means for its stream.
type Verdict int

const (
	More  Verdict = iota // the answer continues
	Whole                // the answer is complete; later events count tokens
	Skip                 // the client library must not see this event
)

// doneMarker ends the streams of OpenAI's format. It is the one event that is
// not JSON.
const doneMarker = "[DONE]"

// An Outcome records how a call ended below the client library, for libraries that lose, print or
// disguise errors of a body.
type Outcome struct {
	mu  sync.Mutex
	err error
}

type outcomeKey struct{}

// Watch returns a context whose calls record their outcome.
func Watch(ctx context.Context) (context.Context, *Outcome) {
	o := new(Outcome)
	return context.WithValue(ctx, outcomeKey{}, o), o
}

// Err returns the error of the last call, or nil.
func (o *Outcome) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *Outcome) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

func outcomeOf(ctx context.Context) *Outcome {
	o, _ := ctx.Value(outcomeKey{}).(*Outcome)
	return o
}

func streamed(resp *http.Response) bool {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return kind == "text/event-stream"
}

func (t *Transport) stream(ctx context.Context, resp *http.Response, secrets scrubber, limit int64) io.ReadCloser {
	return &stream{
		transport: t, ctx: ctx, secrets: secrets, limit: limit,
		body: resp.Body, lines: bufio.NewReader(io.LimitReader(resp.Body, limit+1)),
	}
}

// stream is a body of events. It is read by one goroutine.
type stream struct {
	transport *Transport
	ctx       context.Context // of the request
	secrets   scrubber
	limit     int64
	body      io.ReadCloser
	lines     *bufio.Reader

	taken int64  // bytes read
	event []byte // data lines of the current event
	ready []byte // judged events, for the library
	whole bool
	err   error // why the stream ended; io.EOF after success
}

// Read returns the next events that passed.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 && s.err == nil {
		s.err = s.next()
		if s.err == nil || errors.Is(s.err, io.EOF) {
			continue
		}
		if o := outcomeOf(s.ctx); o != nil {
			o.note(s.err)
			s.err = io.EOF
		}
	}
	if len(s.ready) == 0 {
		return 0, s.err
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// Close closes the connection. It returns no error: the libraries would print it, and it has no
// use.
func (s *stream) Close() error {
	_ = s.body.Close()
	return nil
}

// next reads a line.
func (s *stream) next() error {
	line, err := s.lines.ReadBytes('\n')
	if s.taken += int64(len(line)); s.taken > s.limit {
		return s.transport.tooLong(s.limit)
	}
	line = bytes.TrimRight(line, "\r\n")
	if data, isData := bytes.CutPrefix(line, []byte("data:")); isData {
		s.event = append(append(s.event, bytes.TrimPrefix(data, []byte(" "))...), '\n')
	}
	switch {
	case err == nil && (len(line) > 0 || len(s.event) == 0): // the event continues, or none has begun
		return nil
	case err == nil:
		return s.judge()
	case !errors.Is(err, io.EOF):
		return s.transport.lost(s.ctx, err)
	}
	// The last event may lack its final line break, but it must be complete: no prefix of a JSON
	// object is valid JSON.
	if event := bytes.TrimSpace(s.event); string(event) == doneMarker || json.Valid(event) {
		if err := s.judge(); err != nil {
			return err
		}
	}
	if !s.whole {
		return s.transport.lost(s.ctx, fmt.Errorf("the stream ended within the answer: %w", io.ErrUnexpectedEOF))
	}
	return io.EOF
}

// judge judges the event that was read and passes it on.
func (s *stream) judge() error {
	event := s.secrets.scrub(bytes.TrimSpace(s.event))
	s.event = s.event[:0]
	if len(event) == 0 {
		return nil
	}
	verdict := Whole
	if string(event) != doneMarker {
		if !json.Valid(event) {
			return &llm.ResponseError{Provider: s.transport.Provider, Err: fmt.Errorf("an event of the stream is not JSON (%d bytes)", len(event))}
		}
		if err := s.failed(event); err != nil {
			return err
		}
		if s.transport.Rewrite != nil {
			event = s.transport.Rewrite(event)
		}
		var err error
		if verdict, err = s.transport.Event(event); err != nil {
			return err
		}
	}
	s.whole = s.whole || verdict == Whole
	if verdict == Skip {
		return nil
	}
	line := bytes.NewBuffer(slices.Clip(s.ready))
	line.WriteString("data: ")
	if string(event) == doneMarker {
		line.Write(event)
	} else if err := json.Compact(line, event); err != nil { // a value may span lines
		return &llm.ResponseError{Provider: s.transport.Provider, Err: errors.New("an event of the stream is not JSON")}
	}
	line.WriteString("\n\n")
	s.ready = line.Bytes()
	return nil
}

// failed returns the error that an event reports, or nil. Its status is the event's number, or the
// status of the error's name. The server had accepted the request, so any other name counts as the
// server's fault: status 500.
func (s *stream) failed(event []byte) error {
	if !bytes.Contains(event, []byte(`"error"`)) {
		return nil
	}
	var top struct {
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(event, &top); err != nil || len(top.Error) == 0 || string(top.Error) == "null" {
		return nil // not an object, or not an error
	}
	e := &llm.StatusError{Provider: s.transport.Provider, Status: http.StatusInternalServerError}
	s.secrets.fill(e, event)
	if status := statuses[e.Code]; status != 0 {
		e.Status = status
	}
	var number struct {
		Code json.RawMessage `json:"code"`
	}
	if json.Unmarshal(top.Error, &number) == nil {
		if n, err := strconv.Atoi(string(bytes.Trim(number.Code, `"`))); err == nil && n >= 400 && n <= 599 {
			e.Status = n
		}
	}
	return e
}

// statuses are the statuses of the error names that OpenAI and Anthropic document.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"rate_limit_exceeded":   http.StatusTooManyRequests,
	"insufficient_quota":    http.StatusTooManyRequests,
	"overloaded_error":      529, // Anthropic's own
}
