package graph_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

var (
	simSeeds = flag.Int("sim.seeds", 400, "how many random threads TestReferenceAgrees plays")
	simFirst = flag.Uint64("sim.first", 1, "the seed of the first of them")
)

// A simCase is a plan and what is done with a thread of it.
type simCase struct {
	Plan  *simPlan
	Limit int
	Ops   []simOp
}

// A simOp is a call. What it leaves open, such as the order in which tasks
// return, its seed decides.
type simOp struct {
	Kind   string // go on, turn, edit or by hand
	Seed   uint64
	Broken bool // nodes fail
	Crash  int  // the process dies before so many tasks have run
	Commit int  // or at this commit
	Lossy  bool // which takes effect
	Drain  int  // it is asked to stop before so many tasks have run
}

func drawSimCase(seed uint64) *simCase {
	r := rand.New(rand.NewPCG(seed, 19))
	c := &simCase{Plan: drawSimPlan(r, 0, nil, false), Limit: 1 + r.IntN(8)}
	for range 3 + r.IntN(8) {
		op := simOp{Kind: []string{"go on", "go on", "go on", "go on", "turn", "edit", "by hand"}[r.IntN(7)], Seed: r.Uint64(), Broken: r.IntN(3) == 0}
		switch r.IntN(6) {
		case 0:
			op.Crash = 1 + r.IntN(8)
		case 1:
			op.Commit, op.Lossy = 1+r.IntN(12), r.IntN(2) == 0
		case 2:
			op.Drain = r.IntN(6)
		}
		c.Ops = append(c.Ops, op)
	}
	return c
}

func (c *simCase) String() string {
	out := fmt.Sprintf("%slimit %d\n", c.Plan, c.Limit)
	for _, op := range c.Ops {
		out += fmt.Sprintf("%+v\n", op)
	}
	return out
}

func (c *simCase) shrunk() (out []*simCase) {
	for i := range c.Ops {
		out = append(out, &simCase{c.Plan, c.Limit, slices.Delete(slices.Clone(c.Ops), i, i+1)})
	}
	for _, p := range c.Plan.shrunk() {
		out = append(out, &simCase{p, c.Limit, c.Ops})
	}
	for i, op := range c.Ops {
		for _, simpler := range []simOp{
			{op.Kind, op.Seed, false, op.Crash, op.Commit, op.Lossy, op.Drain}, {op.Kind, op.Seed, op.Broken, 0, 0, false, 0},
			{op.Kind, 1, op.Broken, op.Crash, op.Commit, op.Lossy, op.Drain}, {"go on", op.Seed, op.Broken, op.Crash, op.Commit, op.Lossy, op.Drain},
		} {
			if simpler != op {
				ops := slices.Clone(c.Ops)
				ops[i] = simpler
				out = append(out, &simCase{c.Plan, c.Limit, ops})
			}
		}
	}
	return out
}

// TestReferenceAgrees plays random threads on the engine and on the reference:
// tasks return in any order, one after the other, and calls fail, are drained,
// or die with their process.
func TestReferenceAgrees(t *testing.T) {
	supersteps := 0
	for seed := *simFirst; seed < *simFirst+uint64(*simSeeds); seed++ {
		c := drawSimCase(seed)
		problem, n := c.play(t)
		supersteps += n
		if problem == "" {
			continue
		}
		for again := true; again; {
			again = false
			for _, simpler := range c.shrunk() {
				if p, _ := simpler.play(t); p != "" && !strings.HasPrefix(p, simRefused) {
					c, problem, again = simpler, p, true
					break
				}
			}
		}
		t.Fatalf("seed %d:\n%s\n%s", seed, c, problem)
	}
	t.Logf("%d threads, %d supersteps", *simSeeds, supersteps)
}

// simRefused is the problem of a plan that does not compile.
const simRefused = "the plan is refused"

// simBlind ends a play where the engine is known to be wrong in a way that the
// reference does not follow.
const simBlind = "known"

// A sim is a thread that runs on both.
type sim struct {
	*simCase
	*rand.Rand
	app   *graph.Compiled[board]
	saver *simSaver
	refs  []*refThread // what the thread may be after a crash: it is one of them
	story []string

	mu      sync.Mutex
	waiting map[string]chan struct{}
	counts  map[string]int
	broken  bool
}

func (c *simCase) play(t *testing.T) (problem string, supersteps int) {
	synctest.Test(t, func(t *testing.T) {
		s := &sim{simCase: c, waiting: map[string]chan struct{}{}, counts: map[string]int{}, saver: &simSaver{Checkpointer: memory.New()}, refs: []*refThread{newReference(c.Plan, c.Limit)}}
		var err error
		s.app, err = c.Plan.compiled("", &simHost{
			turn:   s.turn,
			effect: func(label string) { s.count("effect of " + label) },
			start:  s.count,
			broken: func() bool { return s.broken },
			saver:  s.saver,
		})
		if err != nil {
			problem = simRefused
			if bad := new(graph.CompileError); !errors.As(err, &bad) || slices.ContainsFunc(bad.Problems, func(p graph.Problem) bool { return p.Code != graph.Unreachable && p.Code != graph.NoEntry }) {
				problem = simRefused + ": " + err.Error()
			}
			return
		}
		for _, op := range c.Ops {
			s.Rand, s.broken = rand.New(rand.NewPCG(op.Seed, 7)), op.Broken
			for _, r := range s.refs {
				r.broken = op.Broken
			}
			if problem = s.do(op); problem == simBlind {
				problem = ""
				return
			}
			if problem != "" {
				problem = strings.Join(append(s.story, problem), "\n")
				return
			}
		}
		supersteps = len(s.refs[0].rows)
	})
	return problem, supersteps
}

// turn waits until the task is let go.
func (s *sim) turn(ctx context.Context, label string) error {
	s.mu.Lock()
	go_ := make(chan struct{})
	twice := s.waiting[label] != nil
	s.waiting[label] = go_
	s.mu.Unlock()
	if twice {
		return fmt.Errorf("task %s runs twice", label)
	}
	select {
	case <-go_:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *sim) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.saver.dead() {
		s.counts[what]++
	}
}

func (s *sim) say(format string, args ...any) {
	s.story = append(s.story, fmt.Sprintf(format, args...))
}

// do makes a call on both sides.
func (s *sim) do(op simOp) string {
	snap, err := s.app.State(context.Background(), graph.Key{Thread: "t"})
	if err != nil && !errors.Is(err, graph.ErrNoCheckpoint) {
		return fmt.Sprintf("reading the state: %v", err)
	}
	more := []simWrite{{"log", graph.OpAdd, fmt.Sprint("in", op.Seed%90), 0}, {"x", graph.OpAdd, "", s.IntN(5)}, {"note", graph.OpSet, "i", 0}}[:1+s.IntN(3)]
	opts := &graph.RunOptions{Thread: "t", RecursionLimit: s.Limit, Control: new(graph.Control)}
	switch {
	case snap == nil || op.Kind == "turn" || op.Kind == "go on" && len(snap.Next) == 0:
		if len(s.refs[0].root.edit) > 0 {
			return simBlind // an edit that came with Resume, and that State shows, is lost
		}
		outs := s.refs[0].root.finished()
		if s.refs[0].root.waits {
			outs = append(outs, s.refs[0].root.input)
		}
		if fresh, _ := refMerge(board{}, outs...); fresh.Inp != "" {
			return simBlind // the turn's first nodes see an Ephemeral of the turn that was given up, and what is saved is without it
		}
		s.say("invoke %v", more)
		return s.call(op, opts, func(ctx context.Context) (board, error) { return s.app.Invoke(ctx, simUpdate(more), opts) },
			func(r *refThread) string { return r.invoke(more) })
	case op.Kind == "by hand":
		as := graph.End
		if i := s.IntN(len(s.Plan.Nodes) + 1); i > 0 {
			as = s.Plan.Nodes[i-1].Name
		}
		if as == graph.End && (len(s.refs[0].root.edit) > 0 || s.refs[0].root.waits) {
			return simBlind // the edit's writes to Append channels are lost, others are not; an input is merged after the update
		}
		s.say("update as %s %v", as, more)
		s.saver.live(0, false)
		_, err := s.app.UpdateState(context.Background(), graph.Key{Thread: "t"}, graph.StateUpdate[board]{As: as, Update: simUpdate(more)})
		return s.compare(func(r *refThread) string { return "by hand: " + r.update(as, more) }, "by hand: "+strings.TrimPrefix(simKind(err), "done"))
	}
	answers := map[int]int{}
	for i, p := range snap.Interrupts {
		if s.IntN(3) > 0 {
			answers[i] = s.IntN(5)
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, answers[i]))
		}
	}
	if op.Kind != "edit" || len(snap.Next) == 0 || snap.Next[0] == graph.Start {
		more = nil
	}
	// An Ephemeral of an edit is left out: the engine saves it for a superstep
	// longer than the run that goes on sees it.
	more = more[:min(2, len(more))]
	s.say("resume with answers %v edit %v", answers, more)
	return s.call(op, opts, func(ctx context.Context) (board, error) { return s.app.Resume(ctx, simUpdate(more), opts) },
		func(r *refThread) string { return r.resume(answers, more, nil) })
}

type simEnd struct {
	out board
	err error
}

// call runs the engine's call, and tells the references what it did.
func (s *sim) call(op simOp, opts *graph.RunOptions, run func(ctx context.Context) (board, error), begin func(*refThread) string) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.saver.live(op.Commit, op.Lossy)
	done := make(chan simEnd, 1)
	go func() {
		out, err := run(ctx)
		done <- simEnd{out, err}
	}()
	for part := 1; ; part++ {
		time.Sleep(time.Millisecond) // all waits between attempts are shorter
		synctest.Wait()
		if s.saver.dead() {
			cancel()
			<-done
			s.forget()
			s.say("the process dies at commit %d", op.Commit)
			s.refs = refDied(s.refs, begin)
			return s.compare(nil, "")
		}
		select {
		case end := <-done:
			s.forget()
			return s.compare(begin, simEnded(end))
		default:
		}
		var next []*refThread
		var wrong string
		labels := s.labels()
		for _, r := range s.refs {
			if end := begin(r); end != "" {
				wrong = fmt.Sprintf("the engine runs %v, and the reference ends: %s", labels, end)
			} else if due := slices.Sorted(slices.Values(r.root.due())); !slices.Equal(due, labels) {
				wrong = fmt.Sprintf("the engine runs %v, and the reference %v", labels, due)
			} else {
				next = append(next, r)
			}
		}
		if s.refs = next; len(next) == 0 {
			cancel()
			<-done
			return wrong
		}
		if part == op.Crash {
			s.saver.kill()
			cancel()
			<-done
			s.forget()
			s.say("the process dies")
			return s.compare(nil, "")
		}
		if part == op.Drain {
			s.say("drain")
			opts.Control.Drain("asked to")
			for _, r := range s.refs {
				r.drain = true
			}
		}
		if s.IntN(4) == 0 {
			if _, err := s.app.Resume(ctx, nil, &graph.RunOptions{Thread: "t"}); !errors.Is(err, graph.ErrThreadBusy) {
				cancel()
				<-done
				return fmt.Sprintf("a second writer: %v", err)
			}
			if wrong := s.compare(nil, ""); wrong != "" {
				cancel()
				<-done
				return "meanwhile: " + wrong
			}
		}
		label := labels[s.IntN(len(labels))]
		s.say("%s of %v", label, labels)
		s.mu.Lock()
		close(s.waiting[label])
		delete(s.waiting, label)
		s.mu.Unlock()
		begin = func(r *refThread) string {
			_, end := r.root.finish(label)
			return end
		}
	}
}

func (s *sim) labels() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.waiting))
}

// forget drops the tasks of a call that is over.
func (s *sim) forget() { s.waiting = map[string]chan struct{}{} }

// refDied is what threads may be on record as when a process died in a step.
func refDied(refs []*refThread, step func(*refThread) string) (out []*refThread) {
	for _, r := range refs {
		first := len(out)
		out = append(out, r.clone())
		r.unsure = true
		r.point = func() { out = append(out, r.clone()) }
		step(r)
		for _, c := range out[first:] {
			c.unsure, c.point = false, func() {}
			c.least, c.most = maps.Clone(r.least), maps.Clone(r.most)
		}
	}
	return out
}

// compare lets the references make a step, which may be none, and keeps those
// that look as the thread does.
func (s *sim) compare(step func(*refThread) string, end string) string {
	got := end + "\n" + s.looks()
	var next []*refThread
	var want string
	for _, r := range s.refs {
		want = "\n"
		if step != nil {
			want = r.told(step(r)) + "\n"
		}
		if want += r.looks(s.counts); want == got {
			next = append(next, r)
		}
	}
	if s.refs = next; len(next) == 0 {
		return "(-reference +engine)\n" + differ(strings.Split(want, "\n"), strings.Split(got, "\n"))
	}
	return ""
}

// told is the end of a call and the state that it returns.
func (r *refThread) told(end string) string {
	switch s, _ := r.root.shown(); {
	case strings.HasPrefix(end, "by hand"):
		return end
	case end == "interrupted":
		return fmt.Sprintf("%s %+v", end, s)
	default:
		return fmt.Sprintf("%s %+v", end, r.root.base())
	}
}

func simEnded(end simEnd) string { return fmt.Sprintf("%s %+v", simKind(end.err), end.out) }

// simKind says what kind of error a call returned.
func simKind(err error) string {
	var conflict *graph.ConflictError
	switch {
	case err == nil:
		return "done"
	case errors.As(err, new(*graph.InterruptedError)):
		return "interrupted"
	case strings.HasSuffix(err.Error(), " fails"): // a failure that was on record has no type
		text := err.Error()
		return "failed " + strings.TrimSuffix(text[strings.LastIndex(text, ": ")+2:], " fails")
	case errors.As(err, new(*graph.RecursionError)):
		return "recursion"
	case errors.As(err, new(*graph.DrainedError)):
		return "drained"
	case errors.As(err, &conflict):
		return "conflict " + conflict.Channel
	case errors.Is(err, graph.ErrInvalidUpdate):
		return "invalid"
	}
	return "error " + err.Error()
}

// looks is what can be seen of a thread from outside.
func (r *refThread) looks(counts map[string]int) string {
	var b strings.Builder
	if len(r.rows) == 0 {
		return "nothing\n"
	}
	for _, row := range r.rows {
		fmt.Fprintf(&b, "%s %d %v %+v\n", row.Source, row.Step, row.Next, row.State)
	}
	s, conflict := r.root.shown()
	fmt.Fprintf(&b, "now %+v next %v conflict %t\n", s, r.root.left(), conflict != "")
	for _, q := range r.root.pending() {
		fmt.Fprintf(&b, "%s asks %s %s\n", q.Node, q.Key, q.Payload)
	}
	for _, what := range slices.Sorted(maps.Keys(r.most)) {
		if n := counts[what]; n < r.least[what] || n > r.most[what] {
			fmt.Fprintf(&b, "%s ran %d to %d times, and not %d\n", what, r.least[what], r.most[what], n)
		}
	}
	for what, n := range counts {
		if n > 0 && r.most[what] == 0 {
			fmt.Fprintf(&b, "%s must not run\n", what)
		}
	}
	return b.String()
}

func (s *sim) looks() string {
	ctx := context.Background()
	now, err := s.app.State(ctx, graph.Key{Thread: "t"})
	if errors.Is(err, graph.ErrNoCheckpoint) {
		return "nothing\n"
	} else if err != nil {
		return err.Error()
	}
	var rows []string
	for snap, err := range s.app.History(ctx, "t", nil) {
		if err != nil {
			return err.Error()
		}
		rows = append(rows, fmt.Sprintf("%s %d %v %+v\n", snap.Source, snap.Step, snap.Next, snap.State))
	}
	slices.Reverse(rows)
	var b strings.Builder
	b.WriteString(strings.Join(rows, ""))
	fmt.Fprintf(&b, "now %+v next %v conflict %t\n", now.State, now.Next, now.Conflict != nil)
	for _, p := range now.Interrupts {
		fmt.Fprintf(&b, "%s asks %s %s\n", strings.TrimPrefix(p.Namespace+"/"+p.Node, "/"), p.Key, p.Payload)
	}
	return b.String()
}

// A simSaver dies with its process: after that it does nothing that is asked of
// it by a run. State and History read what is there.
type simSaver struct {
	graph.Checkpointer
	mu    sync.Mutex
	left  int // commits until it dies
	lossy bool
	gone  bool
}

func (s *simSaver) live(commits int, lossy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.lossy, s.gone = commits, lossy, false
}

func (s *simSaver) dead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

func (s *simSaver) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
}

func (s *simSaver) Commit(ctx context.Context, thread string, change graph.Change) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return errDead
	}
	if s.left--; s.left != 0 {
		return s.Checkpointer.Commit(ctx, thread, change)
	}
	s.gone = true
	if s.lossy {
		if err := s.Checkpointer.Commit(ctx, thread, change); err != nil {
			return err
		}
	}
	return errDead
}
