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
	data, err := encode(payload)
	if err != nil {
		return fmt.Errorf("encoding custom event %q: %w", name, err)
	}
	t.emitCustom(name, data)
	return nil
}
