package runs

import (
	"context"
	"time"

	"example.com/assay/graph/store"
)

// Rewind makes a cron due at a time, as a server does that dies in between.
func Rewind(ctx context.Context, s store.Store, tenant, id string, at time.Time) error {
	space := (&Manager{Options: Options{Store: s}}).Space(tenant)
	c, err := space.Cron(ctx, id)
	if err != nil {
		return err
	}
	c.Next = at
	return space.write(ctx, space.withCron(&c))
}

// MarkUndone marks a run to be rolled back, as a server does that dies before it has done so.
func MarkUndone(ctx context.Context, s store.Store, tenant string, r Run) error {
	space := (&Manager{Options: Options{Store: s}}).Space(tenant)
	r, err := read[Run](ctx, space.Manager, "run", space.runsOn(r.Thread), r.ID)
	if err != nil {
		return err
	}
	r.Undo = true
	var c change
	c.put(space.runsOn(r.Thread), r.ID, r, 0)
	return space.write(ctx, &c)
}

// Send sends an empty notice to a URL that nobody has checked.
func Send(ctx context.Context, url string, hosts ...string) error {
	m := &Manager{Options: Options{WebhookHosts: hosts, Now: time.Now}}
	m.outside = m.newOutside()
	_, err := m.Space(DefaultTenant).post(ctx, &posting{Notice: Notice{URL: url, Body: []byte("{}")}})
	return err
}
