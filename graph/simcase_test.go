package graph_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"example.com/assay/graph"
)

// A simCase is a plan and the calls on a thread of it.
type simCase struct {
	Plan  *simPlan
	Limit int
	Ops   []simOp
}

// A simOp is a call. Its seed decides everything else, such as the order in which
// tasks return.
type simOp struct {
	Kind   string // go on, turn, edit or by hand
	Seed   uint64
	Broken bool // nodes fail
	Crash  int  // the process dies before so many tasks have run
	Commit int  // or at this commit
	Lossy  bool // which takes effect
	Drain  int  // it is asked to stop before so many tasks have run
	Cancel int  // its context ends before so many tasks have run, or between them
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
		case 3:
			op.Cancel = 1 + r.IntN(8)
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
		whole, plain, first, goOn := op, simOp{Kind: op.Kind, Seed: op.Seed, Broken: op.Broken}, op, op
		whole.Broken, first.Seed, goOn.Kind = false, 1, "go on"
		for _, simpler := range []simOp{whole, plain, first, goOn} {
			if simpler != op {
				ops := slices.Clone(c.Ops)
				ops[i] = simpler
				out = append(out, &simCase{c.Plan, c.Limit, ops})
			}
		}
	}
	return out
}

// A simSaver dies with its process. After that it ignores calls of a run. State and
// History still read it. It makes some changes twice, and one that was under way when
// the process died once more, after others: both must have no effect.
type simSaver struct {
	graph.Checkpointer
	mu    sync.Mutex
	left  int // commits until it dies
	lossy bool
	gone  bool
	count int
	late  *lateChange
	taken string // a late change that had an effect
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
		err := s.Checkpointer.Commit(ctx, thread, change)
		if s.count++; err == nil && s.count%5 == 0 {
			_ = s.Checkpointer.Commit(ctx, thread, change)
		}
		if err == nil && s.late != nil && slices.ContainsFunc(change.Add, s.late.collides) {
			if err := s.Checkpointer.Commit(ctx, thread, s.late.Change); !errors.Is(err, graph.ErrStale) && len(s.late.Add) > 0 {
				s.taken = fmt.Sprintf("the saver took %+v after %+v: %v", s.late.Add, change.Add, err)
			}
			s.late = nil
		}
		return err
	}
	s.gone = true
	if s.lossy {
		if err := s.Checkpointer.Commit(ctx, thread, change); err != nil {
			return err
		}
	}
	s.late = &lateChange{change}
	s.late.Add = slices.Clone(change.Add) // the caller reuses its array
	return errDead
}

// A lateChange arrives when it is too late.
type lateChange struct{ graph.Change }

// collides reports whether a checkpoint stands where the change would add one, or comes after that
// to which it adds records.
func (l *lateChange) collides(c graph.Checkpoint) bool {
	if len(l.Add) > 0 {
		return c.Namespace == l.Add[0].Namespace && c.ID == l.Add[0].ID
	}
	return len(l.Records) > 0 && c.Namespace == l.Records[0].Namespace && c.ID > l.Records[0].Checkpoint
}
