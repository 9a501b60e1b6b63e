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

// A Status is the status of a run.
type Status string

const (
	Pending   Status = "pending" // the run waits for its turn
	Running   Status = "running"
	Success   Status = "success" // the run has ended, or waits for a person; see Thread.Status
	Errored   Status = "error"   // see Run.Error
	TimedOut  Status = "timeout"
	Cancelled Status = "interrupted" // by Cancel or by another run
)

// Ended reports whether a run with this status has ended.
func (s Status) Ended() bool { return s != Pending && s != Running }

// A Strategy says how a run treats other runs of its thread.
type Strategy string

const (
	Reject    Strategy = "reject"    // the run is refused with ErrBusy
	Enqueue   Strategy = "enqueue"   // the run waits for the others to end
	Interrupt Strategy = "interrupt" // the others are cancelled
	Undo      Strategy = "rollback"  // the others are rolled back: see Space.Rollback
)

// A Run is one run of a graph on a thread.
type Run struct {
	ID       string          `json:"id"`
	Thread   string          `json:"thread"`
	Graph    string          `json:"graph"`
	Number   int             `json:"number"` // position among the runs of its thread, from 1
	Status   Status          `json:"status"`
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	Started  time.Time       `json:"started,omitzero"` // when it last began to execute
	Metadata json.RawMessage `json:"metadata"`         // an object
	Kept     json.RawMessage `json:"kept,omitempty"`   // Spec.Kept
	Strategy Strategy        `json:"strategy"`
	Asked    string          `json:"asked,omitempty"` // the question in its input, in one line, cut; empty without an input
	Asks     bool            `json:"asks,omitempty"`  // it has ended and waits for a person
	// Temporary, Settings, Forked and Webhook come from the Spec.
	Temporary bool                       `json:"temporary,omitempty"`
	Settings  map[string]json.RawMessage `json:"settings,omitempty"`
	Forked    string                     `json:"forked,omitempty"`
	Webhook   string                     `json:"webhook,omitempty"`
	Undo      bool                       `json:"undo,omitempty"` // see Space.Rollback
	Attempt   int                        `json:"attempt"`        // 1; higher after its process died
	Error     string                     `json:"error,omitempty"`
	Reason    string                     `json:"reason,omitempty"`  // Error without the nodes around it, for readers
	Outcome   string                     `json:"outcome,omitempty"` // see Graph.Outcome
	// Subject and Scopes are those of the Caller that began it.
	Subject string   `json:"subject,omitempty"`
	Scopes  []string `json:"scopes,omitempty"`
	Spec    *Spec    `json:"spec,omitempty"` // nil after the end
}

// A Spec describes a run to begin.
type Spec struct {
	ID     string `json:"id,omitempty"`     // default: a generated ID; a run with this ID is ErrExists
	Thread string `json:"thread"`           // an ID without "." and "/"; default: a new thread
	Create bool   `json:"create,omitempty"` // create a missing thread; otherwise it is a *NotFoundError
	Graph  string `json:"graph"`
	// Input is an encoded graph.Update. Without Input, or with Resume, the run continues the
	// thread.
	Input      json.RawMessage            `json:"input,omitempty"`
	Resume     bool                       `json:"resume,omitempty"`
	Answers    map[string]json.RawMessage `json:"answers,omitempty"`    // see graph.Pursuit
	Checkpoint string                     `json:"checkpoint,omitempty"` // checkpoint to start from; default: the newest
	Before     []string                   `json:"before,omitempty"`     // breakpoints
	After      []string                   `json:"after,omitempty"`
	Limit      int                        `json:"limit,omitempty"`   // recursion limit; default: the graph's
	Timeout    time.Duration              `json:"timeout,omitempty"` // default: Options.Timeout
	Delay      time.Duration              `json:"delay,omitempty"`   // how much later the run begins
	Durability graph.Durability           `json:"durability,omitempty"`
	// Modes select events to log, in addition to Options.Modes, Updates and Checkpoints.
	Modes     graph.Mode        `json:"modes,omitempty"`
	Subgraphs bool              `json:"subgraphs,omitempty"` // also log events of subgraphs; see Options.Subgraphs
	Strategy  Strategy          `json:"strategy,omitempty"`  // default: Reject
	Temporary bool              `json:"temporary,omitempty"` // remove the thread at the end
	Metadata  json.RawMessage   `json:"metadata,omitempty"`  // metadata of the run, and of a thread that it creates
	Marks     json.RawMessage   `json:"marks,omitempty"`     // added to the metadata of its thread
	Config    json.RawMessage   `json:"config,omitempty"`    // new config of the thread
	Saved     map[string]string `json:"saved,omitempty"`     // metadata of the run's checkpoints
	// Settings are values for the graph's settings.
	Settings map[string]json.RawMessage `json:"settings,omitempty"`
	Forked   string                     `json:"forked,omitempty"`  // the run whose checkpoint it continues from, for readers
	Asked    string                     `json:"asked,omitempty"`   // its question, for readers; default: the question in its input
	Webhook  string                     `json:"webhook,omitempty"` // for a Teller; see Manager.CheckURL
	Kept     json.RawMessage            `json:"-"`                 // the value of Run.Kept
}

// Begin queues a run, which begins when it is its turn.
func (s *Space) Begin(ctx context.Context, spec Spec) (Run, error) {
	return s.begin(ctx, spec, new(change))
}

// begin queues a run, and makes another change in the same transaction.
func (s *Space) begin(ctx context.Context, spec Spec, also *change) (Run, error) {
	g, err := s.Graph(spec.Graph)
	if err == nil {
		err = s.CheckSettings(g, spec.Settings)
	}
	if err == nil && spec.Webhook != "" {
		err = s.CheckURL(spec.Webhook)
	}
	if err == nil {
		err = s.room(ctx)
	}
	if err != nil {
		return Run{}, err
	}
	if spec.ID == "" {
		spec.ID = s.NewID()
	} else if _, err := s.Run(ctx, spec.ID); !errors.As(err, new(*NotFoundError)) {
		return Run{}, cmp.Or(err, fmt.Errorf("run %q: %w", spec.ID, ErrExists))
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
	if err == nil {
		var release func()
		t, release, err = s.used(ctx, t)
		defer release()
	}
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
	if err := s.turns.enter(s.tenant, false); err != nil {
		return Run{}, err
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
		ID: spec.ID, Thread: t.ID, Graph: spec.Graph, Number: t.Runs, Status: Pending, Created: now, Updated: now,
		Metadata: object(spec.Metadata), Kept: spec.Kept, Strategy: spec.Strategy, Asked: cmp.Or(line(spec.Asked), asked(&spec)), Temporary: spec.Temporary, Settings: spec.Settings, Forked: spec.Forked, Webhook: spec.Webhook,
		Subject: s.by.Subject, Scopes: s.by.Scopes, Spec: &spec,
	}
	t.Graph, t.Status, t.Updated = spec.Graph, Busy, now
	if len(spec.Config) > 0 {
		t.Config = spec.Config
	}
	claim, err := s.claim(ctx, r.ID)
	if err != nil {
		return Run{}, err
	}
	c := *also
	err = s.put(ctx, &c, &t)
	c.put(s.runsOn(t.ID), r.ID, r, 0)
	at := place{Tenant: s.tenant, Thread: t.ID}
	c.put(s.ids(), r.ID, at, 0)
	c.put(opened, r.ID, at, 0)
	if err == nil {
		err = s.write(ctx, &c)
	}
	if err != nil {
		claim()
		return Run{}, err
	}
	l := s.newLive(r, claim)
	if begun = s.start(l); !begun {
		claim()
		return r, nil // the run begins at the next start of a manager
	}
	for _, other := range others {
		switch spec.Strategy {
		case Interrupt:
			other.cancel(errCancelled)
		case Undo:
			if err := other.rollBack(ctx); err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// unsaved returns an error if the thread has states of another graph.
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

// Runs returns the runs of a thread, newest first.
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

// AllRuns returns the runs of all threads that match, newest first. A nil match selects all.
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

// ended returns a channel that is closed when a run has ended. A run of another process is polled
// once a second while ctx lasts.
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

// DeleteRun removes an ended run and its events. Its checkpoints stay, since later ones build on
// them.
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
	s.recounted()
	return s.Log.Remove(ctx, id)
}

// forget removes the records of a run.
func (s *Space) forget(c *change, r Run) {
	c.remove(s.runsOn(r.Thread), r.ID)
	c.remove(s.ids(), r.ID)
	c.remove(opened, r.ID)
	c.remove(toCancel, r.ID)
}
