package runs

import (
	"context"
	"fmt"
	"math"
	"time"

	"example.com/assay/graph/store"
)

// toCancel has the runs that another process is to cancel.
var toCancel = []string{root, "cancel"}

const (
	// obeyEvery is how often a process looks for requests of others.
	obeyEvery = 500 * time.Millisecond
	// askFor is how long a request stays if no process executes its run.
	askFor = 24 * time.Hour
)

// Cancel stops a run and keeps the work of its finished tasks. It does not wait: see Wait. A run
// that has ended stays as it is. A run of another process stops within a second, also one that is rolled back; if that process has
// died, the next one that takes the run up cancels it.
func (s *Space) Cancel(ctx context.Context, id string) error {
	r, err := s.Run(ctx, id)
	if err != nil || r.Status.Ended() {
		return err
	}
	if l := s.find(id); l != nil {
		l.cancel(errCancelled)
		return nil
	}
	return s.ask(ctx, r, false)
}

// A request asks the process that executes a run to stop it.
type request struct {
	place
	Undo bool `json:"undo,omitempty"` // see Rollback
}

func (s *Space) ask(ctx context.Context, r Run, undo bool) error {
	var c change
	c.put(toCancel, r.ID, request{place{Tenant: s.tenant, Thread: r.Thread}, undo}, askFor)
	return s.write(ctx, &c)
}

// stop does what a request asks, if this process executes the run. The run's end removes the request.
func (m *Manager) stop(asked store.Result) error {
	m.mu.Lock()
	l := m.live[asked.Key]
	m.mu.Unlock()
	if l == nil {
		return nil
	}
	r, err := store.Decode[request](asked.Item)
	if err != nil || !r.Undo {
		l.cancel(errCancelled)
		return err
	}
	defer l.space.hold(r.Thread)()
	return l.rollBack(context.Background())
}

// obey cancels the runs of this process that others want to stop.
func (m *Manager) obey() {
	tick := time.NewTicker(obeyEvery)
	defer tick.Stop()
	for {
		select {
		case <-m.closed:
			return
		case <-tick.C:
		}
		if running, waiting := m.Counts(); running+waiting == 0 {
			continue
		}
		asked, err := m.Store.Search(context.Background(), store.Query{Namespace: toCancel, Limit: math.MaxInt32})
		if err != nil {
			m.Warn(err)
		}
		for _, one := range asked {
			if err := m.stop(one); err != nil {
				m.Warn(fmt.Errorf("stopping run %q: %w", one.Key, err))
			}
		}
	}
}
