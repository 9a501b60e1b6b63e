package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// complete answers a turn.
func (c *call) complete() error {
	data, err := io.ReadAll(c.r.Body)
	if err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	in, err := read(data)
	if err != nil {
		return err
	}
	model, err := c.model(in.Model)
	if err != nil {
		return err
	}
	t, err := c.begin(in, model)
	if err != nil {
		return err
	}
	defer c.leave(t)
	if in.Stream {
		return c.stream(t)
	}
	a, err := c.follow(t, func() error { return nil })
	if err != nil {
		return err
	}
	message := map[string]any{"role": "assistant", "content": a.text, "refusal": nil, "annotations": a.annotations()}
	reply(c.w, http.StatusOK, t.envelope("chat.completion", map[string]any{
		"choices": []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": "stop"}},
		"usage":   a.usage, "assay": t.about(a),
	}))
	return nil
}

// leave cancels the run when its caller leaves before the end. A run that has ended stays as it is.
func (c *call) leave(t *turn) {
	if err := c.Cancel(context.WithoutCancel(c.ctx()), t.run.ID); err != nil {
		c.Warn(err)
	}
}

// follow waits for the answer, and calls beat at intervals.
func (c *call) follow(t *turn, beat func() error) (*answer, error) {
	type result struct {
		*answer
		err error
	}
	ctx, stop := context.WithCancel(c.ctx())
	done := make(chan result, 1)
	go func() {
		defer close(done)
		a, err := c.outcome(ctx, t)
		done <- result{a, err}
	}()
	defer func() {
		stop()
		for range done { // the end of the run
		}
	}()
	silent := time.NewTicker(c.Heartbeat)
	defer silent.Stop()
	closing := c.Closed()
	for {
		select {
		case r := <-done:
			if r.err == nil {
				if err := c.remember(t, r.answer); err != nil {
					c.Warn(err) // the next turn will not find this one
				}
			}
			return r.answer, r.err
		case <-silent.C:
			if err := beat(); err != nil {
				return nil, err
			}
		case <-closing:
			if r, err := c.Run(ctx, t.run.ID); err == nil && !r.Status.Ended() {
				return nil, runs.ErrClosing
			}
			closing = nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// envelope returns an object of an answer with the fields common to all.
func (t *turn) envelope(object string, more map[string]any) map[string]any {
	more["id"], more["object"], more["created"], more["model"] = "chatcmpl-"+t.run.ID, object, t.run.Created.Unix(), t.model.Name
	return more
}

// about returns the IDs of an answer for clients of other protocols, and its interrupts.
func (t *turn) about(a *answer) map[string]any {
	out := map[string]any{"thread_id": t.run.Thread, "run_id": t.run.ID}
	if len(a.asked) > 0 {
		out["interrupts"] = interruptsOf(a.asked)
	}
	return out
}

type interruptJSON struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

func interruptsOf(asked []graph.PendingInterrupt) []interruptJSON {
	out := []interruptJSON{}
	for _, q := range asked {
		out = append(out, interruptJSON{q.ID, q.Payload})
	}
	return out
}

func (a *answer) annotations() []annotation {
	return append([]annotation{}, a.citations...) // an empty list instead of null
}

// A stream is an answer sent in pieces.
type stream struct {
	*turn
	*sse.Stream
}

// stream answers in pieces. An error after the first piece is sent inside the stream.
func (c *call) stream(t *turn) error {
	out, ok := sse.Open(c.w)
	s := &stream{t, out}
	if !ok || s.delta(map[string]any{"role": "assistant", "content": ""}) != nil {
		return nil // the caller has left
	}
	a, err := c.follow(t, func() error { return s.write(": heartbeat\n\n") })
	switch {
	case c.ctx().Err() != nil:
	case err != nil:
		_ = s.data(failureOf(err)) // the caller may have left
	default:
		_ = s.answer(a)
	}
	return nil
}

// pieceSize bounds the bytes of text in a piece. Some clients read lines of at most 64 KiB.
const pieceSize = 4096

// answer sends a whole answer, and the end of the stream.
func (s *stream) answer(a *answer) error {
	for rest := a.text; rest != ""; {
		n := min(len(rest), pieceSize)
		for n < len(rest) && !utf8.RuneStart(rest[n]) {
			n--
		}
		if err := s.delta(map[string]any{"content": rest[:n]}); err != nil {
			return err
		}
		rest = rest[n:]
	}
	if len(a.citations) > 0 { // all in one piece: clients keep the citations of one piece only
		if err := s.delta(map[string]any{"annotations": a.citations}); err != nil {
			return err
		}
	}
	if err := s.chunk([]any{choice(map[string]any{}, "stop")}, nil, s.about(a)); err != nil {
		return err
	}
	if s.in.Usage {
		if err := s.chunk([]any{}, a.usage, nil); err != nil {
			return err
		}
	}
	return s.write("data: [DONE]\n\n")
}

func choice(delta map[string]any, finish any) map[string]any {
	return map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}
}

func (s *stream) delta(delta map[string]any) error {
	return s.chunk([]any{choice(delta, nil)}, nil, nil)
}

func (s *stream) chunk(choices []any, usage any, about map[string]any) error {
	more := map[string]any{"choices": choices}
	if s.in.Usage {
		more["usage"] = usage
	}
	if about != nil {
		more["assay"] = about
	}
	return s.data(s.envelope("chat.completion.chunk", more))
}

func (s *stream) data(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.write("data: " + string(data) + "\n\n")
}

func (s *stream) write(text string) error {
	if _, err := io.WriteString(s, text); err != nil {
		return err
	}
	return s.Flush()
}
