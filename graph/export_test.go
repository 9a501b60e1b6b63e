package graph

import (
	"context"
	"errors"

	"example.com/assay/graph/internal/machine"
)

// A Simulation is a driver of one goroutine. It decides the order in which tasks
// end, and when the process dies.
type Simulation struct {
	// Pick chooses one of n tasks that are under way.
	Pick func(n int) int
	// Crash reports, before each output is carried out, whether the process dies.
	Crash func() bool
	// Supersteps counts those that were run, in graphs inside nodes, too.
	Supersteps int
}

// ErrCrashed is a run whose process died.
var ErrCrashed = errors.New("the process died")

// Simulated returns the graph with runs that a simulation drives.
func Simulated[S any](c *Compiled[S], s *Simulation) *Compiled[S] {
	own := *c.plain
	own.drive = s.loop
	return &Compiled[S]{&own}
}

func (s *Simulation) loop(r *run, ctx context.Context) error {
	for c := r.next(ctx, machine.Event{}); c.Do != machine.Finish; {
		if s.Crash() {
			return ErrCrashed
		}
		c = r.next(ctx, r.carryOut(ctx, c, s.execute))
	}
	if s.Crash() {
		return ErrCrashed
	}
	return r.finish(r.began())
}

// execute runs tasks one after the other. When one has failed no other begins.
func (s *Simulation) execute(r *run, ctx context.Context) error {
	s.Supersteps++
	if len(r.pos.results) == 1 || r.perStep > 0 || r.recording != nil || r.program.caching {
		return r.execute(ctx)
	}
	step, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.newTasks(step)
	left := make([]*result, len(r.pos.results))
	for i := range r.pos.results {
		left[i] = &r.pos.results[i]
	}
	for len(left) > 0 && step.Err() == nil {
		i := s.Pick(len(left))
		r.workConcurrently(left[i], cancel)
		left = append(left[:i], left[i+1:]...)
	}
	if len(left) > 0 {
		return ended(step, nil)
	}
	return nil
}
