package runs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
)

// A due is something to do at a time. Its record is small, since all of them are read often.
type due struct {
	Kind   string `json:"kind"`
	Tenant string `json:"tenant"`
	ID     string `json:"id"`
	At     int64  `json:"at"` // milliseconds since 1970
}

// Kinds of due.
const (
	dueCron   = "cron"
	dueNotice = "notice"
	dueThread = "thread"
)

// Namespaces of the things that are due, of all tenants.
var (
	duesAt     = []string{root, "due"}      // crons and notices
	expiriesAt = []string{root, "expiring"} // threads
)

func (d due) key() string { return d.Kind + "/" + d.Tenant + "/" + d.ID }

// plan writes when something is due. The zero time means never.
func (c *change) plan(namespace []string, d due, at time.Time) {
	if at.IsZero() {
		c.remove(namespace, d.key())
		return
	}
	d.At = at.UnixMilli()
	c.put(namespace, d.key(), d, 0)
}

// alone waits for a lock that all servers share.
func (m *Manager) alone(ctx context.Context, name string) (release func(), err error) {
	for {
		if release, err = m.Checkpointer.Lock(ctx, name); !errors.Is(err, graph.ErrThreadBusy) {
			return release, err
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// keepTime does what is due, until the manager closes. Notices are sent while ctx lasts.
func (m *Manager) keepTime(ctx context.Context) {
	for {
		wait, err := m.doDue(ctx)
		if err != nil && ctx.Err() == nil {
			m.Warn(err)
		}
		select {
		case <-time.After(wait):
		case <-m.nudged:
		case <-m.closed:
			return
		}
	}
}

// nudge makes keepTime look again.
func (m *Manager) nudge() {
	select {
	case m.nudged <- struct{}{}:
	default: // it is going to look
	}
}

// doDue does what is due, and returns how long nothing else is due. Other servers may plan
// something meanwhile, so it is never long.
func (m *Manager) doDue(ctx context.Context) (wait time.Duration, err error) {
	found, err := m.Store.Search(ctx, store.Query{Namespace: duesAt, Limit: math.MaxInt32})
	if err != nil {
		return lookEvery, err
	}
	now := m.Now()
	wait = lookEvery
	var faults []error
	for _, item := range found {
		d, err := store.Decode[due](item.Item)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		if rest := time.UnixMilli(d.At).Sub(now); rest > 0 {
			wait = min(wait, rest)
			continue
		}
		if d.Kind == dueCron {
			faults = append(faults, m.do(ctx, d))
			continue
		}
		m.sendSoon(ctx, d)
	}
	return wait, errors.Join(faults...)
}

// sendSoon sends a notice in a goroutine. When too many are being sent, it waits for its turn: the
// end of each nudges.
func (m *Manager) sendSoon(ctx context.Context, d due) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sending[d.ID] || len(m.sending) >= sendAtOnce {
		return
	}
	m.sending[d.ID] = true
	m.working.Go(func() {
		if err := m.do(ctx, d); err != nil && ctx.Err() == nil {
			m.Warn(err)
		}
		m.mu.Lock()
		full := len(m.sending) >= sendAtOnce
		delete(m.sending, d.ID)
		m.mu.Unlock()
		if full {
			m.nudge()
		}
	})
}

// do does something that is due, unless another server does it or has done it.
func (m *Manager) do(ctx context.Context, d due) error {
	release, err := m.Checkpointer.Lock(ctx, "/due/"+d.key())
	if errors.Is(err, graph.ErrThreadBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	now, err := read[due](ctx, m, "due", duesAt, d.key())
	if errors.As(err, new(*NotFoundError)) || err == nil && now.At > d.At {
		return nil
	}
	if err == nil && d.Kind == dueCron {
		err = m.Space(d.Tenant).fire(ctx, d.ID)
	} else if err == nil {
		err = m.Space(d.Tenant).send(ctx, d.ID)
	}
	if err != nil {
		err = fmt.Errorf("%s %q: %w", d.Kind, d.ID, err)
	}
	return err
}
