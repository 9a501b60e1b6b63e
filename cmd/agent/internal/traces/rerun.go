package traces

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
)

// A rerunner repeats the run of a trace, as often as needed.
type rerunner struct {
	run func(ctx context.Context, from graph.Recording, shown *render.Progress) (rerun, error)
	// ends says that the trace records the end of its run, so the new one must as well.
	ends bool
	// closers are called in reverse.
	closers []func() error
}

// A rerun is the result of one repetition. Its error is the pipeline's.
type rerun struct {
	answer  state.Answer
	records []trace.Record
	err     error
}

func (r *rerunner) close() error {
	var err error
	for i := len(r.closers) - 1; i >= 0; i-- {
		err = cli.Also(err, r.closers[i]())
	}
	return err
}

// both replays the whole trace, which costs nothing and gives the answer of the run, and
// then replays it from the point.
func (r *rerunner) both(ctx context.Context, path string, was []trace.Record, point *trace.Recording, shown *render.Progress) (before, after rerun, err error) {
	before.answer.Status, before.err = state.StatusCancelled, errors.New("the trace ends before its run does")
	last := rootEnd(was)
	r.ends = last != nil && last.End != nil
	if last != nil && last.Error == "" {
		whole, err := trace.NewRecording(was, nil)
		if err != nil {
			return before, after, fmt.Errorf("%s: %w", path, err)
		}
		if before, err = r.run(ctx, whole, nil); err != nil {
			return before, after, err
		}
		if unfit(before.err) {
			if point != nil {
				return before, after, fmt.Errorf("%s: %w; the pipeline differs from the trace's: without --from and --skill all of it runs again", path, before.err)
			}
			before.answer = state.Answer{End: state.End{Status: unknownStatus}}
		}
		if err := sameInput(path, was, before.records); err != nil {
			return before, after, err
		}
	} else if last != nil {
		before.answer.Status, before.err = state.StatusFailed, errors.New(last.Error)
		if r.ends {
			if err := json.Unmarshal(last.End, &before.answer.End); err != nil {
				return before, after, cli.Usagef("%s: reading how its run ended: %w", path, err)
			}
		}
	}
	var from graph.Recording
	if point != nil {
		from = point
	}
	if after, err = r.run(ctx, from, shown); err != nil {
		return before, after, err
	}
	if last := rootEnd(was); last != nil && last.End == nil { // its run did not record its end
		if now := rootEnd(after.records); now != nil {
			now.End = nil
		}
	}
	if unfit(after.err) {
		return before, after, fmt.Errorf("%s: %w; begin at an earlier node, or without --from", path, after.err)
	}
	return before, after, sameInput(path, was, after.records)
}

// unknownStatus is the status of a run whose answer cannot be derived by another pipeline.
const unknownStatus state.Status = "unknown"

// unfit reports whether a run failed because it does not match its trace.
func unfit(err error) bool {
	_, another := errors.AsType[*trace.MismatchError](err)
	_, undecodable := errors.AsType[*graph.ReplayError](err)
	return another || undecodable
}

// rootEnd is the end of the run itself, nil when the trace was cut.
func rootEnd(records []trace.Record) *trace.Record {
	for i := len(records) - 1; i >= 0; i-- {
		if records[i].Kind == graph.RunEnd.String() && records[i].Namespace == "" {
			return &records[i]
		}
	}
	return nil
}

// sameInput refuses a case whose input differs from the trace's.
func sameInput(path string, was, is []trace.Record) error {
	field, before, after, differ := trace.FirstField(was[0].Header.Input, is[0].Header.Input)
	if !differ {
		return nil
	}
	before, after = trace.Shorten(before, after, 100)
	return cli.Usagef("%s has another input than --case: at %s it was %s, and is %s", path, field, before, after)
}
