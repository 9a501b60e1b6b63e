package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
)

// A TTL says what happens to a thread that is not used for some time. Runs, edits and patches use
// it; reading does not.
type TTL struct {
	After time.Duration `json:"after"`
	// KeepLatest removes all checkpoints except the newest. Default: the thread is removed, with
	// its runs and events.
	KeepLatest bool `json:"keep_latest,omitempty"`
}

func (t *TTL) check() error {
	if t != nil && (t.After <= 0 || t.After > 100*365*24*time.Hour) {
		return &InvalidError{errors.New("a time to live must be above 0, and at most 100 years")}
	}
	return nil
}

// How often expired threads are looked for, how many at once, and how long after their time they
// are removed. Within that time, and after it, Begin takes the lock that the removal takes.
const (
	expireEvery = time.Minute
	expireMost  = 1000
	expireLate  = 30 * time.Second
)

// Expires returns when the thread expires, if it is not used before; zero for never.
func (t *Thread) Expires() time.Time {
	if t.TTL == nil {
		return time.Time{}
	}
	return t.Updated.Add(t.TTL.After)
}

func (s *Space) expiry(thread string) due { return due{Kind: dueThread, Tenant: s.tenant, ID: thread} }

// putThread writes a thread, and when to look at it.
func (s *Space) putThread(c *change, t *Thread) {
	c.put(s.threads(), t.ID, t, 0)
	if t.TTL != nil {
		c.plan(expiriesAt, s.expiry(t.ID), t.Expires())
	}
}

// SetTTL changes when a thread expires. Nil means never.
func (s *Space) SetTTL(ctx context.Context, id string, ttl *TTL) (Thread, error) {
	defer s.hold(id)()
	t, err := s.Thread(ctx, id)
	if err = cmp.Or(err, ttl.check()); err != nil {
		return t, err
	}
	t.TTL, t.Updated = ttl, s.Now()
	return t, s.keep(ctx, &t)
}

// used prepares an existing thread for a new run. A thread that has expired may be removed at this
// moment by another server; it is then a *NotFoundError. The caller calls release after it has
// written that the thread is busy.
func (s *Space) used(ctx context.Context, t Thread) (_ Thread, release func(), err error) {
	release = func() {}
	if at := t.Expires(); at.IsZero() || s.Now().Before(at) {
		return t, release, nil
	}
	if release, err = s.alone(ctx, "/expire/"+s.saved(t.ID)); err != nil {
		return t, func() {}, err
	}
	t, err = s.Thread(ctx, t.ID)
	return t, release, err
}

// expire looks at the threads whose time has come, if no other server does.
func (m *Manager) expire(ctx context.Context) error {
	release, err := m.Checkpointer.Lock(ctx, "/expire")
	if errors.Is(err, graph.ErrThreadBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	until := m.Now().Add(-expireLate).UnixMilli()
	found, err := m.Store.Search(ctx, store.Query{Namespace: expiriesAt, Filters: []store.Filter{store.AtMost("at", until)}, Limit: expireMost})
	if err != nil {
		return err
	}
	var faults []error
	for _, item := range found {
		d, err := store.Decode[due](item.Item)
		if err == nil {
			err = m.Space(d.Tenant).expireThread(ctx, d.ID)
		}
		if err != nil && !errors.Is(err, graph.ErrThreadBusy) {
			faults = append(faults, fmt.Errorf("removing thread %q, which has expired: %w", d.ID, err))
		}
	}
	return errors.Join(faults...)
}

// expireThread removes a thread, unless it was used meanwhile. A busy thread is left alone.
func (s *Space) expireThread(ctx context.Context, id string) error {
	defer s.hold(id)()
	release, err := s.Checkpointer.Lock(ctx, "/expire/"+s.saved(id))
	if err != nil {
		return err
	}
	defer release()
	var c change
	now := s.Now()
	t, err := s.Thread(ctx, id)
	switch at := t.Expires(); {
	case errors.As(err, new(*NotFoundError)):
		c.plan(expiriesAt, s.expiry(id), time.Time{})
	case err != nil:
		return err
	case at.IsZero() || at.After(now.Add(-expireLate)):
		c.plan(expiriesAt, s.expiry(id), at)
	case t.Status == Busy || len(s.liveOn(id)) > 0:
		return nil
	case !t.TTL.KeepLatest:
		return s.removeThread(ctx, id, true)
	default:
		if _, err := graph.Prune(ctx, s.Checkpointer, s.saved(id), nil); err != nil {
			return err
		}
		c.plan(expiriesAt, s.expiry(id), now.Add(t.TTL.After))
	}
	return s.write(ctx, &c)
}
