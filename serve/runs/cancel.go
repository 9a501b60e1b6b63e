package runs

import (
	"context"
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
// that has ended stays as it is. A run of another process stops within a second; if that process has
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
	var c change
	c.put(toCancel, id, place{Tenant: s.tenant, Thread: r.Thread}, askFor)
	return s.write(ctx, &c)
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
		m.mu.Lock()
		for _, one := range asked {
			if l := m.live[one.Key]; l != nil {
				l.cancel(errCancelled) // its end removes the request
			}
		}
		m.mu.Unlock()
	}
}
