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
	"unicode"
	"unicode/utf8"

	"example.com/assay/graph"
)

// A ThreadStatus is the status of a thread.
type ThreadStatus string

const (
	Idle        ThreadStatus = "idle"        // the last run has ended, or there was none
	Busy        ThreadStatus = "busy"        // a run is executing or waiting
	Interrupted ThreadStatus = "interrupted" // the last run waits for a person, or stopped at a breakpoint
	Failed      ThreadStatus = "error"       // the last run failed
)

// A Thread is a thread, with a copy of its state after its last run or edit. The copy has U+FFFD
// for U+0000, which the store does not accept.
type Thread struct {
	ID         string                              `json:"id"`
	Created    time.Time                           `json:"created"`
	Updated    time.Time                           `json:"updated"`
	Metadata   json.RawMessage                     `json:"metadata"` // an object
	Config     json.RawMessage                     `json:"config"`   // an object for the callers
	Status     ThreadStatus                        `json:"status"`
	Graph      string                              `json:"graph,omitempty"`      // graph of the last run; empty before the first
	Values     json.RawMessage                     `json:"values,omitempty"`     // nil before the first run
	Interrupts map[string][]graph.PendingInterrupt `json:"interrupts,omitempty"` // by task ID
	Error      string                              `json:"error,omitempty"`      // error of the last run, if it failed
	Runs       int                                 `json:"runs,omitempty"`       // number of runs so far; see Run.Number
	Bytes      int64                               `json:"bytes,omitempty"`      // of the states of its checkpoints; see Quota.Bytes
	TTL        *TTL                                `json:"ttl,omitempty"`        // nil: it stays
}

// A ThreadSpec describes a new thread.
type ThreadSpec struct {
	ID       string          // default: a generated ID; see Spec.Thread
	Metadata json.RawMessage // an object; default: an empty one
	Existing bool            // return an existing thread with this ID
	TTL      *TTL            // default: Options.ThreadTTL
}

// CreateThread creates a thread.
func (s *Space) CreateThread(ctx context.Context, spec ThreadSpec) (Thread, error) {
	if spec.ID == "" {
		spec.ID = s.NewID()
	}
	defer s.hold(spec.ID)()
	old, err := s.Thread(ctx, spec.ID)
	switch {
	case err == nil && spec.Existing:
		return old, nil
	case err == nil:
		return Thread{}, fmt.Errorf("thread %q: %w", spec.ID, ErrExists)
	case !errors.As(err, new(*NotFoundError)):
		return Thread{}, err
	}
	t, err := s.newThread(spec.ID, spec.Metadata)
	if err = cmp.Or(err, spec.TTL.check()); err != nil {
		return Thread{}, err
	}
	if err := s.room(ctx); err != nil {
		return Thread{}, err
	}
	t.TTL = cmp.Or(spec.TTL, t.TTL)
	return t, s.keep(ctx, &t)
}

// maxThread bounds the bytes of a thread's ID.
const maxThread = 255

// newThread returns a new thread. It refuses an ID that could be taken for another name.
func (s *Space) newThread(id string, metadata json.RawMessage) (Thread, error) {
	if id == "" || len(id) > maxThread || strings.ContainsAny(id, "./") || strings.ContainsFunc(id, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) }) {
		return Thread{}, &InvalidError{fmt.Errorf("%.40q cannot be the ID of a thread: it has 1 to %d bytes of UTF-8, without \".\", \"/\" and control characters", id, maxThread)}
	}
	now := s.Now()
	t := Thread{ID: id, Created: now, Updated: now, Config: object(nil), Status: Idle}
	if s.ThreadTTL > 0 {
		t.TTL = &TTL{After: s.ThreadTTL}
	}
	var err error
	t.Metadata, err = Merge(nil, metadata)
	return t, err
}

// keep writes a thread's record.
func (s *Space) keep(ctx context.Context, t *Thread) error {
	var c change
	if err := s.put(ctx, &c, t); err != nil {
		return err
	}
	return s.write(ctx, &c)
}

// Thread returns a thread.
func (s *Space) Thread(ctx context.Context, id string) (Thread, error) {
	return read[Thread](ctx, s.Manager, "thread", s.threads(), id)
}

// PatchThread adds fields to a thread's metadata.
func (s *Space) PatchThread(ctx context.Context, id string, metadata json.RawMessage) (Thread, error) {
	defer s.hold(id)()
	t, err := s.Thread(ctx, id)
	if err == nil {
		err = s.room(ctx)
	}
	if err != nil {
		return t, err
	}
	if t.Metadata, err = Merge(t.Metadata, metadata); err != nil {
		return t, err
	}
	t.Updated = s.Now()
	return t, s.keep(ctx, &t)
}

// DeleteThread removes a thread with its runs and checkpoints. It cancels a run under way first.
func (s *Space) DeleteThread(ctx context.Context, id string) error {
	if _, err := s.Thread(ctx, id); err != nil {
		return err
	}
	for _, l := range s.liveOn(id) {
		l.cancel(errCancelled)
		if err := l.wait(ctx); err != nil {
			return err
		}
	}
	defer s.hold(id)()
	return s.removeThread(ctx, id, true)
}

// PruneThread removes all checkpoints of a thread except the newest. A thread with a run under way
// is ErrBusy.
func (s *Space) PruneThread(ctx context.Context, id string) error {
	if _, err := s.Thread(ctx, id); err != nil {
		return err
	}
	defer s.hold(id)()
	if len(s.liveOn(id)) > 0 {
		return fmt.Errorf("thread %q: %w", id, ErrBusy)
	}
	if _, err := graph.Prune(ctx, s.Checkpointer, s.saved(id), nil); err != nil {
		return err
	}
	t, err := s.Thread(ctx, id)
	if err == nil {
		t.Bytes, err = s.weigh(ctx, graph.Query{Thread: s.saved(id)})
	}
	if err != nil {
		return err
	}
	return s.keep(ctx, &t)
}

// removeThread removes a thread; with withRuns also its runs, which then cannot be read any more.
func (s *Space) removeThread(ctx context.Context, id string, withRuns bool) error {
	if err := graph.DeleteThread(ctx, s.Checkpointer, s.saved(id)); err != nil {
		return err
	}
	var c change
	c.remove(s.threads(), id)
	c.plan(expiriesAt, s.expiry(id), time.Time{})
	if err := s.removeHead(ctx, &c, id); err != nil {
		return err
	}
	defer s.recounted()
	if withRuns {
		all, err := list[Run](ctx, s.Manager, s.runsOn(id), nil)
		if err != nil {
			return err
		}
		for _, r := range all {
			s.forget(&c, r)
			if err := s.Log.Remove(ctx, r.ID); err != nil {
				return err
			}
		}
	}
	return s.write(ctx, &c)
}

// CopyThread creates a thread with the checkpoints and the metadata of another.
func (s *Space) CopyThread(ctx context.Context, id string) (Thread, error) {
	t, err := s.Thread(ctx, id)
	if err != nil {
		return t, err
	}
	out, err := s.newThread(s.NewID(), t.Metadata)
	if err == nil {
		err = s.room(ctx)
	}
	if err != nil {
		return t, err
	}
	if err := graph.CopyThread(ctx, s.Checkpointer, s.saved(id), s.saved(out.ID)); err != nil && !errors.Is(err, graph.ErrNoCheckpoint) {
		return t, err
	}
	out.Config, out.Graph, out.Bytes = t.Config, t.Graph, t.Bytes
	if out.Graph != "" {
		if err := s.refresh(ctx, &out, nil); err != nil {
			return t, err
		}
	}
	return out, s.keep(ctx, &out)
}

// saved returns the name of a thread in the checkpointer.
func (s *Space) saved(thread string) string {
	if s.tenant == DefaultTenant {
		return thread
	}
	return s.tenant + "/" + thread
}

// refresh copies a thread's state from its checkpoints. Failure is the error of its last run.
func (s *Space) refresh(ctx context.Context, t *Thread, failure error) error {
	g, err := s.Graph(t.Graph)
	if err != nil {
		return err
	}
	t.Updated, t.Error, t.Status, t.Interrupts = s.Now(), "", Idle, nil
	at, err := g.App.State(ctx, graph.Key{Thread: s.saved(t.ID)})
	switch {
	case errors.Is(err, graph.ErrNoCheckpoint):
	case errors.Is(err, graph.ErrCheckpointer):
		return fmt.Errorf("reading the state of thread %q: %w", t.ID, err)
	case err != nil: // the copy stays as it is, for example after the graph has changed: see graph.MismatchError
		failure = errors.Join(failure, err)
	default:
		t.Values = storable(at.State)
		if len(at.Next) > 0 {
			t.Status = Interrupted
		}
		for _, task := range at.Tasks {
			if len(task.Interrupts) > 0 {
				if t.Interrupts == nil {
					t.Interrupts = map[string][]graph.PendingInterrupt{}
				}
				asked := slices.Clone(task.Interrupts)
				for i := range asked {
					asked[i].Payload = storable(asked[i].Payload)
				}
				t.Interrupts[task.ID] = asked
			}
		}
	}
	if failure != nil {
		t.Status, t.Error = Failed, strings.ReplaceAll(failure.Error(), "\x00", "\ufffd") // see storable
	}
	return nil
}
