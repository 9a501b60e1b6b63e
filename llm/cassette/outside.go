package cassette

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"example.com/assay/llm"
)

// An outside is the recording of a call of a server that is not a model's. Its JSON is stored as
// text, so a replay returns the same bytes.
type outside struct {
	Server string `json:"server"`
	Method string `json:"method"`
	Params string `json:"params,omitempty"`
	Result string `json:"result,omitempty"`
}

// outsideKey is the hash of such a call.
func outsideKey(server, method string, params json.RawMessage) string {
	sum := sha256.New()
	for _, field := range [][]byte{[]byte("outside"), []byte(server), []byte(method), normal(params)} {
		fmt.Fprintf(sum, "%d:", len(field)) // writing to a hash cannot fail
		sum.Write(field)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// An UnknownCallError reports that a cassette has no recording for a call of a server, or no unused
// one.
type UnknownCallError struct {
	Server, Method string
	Params         string // at most 300 bytes
	Used           int    // recordings of the same call that were used before
}

func (e *UnknownCallError) Error() string {
	if e.Used > 0 {
		return fmt.Sprintf("the cassette has no further recording of this call of %s of the server %q (%d were used): %s; record the run anew", e.Method, e.Server, e.Used, e.Params)
	}
	return fmt.Sprintf("the cassette has no recording of this call of %s of the server %q: %s; record the run anew", e.Method, e.Server, e.Params)
}

// Outside makes a call of a server that is not a model's with live, and records its result or its
// error. It does not record a call that its caller cancelled. Server and method name the call. A
// call whose recording cannot be written still returns its result.
func (r *Recorder) Outside(ctx context.Context, server, method string, params json.RawMessage, live func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	call, err := r.start()
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	result, err := live(ctx)
	if err != nil && ctx.Err() != nil {
		return result, err
	}
	rec := recording{Call: call, Key: outsideKey(server, method, params), Error: failureOf(err),
		Outside: &outside{server, method, string(params), string(result)}}
	r.scrub.recording(&rec)
	r.keep(rec)
	return result, err
}

// Outside answers a call from an unused recording and does not call live. Without one it returns an
// *UnknownCallError.
func (p *Player) Outside(ctx context.Context, server, method string, params json.RawMessage, _ func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	rec, used, found := p.take(outsideKey(server, method, params))
	if !found {
		return nil, &UnknownCallError{server, method, llm.Cut(string(params), 300), used}
	}
	if rec.Error != nil {
		return nil, rec.Error.err()
	}
	return json.RawMessage(rec.Outside.Result), nil
}
