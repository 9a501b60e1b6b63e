package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
)

// An App is a compiled graph whose inputs, updates and states are JSON. Programs that
// run graphs of any type use it, such as servers. An update is written as Update
// encodes itself, a state as encoding/json writes S.
type App struct{ plain *program }

// App returns the graph without the type of its state.
func (c *Compiled[S]) App() App { return App{c.plain} }

// Name returns the graph's name.
func (a App) Name() string { return a.plain.name }

// Fingerprint identifies the graph's structure; see Compiled.Fingerprint.
func (a App) Fingerprint() string { return a.plain.fingerprint }

// Drawing returns the graph's structure, with subgraphs as single nodes.
func (a App) Drawing() Drawing { return a.plain.drawing }

// With returns the graph with a checkpointer.
func (a App) With(saver Checkpointer) App {
	own := *a.plain
	own.saver = saver
	return App{&own}
}

// Stream is Compiled.Stream. No input at all is nil.
func (a App) Stream(ctx context.Context, in json.RawMessage, opts *RunOptions) iter.Seq2[Event[json.RawMessage], error] {
	return a.stream(ctx, in, opts, (*machine).begin)
}

// StreamResume is Compiled.StreamResume. No update is nil.
func (a App) StreamResume(ctx context.Context, with json.RawMessage, opts *RunOptions) iter.Seq2[Event[json.RawMessage], error] {
	return a.stream(ctx, with, opts, (*machine).resume)
}

func (a App) stream(ctx context.Context, in json.RawMessage, opts *RunOptions, begin beginning) iter.Seq2[Event[json.RawMessage], error] {
	u, err := a.update(in)
	if err != nil {
		return func(yield func(Event[json.RawMessage], error) bool) { yield(Event[json.RawMessage]{}, err) }
	}
	return mapped(a.plain.stream(ctx, u, opts, begin), func(ev event) Event[json.RawMessage] {
		state := ev.state
		ev.state = nil
		out := eventOf[json.RawMessage](ev)
		if state != nil {
			var fault error
			if out.State, fault = encode(a.plain.storable(state)); fault != nil && out.Err == nil {
				out.Err = fmt.Errorf("encoding the state: %w", fault)
			}
		}
		return out
	})
}

// update reads an update; nil stays nil.
func (a App) update(data json.RawMessage) (update, error) {
	if data == nil {
		return nil, nil
	}
	u, err := a.plain.decodeUpdate(data)
	if err != nil {
		return nil, fmt.Errorf("reading the input of graph %q: %w", a.plain.name, err)
	}
	return u, nil
}

// State is Compiled.State.
func (a App) State(ctx context.Context, key Key) (*StateSnapshot[json.RawMessage], error) {
	d, err := a.plain.stateAt(ctx, key)
	if err != nil {
		return nil, err
	}
	data, err := encode(a.plain.storable(d.state))
	if err != nil {
		return nil, fmt.Errorf("encoding the state of %s: %w", d.Key, err)
	}
	d.state = &data
	return snapshotOf[json.RawMessage](d), nil
}
