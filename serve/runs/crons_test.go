package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// planned begins the run that the payload names: a graph.
func planned(_ context.Context, _ *runs.Space, c runs.Cron) (runs.Spec, error) {
	spec := runs.Spec{Thread: c.Thread, Metadata: c.Metadata, Strategy: runs.Enqueue}
	return spec, json.Unmarshal(c.Payload, &spec)
}

// outer is a graph with another inside a node, which asks and then waits.
func outer(t *testing.T) runs.Graph {
	t.Helper()
	in := graph.NewStateGraph(talkLines, talkWho, talkWait)
	in.AddNode("ask", func(ctx context.Context, s talk) (graph.Update[talk], error) {
		who, err := graph.Interrupt[string](ctx, "who", "who is it?")
		if err != nil {
			return nil, err
		}
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return graph.Update[talk]{talkWho.Set(who)}, nil
	})
	in.AddEdge(graph.Start, "ask")
	inner, err := in.Compile(&graph.CompileOptions{Name: "inner"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph(talkLines, talkWho, talkWait)
	graph.AddMappedSubgraph(g, "inside", inner,
		func(s talk) graph.Update[talk] { return graph.Update[talk]{talkWho.Set(s.Who)} },
		func(s talk) graph.Update[talk] { return graph.Update[talk]{talkWho.Set(s.Who)} })
	g.AddEdge(graph.Start, "inside")
	app, err := g.Compile(&graph.CompileOptions{Name: "outer"})
	if err != nil {
		t.Fatal(err)
	}
	return runs.Graph{Name: "outer", App: app.App()}
}

// server is a manager with files of its own over a folder, as another process has them.
func server(t *testing.T, folder string, more func(*runs.Options)) (_ *runs.Space, stop func()) {
	t.Helper()
	h := openHome(t, folder)
	h.opts.Plan = planned
	if more != nil {
		more(&h.opts)
	}
	m := h.open(t, chain(t, "a", "x"), chain(t, "asks", "x", "ask", "y"), outer(t))
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
		defer done()
		m.Close(ctx)
	}
	t.Cleanup(stop)
	return m.Space(runs.DefaultTenant), stop
}

const runA = `{"graph":"a","input":[{"channel":"lines","op":"add","value":["hello"]}]}`

func all(t *testing.T, s *runs.Space) []runs.Run {
	t.Helper()
	list, err := s.AllRuns(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Of two servers, one begins the run of a cron, at its time, also after both were down for long.
func TestCrons(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		one, stopOne := server(t, folder, nil)
		two, stopTwo := server(t, folder, nil)
		begun := time.Now()
		c, err := one.CreateCron(t.Context(), runs.Cron{Schedule: "*/10 * * * *", Payload: json.RawMessage(runA), Metadata: json.RawMessage(`{"by":"cron"}`)})
		if err != nil {
			t.Fatal(err)
		}
		if want := begun.Truncate(10 * time.Minute).Add(10 * time.Minute); !c.Next.Equal(want) {
			t.Errorf("the next run is at %v, want %v", c.Next, want)
		}
		time.Sleep(61 * time.Minute)
		list := all(t, two)
		if len(list) != 6 {
			t.Fatalf("%d runs in an hour", len(list))
		}
		for i, r := range list {
			if late := r.Created.Sub(begun.Truncate(10 * time.Minute).Add(time.Duration(6-i) * 10 * time.Minute)); late < 0 || late > time.Second {
				t.Errorf("run %d began %v late", i, late)
			}
			if r.Status != runs.Success || string(r.Metadata) != `{"by":"cron"}` {
				t.Errorf("run %d is %s with %s", i, r.Status, r.Metadata)
			}
		}
		stopOne()
		stopTwo()
		time.Sleep(10 * time.Hour)
		one, _ = server(t, folder, nil)
		_, _ = server(t, folder, nil)
		time.Sleep(time.Minute)
		if n := len(all(t, one)); n != 7 {
			t.Errorf("%d runs after servers were down for hours, want 7", n)
		}
		if _, err := one.ChangeCron(t.Context(), c.ID, func(c *runs.Cron) error { c.Disabled = true; return nil }); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := len(all(t, one)); n != 7 {
			t.Errorf("%d runs with a disabled cron, want 7", n)
		}
		if _, err := one.ChangeCron(t.Context(), c.ID, func(c *runs.Cron) error {
			c.Disabled, c.End = false, time.Now().Add(25*time.Minute)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if n := len(all(t, one)); n < 9 || n > 10 {
			t.Errorf("%d runs up to the end, want 9 or 10", n)
		}
		if c, err = one.Cron(t.Context(), c.ID); err != nil || !c.Next.IsZero() {
			t.Errorf("behind its end, the cron is next at %v, %v", c.Next, err)
		}
		if err := one.DeleteCron(t.Context(), c.ID); err != nil {
			t.Error(err)
		}
		if left, err := one.Crons(t.Context(), nil); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
}

// A cron begins no run after its end, also if it missed one before.
func TestCronEnd(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, stop := server(t, folder, nil)
		c, err := s.CreateCron(t.Context(), runs.Cron{Schedule: "*/10 * * * *", End: time.Now().Add(25 * time.Minute), Payload: json.RawMessage(runA)})
		if err != nil {
			t.Fatal(err)
		}
		stop()
		time.Sleep(time.Hour)
		s, _ = server(t, folder, nil)
		time.Sleep(time.Minute)
		if n := len(all(t, s)); n != 0 {
			t.Errorf("%d runs", n)
		}
		if c, err = s.Cron(t.Context(), c.ID); err != nil || !c.Next.IsZero() {
			t.Errorf("it is next at %v, %v", c.Next, err)
		}
	})
}

// A cron whose server has died behind the beginning of a run begins no second one.
func TestCronAgain(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s, stop := server(t, folder, nil)
		c, err := s.CreateCron(t.Context(), runs.Cron{Schedule: "0 * * * *", Payload: json.RawMessage(runA)})
		if err != nil {
			t.Fatal(err)
		}
		at := c.Next
		time.Sleep(time.Until(at) + time.Minute)
		stop()
		h := openHome(t, folder)
		if err := runs.Rewind(t.Context(), h.opts.Store, runs.DefaultTenant, c.ID, at); err != nil {
			t.Fatal(err)
		}
		s, _ = server(t, folder, nil)
		time.Sleep(time.Minute)
		if n := len(all(t, s)); n != 1 {
			t.Errorf("%d runs, want 1", n)
		}
		if c, err = s.Cron(t.Context(), c.ID); err != nil || !c.Next.Equal(at.Add(time.Hour)) {
			t.Errorf("next at %v, %v", c.Next, err)
		}
	})
}

// A cron whose run is refused goes on, and one whose thread is gone is removed.
func TestCronRefused(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var said []string
		s, _ := server(t, folder, func(o *runs.Options) { o.Warn = func(err error) { said = append(said, err.Error()) } })
		th, err := s.CreateThread(t.Context(), runs.ThreadSpec{})
		if err != nil {
			t.Fatal(err)
		}
		on, err := s.CreateCron(t.Context(), runs.Cron{Schedule: "* * * * *", Thread: th.ID, Payload: json.RawMessage(runA)})
		if err != nil {
			t.Fatal(err)
		}
		no, err := s.CreateCron(t.Context(), runs.Cron{Schedule: "* * * * *", Payload: json.RawMessage(`{"graph":"none"}`)})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(150 * time.Second)
		if list, err := s.Runs(t.Context(), th.ID); err != nil || len(list) < 2 {
			t.Errorf("%d runs on the thread, %v", len(list), err)
		}
		if err := s.DeleteThread(t.Context(), th.ID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, err := s.Cron(t.Context(), on.ID); !errors.As(err, new(*runs.NotFoundError)) {
			t.Errorf("the cron of a thread that is gone: %v", err)
		}
		if again, err := s.Cron(t.Context(), no.ID); err != nil || !again.Next.After(time.Now()) {
			t.Errorf("the cron that is refused is next at %v, %v", again.Next, err)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, `there is no graph "none"`) || !strings.Contains(text, "removing cron") {
			t.Errorf("warned of: %s", text)
		}
		if _, err := s.CreateCron(t.Context(), runs.Cron{Schedule: "* * * * *", Thread: th.ID}); !errors.As(err, new(*runs.NotFoundError)) {
			t.Errorf("a cron on no thread: %v", err)
		}
	})
}

// Times are those of the zone, and what is no schedule is refused.
func TestSchedules(t *testing.T) {
	now := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC) // a Saturday, the day before the clocks change in New York
	folder := t.TempDir()
	s, _ := server(t, folder, func(o *runs.Options) { o.Now = func() time.Time { return now } })
	for _, c := range []struct{ schedule, zone, next string }{
		{"30 9 * * *", "", "2026-03-08T09:30"},
		{"30 9 * * *", "America/New_York", "2026-03-07T14:30"},
		{"0 2 8 3 *", "America/New_York", "2027-03-08T07:00"}, // there is no such hour in 2026
		{"0 0 29 2 *", "", "2028-02-29T00:00"},
		{"0 0 * * 7", "", "2026-03-08T00:00"},
		{"0 0 * * 5-7", "", "2026-03-08T00:00"},
		{"0 0 * * 1,3-5", "", "2026-03-09T00:00"},
		{"*/15 9-17 * jan-dec mon-fri", "", "2026-03-09T09:00"},
	} {
		made, err := s.CreateCron(t.Context(), runs.Cron{Schedule: c.schedule, Zone: c.zone, Payload: json.RawMessage(runA)})
		if got := made.Next.Format("2006-01-02T15:04"); err != nil || got != c.next {
			t.Errorf("%q in %q: %s, %v; want %s", c.schedule, c.zone, got, err, c.next)
		}
	}
	for _, c := range []runs.Cron{
		{Schedule: ""}, {Schedule: "* * * *"}, {Schedule: "* * * * * *"}, {Schedule: "@daily"}, {Schedule: "TZ= * * * *"}, {Schedule: "TZ=UTC * * * * *"},
		{Schedule: "60 * * * *"}, {Schedule: "0 0 31 2 *"}, {Schedule: "a b c d e"}, {Schedule: "* * * * *", Zone: "Mars"}, {Schedule: "* * * * *", Zone: "Local"},
		{Schedule: "* * * * *", Zone: "../../etc/passwd"}, {Schedule: "*/0 * * * *"}, {Schedule: "9-1 * * * *"},
	} {
		if _, err := s.CreateCron(t.Context(), c); !errors.As(err, new(*runs.InvalidError)) {
			t.Errorf("%q in %q: %v", c.Schedule, c.Zone, err)
		}
	}
}
