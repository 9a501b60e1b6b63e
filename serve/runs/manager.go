package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
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
	// AtOnce is how many runs execute at the same time. Default: 8.
	AtOnce int
	// Waiting is how many runs may wait; a further run is ErrFull. It includes delayed runs, and
	// runs that wait for another run of their thread. Default: 1000.
	Waiting int
	// Quota bounds each tenant, and Quotas the tenants that it names: a field that is not zero wins.
	// A free slot goes to the tenant with the fewest executing runs. Default: AtOnce and Waiting.
	Quota  Quota
	Quotas map[string]Quota
	// Keep is how long an ended run and its events are kept. Its thread stays. Default: a week.
	Keep time.Duration
	// KeepRuns is how many ended runs of a thread are kept. Default: 100.
	KeepRuns int
	// Modes and Subgraphs select events that are logged for every run, in addition to those of its
	// Spec: other callers may read a run later. Default: none.
	Modes     graph.Mode
	Subgraphs bool
	// Timeout limits a run whose Spec has no timeout. Default: no limit.
	Timeout time.Duration
	// ThreadTTL is the time to live of new threads that are given none. Default: they stay.
	ThreadTTL time.Duration
	// Plan returns the run that a cron begins. An *InvalidError or a *NotFoundError skips this time;
	// after other errors it is tried again. Default: there are no crons.
	Plan func(context.Context, *Space, Cron) (Spec, error)
	// Tell are asked for the notices about every run. Default: nobody is told.
	Tell []Teller
	// WebhookHosts are hosts inside the network that notices may be sent to: "hooks.example.com",
	// "127.0.0.1". Default: none.
	WebhookHosts []string
	// WebhookSecret signs notices: see Notice. Default: they are not signed.
	WebhookSecret []byte
	// Warn is called with errors that no caller waits for. Default: they are dropped.
	Warn func(error)
	// Observe is called when a run begins, and returns a function for its end. Default: none.
	Observe func(Run) func(Run)
	Now     func() time.Time // default: time.Now
	NewID   func() string    // default: UUIDs of version 7
}

// A Manager runs graphs. Several goroutines may use it at once.
type Manager struct {
	Options
	graphs  []Graph // sorted by name
	began   time.Time
	turns   *turns
	closed  chan struct{} // closed when nothing more begins
	nudged  chan struct{} // something is due
	outside *http.Client  // sends notices
	hurry   func()        // ends their requests
	working sync.WaitGroup

	mu      sync.Mutex
	live    map[string]*live   // runs that this process executes, by ID
	on      map[string][]*live // the same by thread, in order
	held    map[string]*holder // by thread
	sending map[string]bool    // the IDs of notices

	accounts map[string]*account // by tenant; only of those with a quota of bytes
}

// Defaults of Options.
const (
	DefaultAtOnce  = 8
	DefaultWaiting = 1000
)

// DefaultTenant is the tenant of a server for one user.
const DefaultTenant = "default"

// A Space holds the threads and runs of one tenant.
type Space struct {
	*Manager
	tenant string
	by     Caller
}

// Space returns the space of a tenant. The name must not contain "." or "/".
func (m *Manager) Space(tenant string) *Space { return m.For(Caller{Tenant: tenant}) }

// Tenant returns the name of the tenant.
func (s *Space) Tenant() string { return s.tenant }

// Open starts a manager. It first resumes the runs of processes that died. The caller closes the
// manager, then the checkpointer, the store and the log.
func Open(ctx context.Context, graphs []Graph, o Options) (*Manager, error) {
	o.AtOnce, o.Waiting = cmp.Or(o.AtOnce, DefaultAtOnce), cmp.Or(o.Waiting, DefaultWaiting)
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
		Options: o, began: o.Now(), turns: newTurns(&o), closed: make(chan struct{}),
		nudged: make(chan struct{}, 1), sending: map[string]bool{},
		live: map[string]*live{}, on: map[string][]*live{}, held: map[string]*holder{}, accounts: map[string]*account{},
	}
	m.outside = m.newOutside()
	if o.ThreadTTL < 0 {
		return nil, fmt.Errorf("the time to live of threads is %v: it must not be negative", o.ThreadTTL)
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
	if err := m.makeIndex(ctx); err != nil {
		return nil, fmt.Errorf("making the index of threads: %w", err)
	}
	if err := m.adopt(ctx); err != nil {
		return nil, fmt.Errorf("looking for runs to go on with: %w", err)
	}
	m.working.Go(m.look)
	m.working.Go(m.obey)
	sends, hurry := context.WithCancel(context.Background())
	m.hurry = hurry
	m.working.Go(func() { m.keepTime(sends) })
	return m, nil
}

// Began returns when the manager was opened.
func (m *Manager) Began() time.Time { return m.began }

// Graphs returns the graphs, sorted by name.
func (m *Manager) Graphs() []Graph { return slices.Clone(m.graphs) }

// Graph returns the graph with a name.
func (m *Manager) Graph(name string) (Graph, error) {
	for _, g := range m.graphs {
		if g.Name == name {
			return g, nil
		}
	}
	return Graph{}, &NotFoundError{"graph", name}
}

// Close stops taking runs. Executing runs stop after their superstep or, when ctx ends, at once.
// They continue when a manager is opened again.
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
	defer m.hurry()
	stopped := make(chan struct{})
	go func() {
		m.working.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		m.hurry()
		for _, l := range all {
			l.cancel(errStopping)
		}
		<-stopped
	}
}

// Closed is closed when the manager takes no more runs.
func (m *Manager) Closed() <-chan struct{} { return m.closed }

// Counts returns how many runs of this process are executing, and how many wait.
func (m *Manager) Counts() (running, waiting int) { return m.turns.counts() }

// How often a manager looks for runs whose process has died, and removes old events.
const (
	lookEvery  = 5 * time.Second
	sweepEvery = time.Hour
)

func (m *Manager) look() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	tick, sweep, expire := time.NewTicker(lookEvery), time.NewTicker(sweepEvery), time.NewTicker(expireEvery)
	defer tick.Stop()
	defer sweep.Stop()
	defer expire.Stop()
	for {
		var err error
		select {
		case <-m.closed:
			return
		case <-tick.C:
			err = m.adopt(ctx)
		case <-expire.C:
			err = m.expire(ctx)
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

// adopt takes up the runs that no process executes.
func (m *Manager) adopt(ctx context.Context) error {
	found, err := m.Store.Search(ctx, store.Query{Namespace: opened, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	var faults []error
	for _, item := range found { // sorted by ID: in the order of their creation
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
		if err := s.turns.enter(s.tenant, true); err != nil {
			return err // it never is
		}
		l := s.newLive(r, claim)
		if r.Undo {
			l.cancel(errRolledBack)
		}
		if l.adopted = true; s.start(l) {
			return nil
		}
		s.turns.leave(s.tenant)
		err = ErrClosing
	case err == nil, errors.As(err, new(*NotFoundError)): // the run has ended meanwhile
		var c change
		c.remove(opened, id)
		err = s.write(ctx, &c)
	}
	claim()
	return err
}

// claim gives this process the exclusive right to execute a run, until release or the end of the
// process.
func (m *Manager) claim(ctx context.Context, run string) (release func(), err error) {
	return m.Checkpointer.Lock(ctx, "/run/"+run) // no thread has this name
}

// A holder is the shared lock for the records of one thread.
type holder struct {
	sync.Mutex
	users int
	begun chan struct{} // closed and replaced when a run begins
}

// share returns the holder of a thread. The caller must call release.
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

// hold locks the records of a thread against changes by others in this process, until release.
func (s *Space) hold(thread string) (release func()) {
	h, leave := s.share(thread)
	h.Lock()
	return func() {
		h.Unlock()
		leave()
	}
}
