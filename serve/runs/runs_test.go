package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/runs"
)

type talk struct {
	Lines []string `json:"lines"`
	Who   string   `json:"who"`
	Wait  int      `json:"wait"` // milliseconds in each node
}

var (
	talkLines = graph.Append("lines", func(s *talk) *[]string { return &s.Lines })
	talkWho   = graph.LastValue("who", func(s *talk) *string { return &s.Who })
	talkWait  = graph.LastValue("wait", func(s *talk) *int { return &s.Wait })
)

// chain is a graph of some nodes one after another.
func chain(t testing.TB, name string, nodes ...string) runs.Graph {
	t.Helper()
	g := graph.NewStateGraph(talkLines, talkWho, talkWait)
	before := graph.Start
	for _, n := range nodes {
		g.AddNode(n, func(ctx context.Context, s talk) (graph.Update[talk], error) {
			select {
			case <-time.After(time.Duration(s.Wait) * time.Millisecond):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			switch n {
			case "ask":
				who, err := graph.Interrupt[string](ctx, "who", "who is it?")
				return graph.Update[talk]{talkWho.Set(who)}, err
			case "fail":
				return nil, errors.New("it fails")
			}
			graph.EmitToken(ctx, n)
			return graph.Update[talk]{talkLines.Add(n)}, nil
		})
		g.AddEdge(before, n)
		before = n
	}
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return runs.Graph{Name: name, App: app.App()}
}

// home is a folder with what managers keep.
type home struct {
	saver *sqlite.Saver
	opts  runs.Options
}

func openHome(t testing.TB, folder string) *home {
	t.Helper()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return &home{files.Saver, runs.Options{Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Warn: func(err error) { t.Error(err) }}}
}

func (h *home) open(t testing.TB, graphs ...runs.Graph) *runs.Manager {
	t.Helper()
	m, err := runs.Open(context.Background(), graphs, h.opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// manager opens one on a new home.
func manager(t testing.TB, graphs ...runs.Graph) *runs.Space {
	t.Helper()
	m := openHome(t, t.TempDir()).open(t, graphs...)
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		m.Close(ctx)
	})
	return m.Space(runs.DefaultTenant)
}

const hello = `[{"channel":"lines","op":"add","value":["hello"]}]`

func begin(t testing.TB, s *runs.Space, spec runs.Spec) runs.Run {
	t.Helper()
	r, err := s.Begin(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wait(t testing.TB, s *runs.Space, id string) runs.Run {
	t.Helper()
	r, err := s.Wait(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func state(t testing.TB, s *runs.Space, thread string) (talk, runs.Thread) {
	t.Helper()
	th, err := s.Thread(t.Context(), thread)
	if err != nil {
		t.Fatal(err)
	}
	var v talk
	if err := json.Unmarshal(th.Values, &v); err != nil {
		t.Fatalf("values %q: %v", th.Values, err)
	}
	return v, th
}

// told is what the events of a run say, in short.
func told(t testing.TB, s *runs.Space, id string, after int64) []string {
	t.Helper()
	var out []string
	for ev, err := range s.Events(t.Context(), id, after) {
		if err != nil {
			t.Fatal(err)
		}
		if after++; ev.Seq != after {
			t.Fatalf("event %d has number %d", after, ev.Seq)
		}
		out = append(out, strings.Join(strings.Fields(strings.Join([]string{ev.Kind, ev.Node, ev.Text, string(ev.State)}, " ")), " "))
	}
	return out
}

// A run is carried out, can be read while it goes on and after it from any event on, and
// leaves its state on its thread.
func TestRun(t *testing.T) {
	s := manager(t, chain(t, "two", "a", "b"))
	r := begin(t, s, runs.Spec{Graph: "two", Input: json.RawMessage(hello), Modes: graph.Values | graph.Tokens, Metadata: json.RawMessage(`{"k":1}`), Kept: json.RawMessage(`{"x":2}`)})
	live := told(t, s, r.ID, 0)
	want := []string{
		"run_attempt", "checkpoint", `values {"lines":["hello"],"who":"","wait":0}`, "checkpoint",
		"token a a", "node_update a", `values {"lines":["hello","a"],"who":"","wait":0}`, "checkpoint",
		"token b b", "node_update b", `values {"lines":["hello","a","b"],"who":"","wait":0}`, "checkpoint",
	}
	if !slices.Equal(live, want) {
		t.Errorf("events\n%s\nwant\n%s", strings.Join(live, "\n"), strings.Join(want, "\n"))
	}
	if late := told(t, s, r.ID, 4); len(late) != len(want)-4 {
		t.Errorf("after the fourth there are %q", late)
	}
	r = wait(t, s, r.ID)
	if r.Status != runs.Success || r.Attempt != 1 || string(r.Metadata) != `{"k":1}` || string(r.Kept) != `{"x":2}` || r.Spec != nil {
		t.Errorf("the run is %+v", r)
	}
	v, th := state(t, s, r.Thread)
	if th.Status != runs.Idle || th.Graph != "two" || fmt.Sprint(v.Lines) != "[hello a b]" {
		t.Errorf("the thread is %+v", th)
	}
	n := 0
	for _, err := range s.History(t.Context(), r.Thread, nil) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 4 {
		t.Errorf("%d checkpoints; want 4", n)
	}
}

// A run that asks leaves a question; its answer is another run.
func TestAnswer(t *testing.T) {
	s := manager(t, chain(t, "asks", "a", "ask", "b"))
	first := wait(t, s, begin(t, s, runs.Spec{Graph: "asks", Input: json.RawMessage(hello)}).ID)
	_, th := state(t, s, first.Thread)
	if first.Status != runs.Success || th.Status != runs.Interrupted || len(th.Interrupts) != 1 {
		t.Fatalf("the run is %+v, its thread %+v", first, th)
	}
	var id string
	for _, asked := range th.Interrupts {
		if id = asked[0].ID; string(asked[0].Payload) != `"who is it?"` {
			t.Errorf("it asks %+v", asked)
		}
	}
	bad := wait(t, s, begin(t, s, runs.Spec{Graph: "asks", Thread: first.Thread, Answers: map[string]json.RawMessage{"0": json.RawMessage(`"ann"`)}}).ID)
	if bad.Status != runs.Errored || !strings.Contains(bad.Error, "interrupt") {
		t.Errorf("an answer to nothing: %+v", bad)
	}
	wait(t, s, begin(t, s, runs.Spec{Graph: "asks", Thread: first.Thread, Answers: map[string]json.RawMessage{id: json.RawMessage(`"ann"`)}}).ID)
	v, th := state(t, s, first.Thread)
	if th.Status != runs.Idle || v.Who != "ann" || fmt.Sprint(v.Lines) != "[hello a b]" {
		t.Errorf("after the answer: %+v", th)
	}
	all, err := s.Runs(t.Context(), first.Thread)
	if err != nil || len(all) != 3 || all[2].ID != first.ID {
		t.Errorf("runs %+v, error %v", all, err)
	}
}

// A second run on a thread is refused, waits, or takes the place of the first.
func TestBusy(t *testing.T) {
	s := manager(t, chain(t, "two", "a", "b"))
	slow := json.RawMessage(`[{"channel":"wait","op":"set","value":60000}]`)
	quick := json.RawMessage(`[{"channel":"wait","op":"set","value":0}]`)
	first := begin(t, s, runs.Spec{Graph: "two", Input: slow})
	on := func(strategy runs.Strategy) runs.Spec {
		return runs.Spec{Graph: "two", Thread: first.Thread, Input: quick, Strategy: strategy}
	}
	if _, err := s.Begin(t.Context(), on(runs.Reject)); !errors.Is(err, runs.ErrBusy) {
		t.Errorf("a second run: %v", err)
	}
	queued := begin(t, s, on(runs.Enqueue))
	if err := s.Cancel(t.Context(), queued.ID); err != nil {
		t.Fatal(err)
	}
	if r := wait(t, s, queued.ID); r.Status != runs.Cancelled {
		t.Errorf("a run that waits and is cancelled is %+v", r)
	}
	if th, err := s.Thread(t.Context(), first.Thread); err != nil || th.Status != runs.Busy {
		t.Errorf("the thread is %+v, error %v", th, err)
	}
	behind := begin(t, s, on(runs.Enqueue))
	winner := begin(t, s, on(runs.Interrupt))
	if r := wait(t, s, first.ID); r.Status != runs.Cancelled || r.Error != "" {
		t.Errorf("the run in the way is %+v", r)
	}
	if r := wait(t, s, behind.ID); r.Status != runs.Cancelled {
		t.Errorf("the run that waited is %+v", r)
	}
	if r := wait(t, s, winner.ID); r.Status != runs.Success {
		t.Errorf("the last run is %+v", r)
	}
	if v, th := state(t, s, first.Thread); th.Status != runs.Idle || fmt.Sprint(v.Lines) != "[a b]" {
		t.Errorf("the thread is %+v", th)
	}
}

// Who follows a thread gets its runs in their order, those that are there and those that
// come, and none twice.
func TestFollow(t *testing.T) {
	s := manager(t, chain(t, "two", "a", "b"))
	ctx, stop := context.WithCancel(t.Context())
	got := make(chan runs.Run)
	go func() {
		defer close(got)
		for r, err := range s.Follow(ctx, "t", 1) {
			if err != nil {
				if ctx.Err() == nil { // else it was stopped while it read
					t.Error(err)
				}
				return
			}
			got <- r
		}
	}()
	spec := runs.Spec{Graph: "two", Thread: "t", Create: true, Input: json.RawMessage(hello), Strategy: runs.Enqueue}
	for i := range 4 {
		r := begin(t, s, spec)
		if i == 0 {
			continue // before those that it wants
		}
		if seen := <-got; seen.ID != r.ID || seen.Number != i+1 {
			t.Errorf("run %d is %s; want %s", seen.Number, seen.ID, r.ID)
		}
		if i%2 == 0 {
			wait(t, s, r.ID)
		}
	}
	stop()
	if r, more := <-got; more {
		t.Errorf("run %d again", r.Number)
	}
}

// Failures are told with their cause, and leave the thread usable.
func TestFailure(t *testing.T) {
	s := manager(t, chain(t, "fails", "a", "fail"), chain(t, "two", "a", "b"))
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "fails", Input: json.RawMessage(hello)}).ID)
	_, th := state(t, s, r.Thread)
	if r.Status != runs.Errored || !strings.Contains(r.Error, "it fails") || th.Status != runs.Failed || th.Error != r.Error {
		t.Errorf("the run is %+v, its thread %+v", r, th)
	}
	slow := json.RawMessage(`[{"channel":"wait","op":"set","value":60000}]`)
	r = wait(t, s, begin(t, s, runs.Spec{Graph: "two", Input: slow, Timeout: 50 * time.Millisecond}).ID)
	if r.Status != runs.TimedOut {
		t.Errorf("a run that takes too long is %+v", r)
	}
	missing := (*runs.NotFoundError)(nil)
	for _, spec := range []runs.Spec{{Graph: "three"}, {Graph: "two", Thread: "t"}} {
		if _, err := s.Begin(t.Context(), spec); !errors.As(err, &missing) {
			t.Errorf("%+v: %v", spec, err)
		}
	}
	for _, err := range []error{second(s.Run(t.Context(), "x")), second(s.Thread(t.Context(), "../x.y")), second(s.Wait(t.Context(), "x")), s.DeleteThread(t.Context(), "x")} {
		if !errors.As(err, &missing) {
			t.Errorf("what does not exist: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// A space shows nothing of another, also not to who knows the IDs.
func TestSpaces(t *testing.T) {
	ann := manager(t, chain(t, "two", "a", "b"))
	bob := ann.Space("bob")
	r := wait(t, ann, begin(t, ann, runs.Spec{Graph: "two", Input: json.RawMessage(hello)}).ID)
	own := wait(t, bob, begin(t, bob, runs.Spec{Graph: "two", Thread: r.Thread, Create: true, Input: json.RawMessage(`[]`)}).ID)
	if v, _ := state(t, bob, own.Thread); fmt.Sprint(v.Lines) != "[a b]" {
		t.Errorf("a thread of the same ID has %v", v.Lines)
	}
	missing := (*runs.NotFoundError)(nil)
	events := func() error {
		for _, err := range bob.Events(t.Context(), r.ID, 0) {
			return err
		}
		return nil
	}
	for _, err := range []error{second(bob.Run(t.Context(), r.ID)), second(bob.Wait(t.Context(), r.ID)), bob.Cancel(t.Context(), r.ID), bob.DeleteRun(t.Context(), r.ID), events()} {
		if !errors.As(err, &missing) {
			t.Errorf("another's run: %v", err)
		}
	}
	if all, err := bob.Find(t.Context(), runs.ThreadQuery{}); err != nil || len(all) != 1 {
		t.Errorf("%d threads, error %v", len(all), err)
	}
}

// A thread is edited, forked from, copied and removed.
func TestThread(t *testing.T) {
	s := manager(t, chain(t, "two", "a", "b"))
	th, err := s.CreateThread(t.Context(), runs.ThreadSpec{ID: "t", Metadata: json.RawMessage(`{"a":1}`)})
	if err != nil || string(th.Metadata) != `{"a":1}` || th.Status != runs.Idle {
		t.Fatalf("%+v, error %v", th, err)
	}
	if _, err := s.CreateThread(t.Context(), runs.ThreadSpec{ID: "t"}); !errors.Is(err, runs.ErrExists) {
		t.Errorf("the same again: %v", err)
	}
	if at, _, err := s.State(t.Context(), "t", ""); at != nil || err != nil {
		t.Errorf("before its first run: %v, %v", at, err)
	}
	if th, err = s.PatchThread(t.Context(), "t", json.RawMessage(`{"b":2}`)); err != nil || string(th.Metadata) != `{"a":1,"b":2}` {
		t.Errorf("%+v, error %v", th, err)
	}
	wait(t, s, begin(t, s, runs.Spec{Graph: "two", Thread: "t", Input: json.RawMessage(hello)}).ID)
	if _, err := s.UpdateState(t.Context(), "t", "", "", []graph.AppUpdate{{As: "a", Update: json.RawMessage(`[{"channel":"who","op":"set","value":"ann"}]`)}}); err != nil {
		t.Fatal(err)
	}
	if v, th := state(t, s, "t"); v.Who != "ann" || th.Status != runs.Interrupted {
		t.Errorf("after an edit: %+v", th)
	}
	var first string
	for at, err := range s.History(t.Context(), "t", nil) {
		if err != nil {
			t.Fatal(err)
		}
		first = at.Key.ID
		if slices.Equal(at.Next, []string{"b"}) && at.Source == graph.SourceLoop {
			break
		}
	}
	copied, err := s.CopyThread(t.Context(), "t")
	if err != nil || copied.ID == "t" || string(copied.Metadata) != string(th.Metadata) {
		t.Fatalf("the copy is %+v, error %v", copied, err)
	}
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "two", Thread: "t", Checkpoint: first}).ID)
	if v, _ := state(t, s, "t"); r.Status != runs.Success || v.Who != "" || fmt.Sprint(v.Lines) != "[hello a b]" {
		t.Errorf("from an earlier checkpoint: %+v, %+v", r, v)
	}
	if v, _ := state(t, s, copied.ID); v.Who != "ann" {
		t.Errorf("the copy changed: %+v", v)
	}
	if err := s.DeleteThread(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	missing := (*runs.NotFoundError)(nil)
	if _, err := s.Run(t.Context(), r.ID); !errors.As(err, &missing) {
		t.Errorf("a run of a thread that was removed: %v", err)
	}
	temporary := wait(t, s, begin(t, s, runs.Spec{Graph: "two", Input: json.RawMessage(hello), Temporary: true}).ID)
	if _, err := s.Thread(t.Context(), temporary.Thread); !errors.As(err, &missing) || temporary.Status != runs.Success {
		t.Errorf("a temporary thread: %v, %+v", err, temporary)
	}
}

// A server that stops in the middle of a run goes on with it at its next start, and its
// reader sees each event once.
func TestRestart(t *testing.T) {
	folder := t.TempDir()
	g := chain(t, "three", "a", "b", "c")
	h := openHome(t, folder)
	m := h.open(t, g)
	s := m.Space(runs.DefaultTenant)
	input := json.RawMessage(`[{"channel":"wait","op":"set","value":150}]`)
	r := begin(t, s, runs.Spec{Graph: "three", Input: input, Modes: graph.Values | graph.Tasks})
	queued := begin(t, s, runs.Spec{Graph: "three", Thread: r.Thread, Input: json.RawMessage(hello), Strategy: runs.Enqueue})
	seen := 0
	for ev, err := range s.Events(t.Context(), r.ID, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; ev.Kind == "node_update" && ev.Node == "a" {
			break
		}
	}
	at, stop := context.WithCancel(t.Context())
	stop() // at once
	m.Close(at)
	if _, err := s.Begin(t.Context(), runs.Spec{Graph: "three", Thread: r.Thread, Strategy: runs.Enqueue}); err != nil {
		t.Errorf("a run for a server that has stopped is kept for the next start: %v", err)
	}

	m = h.open(t, g)
	defer func() { m.Close(t.Context()) }()
	s = m.Space(runs.DefaultTenant)
	updates := map[string]int{}
	for _, line := range told(t, s, r.ID, 0) {
		if strings.HasPrefix(line, "node_update") || strings.HasPrefix(line, "values") {
			updates[line]++
		}
	}
	if len(updates) != 7 {
		t.Errorf("told %v", updates)
	}
	for line, n := range updates {
		if n != 1 {
			t.Errorf("told %d times: %s", n, line)
		}
	}
	if r = wait(t, s, r.ID); r.Status != runs.Success || r.Attempt != 2 {
		t.Errorf("the run is %+v", r)
	}
	if r := wait(t, s, queued.ID); r.Status != runs.Success {
		t.Errorf("the run behind it is %+v", r)
	}
}

// Old runs go with their events, the newest stay.
func TestPrune(t *testing.T) {
	h := openHome(t, t.TempDir())
	h.opts.KeepRuns = 2
	m := h.open(t, chain(t, "one", "a"))
	defer m.Close(t.Context())
	s := m.Space(runs.DefaultTenant)
	var ids []string
	for range 4 {
		r := wait(t, s, begin(t, s, runs.Spec{Graph: "one", Thread: "t", Create: true, Input: json.RawMessage(hello)}).ID)
		ids = append(ids, r.ID)
	}
	all, err := s.Runs(t.Context(), "t")
	if err != nil || len(all) != 2 || all[0].ID != ids[3] || all[1].ID != ids[2] {
		t.Errorf("%+v, error %v", all, err)
	}
	if last, err := h.opts.Log.Last(t.Context(), ids[0]); err != nil || last != 0 {
		t.Errorf("%d events of a run that is gone, error %v", last, err)
	}
}

// A node may write what the store does not take: its run ends all the same.
func TestUnstorable(t *testing.T) {
	const zero = "a\x00b \\u0000 \\"
	g := graph.NewStateGraph(talkLines, talkWho, talkWait)
	g.AddNode("write", func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add(zero)}, nil
	})
	g.AddNode("ask", func(ctx context.Context, _ talk) (graph.Update[talk], error) {
		_, err := graph.Interrupt[string](ctx, "who", zero)
		return nil, err
	})
	g.AddNode("fail", func(context.Context, talk) (graph.Update[talk], error) { return nil, errors.New(zero) })
	g.AddEdge(graph.Start, "write")
	g.AddEdge("write", "ask")
	g.AddEdge("ask", "fail")
	app, err := g.Compile(&graph.CompileOptions{Name: "zero"})
	if err != nil {
		t.Fatal(err)
	}
	s := manager(t, runs.Graph{Name: "zero", App: app.App()})
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "zero", Input: json.RawMessage(hello)}).ID)
	const shown = "a\ufffdb \\u0000 \\"
	v, th := state(t, s, r.Thread)
	if r.Status != runs.Success || th.Status != runs.Interrupted || v.Lines[1] != shown {
		t.Fatalf("%+v, its thread %+v shows %q", r, th, v.Lines)
	}
	for _, asked := range th.Interrupts {
		if got := string(asked[0].Payload); got != `"a\ufffdb \\u0000 \\"` {
			t.Errorf("it asks %s", got)
		}
	}
	r = wait(t, s, begin(t, s, runs.Spec{Graph: "zero", Thread: r.Thread, Answers: map[string]json.RawMessage{"": json.RawMessage(`"ann"`)}}).ID)
	if r.Status != runs.Errored || !strings.Contains(r.Error, shown) {
		t.Errorf("it fails with %+v", r)
	}
}

// A thread stays with its graph. When that is changed, runs on it fail, and end.
func TestAnotherGraph(t *testing.T) {
	h := openHome(t, t.TempDir())
	m := h.open(t, chain(t, "one", "a"), chain(t, "two", "a", "b"))
	s := m.Space(runs.DefaultTenant)
	r := wait(t, s, begin(t, s, runs.Spec{Graph: "one", Thread: "t", Create: true, Input: json.RawMessage(hello)}).ID)
	if _, err := s.Begin(t.Context(), runs.Spec{Graph: "two", Thread: r.Thread, Input: json.RawMessage(hello)}); !errors.As(err, new(*runs.InvalidError)) {
		t.Errorf("another graph: %v", err)
	}
	m.Close(t.Context())
	m = h.open(t, chain(t, "one", "a", "new"))
	defer m.Close(context.Background())
	s = m.Space(runs.DefaultTenant)
	if r = wait(t, s, begin(t, s, runs.Spec{Graph: "one", Thread: "t", Input: json.RawMessage(hello)}).ID); r.Status != runs.Errored {
		t.Errorf("%+v", r)
	}
	if th, err := s.Thread(t.Context(), "t"); err != nil || th.Status != runs.Failed || !strings.Contains(th.Error, "fingerprint") {
		t.Errorf("%+v, %v", th, err)
	}
}
