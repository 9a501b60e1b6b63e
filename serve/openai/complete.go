package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"slices"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// turn begins the turn that a request asks for.
func (c *call) turn(read func(data []byte, strict bool) (*request, error)) (*turn, error) {
	data, err := io.ReadAll(c.r.Body)
	if err != nil {
		return nil, fmt.Errorf("reading the request: %w", err)
	}
	in, err := read(data, c.Strict)
	if err != nil {
		return nil, err
	}
	model, err := c.model(in.Model)
	if err != nil {
		return nil, err
	}
	if err := in.unknown(model); err != nil {
		return nil, err
	}
	return c.begin(in, model)
}

// complete answers a turn.
func (c *call) complete() error {
	t, err := c.turn(read)
	if err != nil {
		return err
	}
	defer c.leave(t)
	if t.in.Stream {
		return c.pour(func(ctx context.Context, send func(string) error) error { return c.stream(ctx, &stream{t, send}) })
	}
	a, err := c.follow(c.ctx(), t, nil)
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

// follow waits for the answer to a turn, and remembers it. It does not wait for a server that stops.
func (c *call) follow(ctx context.Context, t *turn, to listener) (*answer, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-c.Closed():
			if r, err := c.Run(ctx, t.run.ID); err == nil && !r.Status.Ended() {
				stop(runs.ErrClosing)
			}
		case <-ctx.Done():
		}
	}()
	a, err := c.outcome(ctx, t.run, to)
	if context.Cause(ctx) == runs.ErrClosing {
		err = runs.ErrClosing
	}
	if err == nil {
		if err := c.remember(t, a); err != nil {
			c.Warn(err) // the next turn will not find this one
		}
	}
	return a, err
}

// errLeft ends a stream whose reader has left.
var errLeft = errors.New("the reader has left")

// pour sends the frames of a stream. They come from another goroutine, so that comments can be sent
// while there are none.
func (c *call) pour(frames func(ctx context.Context, send func(string) error) error) error {
	out, ok := sse.Open(c.w)
	if !ok {
		return nil // the caller has left
	}
	write := func(frame string) error {
		_, err := io.WriteString(out, frame)
		return err
	}
	_, _ = sse.Follow(c.ctx(), out, sse.Options{Heartbeat: c.Heartbeat, Comment: "heartbeat"}, func(ctx context.Context) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			left := false
			_ = frames(ctx, func(frame string) error { // it fails only if the caller has left
				if left = left || !yield(frame, nil); left {
					return errLeft
				}
				return nil
			})
		}
	}, write)
	return nil
}

// envelope returns an object of an answer with the fields common to all.
func (t *turn) envelope(object string, more map[string]any) map[string]any {
	more["id"], more["object"], more["created"], more["model"] = "chatcmpl-"+t.run.ID, object, t.run.Created.Unix(), t.model.Name
	return more
}

// about returns the IDs of an answer for clients of other protocols, and its interrupts.
func (t *turn) about(a *answer) map[string]any {
	out := map[string]any{"thread_id": t.run.Thread, "run_id": t.run.ID}
	if a != nil && len(a.asked) > 0 {
		out["interrupts"] = interruptsOf(a.asked)
	}
	if len(t.in.Ignored) > 0 {
		out["ignored"] = slices.Sorted(maps.Keys(t.in.Ignored))
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
	write func(string) error
}

// stream answers in pieces. An error after the first piece is sent inside the stream.
func (c *call) stream(ctx context.Context, s *stream) error {
	if err := s.delta(map[string]any{"role": "assistant", "content": ""}); err != nil {
		return err
	}
	a, err := c.follow(ctx, s.turn, nil)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return s.data(failureOf(err))
	}
	return s.answer(a)
}

// pieceSize bounds the bytes of text in a piece. Some clients read lines of at most 64 KiB.
const pieceSize = 4096

// pieces divides a text between characters.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := min(len(text), pieceSize)
			for n < len(text) && !utf8.RuneStart(text[n]) {
				n--
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// answer sends a whole answer, and the end of the stream.
func (s *stream) answer(a *answer) error {
	for piece := range pieces(a.text) {
		if err := s.delta(map[string]any{"content": piece}); err != nil {
			return err
		}
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
