package graph

import (
	"context"
	"fmt"
)

// Emit publishes a custom event of the running node: for example what it
// retrieved or decided. The payload is encoded as JSON, and only for a reader
// of the stream. A payload that cannot be encoded is an error, and nothing is
// published. Outside a run Emit does nothing. It counts as a Heartbeat.
func Emit[T any](ctx context.Context, name string, payload T) error {
	t := taskFrom(ctx)
	if t == nil {
		return nil
	}
	t.beat()
	if !t.listens(NodeCustom) {
		return nil
	}
	return emitted(t, name, payload)
}

// emitted is apart from Emit, where the payload stays on the stack.
func emitted[T any](t *task, name string, payload T) error {
	data, err := encode(&payload)
	if err != nil {
		return fmt.Errorf("encoding custom event %q: %w", name, err)
	}
	t.emit(foreign{Kind: NodeCustom, Name: name, Data: data})
	return nil
}

// EmitToken publishes a piece of the text that the node's model is writing, in
// the order of the calls, to streams of mode Tokens. An empty text publishes
// nothing. Outside a run EmitToken does nothing. It counts as a Heartbeat.
func EmitToken(ctx context.Context, text string) {
	t := taskFrom(ctx)
	if t == nil {
		return
	}
	t.beat()
	if text != "" {
		t.emit(foreign{Kind: NodeToken, Text: text})
	}
}

// WantsTokens reports whether EmitToken has an effect in ctx: a stream of mode
// Tokens has a reader, or the node has an idle timeout. Otherwise the node need
// not stream from its model.
func WantsTokens(ctx context.Context) bool {
	t := taskFrom(ctx)
	if t == nil {
		return false
	}
	if t.listens(NodeToken) {
		return true
	}
	for ; t != nil; t = t.run.outer {
		if t.watch != nil && t.watch.limit.Idle > 0 {
			return true
		}
	}
	return false
}
