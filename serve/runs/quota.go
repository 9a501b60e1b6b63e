package runs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
)

// A Quota bounds the runs and the data of one tenant. Each manager counts the runs that it
// executes.
type Quota struct {
	// AtOnce is how many of its runs execute at the same time, and Waiting how many may wait.
	// Defaults: those of all tenants.
	AtOnce, Waiting int
	// PerMinute is how many of its runs may begin within any minute. Default: no limit.
	PerMinute int
	// Bytes is how much may be kept of its threads and events. While they have more, no run begins
	// and no thread is made or edited. The account has each thread's record with its last state, the
	// states of its checkpoints, and the events of ended runs, as the bytes of their JSON; not what
	// the database needs around them, long-term memory, and the events of runs that go on. It is
	// made anew every half minute, from small records; in between a manager adds what its own runs
	// write. Checkpoints from before the quota was set count once they are pruned. Default: no limit.
	Bytes int64
}

// quotaOf returns the quota of a tenant, with its defaults.
func (o *Options) quotaOf(tenant string) Quota {
	q, all := o.Quotas[tenant], o.Quota
	return Quota{
		AtOnce: cmp.Or(q.AtOnce, all.AtOnce, o.AtOnce), Waiting: cmp.Or(q.Waiting, all.Waiting, o.Waiting),
		PerMinute: cmp.Or(q.PerMinute, all.PerMinute), Bytes: cmp.Or(q.Bytes, all.Bytes),
	}
}

// A FullError reports a run that a limit does not allow now. It is ErrFull.
type FullError struct {
	Why   string
	After time.Duration // when there is likely a place; 0 if only the tenant can make one
}

func (e *FullError) Error() string {
	if e.After == 0 {
		return e.Why
	}
	return fmt.Sprintf("%s: try again in %d s", e.Why, e.Seconds())
}

// Seconds returns After in whole seconds, rounded up.
func (e *FullError) Seconds() int { return int(math.Ceil(e.After.Seconds())) }

// Is makes every FullError ErrFull.
func (e *FullError) Is(target error) bool { return target == ErrFull }

// An account says how much is kept for a tenant.
type account struct {
	bytes  int64
	events []expiring // the next to expire first
	until  time.Time  // when it is made anew
}

// expiring are the events of an ended run.
type expiring struct {
	at    time.Time
	bytes int64
}

const (
	recount = 30 * time.Second
	// restful is how many times as long as the last account took the next one waits at least.
	restful = 20
)

// room returns a *FullError if more is kept for the tenant than its quota allows.
func (s *Space) room(ctx context.Context) error {
	limit := s.quotaOf(s.tenant).Bytes
	if limit == 0 {
		return nil
	}
	s.mu.Lock()
	a := s.accounts[s.tenant]
	s.mu.Unlock()
	now := s.Now()
	if a == nil || !now.Before(a.until) {
		var err error
		if a, err = s.count(ctx); err != nil {
			return err
		}
		took := s.Now().Sub(now)
		a.until = now.Add(took + max(recount, restful*took))
		s.mu.Lock()
		maps.DeleteFunc(s.accounts, func(_ string, a *account) bool { return !now.Before(a.until) })
		s.accounts[s.tenant] = a
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.bytes < limit {
		return nil
	}
	e := &FullError{Why: fmt.Sprintf("%d bytes of yours are kept, and you may have %d: delete threads", a.bytes, limit)}
	left := a.bytes
	for _, one := range a.events {
		if left -= one.bytes; left < limit {
			e.After = one.at.Sub(now) + max(0, a.until.Sub(one.at)) // the next account sees it
			break
		}
	}
	return e
}

// count makes an account.
func (s *Space) count(ctx context.Context) (*account, error) {
	a := &account{}
	heads, err := list[head](ctx, s.Manager, s.index(), nil)
	if err != nil {
		return nil, err
	}
	for _, h := range heads {
		a.bytes += h.Bytes
	}
	ended, err := s.Store.Search(ctx, store.Query{Namespace: s.ids(), Limit: math.MaxInt32})
	if err != nil {
		return nil, err
	}
	for _, item := range ended {
		at, err := store.Decode[place](item.Item)
		if err != nil {
			return nil, err
		}
		if a.bytes += at.Bytes; at.Bytes > 0 {
			a.events = append(a.events, expiring{item.Expires, at.Bytes})
		}
	}
	slices.SortFunc(a.events, func(a, b expiring) int { return a.at.Compare(b.at) })
	return a, nil
}

// charge adds to the tenant's account; recounted makes it anew.
func (s *Space) charge(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[s.tenant]; a != nil {
		a.bytes += bytes
	}
}

// recounted forgets the tenant's account, after something was removed.
func (s *Space) recounted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.accounts, s.tenant)
}

// weigh returns the bytes of the states of checkpoints; 0 for a tenant without a quota of bytes, for
// whom nobody counts them.
func (s *Space) weigh(ctx context.Context, q graph.Query) (n int64, err error) {
	if s.quotaOf(s.tenant).Bytes == 0 {
		return 0, nil
	}
	q.All = true
	for at, err := range s.Checkpointer.List(ctx, q) {
		if err != nil {
			return 0, err
		}
		n += int64(len(at.Data))
	}
	return n, nil
}
