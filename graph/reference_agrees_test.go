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
	simSeeds = flag.Int("sim.seeds", 200, "how many random threads TestReferenceAgrees plays")
	simFirst = flag.Uint64("sim.first", 1, "the seed of the first of them")
)

// TestReferenceAgrees plays random threads on the engine and on the reference. Tasks
// return one by one in any order. Calls fail, are drained, or die with their process.
func TestReferenceAgrees(t *testing.T) {
	playSeeds(t, *simSeeds, func(c *simCase) (string, int) { return c.play(t) })
}

// playSeeds plays a case for each seed. It shrinks and reports a case with a
// problem.
func playSeeds(t *testing.T, seeds int, play func(*simCase) (problem string, supersteps int)) {
	supersteps := 0
	for seed := *simFirst; seed < *simFirst+uint64(seeds); seed++ {
		c := drawSimCase(seed)
		problem, n := play(c)
		supersteps += n
		if problem == "" || problem == simRefused {
			continue
		}
		for again := true; again; {
			again = false
			for _, simpler := range c.shrunk() {
				if p, _ := play(simpler); p != "" && !strings.HasPrefix(p, simRefused) {
					c, problem, again = simpler, p, true
					break
				}
			}
		}
		t.Fatalf("seed %d:\n%s\n%s", seed, c, problem)
	}
	t.Logf("%d threads, %d supersteps", seeds, supersteps)
}

// simOver ends a play in which two drivers may differ.
const simOver = "over"

// simRefused is the problem of a plan that does not compile.
const simRefused = "the plan is refused"

// A sim is a thread that runs on both.
type sim struct {
	*simCase
	*rand.Rand
	app   *graph.Compiled[board]
	saver *simSaver
	refs  []*refThread // possible threads after a crash; one of them is right
	story []string

	mu      sync.Mutex
	waiting map[string]chan struct{}
	counts  map[string]int
	broken  bool
	died    bool // in a call before: graphs inside nodes may have begun or not
	engine  func(op simOp, opts *graph.RunOptions, run func(ctx context.Context) (board, error), begin func(*refThread) string) string
}

func (c *simCase) play(t *testing.T) (problem string, supersteps int) {
	synctest.Test(t, func(t *testing.T) {
		s := c.newSim()
		s.engine = s.call
		problem, supersteps = s.playAll(s.turn, func(app *graph.Compiled[board]) *graph.Compiled[board] { return app })
	})
	return problem, supersteps
}

func (c *simCase) newSim() *sim {
	return &sim{simCase: c, waiting: map[string]chan struct{}{}, counts: map[string]int{}, saver: &simSaver{Checkpointer: memory.New()}, refs: []*refThread{newReference(c.Plan, c.Limit)}}
}

// playAll makes all calls of a case.
func (s *sim) playAll(turn func(context.Context, string) error, driven func(*graph.Compiled[board]) *graph.Compiled[board]) (problem string, supersteps int) {
	app, err := s.Plan.compiled("", &simHost{
		turn:   turn,
		effect: func(label string) { s.count("effect of " + label) },
		start:  s.count,
		broken: func() bool { return s.broken },
		saver:  s.saver,
	})
	if err != nil {
		if bad := new(graph.CompileError); !errors.As(err, &bad) || slices.ContainsFunc(bad.Problems, func(p graph.Problem) bool { return p.Code != graph.Unreachable && p.Code != graph.NoEntry }) {
			return simRefused + ": " + err.Error(), 0
		}
		return simRefused, 0
	}
	s.app = driven(app)
	for _, op := range s.Ops {
		s.Rand, s.broken = rand.New(rand.NewPCG(op.Seed, 7)), op.Broken
		for _, r := range s.refs {
			r.broken = op.Broken
		}
		if problem = s.do(op); problem == simOver {
			return "", len(s.refs)
		} else if problem != "" {
			return strings.Join(append(s.story, problem), "\n"), 0
		}
	}
	if problem = s.compareRows(0, nil, ""); problem != "" {
		return strings.Join(append(s.story, "at the end:", problem), "\n"), 0
	}
	return "", len(s.refs[0].rows)
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
		s.say("invoke %v", more)
		return s.engine(op, opts, func(ctx context.Context) (board, error) { return s.app.Invoke(ctx, simUpdate(more), opts) },
			func(r *refThread) string { return r.invoke(more) })
	case op.Kind == "by hand":
		as := graph.End
		if i := s.IntN(len(s.Plan.Nodes) + 1); i > 0 {
			as = s.Plan.Nodes[i-1].Name
		}
		s.say("update as %s %v", as, more)
		s.saver.live(0, false)
		_, err := s.app.UpdateState(context.Background(), graph.Key{Thread: "t"}, graph.StateUpdate[board]{As: as, Update: simUpdate(more)})
		return s.compare(func(r *refThread) string { return "by hand: " + r.update(as, more) }, "by hand: "+simEnd{err: err}.kind())
	}
	answers := map[int]int{}
	for i, p := range snap.Interrupts {
		if s.IntN(3) > 0 {
			answers[i] = s.IntN(5)
			opts.Resume = append(opts.Resume, graph.ReplyTo(p.ID, answers[i]))
		}
	}
	// An edit may lead a stateless graph away from its interrupt. No rule then says
	// which answers it has.
	if op.Kind != "edit" || s.died || s.Plan.forgets(false) || len(snap.Next) == 0 || snap.Next[0] == graph.Start {
		more = nil
	}
	s.say("resume with answers %v edit %v", answers, more)
	return s.engine(op, opts, func(ctx context.Context) (board, error) { return s.app.Resume(ctx, simUpdate(more), opts) },
		func(r *refThread) string { return r.resume(answers, more) })
}

type simEnd struct {
	out board
	err error
}

// kind returns the outcome of an update by hand.
func (e simEnd) kind() string { return strings.TrimPrefix(simKind(e.err), "done") }

// call runs the engine's call, and reports its steps to the references.
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

// refDied lists the possible threads after a process died in a step.
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

// compare lets the references make at most one step, and keeps those that look like
// the thread.
func (s *sim) compare(step func(*refThread) string, end string) string {
	return s.compareRows(1, step, end)
}

// compareRows compares only some of the newest checkpoints, 0 for all.
func (s *sim) compareRows(rows int, step func(*refThread) string, end string) string {
	got := end + "\n" + s.looks(rows)
	var next []*refThread
	var want string
	for _, r := range s.refs {
		want = "\n"
		if step != nil {
			want = r.told(step(r)) + "\n"
		}
		if want += r.looks(rows, s.counts); want == got {
			next = append(next, r)
		}
	}
	if s.refs = next; len(next) == 0 {
		return "(-reference +engine)\n" + differ(strings.Split(want, "\n"), strings.Split(got, "\n"))
	}
	return ""
}
