package performance

import (
	"context"
	"encoding/json"
	"fmt"
)

// floor is the same work by hand, with no more machinery than any engine needs.
func floor() makers {
	return makers{
		"work":       floorWork,
		"loop":       func() (run, error) { return floorLoop(func(job) error { return nil }), nil },
		"checkpoint": floorCheckpoint,
		"fanout":     floorFanOut,
		"chain":      floorChain,
	}
}

func floorWork() (run, error) {
	return func(context.Context) error {
		var s job
		for range loopSteps {
			s.Count = work(s)
		}
		return checkCount(s, loopSteps)
	}, nil
}

type step func(context.Context, job) (job, error)

func floorStep(_ context.Context, s job) (job, error) {
	s.Count = work(s)
	return s, nil
}

// floorLoop looks nodes up by name, asks a router for the next one and polls
// the context. It hands the state to keep after every step.
func floorLoop(keep func(job) error) run {
	nodes := map[string]step{"a": floorStep, "b": floorStep}
	routers := map[string]func(job) string{
		"a": func(job) string { return "b" },
		"b": func(s job) string {
			if s.Count >= loopSteps {
				return ""
			}
			return "a"
		},
	}
	return func(ctx context.Context) error {
		var s job
		for at := "a"; at != ""; at = routers[at](s) {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if s, err = nodes[at](ctx, s); err != nil {
				return err
			}
			if err := keep(s); err != nil {
				return err
			}
		}
		return checkCount(s, loopSteps)
	}
}

// floorCheckpoint keeps every state as JSON: a copy that later steps cannot
// change, in the form that a checkpoint has in both engines that make them.
func floorCheckpoint() (run, error) {
	var kept [][]byte
	loop := floorLoop(func(s job) error {
		data, err := json.Marshal(s)
		kept = append(kept, data)
		return err
	})
	return func(ctx context.Context) error {
		kept = nil
		if err := loop(ctx); err != nil {
			return err
		}
		if len(kept) != loopSteps {
			return fmt.Errorf("there are %d checkpoints, not %d", len(kept), loopSteps)
		}
		return nil
	}, nil
}

func floorFanOut() (run, error) {
	return func(context.Context) error {
		results := make([]int, fanOutWidth)
		done := make(chan struct{}, fanOutWidth)
		for i := range fanOutWidth {
			go func() {
				results[i] = work(job{Count: i})
				done <- struct{}{}
			}()
		}
		for range fanOutWidth {
			<-done
		}
		var s job
		s.Log = append(s.Log, results...)
		return checkList(s.Log)
	}, nil
}

func floorChain() (run, error) {
	chain := make([]step, chainLength)
	for i := range chain {
		chain[i] = floorStep
	}
	return func(ctx context.Context) error {
		var s job
		for _, node := range chain {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if s, err = node(ctx, s); err != nil {
				return err
			}
		}
		return checkCount(s, chainLength)
	}, nil
}
