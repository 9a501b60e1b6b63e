package runs

import (
	"slices"
	"sync"
)

// turns gives slots to runs. A free slot goes to the tenant with the fewest executing runs; among
// equals, to the one that has waited longest. The runs of a tenant start in order.
type turns struct {
	bounds

	mu      sync.Mutex
	all     party
	parties map[string]*party // tenants with runs
	order   []*party          // tenants that wait for a slot
}

// bounds are the limits of executing and waiting runs.
type bounds struct{ atOnce, waiting, tenantAtOnce, tenantWaiting int }

// A party holds the runs of one tenant, or of all.
type party struct {
	live, running int
	queue         []*turn
}

// A turn is one run's wait for a slot.
type turn struct {
	tenant string
	ready  chan struct{} // closed when the run has the slot
}

func newTurns(b bounds) *turns { return &turns{bounds: b, parties: map[string]*party{}} }

// enter counts a new run, and returns false when there is no room for it. With must, an earlier run
// that is taken up again always has room.
func (t *turns) enter(tenant string, must bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.parties[tenant]
	if p == nil {
		p = &party{}
	}
	if !must && (t.all.live >= t.atOnce+t.waiting || p.live >= t.tenantAtOnce+t.tenantWaiting) {
		return false
	}
	t.parties[tenant] = p
	t.all.live, p.live = t.all.live+1, p.live+1
	return true
}

// leave forgets a run that entered.
func (t *turns) leave(tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.parties[tenant]
	t.all.live, p.live = t.all.live-1, p.live-1
	if p.live == 0 {
		delete(t.parties, tenant)
	}
}

// ask requests a slot for a run that entered. The caller must call giveUp.
func (t *turns) ask(tenant string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, p := &turn{tenant, make(chan struct{})}, t.parties[tenant]
	if p.queue = append(p.queue, own); len(p.queue) == 1 {
		t.order = append(t.order, p)
	}
	t.grant()
	return own
}

// giveUp returns a slot, or ends the wait for it.
func (t *turns) giveUp(own *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.parties[own.tenant]
	select {
	case <-own.ready:
		t.all.running, p.running = t.all.running-1, p.running-1
		t.grant()
	default:
		p.queue = slices.DeleteFunc(p.queue, func(other *turn) bool { return other == own })
		if len(p.queue) == 0 {
			t.order = slices.DeleteFunc(t.order, func(other *party) bool { return other == p })
		}
	}
}

// grant assigns free slots. The caller holds mu.
func (t *turns) grant() {
	for t.all.running < t.atOnce {
		var next *party
		for _, p := range t.order {
			if p.running < t.tenantAtOnce && (next == nil || p.running < next.running) {
				next = p
			}
		}
		if next == nil {
			return
		}
		close(next.queue[0].ready)
		t.all.running, next.running = t.all.running+1, next.running+1
		t.order = slices.DeleteFunc(t.order, func(p *party) bool { return p == next })
		if next.queue = next.queue[1:]; len(next.queue) > 0 {
			t.order = append(t.order, next) // after the others
		}
	}
}

// counts returns how many runs are executing, and how many wait.
func (t *turns) counts() (running, waiting int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.running, t.all.live - t.all.running
}
