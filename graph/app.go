package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
)

// An App is a compiled graph whose inputs, updates and states are JSON, for programs that run
// graphs of any type, such as servers. An update has the JSON of Update.MarshalJSON; a state is S
// as encoding/json writes it.
type App struct{ plain *program }

// App returns the graph without the type of its state.
func (c *Compiled[S]) App() App { return App{c.plain} }

// Name returns the graph's name.
func (a App) Name() string { return a.plain.name }

// Fingerprint identifies the graph's structure; see Compiled.Fingerprint.
func (a App) Fingerprint() string { return a.plain.fingerprint }

// A ChannelInfo describes a channel of a graph.
type ChannelInfo struct {
	Name string
	Kind ChannelKind
}

// Channels returns the graph's channels, in the order of NewStateGraph.
func (a App) Channels() []ChannelInfo {
	out := make([]ChannelInfo, len(a.plain.ids))
	for i, id := range a.plain.ids {
		out[i] = ChannelInfo{id.name, id.kind}
	}
	return out
}

// Drawing returns the graph's structure, with subgraphs as single nodes.
func (a App) Drawing() Drawing { return a.plain.drawing }

// With returns the graph with a checkpointer.
func (a App) With(saver Checkpointer) App {
	own := *a.plain
	own.saver = saver
	return App{&own}
}

// Subgraph returns the graph that AddSubgraph or AddMappedSubgraph added as a node, with a's
// checkpointer. It returns false for any other node.
func (a App) Subgraph(node string) (App, bool) {
	at := a.plain.nodeID(node)
	if at < 0 || a.plain.nodes[at].inner == nil {
		return App{}, false
	}
	return App{a.plain.nodes[at].inner}.With(a.plain.saver), true
}

// Stream is Compiled.Stream. A nil in means that the call has no input.
func (a App) Stream(ctx context.Context, in json.RawMessage, opts *RunOptions) iter.Seq2[Event[json.RawMessage], error] {
	return a.stream(ctx, in, opts, (*position).begin)
}

// StreamResume is Compiled.StreamResume. With may be nil.
func (a App) StreamResume(ctx context.Context, with json.RawMessage, opts *RunOptions) iter.Seq2[Event[json.RawMessage], error] {
	return a.stream(ctx, with, opts, (*position).resume)
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

// A Pursuit describes a run that must happen once, even when its process dies and another process
// repeats the call of Pursue.
type Pursuit struct {
	Input  json.RawMessage // an update; with Resume it may be nil
	Resume bool            // continue the thread, instead of a new turn
	// Answers holds answers to interrupts by their IDs. The only pending interrupt may have the ID
	// "".
	Answers map[string]json.RawMessage
	// Again says that an earlier process may have begun the run with opts.RunID and died.
	Again bool
}

// Pursue streams a run. With Again, it continues from the thread's newest checkpoint if opts.RunID
// wrote that checkpoint, and drops answers to interrupts that are no longer pending. A run that had
// stopped at a breakpoint stops there again.
func (a App) Pursue(ctx context.Context, p Pursuit, opts *RunOptions) iter.Seq2[Event[json.RawMessage], error] {
	run := *opts
	run.again = p.Again
	if p.Again {
		at, err := a.plain.stateAt(ctx, Key{Thread: run.Thread})
		if err != nil && !errors.Is(err, ErrNoCheckpoint) {
			return func(yield func(Event[json.RawMessage], error) bool) { yield(Event[json.RawMessage]{}, err) }
		}
		if err == nil && at.Run == run.RunID {
			p.Input, p.Resume, run.Checkpoint = nil, true, ""
		}
		if err == nil {
			p.Answers = maps.Clone(p.Answers)
			maps.DeleteFunc(p.Answers, func(id string, _ json.RawMessage) bool {
				return !slices.ContainsFunc(at.Interrupts, func(q PendingInterrupt) bool { return q.ID == id || id == "" })
			})
		}
	}
	if !p.Resume {
		return a.Stream(ctx, p.Input, &run)
	}
	for _, id := range slices.Sorted(maps.Keys(p.Answers)) {
		answer := ReplyTo(id, p.Answers[id])
		if id == "" {
			answer = Reply(p.Answers[id])
		}
		run.Resume = append(run.Resume, answer)
	}
	return a.StreamResume(ctx, p.Input, &run)
}

// update decodes an update; nil stays nil.
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

// Values turns an object such as {"n": 1, "log": ["a"]} into an encoded update, for callers that do
// not know the channels' types. It adds to Reduce channels, appends to lists (one element or a list
// of them) and sets all other channels. Null appends nothing to a list. An unknown channel is an
// error.
func (a App) Values(object json.RawMessage) (json.RawMessage, error) {
	var values map[string]json.RawMessage
	if err := decodeInto(object, &values); err != nil {
		return nil, fmt.Errorf("reading values for graph %q: they must be an object of channels: %w", a.plain.name, err)
	}
	writes := []writeJSON{}
	for _, id := range a.plain.ids {
		value, ok := values[id.name]
		if !ok {
			continue
		}
		delete(values, id.name)
		w := writeJSON{Channel: id.name, Value: value}
		switch id.kind {
		case KindAppend, KindKeyed:
			if w.Op = OpAdd.String(); id.kind == KindKeyed {
				w.Op = OpPut.String()
			}
			if data := bytes.TrimSpace(value); bytes.Equal(data, []byte("null")) {
				continue
			} else if data[0] != '[' {
				w.Value = slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
			}
		case KindReduce:
			w.Op = OpAdd.String()
		default:
			w.Op = OpSet.String()
		}
		writes = append(writes, w)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		writes = append(writes, writeJSON{Channel: name, Op: OpSet.String()}) // refused by name
	}
	if _, err := a.plain.readUpdate(writes); err != nil {
		return nil, fmt.Errorf("reading values for graph %q: %w", a.plain.name, err)
	}
	return encode(&writes)
}

// State is Compiled.State.
func (a App) State(ctx context.Context, key Key) (*StateSnapshot[json.RawMessage], error) {
	d, err := a.plain.stateAt(ctx, key)
	if err != nil {
		return nil, err
	}
	return a.snapshot(d)
}

// History is Compiled.History.
func (a App) History(ctx context.Context, thread string, opts *HistoryOptions) iter.Seq2[*StateSnapshot[json.RawMessage], error] {
	return func(yield func(*StateSnapshot[json.RawMessage], error) bool) {
		for d, err := range a.plain.history(ctx, thread, opts) {
			var snap *StateSnapshot[json.RawMessage]
			if err == nil {
				snap, err = a.snapshot(d)
			}
			if !yield(snap, err) {
				return
			}
		}
	}
}

func (a App) snapshot(d *described) (*StateSnapshot[json.RawMessage], error) {
	data, err := encode(a.plain.storable(d.state))
	if err != nil {
		return nil, fmt.Errorf("encoding the state of %s: %w", d.Key, err)
	}
	d.state = &data
	return snapshotOf[json.RawMessage](d), nil
}

// An AppUpdate is a StateUpdate with an encoded update; nil is an empty one.
type AppUpdate struct {
	As     string
	Update json.RawMessage
}

// UpdateState is Compiled.BulkUpdateState.
func (a App) UpdateState(ctx context.Context, key Key, supersteps ...[]AppUpdate) (Key, error) {
	plain := make([][]handUpdate, len(supersteps))
	for i, updates := range supersteps {
		for _, u := range updates {
			read, err := a.update(u.Update)
			if err != nil {
				return key, err
			}
			plain[i] = append(plain[i], handUpdate{u.As, read})
		}
	}
	return a.plain.updateState(ctx, key, plain)
}

// Fork is Compiled.Fork.
func (a App) Fork(ctx context.Context, key Key) (Key, error) { return a.plain.fork(ctx, key) }
