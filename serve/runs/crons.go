package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/robfig/cron/v3"
)

// A Cron begins a run at the times of a schedule. When no server was running at one or more of
// these times, it begins one run afterwards.
type Cron struct {
	ID       string          `json:"id"`
	Schedule string          `json:"schedule"`         // minute, hour, day of the month, month, day of the week
	Zone     string          `json:"zone,omitempty"`   // of the IANA, such as "Europe/Berlin"; default: UTC
	Thread   string          `json:"thread,omitempty"` // default: Options.Plan chooses
	End      time.Time       `json:"end,omitzero"`     // it begins no run after End; default: no end
	Disabled bool            `json:"disabled,omitempty"`
	Metadata json.RawMessage `json:"metadata"`          // an object
	Payload  json.RawMessage `json:"payload"`           // for Options.Plan
	Subject  string          `json:"subject,omitempty"` // of the Caller that created it, as the Scopes: its runs record them
	Scopes   []string        `json:"scopes,omitempty"`
	Created  time.Time       `json:"created"`
	Updated  time.Time       `json:"updated"`
	Next     time.Time       `json:"next,omitzero"` // zero for never
}

func (s *Space) crons() []string { return []string{root, tenantsRoot, s.tenant, "crons"} }

// CreateCron creates a cron. It sets ID, Subject, Scopes, Created, Updated and Next. The payload is not checked.
func (s *Space) CreateCron(ctx context.Context, c Cron) (Cron, error) {
	if s.Plan == nil {
		return c, &InvalidError{errors.New("this server has no crons")}
	}
	if c.Thread != "" {
		if _, err := s.Thread(ctx, c.Thread); err != nil {
			return c, err
		}
	}
	c.ID, c.Created, c.Subject, c.Scopes = s.NewID(), s.Now(), s.by.Subject, s.by.Scopes
	return c, s.keepCron(ctx, &c)
}

// Cron returns a cron.
func (s *Space) Cron(ctx context.Context, id string) (Cron, error) {
	return read[Cron](ctx, s.Manager, "cron", s.crons(), id)
}

// Crons returns all crons that match, sorted by ID.
func (s *Space) Crons(ctx context.Context, match func(*Cron) bool) ([]Cron, error) {
	return list(ctx, s.Manager, s.crons(), match)
}

// ChangeCron changes a cron. Its next time is the first one from now.
func (s *Space) ChangeCron(ctx context.Context, id string, edit func(*Cron) error) (Cron, error) {
	if _, err := s.Cron(ctx, id); err != nil { // no lock has a name that no cron can have
		return Cron{}, err
	}
	release, err := s.alone(ctx, "/due/"+s.cronDue(id).key()) // against fire
	if err != nil {
		return Cron{}, err
	}
	defer release()
	c, err := s.Cron(ctx, id)
	if err == nil {
		err = edit(&c)
	}
	if err == nil {
		err = s.keepCron(ctx, &c)
	}
	return c, err
}

// DeleteCron removes a cron. Runs that it has begun continue.
func (s *Space) DeleteCron(ctx context.Context, id string) error {
	if _, err := s.Cron(ctx, id); err != nil {
		return err
	}
	release, err := s.alone(ctx, "/due/"+s.cronDue(id).key())
	if err != nil {
		return err
	}
	defer release()
	return s.write(ctx, s.withoutCron(id))
}

func (s *Space) cronDue(id string) due { return due{Kind: dueCron, Tenant: s.tenant, ID: id} }

func (s *Space) withoutCron(id string) *change {
	var c change
	c.remove(s.crons(), id)
	c.plan(duesAt, s.cronDue(id), time.Time{})
	return &c
}

// keepCron writes a cron with its next time.
func (s *Space) keepCron(ctx context.Context, c *Cron) (err error) {
	c.Updated = s.Now()
	if c.Next, err = c.after(c.Updated); err != nil {
		return err
	}
	if c.Metadata, err = Merge(nil, c.Metadata); err != nil {
		return err
	}
	if err = s.write(ctx, s.withCron(c)); err == nil {
		s.nudge()
	}
	return err
}

func (s *Space) withCron(c *Cron) *change {
	var out change
	out.put(s.crons(), c.ID, c, 0)
	out.plan(duesAt, s.cronDue(c.ID), c.Next)
	return &out
}

var schedules = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow)

// after returns the cron's first time after now; zero for none.
func (c *Cron) after(now time.Time) (time.Time, error) {
	fields := strings.Fields(c.Schedule)
	if len(fields) != 5 || strings.Contains(c.Schedule, "=") { // the parser also takes a zone before the fields
		return time.Time{}, &InvalidError{fmt.Errorf("schedule is %.100q: it must have five fields, such as \"30 9 * * 1-5\": minute, hour, day of the month, month, day of the week", c.Schedule)}
	}
	days := strings.Split(fields[4], ",")
	for i, d := range days { // 7 is Sunday, too
		if d == "7" {
			days[i] = "0"
		} else if from, ok := strings.CutSuffix(d, "-7"); ok {
			days[i] = from + "-6,0"
		}
	}
	fields[4] = strings.Join(days, ",")
	times, err := schedules.Parse(strings.Join(fields, " "))
	if err != nil {
		return time.Time{}, &InvalidError{fmt.Errorf("schedule is %.100q: %w", c.Schedule, err)}
	}
	zone, err := time.LoadLocation(c.Zone)
	if err != nil || c.Zone == "Local" {
		return time.Time{}, &InvalidError{fmt.Errorf("timezone is %.100q: it must be a name such as \"Europe/Berlin\"", c.Zone)}
	}
	next := times.Next(now.In(zone))
	if next.IsZero() {
		return time.Time{}, &InvalidError{fmt.Errorf("schedule is %.100q: there is no such day", c.Schedule)}
	}
	if next = next.UTC(); c.Disabled || !c.End.IsZero() && next.After(c.End) {
		next = time.Time{}
	}
	return next, nil
}

// fire begins the run of a cron that is due, and plans the next one in the same transaction. The
// caller holds the cron's lock. A lock that was lost does no harm: the run's ID is derived from the
// cron and the time.
func (s *Space) fire(ctx context.Context, id string) error {
	c, err := s.Cron(ctx, id)
	if errors.As(err, new(*NotFoundError)) {
		return s.write(ctx, s.withoutCron(id))
	}
	if err != nil {
		return err
	}
	s = s.For(Caller{s.tenant, c.Subject, c.Scopes})
	at, now := c.Next, s.Now()
	if at.IsZero() || at.After(now) {
		return s.write(ctx, s.withCron(&c))
	}
	if c.Next, err = c.after(now); err != nil {
		return err
	}
	planned := s.withCron(&c)
	if s.Plan == nil {
		return nil // another server may have it
	}
	if !c.End.IsZero() && now.After(c.End) {
		return s.write(ctx, planned)
	}
	spec, err := s.Plan(ctx, s, c)
	if err == nil {
		spec.ID = uuid.NewSHA1(uuid.NameSpaceURL, []byte("cron:"+s.tenant+"/"+c.ID+"@"+at.UTC().Format(time.RFC3339))).String()
		_, err = s.begin(ctx, spec, planned)
	}
	missing := (*NotFoundError)(nil)
	switch {
	case errors.As(err, &missing) && missing.What == "thread":
		s.Warn(fmt.Errorf("removing cron %q: %w", c.ID, err))
		return s.write(ctx, s.withoutCron(id))
	case errors.Is(err, ErrExists):
		return s.write(ctx, planned)
	case errors.Is(err, ErrBusy), errors.As(err, new(*InvalidError)), missing != nil:
		s.Warn(fmt.Errorf("cron %q begins no run: %w", c.ID, err))
		return s.write(ctx, planned)
	}
	return err // of other errors, it is tried again
}
