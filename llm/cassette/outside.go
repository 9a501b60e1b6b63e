package cassette

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"example.com/assay/llm"
)

// An outside is a call of a server that is not a model's, as it is written. Its JSON
// stands as text, so that a replay returns the same bytes.
type outside struct {
	Server string `json:"server"`
	Method string `json:"method"`
	Params string `json:"params,omitempty"`
	Result string `json:"result,omitempty"`
}

// outsideKey is the hash of what such a call asks.
func outsideKey(server, method string, params json.RawMessage) string {
	sum := sha256.New()
	for _, field := range [][]byte{[]byte("outside"), []byte(server), []byte(method), normal(params)} {
		fmt.Fprintf(sum, "%d:", len(field)) // a hash takes everything
		sum.Write(field)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// An UnknownCallError says that a cassette has no recording for a call of a server, or none
// that is left.
type UnknownCallError struct {
	Server, Method string
	Params         string // at most 300 bytes
	Used           int    // how many recordings of the same call were used before
}

func (e *UnknownCallError) Error() string {
	if e.Used > 0 {
		return fmt.Sprintf("the cassette has no further recording of this call of %s of the server %q (%d were used): %s; record the run anew", e.Method, e.Server, e.Used, e.Params)
	}
	return fmt.Sprintf("the cassette has no recording of this call of %s of the server %q: %s; record the run anew", e.Method, e.Server, e.Params)
}

// Outside makes a call of a server that is not a model's by live, and records its result or
// its error, but not a call that its caller ended. Server and method name what is called.
// Like a model's call, one whose recording cannot be written still returns its result.
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

// Outside answers a call from the recordings; each is used once, and live is not called. A
// call that was not recorded, or not so often, is an *UnknownCallError.
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
