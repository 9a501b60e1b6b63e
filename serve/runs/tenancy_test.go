package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// A run that another manager executes is cancelled through the store, also by one who asks while
// nobody executes it.
func TestCancelElsewhere(t *testing.T) {
	folder := t.TempDir()
	h, g := openHome(t, folder), newGate(t)
	first := h.open(t, g.Graph)
	r := begin(t, first.Space("ann"), as("ann"))
	waiting := as("ann")
	waiting.Delay = time.Hour
	later := begin(t, first.Space("ann"), waiting)
	kept := begin(t, first.Space("ann"), waiting)
	g.next(t)

	second := openHome(t, folder).open(t, newGate(t).Graph)
	defer second.Close(context.Background())
	if err := second.Space("bob").Cancel(t.Context(), r.ID); !errors.As(err, new(*runs.NotFoundError)) {
		t.Errorf("another tenant: %v", err)
	}
	began := time.Now()
	for _, id := range []string{r.ID, later.ID} {
		if err := second.Space("ann").Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if r := wait(t, second.Space("ann"), id); r.Status != runs.Cancelled {
			t.Errorf("%+v", r)
		}
	}
	undone := begin(t, first.Space("ann"), as("ann"))
	g.next(t)
	if err := second.Space("ann").Rollback(t.Context(), undone.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Space("ann").Wait(t.Context(), undone.ID); !errors.As(err, new(*runs.NotFoundError)) {
		t.Errorf("a run that was rolled back: %v", err)
	}
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
	if asked, err := h.opts.Store.Search(t.Context(), store.Query{Namespace: []string{"serve", "cancel"}}); err != nil || len(asked) != 0 {
		t.Errorf("%d requests are left, %v", len(asked), err)
	}
	if running, waiting := first.Counts(); running+waiting != 1 {
		t.Errorf("%d runs go on, %d wait", running, waiting)
	}

	// The first manager stops; the second one takes the run up, and sees what a third one asked.
	stopped, now := context.WithCancel(t.Context())
	now()
	m := openHome(t, folder).open(t, newGate(t).Graph)
	if err := m.Space("ann").Cancel(t.Context(), kept.ID); err != nil {
		t.Fatal(err)
	}
	first.Close(stopped)
	m.Close(stopped)
	if r := wait(t, second.Space("ann"), kept.ID); r.Status != runs.Cancelled {
		t.Errorf("%+v", r)
	}
}

// full returns what a refused run says.
func full(t *testing.T, err error) *runs.FullError {
	t.Helper()
	var out *runs.FullError
	if !errors.As(err, &out) || !errors.Is(err, runs.ErrFull) {
		t.Fatalf("%v, want a FullError", err)
	}
	return out
}

// clock is a clock that tests move.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time        { return time.Unix(0, c.at.Load()) }
func (c *clock) after(d time.Duration) { c.at.Add(int64(d)) }

// A tenant begins so many runs within any minute, and is told when the next one may begin.
func TestRunsAMinute(t *testing.T) {
	var at clock
	at.after(1000 * time.Hour)
	h := openHome(t, t.TempDir())
	h.opts.Now = at.now
	h.opts.Quota, h.opts.Quotas = runs.Quota{PerMinute: 3}, map[string]runs.Quota{"bob": {PerMinute: 1}}
	m := h.open(t, chain(t, "plain", "a"))
	defer m.Close(context.Background())
	ann, bob, spec := m.Space("ann"), m.Space("bob"), runs.Spec{Graph: "plain", Input: json.RawMessage(hello)}
	for range 3 {
		wait(t, ann, begin(t, ann, spec).ID)
		at.after(10 * time.Second)
	}
	_, err := ann.Begin(t.Context(), spec) // 30 seconds after the first
	if e := full(t, err); e.After != 30*time.Second || !strings.Contains(e.Error(), "3 runs a minute") || !strings.Contains(e.Error(), "30 s") {
		t.Errorf("%v after %v", e, e.After)
	}
	wait(t, bob, begin(t, bob, spec).ID)
	_, err = bob.Begin(t.Context(), spec)
	if e := full(t, err); e.After != time.Minute {
		t.Errorf("bob: %v", e)
	}
	at.after(30*time.Second - 1)
	_, err = ann.Begin(t.Context(), spec)
	if e := full(t, err); e.After != 1 || e.Seconds() != 1 {
		t.Errorf("a moment before: %v", e.After)
	}
	at.after(1)
	wait(t, ann, begin(t, ann, spec).ID)
	_, err = ann.Begin(t.Context(), spec)
	if e := full(t, err); e.After != 10*time.Second {
		t.Errorf("then: %v", e.After)
	}
}

// Who is refused because of other runs is told when one of them usually ends.
func TestWhenThereIsRoom(t *testing.T) {
	var at clock
	at.after(1000 * time.Hour)
	h, g := openHome(t, t.TempDir()), newGate(t)
	h.opts.Now, h.opts.AtOnce, h.opts.Quota = at.now, 4, runs.Quota{AtOnce: 1, Waiting: 1}
	m := h.open(t, g.Graph)
	defer m.Close(context.Background())
	s := m.Space("ann")
	refused := func(want time.Duration) {
		t.Helper()
		_, err := s.Begin(t.Context(), as("more"))
		if e := full(t, err); e.After != want {
			t.Errorf("after %v, want %v", e.After, want)
		}
	}
	one := begin(t, s, as("one"))
	g.next(t)
	two := begin(t, s, as("two"))
	at.after(20 * time.Second)
	refused(20 * time.Second) // nobody knows yet: as long again
	g.through <- struct{}{}
	wait(t, s, one.ID)
	g.next(t)
	three := begin(t, s, as("three"))
	at.after(5 * time.Second)
	refused(15 * time.Second)
	at.after(25 * time.Second)
	refused(30 * time.Second)
	g.through <- struct{}{}
	wait(t, s, two.ID)
	g.next(t)
	four := begin(t, s, as("four"))
	refused(22500 * time.Millisecond) // the last ones took 20 and 30 seconds
	close(g.through)
	for _, r := range []runs.Run{three, four} {
		wait(t, s, r.ID)
	}
}

// What is kept of a tenant is counted from its threads, checkpoints and events, also by a manager
// that begins anew, and is free again when it is deleted or expires.
func TestBytesKept(t *testing.T) {
	var at clock
	at.after(time.Duration(time.Now().UnixNano()))
	folder := t.TempDir()
	open := func(limit int64) (*runs.Manager, *runs.Space) {
		h := openHome(t, folder)
		h.opts.Now, h.opts.Keep, h.opts.Quotas = at.now, 10*time.Hour, map[string]runs.Quota{"ann": {Bytes: limit}}
		m := h.open(t, chain(t, "plain", "a"))
		return m, m.Space("ann")
	}
	big := fmt.Sprintf(`[{"channel":"lines","op":"add","value":[%q]}]`, strings.Repeat("x", 100_000))
	spec := runs.Spec{Graph: "plain", Input: json.RawMessage(big), Modes: graph.Values}
	m, ann := open(1 << 40)
	first := wait(t, ann, begin(t, ann, spec).ID)
	th, err := ann.Thread(t.Context(), first.Thread)
	if err != nil {
		t.Fatal(err)
	}
	if err := ann.DeleteThread(t.Context(), first.Thread); err != nil {
		t.Fatal(err)
	}
	m.Close(context.Background())

	m, ann = open(th.Bytes + 150_000) // enough for the thread and its record, not for the events
	first = wait(t, ann, begin(t, ann, spec).ID)
	if _, err := ann.Begin(t.Context(), spec); !errors.Is(err, runs.ErrFull) {
		t.Errorf("what a run of this manager wrote is not seen at once: %v", err)
	}
	if err := ann.DeleteThread(t.Context(), first.Thread); err != nil {
		t.Fatal(err)
	}
	m.Close(context.Background())

	m, ann = open(1 << 40)
	var all []runs.Run
	for range 2 {
		all = append(all, wait(t, ann, begin(t, ann, spec).ID))
	}
	th, err = ann.Thread(t.Context(), all[0].Thread)
	if err != nil || th.Bytes < 100_000 || th.Bytes > 1_000_000 {
		t.Errorf("a thread has %d bytes, %v", th.Bytes, err)
	}
	m.Close(context.Background())

	m, ann = open(1000)
	_, err = ann.Begin(t.Context(), spec)
	e := full(t, err)
	var kept, may int64
	if _, err := fmt.Sscanf(e.Why, "%d bytes of yours are kept, and you may have %d", &kept, &may); err != nil || may != 1000 || kept < 4*100_000 || kept > 4_000_000 {
		t.Errorf("%v: %v", e, err)
	}
	if e.After != 0 {
		t.Errorf("the threads alone are too many, and yet there is room after %v", e.After)
	}
	if _, err := ann.CreateThread(t.Context(), runs.ThreadSpec{}); !errors.Is(err, runs.ErrFull) {
		t.Errorf("a new thread: %v", err)
	}
	if _, err := ann.CopyThread(t.Context(), all[0].Thread); !errors.Is(err, runs.ErrFull) {
		t.Errorf("a copy: %v", err)
	}
	if _, err := ann.PatchThread(t.Context(), all[0].Thread, json.RawMessage(`{"a":1}`)); !errors.Is(err, runs.ErrFull) {
		t.Errorf("more metadata: %v", err)
	}
	if _, err := ann.UpdateState(t.Context(), all[0].Thread, "plain", ""); !errors.Is(err, runs.ErrFull) {
		t.Errorf("an edit: %v", err)
	}
	if r := begin(t, m.Space("bob"), spec); r.ID == "" {
		t.Error("another tenant has no room")
	}
	for _, r := range all {
		if err := ann.DeleteThread(t.Context(), r.Thread); err != nil {
			t.Fatal(err)
		}
	}
	all = []runs.Run{wait(t, ann, begin(t, ann, spec).ID)} // it is seen at once that there is room
	m.Close(context.Background())

	// With room for a thread but not for its events, there is room when they expire.
	th, err = m.Space("ann").Thread(t.Context(), all[0].Thread)
	if err != nil {
		t.Fatal(err)
	}
	m, ann = open(th.Bytes + 150_000)
	defer func() { m.Close(context.Background()) }()
	_, err = ann.Begin(t.Context(), spec)
	if e = full(t, err); e.After < 9*time.Hour || e.After > 10*time.Hour+time.Minute {
		t.Errorf("%v", e)
	}
	if err := ann.DeleteRun(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	begin(t, ann, spec)
}

// Find returns what a slow second way returns, for threads that come, change and go; and the index
// is made for threads that have none.
func TestFind(t *testing.T) {
	folder := t.TempDir()
	h := openHome(t, folder)
	m := h.open(t, chain(t, "plain", "a"), chain(t, "other", "a"))
	s := m.Space("ann")
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func() map[string]any {
		out := map[string]any{}
		for range rng.IntN(3) {
			out[[]string{"user", "n", "deep", "none"}[rng.IntN(4)]] = []any{"u1", "u2", 1, 1.5, true, nil, map[string]any{"a": 1, "b": []int{2}}}[rng.IntN(7)]
		}
		if rng.IntN(20) == 0 {
			for i := range 40 {
				out[fmt.Sprint("field ", i)] = i
			}
		}
		return out
	}
	encoded := func(v any) json.RawMessage {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	var ids []string
	for range 250 {
		th, err := s.CreateThread(t.Context(), runs.ThreadSpec{Metadata: encoded(pick())})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, th.ID)
	}
	for i := range 60 {
		switch i % 3 {
		case 0:
			if _, err := s.PatchThread(t.Context(), ids[rng.IntN(len(ids))], encoded(pick())); err != nil {
				t.Fatal(err)
			}
		case 1:
			r, err := s.Begin(t.Context(), runs.Spec{Thread: ids[i], Graph: []string{"plain", "other"}[rng.IntN(2)], Input: json.RawMessage(hello)})
			if err != nil {
				t.Fatal(err)
			}
			wait(t, s, r.ID)
		case 2:
			at := rng.IntN(len(ids))
			if err := s.DeleteThread(t.Context(), ids[at]); err != nil {
				t.Fatal(err)
			}
			ids = slices.Delete(ids, at, at+1)
		}
	}
	check := func(s *runs.Space) {
		t.Helper()
		several := 0
		for range 80 {
			q := runs.ThreadQuery{}
			if rng.IntN(4) > 0 {
				if err := json.Unmarshal(encoded(pick()), &q.Metadata); err != nil {
					t.Fatal(err)
				}
			}
			if rng.IntN(20) == 0 {
				q.Metadata = map[string]any{"field 39": 39.0}
			}
			q.Graph, q.Status = []string{"", "", "plain"}[rng.IntN(3)], []runs.ThreadStatus{"", "", runs.Idle, runs.Failed}[rng.IntN(4)]
			if rng.IntN(5) == 0 {
				q.IDs = []string{ids[7], ids[3], "none", ids[7]}
			}
			var want []string
			for _, id := range ids {
				th, err := s.Thread(t.Context(), id)
				var have any
				if err == nil {
					err = json.Unmarshal(th.Metadata, &have)
				}
				if err != nil {
					t.Fatal(err)
				}
				if (len(q.IDs) == 0 || slices.Contains(q.IDs, id)) && (q.Graph == "" || th.Graph == q.Graph) && (q.Status == "" || th.Status == q.Status) && (q.Metadata == nil || runs.Includes(have, q.Metadata)) {
					want = append(want, id)
				}
			}
			found, err := s.Find(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, th := range found {
				got = append(got, th.ID)
				whole, err := s.Thread(t.Context(), th.ID)
				if err != nil || !whole.Created.Equal(th.Created) || !whole.Updated.Equal(th.Updated) || whole.Status != th.Status || whole.Graph != th.Graph || string(whole.Metadata) != string(th.Metadata) {
					t.Errorf("%+v is %+v, %v", th, whole, err)
				}
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%+v: %d threads, want %d", q, len(got), len(want))
			}
			if len(want) > 0 {
				several++
			}
		}
		if several < 20 {
			t.Errorf("only %d searches find something", several)
		}
	}
	check(s)
	if other, err := m.Space("bob").Find(t.Context(), runs.ThreadQuery{}); err != nil || len(other) != 0 {
		t.Errorf("another tenant finds %d, %v", len(other), err)
	}
	m.Close(context.Background())

	// As a store from before the index.
	var ops []store.Op
	for _, at := range [][]string{{"serve", "tenants", "ann", "heads"}, {"serve", "tenants", "ann", "by"}} {
		all, err := h.opts.Store.Search(t.Context(), store.Query{Namespace: at, Limit: 1 << 30})
		if err != nil || len(all) == 0 {
			t.Fatalf("%v has %d items, %v", at, len(all), err)
		}
		for _, item := range all {
			ops = append(ops, store.Op{Namespace: item.Namespace, Key: item.Key})
		}
	}
	ops = append(ops, store.Op{Namespace: []string{"serve"}, Key: "index"})
	if err := h.opts.Store.Apply(t.Context(), ops...); err != nil {
		t.Fatal(err)
	}
	m = h.open(t, chain(t, "plain", "a"), chain(t, "other", "a"))
	defer m.Close(context.Background())
	check(m.Space("ann"))
}

// A run records who began it, and its nodes see that.
func TestCaller(t *testing.T) {
	seen := make(chan runs.Run, 1)
	g := graph.NewStateGraph(talkLines, talkWho, talkWait)
	g.AddNode("who", func(ctx context.Context, _ talk) (graph.Update[talk], error) {
		r, ok := runs.FromContext(ctx)
		if !ok {
			return nil, errors.New("no run")
		}
		seen <- r
		return nil, nil
	})
	g.AddEdge(graph.Start, "who")
	app, err := g.Compile(&graph.CompileOptions{Name: "who"})
	if err != nil {
		t.Fatal(err)
	}
	h := openHome(t, t.TempDir())
	observed := make(chan runs.Run, 1)
	h.opts.Observe = func(r runs.Run) func(runs.Run) { observed <- r; return func(runs.Run) {} }
	m := h.open(t, runs.Graph{Name: "who", App: app.App()})
	defer m.Close(context.Background())
	c := runs.Caller{Tenant: "ann", Subject: "ann@example.com", Scopes: []string{"write", "more"}}
	s := m.For(c)
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "who", Input: json.RawMessage(hello)}).ID)
	if got := <-seen; got.Subject != c.Subject || !slices.Equal(got.Scopes, c.Scopes) {
		t.Errorf("a node sees %+v", got)
	}
	if r.Subject != c.Subject || !slices.Equal(r.Scopes, c.Scopes) || (<-observed).Subject != c.Subject {
		t.Errorf("%+v", r)
	}
	for scope, may := range map[string][]string{"read": {"read"}, "write": {"read", "write"}, "admin": {"read", "write", "admin"}, "other": nil} {
		for _, wants := range []string{"read", "write", "admin", "more", ""} {
			got := runs.Caller{Scopes: []string{scope}}.May(wants)
			if want := slices.Contains(may, wants); got != want {
				t.Errorf("%s may %q: %v", scope, wants, got)
			}
		}
	}
}
