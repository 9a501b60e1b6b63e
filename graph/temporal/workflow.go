package temporal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Types of the errors of activities, as histories have them.
const (
	errFailed      = "GraphFailed"      // the graph's own failure
	errFingerprint = "OtherFingerprint" // the worker has another structure of the graph
)

// lost is the retry policy for a stretch or a task that lost its worker or could not save. The
// engine itself retries nodes.
var lost = &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second}

// limits are the limits of activities, from WorkerOptions.
type limits struct {
	heartbeat time.Duration
	longest   time.Duration
}

// activity sets the options of an activity on a queue; an empty queue is the workflow's own.
func (l limits) activity(ctx workflow.Context, queue string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: l.longest, HeartbeatTimeout: l.heartbeat, WaitForCancellation: true, RetryPolicy: lost,
	})
}

// run is the workflow of a Run. It holds questions and answers, but not the graph's state.
func (l limits) run(ctx workflow.Context, in begun) (stop, error) {
	w := waiting{}
	if err := workflow.SetQueryHandler(ctx, queryStatus, func() (at, error) { return w.at(), nil }); err != nil {
		return stop{}, err
	}
	if err := workflow.SetUpdateHandlerWithOptions(ctx, updateAnswer, w.take, workflow.UpdateHandlerOptions{Validator: w.check}); err != nil {
		return stop{}, err
	}
	next := stretch{begun: in, RunID: workflow.GetInfo(ctx).WorkflowExecution.RunID}
	activity := l.activity(ctx, "")
	for {
		out := stop{}
		if err := workflow.ExecuteActivity(activity, activityRun, next).Get(ctx, &out); err != nil {
			return stop{}, err
		}
		next.Input = nil // the thread has it
		if !out.Asks {
			return out, workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
		}
		w.ask(out)
		if err := phase(ctx, Waiting); err != nil {
			return stop{}, err
		}
		if err := workflow.Await(ctx, func() bool { return w.answered }); err != nil {
			return stop{}, err
		}
		next.Answers = w.goOn()
		if err := phase(ctx, Running); err != nil {
			return stop{}, err
		}
	}
}

func phase(ctx workflow.Context, p Phase) error {
	return workflow.UpsertTypedSearchAttributes(ctx, attributePhase.ValueSet(string(p)))
}

var (
	attributeGraph = temporal.NewSearchAttributeKeyKeyword(AttributeGraph)
	attributePhase = temporal.NewSearchAttributeKeyKeyword(AttributePhase)
)

// waiting holds the questions and answers of a run.
type waiting struct {
	now      bool
	answered bool // continue, with answers or from a breakpoint
	stop     stop
	answers  []reply // for the next stretch, in the order in which they came
}

func (w *waiting) at() at { return at{w.now, w.stop.Pending, w.stop.Next} }

func (w *waiting) ask(out stop) {
	w.stop = out
	w.stop.Pending = slices.DeleteFunc(slices.Clone(out.Pending), func(q question) bool { return w.has(q.ID) && q.Problem == "" })
	w.now, w.answered = true, len(w.stop.Pending) < len(out.Pending) // an answer came while the stretch ran
}

func (w *waiting) has(id string) bool {
	return slices.ContainsFunc(w.answers, func(r reply) bool { return r.ID == id })
}

// goOn returns the answers for the next stretch.
func (w *waiting) goOn() []reply {
	given := w.answers
	w.now, w.answered, w.answers, w.stop.Next = false, false, nil, nil
	return given
}

// check refuses answers to interrupts that are not pending. It changes nothing.
func (w *waiting) check(_ workflow.Context, given []reply) error {
	if len(given) == 0 && (!w.now || len(w.stop.Pending) > 0) {
		return errors.New("there are no answers, and the run is not at a breakpoint")
	}
	for i, r := range given {
		asked := slices.ContainsFunc(w.stop.Pending, func(q question) bool { return q.ID == r.ID })
		if !asked || slices.ContainsFunc(given[:i], func(other reply) bool { return other.ID == r.ID }) {
			return fmt.Errorf("the run does not wait for an answer to %q: ask for its status", r.ID)
		}
	}
	return nil
}

// take takes answers. It runs after check.
func (w *waiting) take(_ workflow.Context, given []reply) error {
	for _, r := range given {
		w.answers = append(w.answers, r)
		w.stop.Pending = slices.DeleteFunc(slices.Clone(w.stop.Pending), func(q question) bool { return q.ID == r.ID })
	}
	w.answered = true
	return nil
}
