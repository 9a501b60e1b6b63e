package graph

import (
	"context"
	"fmt"
)

// Emit publishes a custom event of the running node: what it retrieved, asked
// or decided on its way. The payload is encoded as JSON, and only when
// somebody reads the stream; outside a run Emit does nothing. A payload that
// cannot be encoded is an error, and nothing is published. It is a sign of life,
// as Heartbeat is.
func Emit[T any](ctx context.Context, name string, payload T) error {
	t := taskFrom(ctx)
	if t == nil {
		return nil
	}
	t.beat()
	if !t.listens(NodeCustom) {
		return nil
	}
	data, err := encode(&payload)
	if err != nil {
		return fmt.Errorf("encoding custom event %q: %w", name, err)
	}
	t.emit(foreign{Kind: NodeCustom, Name: name, Data: data})
	return nil
}

// EmitToken publishes a piece of a text that the running node's model is
// writing, in the order of the calls, for streams of mode Tokens. An empty text
// is no event; outside a run EmitToken does nothing. It is a sign of life, as
// Heartbeat is.
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

// WantsTokens reports whether EmitToken has an effect in ctx: somebody reads a
// stream of mode Tokens, or an idle timeout watches the node. A node need not
// have its model stream otherwise.
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
