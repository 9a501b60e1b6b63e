package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
)

// A Status is where a run stands.
type Status string

const (
	Pending   Status = "pending" // it waits for its turn
	Running   Status = "running"
	Success   Status = "success" // it has ended, or stopped for a person; see Thread.Status
	Errored   Status = "error"   // see Run.Error
	TimedOut  Status = "timeout"
	Cancelled Status = "interrupted" // by Cancel or by another run
)

// Ended reports whether a run with this status goes on no more.
func (s Status) Ended() bool { return s != Pending && s != Running }

// A Strategy says what a run does when its thread has another one.
type Strategy string

const (
	Reject    Strategy = "reject"    // it is refused with ErrBusy
	Enqueue   Strategy = "enqueue"   // it waits for the end of the others
	Interrupt Strategy = "interrupt" // the others are cancelled
)

// A Run is one run of a graph on a thread.
type Run struct {
	ID       string          `json:"id"`
	Thread   string          `json:"thread"`
	Graph    string          `json:"graph"`
	Number   int             `json:"number"` // among the runs of its thread, from 1
	Status   Status          `json:"status"`
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	Metadata json.RawMessage `json:"metadata"`       // an object
	Kept     json.RawMessage `json:"kept,omitempty"` // Spec.Kept
	Strategy Strategy        `json:"strategy"`
	Asked    string          `json:"asked,omitempty"` // what its input asks, in a line, cut; empty for no input
	Asks     bool            `json:"asks,omitempty"`  // it has ended to wait for a person
	// Temporary, Settings and Forked are those of the Spec.
	Temporary bool                       `json:"temporary,omitempty"`
	Settings  map[string]json.RawMessage `json:"settings,omitempty"`
	Forked    string                     `json:"forked,omitempty"`
	Attempt   int                        `json:"attempt"` // 1, and more after its process died
	Error     string                     `json:"error,omitempty"`
	Spec      *Spec                      `json:"spec,omitempty"` // until it ends
}

// A Spec is a run to begin.
type Spec struct {
	Thread string `json:"thread"`           // an ID without "." and "/"; default: a new thread
	Create bool   `json:"create,omitempty"` // make a missing thread; else it is a *NotFoundError
	Graph  string `json:"graph"`
	// Input is an encoded graph.Update. Without one, or with Resume, the run continues
	// the thread.
	Input      json.RawMessage            `json:"input,omitempty"`
	Resume     bool                       `json:"resume,omitempty"`
	Answers    map[string]json.RawMessage `json:"answers,omitempty"`    // see graph.Pursuit
	Checkpoint string                     `json:"checkpoint,omitempty"` // to start from; default: the newest
	Before     []string                   `json:"before,omitempty"`     // breakpoints
	After      []string                   `json:"after,omitempty"`
	Limit      int                        `json:"limit,omitempty"`   // of supersteps; default: the graph's
	Timeout    time.Duration              `json:"timeout,omitempty"` // default: Options.Timeout
	Delay      time.Duration              `json:"delay,omitempty"`   // it begins so much later
	Durability graph.Durability           `json:"durability,omitempty"`
	// Modes are the events that the log gets, besides those of Options.Modes, Updates and
	// Checkpoints.
	Modes     graph.Mode        `json:"modes,omitempty"`
	Subgraphs bool              `json:"subgraphs,omitempty"` // also events of graphs inside nodes; see Options.Subgraphs
	Strategy  Strategy          `json:"strategy,omitempty"`  // default: Reject
	Temporary bool              `json:"temporary,omitempty"` // the thread is removed at the end
	Metadata  json.RawMessage   `json:"metadata,omitempty"`  // of the run, and of a thread that it makes
	Marks     json.RawMessage   `json:"marks,omitempty"`     // added to the metadata of its thread
	Config    json.RawMessage   `json:"config,omitempty"`    // of the thread from now on
	Saved     map[string]string `json:"saved,omitempty"`     // metadata of its checkpoints
	// Settings are values of the graph's settings.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
	Forked   string                     `json:"forked,omitempty"` // the run of whose checkpoint it goes on, for readers
	Asked    string                     `json:"asked,omitempty"`  // what it asks, for readers; default: what its input says
	Kept     json.RawMessage            `json:"-"`                // what Run.Kept returns
}

// Begin takes a run, which begins when it is its turn.
func (s *Space) Begin(ctx context.Context, spec Spec) (Run, error) {
	g, err := s.Graph(spec.Graph)
	if err == nil {
		err = s.CheckSettings(g, spec.Settings)
	}
	if err != nil {
		return Run{}, err
	}
	if spec.Thread == "" {
		spec.Thread, spec.Create = s.NewID(), true
	}
	if spec.Strategy == "" {
		spec.Strategy = Reject
	}
	spec.Timeout = cmp.Or(spec.Timeout, s.Timeout)
	if spec.Input == nil {
		spec.Resume = true
	}
	defer s.hold(spec.Thread)()
	t, err := s.Thread(ctx, spec.Thread)
	if errors.As(err, new(*NotFoundError)) && spec.Create {
		t, err = s.newThread(spec.Thread, spec.Metadata)
	}
	if err == nil {
		t.Metadata, err = Merge(t.Metadata, spec.Marks)
	}
	if err == nil && t.Graph != "" && t.Graph != spec.Graph {
		err = s.unsaved(ctx, t)
	}
	if err != nil {
		return Run{}, err
	}
	others := s.liveOn(spec.Thread)
	if len(others) > 0 && spec.Strategy == Reject {
		return Run{}, ErrBusy
	}
	if !s.turns.enter(s.tenant, false) {
		return Run{}, ErrFull
	}
	begun := false
	defer func() {
		if !begun {
			s.turns.leave(s.tenant)
		}
	}()
	now := s.Now()
	t.Runs++
	r := Run{
		ID: s.NewID(), Thread: t.ID, Graph: spec.Graph, Number: t.Runs, Status: Pending, Created: now, Updated: now,
		Metadata: object(spec.Metadata), Kept: spec.Kept, Strategy: spec.Strategy, Asked: cmp.Or(line(spec.Asked), asked(&spec)), Temporary: spec.Temporary, Settings: spec.Settings, Forked: spec.Forked, Spec: &spec,
	}
	t.Graph, t.Status, t.Updated = spec.Graph, Busy, now
	if len(spec.Config) > 0 {
		t.Config = spec.Config
	}
	claim, err := s.claim(ctx, r.ID)
	if err != nil {
		return Run{}, err
	}
	var c change
	c.put(s.threads(), t.ID, t, 0)
	c.put(s.runsOn(t.ID), r.ID, r, 0)
	at := place{s.tenant, t.ID}
	c.put(s.ids(), r.ID, at, 0)
	c.put(opened, r.ID, at, 0)
	if err := s.write(ctx, &c); err != nil {
		claim()
		return Run{}, err
	}
	l := s.newLive(r, claim)
	if begun = s.start(l); !begun {
		claim()
		return r, nil // it begins at the next start
	}
	if spec.Strategy == Interrupt {
		for _, other := range others {
			other.cancel(errCancelled)
		}
	}
	return r, nil
}

// unsaved refuses another graph on a thread that has states of its own.
func (s *Space) unsaved(ctx context.Context, t Thread) error {
	for _, err := range s.Checkpointer.List(ctx, graph.Query{Thread: s.saved(t.ID), Limit: 1}) {
		if err != nil {
			return err
		}
		return &InvalidError{fmt.Errorf("thread %q has states of graph %q: run another graph on a thread of its own", t.ID, t.Graph)}
	}
	return nil
}

// Run returns a run.
func (s *Space) Run(ctx context.Context, id string) (Run, error) {
	if l := s.find(id); l != nil {
		return l.now(), nil
	}
	at, err := read[place](ctx, s.Manager, "run", s.ids(), id)
	if err != nil {
		return Run{}, err
	}
	return read[Run](ctx, s.Manager, "run", s.runsOn(at.Thread), id)
}

// Runs returns the runs of a thread, the newest first.
func (s *Space) Runs(ctx context.Context, thread string) ([]Run, error) {
	if _, err := s.Thread(ctx, thread); err != nil {
		return nil, err
	}
	all, err := list[Run](ctx, s.Manager, s.runsOn(thread), nil)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if l := s.find(all[i].ID); l != nil {
			all[i] = l.now()
		}
	}
	slices.SortFunc(all, newestFirst)
	return all, nil
}

// AllRuns returns the runs of all threads that a condition selects, the newest first. Nil
// selects all.
func (s *Space) AllRuns(ctx context.Context, match func(*Run) bool) ([]Run, error) {
	all, err := list[Run](ctx, s.Manager, []string{root, tenantsRoot, s.tenant, runsOf}, nil)
	if err != nil {
		return nil, err
	}
	out := all[:0]
	for _, r := range all {
		if l := s.find(r.ID); l != nil {
			r = l.now()
		}
		if match == nil || match(&r) {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, newestFirst)
	return out, nil
}

func newestFirst(a, b Run) int {
	if c := b.Created.Compare(a.Created); c != 0 {
		return c
	}
	return strings.Compare(b.ID, a.ID)
}

// Cancel stops a run. What its tasks finished is kept. It does not wait: see Wait. A run
// that has ended stays as it is.
func (s *Space) Cancel(ctx context.Context, id string) error {
	r, err := s.Run(ctx, id)
	if err != nil || r.Status.Ended() {
		return err
	}
	if l := s.find(id); l != nil {
		l.cancel(errCancelled)
		return nil
	}
	return fmt.Errorf("run %q is carried out by another server: cancel it there", id)
}

// Wait waits for the end of a run.
func (s *Space) Wait(ctx context.Context, id string) (Run, error) {
	ended, err := s.ended(ctx, id)
	if err != nil {
		return Run{}, err
	}
	select {
	case <-ended:
		return s.Run(ctx, id)
	case <-ctx.Done():
		return Run{}, context.Cause(ctx)
	}
}

// ended returns a channel that is closed when a run has ended. One that another process
// carries out is looked at once a second while ctx lasts.
func (s *Space) ended(ctx context.Context, id string) (<-chan struct{}, error) {
	if l := s.find(id); l != nil {
		return l.done, nil
	}
	r, err := s.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	if r.Status.Ended() {
		close(done)
		return done, nil
	}
	go func() {
		defer close(done)
		for {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
				return
			}
			if r, err := s.Run(ctx, id); err != nil || r.Status.Ended() {
				return // the caller reads why
			}
		}
	}()
	return done, nil
}

// DeleteRun removes a run that has ended, with its events. The checkpoints that it made
// stay: later ones are built on them.
func (s *Space) DeleteRun(ctx context.Context, id string) error {
	r, err := s.Run(ctx, id)
	if err != nil {
		return err
	}
	if !r.Status.Ended() {
		return fmt.Errorf("run %q: %w", id, ErrBusy)
	}
	var c change
	s.forget(&c, r)
	if err := s.write(ctx, &c); err != nil {
		return err
	}
	return s.Log.Remove(ctx, id)
}

// forget removes the records of a run.
func (s *Space) forget(c *change, r Run) {
	c.remove(s.runsOn(r.Thread), r.ID)
	c.remove(s.ids(), r.ID)
	c.remove(opened, r.ID)
}
