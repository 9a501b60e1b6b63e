package runs

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// turns gives slots to runs. A free slot goes to the tenant with the fewest executing runs; among
// equals, to the one that has waited longest. The runs of a tenant start in order.
type turns struct {
	atOnce, waiting int
	quota           func(tenant string) Quota
	now             func() time.Time

	mu      sync.Mutex
	all     party
	parties map[string]*party // tenants with runs, or that began some lately
	order   []*party          // tenants that wait for a slot
}

// A party holds the runs of one tenant, or of all.
type party struct {
	Quota
	live      int
	executing []*turn // the oldest first
	queue     []*turn
	begun     []time.Time   // when runs began; kept for a minute
	usual     time.Duration // how long runs execute, the last ones above all; 0 if none has ended
}

// A turn is one run's wait for a slot.
type turn struct {
	tenant string
	ready  chan struct{} // closed when the run has the slot
	since  time.Time     // when that was
}

func newTurns(o *Options) *turns {
	return &turns{atOnce: o.AtOnce, waiting: o.Waiting, quota: o.quotaOf, now: o.Now, parties: map[string]*party{}}
}

// enter counts a new run, and returns a *FullError when there is no room for it. With must, an
// earlier run that is taken up again always has room.
func (t *turns) enter(tenant string, must bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	p := t.parties[tenant]
	if p == nil {
		maps.DeleteFunc(t.parties, func(_ string, p *party) bool { return p.live == 0 && len(p.lately(now)) == 0 })
		p = &party{Quota: t.quota(tenant)}
		t.parties[tenant] = p
	}
	if !must {
		n := len(p.lately(now)) - p.PerMinute
		switch {
		case t.all.live >= t.atOnce+t.waiting:
			return &FullError{"too many runs wait already", t.soon(&t.all, now)}
		case p.live >= p.AtOnce+p.Waiting:
			return &FullError{fmt.Sprintf("%d runs of yours go on or wait already", p.live), t.soon(p, now)}
		case p.PerMinute > 0 && n >= 0:
			return &FullError{fmt.Sprintf("you may begin %d runs a minute", p.PerMinute), p.begun[n].Add(time.Minute).Sub(now)}
		case p.PerMinute > 0:
			p.begun = append(p.begun, now)
		}
	}
	t.all.live, p.live = t.all.live+1, p.live+1
	return nil
}

// lately forgets when runs began longer than a minute ago, and returns when the others did.
func (p *party) lately(now time.Time) []time.Time {
	p.begun = slices.DeleteFunc(p.begun, func(at time.Time) bool { return now.Sub(at) >= time.Minute })
	return p.begun
}

// soon estimates when a run of the party ends: each takes as long as runs usually do, and one that
// has taken longer takes as long again. The caller holds mu.
func (t *turns) soon(p *party, now time.Time) time.Duration {
	usual := p.usual
	if usual == 0 {
		usual = t.all.usual
	}
	least := max(usual, time.Second)
	for i, one := range p.executing {
		took := now.Sub(one.since)
		left := took
		if took < usual {
			left = usual - took
		}
		if i == 0 || left < least {
			least = left
		}
	}
	return least
}

// leave forgets a run that entered.
func (t *turns) leave(tenant string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.live--
	t.parties[tenant].live--
}

// ask requests a slot for a run that entered. The caller must call giveUp.
func (t *turns) ask(tenant string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	own, p := &turn{tenant: tenant, ready: make(chan struct{})}, t.parties[tenant]
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
	same := func(other *turn) bool { return other == own }
	select {
	case <-own.ready:
		took := t.now().Sub(own.since)
		for _, p := range []*party{p, &t.all} {
			p.executing = slices.DeleteFunc(p.executing, same)
			if p.usual == 0 {
				p.usual = took
			}
			p.usual = (3*p.usual + took) / 4
		}
		t.grant()
	default:
		p.queue = slices.DeleteFunc(p.queue, same)
		if len(p.queue) == 0 {
			t.order = slices.DeleteFunc(t.order, func(other *party) bool { return other == p })
		}
	}
}

// grant assigns free slots. The caller holds mu.
func (t *turns) grant() {
	for len(t.all.executing) < t.atOnce {
		var next *party
		for _, p := range t.order {
			if len(p.executing) < p.AtOnce && (next == nil || len(p.executing) < len(next.executing)) {
				next = p
			}
		}
		if next == nil {
			return
		}
		own := next.queue[0]
		own.since = t.now()
		close(own.ready)
		t.all.executing, next.executing = append(t.all.executing, own), append(next.executing, own)
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
	return len(t.all.executing), t.all.live - len(t.all.executing)
}
