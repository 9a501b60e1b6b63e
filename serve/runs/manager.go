package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"example.com/assay/graph"
	"example.com/assay/graph/eventlog"
	"example.com/assay/graph/store"
)

// Options configure a manager.
type Options struct {
	Checkpointer graph.Checkpointer // keeps threads
	Store        store.Store        // keeps the records of threads and runs
	Log          *eventlog.Log      // keeps events
	// AtOnce is how many runs go on at the same time. Default: 8.
	AtOnce int
	// Waiting is how many runs wait at most; a further one is ErrFull. Runs that are
	// delayed, or wait for another of their thread, count. Default: 1000.
	Waiting int
	// TenantAtOnce and TenantWaiting are the same of one tenant's runs. Slots that are free
	// go to the tenant with the fewest runs that go on. Defaults: AtOnce, Waiting.
	TenantAtOnce, TenantWaiting int
	// Keep is how long a run that has ended is kept, with its events. Its thread stays.
	// Default: a week.
	Keep time.Duration
	// KeepRuns is how many runs that have ended are kept of a thread. Default: 100.
	KeepRuns int
	// Modes and Subgraphs are what the log gets of every run, besides what its Spec asks
	// for: who reads a run later may be another than who began it. Default: nothing.
	Modes     graph.Mode
	Subgraphs bool
	// Timeout bounds a run that says nothing of its own. Default: none.
	Timeout time.Duration
	// Warn is told what goes wrong where no caller waits. Default: nobody.
	Warn func(error)
	// Observe is called when a run begins, and returns what is called at its end.
	// Default: nothing.
	Observe func(Run) func(Run)
	Now     func() time.Time // default: time.Now
	NewID   func() string    // default: UUIDs of version 7
}

// A Manager runs graphs. Any number of goroutines may use it.
type Manager struct {
	Options
	graphs  []Graph // sorted by name
	turns   *turns
	closed  chan struct{} // nothing more begins
	working sync.WaitGroup

	mu   sync.Mutex
	live map[string]*live   // runs of this process that have not ended, by ID
	on   map[string][]*live // the same by thread, in their order
	held map[string]*holder // by thread
}

// Defaults of Options.
const (
	DefaultAtOnce  = 8
	DefaultWaiting = 1000
)

// DefaultTenant is the tenant of a server for one user.
const DefaultTenant = "default"

// A Space is what one tenant has: its threads and runs.
type Space struct {
	*Manager
	tenant string
}

// Space returns the space of a tenant. Its name has no "." and no "/".
func (m *Manager) Space(tenant string) *Space { return &Space{m, tenant} }

// Open begins to run graphs, first those runs that a process left behind when it died. The
// caller closes the manager, then what the options name.
func Open(ctx context.Context, graphs []Graph, o Options) (*Manager, error) {
	o.AtOnce, o.Waiting = cmp.Or(o.AtOnce, DefaultAtOnce), cmp.Or(o.Waiting, DefaultWaiting)
	o.TenantAtOnce, o.TenantWaiting = cmp.Or(o.TenantAtOnce, o.AtOnce), cmp.Or(o.TenantWaiting, o.Waiting)
	o.Keep, o.KeepRuns = cmp.Or(o.Keep, 7*24*time.Hour), cmp.Or(o.KeepRuns, 100)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Observe == nil {
		o.Observe = func(Run) func(Run) { return func(Run) {} }
	}
	m := &Manager{
		Options: o, turns: newTurns(bounds{o.AtOnce, o.Waiting, o.TenantAtOnce, o.TenantWaiting}), closed: make(chan struct{}),
		live: map[string]*live{}, on: map[string][]*live{}, held: map[string]*holder{},
	}
	for _, g := range graphs {
		g.App = g.App.With(o.Checkpointer)
		m.graphs = append(m.graphs, g)
	}
	slices.SortFunc(m.graphs, func(a, b Graph) int { return strings.Compare(a.Name, b.Name) })
	for i, g := range m.graphs {
		if g.Name == "" || i > 0 && m.graphs[i-1].Name == g.Name {
			return nil, fmt.Errorf("graph %q is registered twice, or without a name", g.Name)
		}
	}
	if err := m.adopt(ctx); err != nil {
		return nil, fmt.Errorf("looking for runs to go on with: %w", err)
	}
	m.working.Go(m.look)
	return m, nil
}

// Graphs returns the graphs, sorted by name.
func (m *Manager) Graphs() []Graph { return slices.Clone(m.graphs) }

// Graph returns the graph of a name.
func (m *Manager) Graph(name string) (Graph, error) {
	for _, g := range m.graphs {
		if g.Name == name {
			return g, nil
		}
	}
	return Graph{}, &NotFoundError{"graph", name}
}

// Close takes no more runs. Those that go on stop after their superstep or, when ctx ends,
// at once; they go on when a manager is opened again.
func (m *Manager) Close(ctx context.Context) {
	m.mu.Lock()
	select {
	case <-m.closed:
	default:
		close(m.closed)
	}
	all := make([]*live, 0, len(m.live))
	for _, l := range m.live {
		all = append(all, l)
	}
	m.mu.Unlock()
	for _, l := range all {
		l.control.Drain("the server stops")
	}
	stopped := make(chan struct{})
	go func() {
		m.working.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		for _, l := range all {
			l.cancel(errStopping)
		}
		<-stopped
	}
}

// Closed is closed when the manager takes no more runs.
func (m *Manager) Closed() <-chan struct{} { return m.closed }

// Counts says how many runs of this process go on, and how many wait.
func (m *Manager) Counts() (running, waiting int) { return m.turns.counts() }

// Every so often a manager looks for runs whose process has died, and removes old events.
const (
	lookEvery  = 5 * time.Second
	sweepEvery = time.Hour
)

func (m *Manager) look() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	tick, sweep := time.NewTicker(lookEvery), time.NewTicker(sweepEvery)
	defer tick.Stop()
	defer sweep.Stop()
	for {
		var err error
		select {
		case <-m.closed:
			return
		case <-tick.C:
			err = m.adopt(ctx)
		case <-sweep.C:
			if _, err = m.Log.Sweep(ctx, m.Now().Add(-m.Keep)); err == nil {
				_, err = m.Store.Sweep(ctx)
			}
		}
		if err != nil {
			m.Warn(err)
		}
	}
}

// adopt takes up the runs that no process carries out.
func (m *Manager) adopt(ctx context.Context) error {
	found, err := m.Store.Search(ctx, store.Query{Namespace: opened, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	var faults []error
	for _, item := range found { // sorted by ID: the order in which they were made
		m.mu.Lock()
		known := m.live[item.Key] != nil
		m.mu.Unlock()
		if known {
			continue
		}
		at, err := store.Decode[place](item.Item)
		if err == nil {
			err = m.Space(at.Tenant).adopt(ctx, item.Key, at.Thread)
		}
		if err != nil && !errors.Is(err, graph.ErrThreadBusy) {
			faults = append(faults, fmt.Errorf("going on with run %q: %w", item.Key, err))
		}
	}
	return errors.Join(faults...)
}

func (s *Space) adopt(ctx context.Context, id, thread string) error {
	claim, err := s.claim(ctx, id)
	if err != nil {
		return err
	}
	r, err := read[Run](ctx, s.Manager, "run", s.runsOn(thread), id)
	switch {
	case err == nil && !r.Status.Ended():
		s.turns.enter(s.tenant, true)
		l := s.newLive(r, claim)
		if l.adopted = true; s.start(l) {
			return nil
		}
		s.turns.leave(s.tenant)
		err = ErrClosing
	case err == nil, errors.As(err, new(*NotFoundError)): // it has ended meanwhile
		var c change
		c.remove(opened, id)
		err = s.write(ctx, &c)
	}
	claim()
	return err
}

// claim makes this process the one that carries out a run, for as long as it lives.
func (m *Manager) claim(ctx context.Context, run string) (release func(), err error) {
	return m.Checkpointer.Lock(ctx, "/run/"+run) // no thread has this name
}

// A holder is what those share who work on one thread: a lock of its records.
type holder struct {
	sync.Mutex
	users int
	begun chan struct{} // closed, and replaced, when a run begins
}

// share returns the holder of a thread, until the caller calls release.
func (s *Space) share(thread string) (h *holder, release func()) {
	key := s.saved(thread)
	s.mu.Lock()
	defer s.mu.Unlock()
	if h = s.held[key]; h == nil {
		h = &holder{begun: make(chan struct{})}
		s.held[key] = h
	}
	h.users++
	return h, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if h.users--; h.users == 0 {
			delete(s.held, key)
		}
	}
}

// hold makes the caller the only one in this process to change the records of a thread,
// until it calls release.
func (s *Space) hold(thread string) (release func()) {
	h, leave := s.share(thread)
	h.Lock()
	return func() {
		h.Unlock()
		leave()
	}
}
