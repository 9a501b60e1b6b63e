package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
)

// KindAttempt is the kind of the first event of each attempt at a run. EventRecord.Attempt counts
// the attempts, Checkpoint is where the run continues its thread, and Graph and Fingerprint
// identify the graph.
const KindAttempt = "run_attempt"

// KindSteps is the kind of the events with a text from Graph.Steps. Their node is a node of the
// root graph.
const KindSteps = "run_steps"

// An Event is an event of a run. Event numbers begin at 1 and have no gaps.
type Event struct {
	Seq int64
	graph.EventRecord
}

// Events yields a run's events after number after, existing and future ones, until the run has
// ended. A slow reader delays nobody. Events are kept as long as their run; see Options.
func (s *Space) Events(ctx context.Context, run string, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		watch, stop := context.WithCancel(ctx)
		defer stop()
		ended, err := s.ended(watch, run)
		if err != nil {
			yield(Event{}, err)
			return
		}
		s.read(ctx, run, after, ended)(yield)
	}
}

// Recorded yields the existing events of a run without waiting.
func (s *Space) Recorded(ctx context.Context, run string) iter.Seq2[Event, error] {
	there := make(chan struct{})
	close(there)
	return func(yield func(Event, error) bool) {
		if _, err := s.Run(ctx, run); err != nil { // the run may belong to another tenant
			yield(Event{}, err)
			return
		}
		s.read(ctx, run, 0, there)(yield)
	}
}

func (s *Space) read(ctx context.Context, run string, after int64, ended <-chan struct{}) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for entry, err := range s.Log.Read(ctx, run, after, ended) {
			ev := Event{Seq: entry.Seq}
			if err == nil {
				err = json.Unmarshal(entry.Data, &ev.EventRecord)
			}
			if err != nil {
				yield(Event{}, fmt.Errorf("reading run %q: %w", run, err))
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
	}
}

// Follow yields the runs of a thread after number after, existing and future ones, until ctx ends.
// It waits for a thread that does not exist yet.
func (s *Space) Follow(ctx context.Context, thread string, after int) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		h, leave := s.share(thread)
		defer leave()
		look := time.NewTicker(time.Second) // another process may also begin runs
		defer look.Stop()
		for {
			s.mu.Lock()
			begun := h.begun
			s.mu.Unlock()
			behind, err := s.behind(ctx, thread, after)
			if err != nil {
				yield(Run{}, err)
				return
			}
			for _, r := range behind {
				if after = r.Number; !yield(r, nil) {
					return
				}
			}
			if len(behind) > 0 {
				continue // reading them took time: look again
			}
			select {
			case <-begun:
			case <-look.C:
			case <-ctx.Done():
				return
			}
		}
	}
}

// behind returns the runs of a thread after a number, in order.
func (s *Space) behind(ctx context.Context, thread string, after int) ([]Run, error) {
	t, err := s.Thread(ctx, thread)
	if errors.As(err, new(*NotFoundError)) || err == nil && t.Runs <= after {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := s.Runs(ctx, thread)
	if errors.As(err, new(*NotFoundError)) {
		return nil, nil // the thread was removed
	}
	all = slices.DeleteFunc(all, func(r Run) bool { return r.Number <= after })
	slices.SortFunc(all, func(a, b Run) int { return cmp.Compare(a.Number, b.Number) })
	return all, err
}

// A recording writes the events of an attempt at a run.
type recording struct {
	out    *eventlog.Recorder
	nested bool                                      // also write events of subgraphs
	known  map[string]bool                           // tasks whose updates earlier attempts wrote
	states map[int]bool                              // steps after which they wrote the state
	stops  map[string]bool                           // namespaces whose stop they wrote: a run stops once
	steps  func(graph.Event[json.RawMessage]) string // see Graph.Steps; nil for none
	bytes  int64                                     // of all events of the run
}

// record begins to write the events of an attempt. After earlier attempts it first writes the
// events of checkpoints that they saved but did not log, so a reader misses no event and sees none
// twice.
func (l *live) record(app graph.App) (*recording, error) {
	r := l.now()
	last, err := l.space.Log.Last(l.ctx, r.ID)
	if err != nil {
		return nil, err
	}
	out := &recording{out: l.space.Log.Recorder(r.ID), nested: r.Spec.Subgraphs || l.space.Subgraphs}
	r = l.set(func(r *Run) { r.Attempt = 1 })
	if last > 0 || l.adopted {
		var attempts int
		if attempts, err = out.mend(l, app); err == nil {
			r = l.set(func(r *Run) { r.Attempt = attempts + 1 })
		}
	}
	if err == nil {
		first := graph.EventRecord{Kind: KindAttempt, Attempt: r.Attempt, Time: l.space.Now(), Graph: r.Graph, Fingerprint: app.Fingerprint()}
		if r.Spec.Resume {
			first.Checkpoint, err = l.begins()
		}
		err = errors.Join(err, out.write(first))
	}
	if err != nil {
		return nil, errors.Join(err, out.close())
	}
	return out, nil
}

// begins returns the checkpoint from which the run continues its thread; "" for none.
func (l *live) begins() (string, error) {
	if from := l.run.Spec.Checkpoint; from != "" {
		return from, nil
	}
	for at, err := range l.space.Checkpointer.List(l.ctx, graph.Query{Thread: l.space.saved(l.run.Thread), Limit: 1}) {
		return at.ID, err
	}
	return "", nil
}

func (o *recording) close() error { return o.out.Close(context.Background()) }

// step writes a step of a graph inside a node.
func (o *recording) step(ev graph.Event[json.RawMessage]) error {
	if o.steps == nil || ev.Namespace == "" {
		return nil
	}
	text := o.steps(ev)
	if text == "" {
		return nil
	}
	node, _, _ := strings.Cut(ev.Namespace, "/")
	return o.write(graph.EventRecord{Kind: KindSteps, Tasks: ev.Tasks()[:1], Step: ev.Places[0].Step, Node: node, Time: ev.Time, Text: text})
}

func (o *recording) add(ev graph.Event[json.RawMessage]) error {
	if ev.Namespace != "" && !o.nested {
		return nil
	}
	if ev.Kind == graph.NodeUpdate && len(o.known) > 0 {
		if ids := ev.Tasks(); len(ids) > 0 && o.known[ids[len(ids)-1]] {
			return nil
		}
	}
	if ev.Kind == graph.StateValue && ev.Namespace == "" && o.states[ev.Step] {
		return nil
	}
	if ev.Kind == graph.RunInterrupt && o.stops[ev.Namespace] {
		return nil
	}
	if ev.Kind == graph.RunEnd {
		ev.State = nil // the last StateValue has it
	}
	rec, err := ev.Record()
	if err != nil {
		return err
	}
	return o.write(rec)
}

func (o *recording) write(rec graph.EventRecord) error {
	data, err := json.Marshal(&rec)
	if err == nil {
		o.out.Add(data)
		o.bytes += int64(len(data))
	}
	return err
}

// mend writes the events of checkpoints that earlier attempts saved but did not log, and returns
// the number of these attempts.
func (o *recording) mend(l *live, app graph.App) (attempts int, err error) {
	o.known, o.states, o.stops = map[string]bool{}, map[int]bool{}, map[string]bool{}
	checkpoints := map[string]bool{}
	there := make(chan struct{})
	close(there)
	for entry, err := range l.space.Log.Read(l.ctx, l.run.ID, 0, there) {
		var rec graph.EventRecord
		if err == nil {
			err = json.Unmarshal(entry.Data, &rec)
		}
		if err != nil {
			return 0, err
		}
		o.bytes += int64(len(entry.Data))
		switch n := len(rec.Tasks); {
		case rec.Kind == KindAttempt:
			attempts++
		case rec.Kind == graph.NodeUpdate.String() && n > 0:
			o.known[rec.Tasks[n-1]] = true
		case rec.Kind == graph.RunInterrupt.String():
			o.stops[rec.Namespace] = true
		case rec.Kind == graph.StateValue.String() && rec.Namespace == "":
			o.states[rec.Step] = true
		case rec.Kind == graph.CheckpointSaved.String() && rec.Namespace == "":
			checkpoints[rec.Checkpoint] = true
			o.states[rec.Step] = o.states[rec.Step] || rec.Source != graph.SourceInput // it was written before
		}
	}
	thread := l.space.saved(l.run.Thread)
	var missing []*Snapshot
	for at, err := range app.History(l.ctx, thread, &graph.HistoryOptions{Run: l.run.ID}) {
		if err != nil {
			return 0, err
		}
		if checkpoints[at.Key.ID] {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if err := o.tell(l, app, at); err != nil {
			return 0, err
		}
	}
	return attempts, nil
}

// tell writes the events of a saved checkpoint.
func (o *recording) tell(l *live, app graph.App, at *Snapshot) error {
	step := at.Step // step of the state's event
	if at.Parent != "" && at.Source == graph.SourceLoop {
		before, err := app.State(l.ctx, graph.Key{Thread: at.Key.Thread, ID: at.Parent})
		if err != nil {
			return err
		}
		if before.Source == graph.SourceInput {
			step = before.Step
		}
		for _, t := range before.Tasks {
			if !t.Done || o.known[t.ID] || t.Node == graph.Start {
				continue
			}
			o.known[t.ID] = true
			update, err := t.Update.MarshalJSON()
			if err != nil {
				return err
			}
			if err := o.write(graph.EventRecord{Kind: graph.NodeUpdate.String(), Tasks: []string{t.ID}, Step: at.Step, Node: t.Node, Time: at.Time, Update: update}); err != nil {
				return err
			}
		}
	}
	if wanted := (l.run.Spec.Modes|l.space.Modes)&(graph.Values|graph.Debug) != 0; wanted && at.Source != graph.SourceInput && !o.states[step] {
		o.states[step] = true
		if err := o.write(graph.EventRecord{Kind: graph.StateValue.String(), Step: step, Time: at.Time, State: at.State}); err != nil {
			return err
		}
	}
	o.states[at.Step] = o.states[at.Step] || at.Source != graph.SourceInput
	return o.write(graph.EventRecord{Kind: graph.CheckpointSaved.String(), Step: at.Step, Time: at.Time, Checkpoint: at.Key.ID, Parent: at.Parent, Source: at.Source, Nodes: at.Next})
}
