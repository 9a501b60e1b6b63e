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

// Send sends an empty notice to a URL that nobody has checked.
func Send(ctx context.Context, url string, hosts ...string) error {
	m := &Manager{Options: Options{WebhookHosts: hosts, Now: time.Now}}
	m.outside = m.newOutside()
	_, err := m.Space(DefaultTenant).post(ctx, &posting{Notice: Notice{URL: url, Body: []byte("{}")}})
	return err
}
