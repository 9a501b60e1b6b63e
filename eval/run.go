package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/eval/task"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/internal/plainjson"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// A Run is the result of running a case.
type Run struct {
	Answer state.Answer       // common to all pipelines
	Result json.RawMessage    // all of it, as the pipeline's verb prints it with --json
	Trace  []trace.Record     // as it happened
	Path   []string           // the root graph's nodes, in the order in which they finished
	Steps  int                // of a research plan
	Scores map[string]float64 // by metric
	Times  follow.Took
	Err    error // the pipeline's error; nil if it ended normally
	// Grounding is the amount of evidence behind a compliance answer.
	Grounding evidence.GroundingConfidence
	// Faults are problems other than unmet expectations, such as an audit that does not verify or
	// unused recordings. Each is a miss.
	Faults []string
}

// Usage returns the total model usage of the nodes.
func (r Run) Usage() state.ModelUsage {
	var sum state.ModelUsage
	for _, usage := range r.Times.Usage { // whole numbers: the order does not matter
		sum = sum.Plus(usage)
	}
	return sum
}

// run runs the graph of a job and returns its answer, trace and scores.
func run[S any](ctx context.Context, p *Prepared, label string, job Job[S], engine graph.RunOptions) (Run, error) {
	input, err := job.input()
	if err != nil {
		return Run{}, err
	}
	engine.Thread = cmp.Or(engine.Thread, job.Thread)
	header := trace.Header{Config: map[string]string{"case": p.Case.Name, "model": label}, Skills: p.Skills, Input: input}
	conclude := func(final S, err error) (Result, error) {
		of, bad := job.Result(final, err)
		if bad == nil && of.Answer == nil {
			bad = errors.New("its job's Result has no Answer")
		}
		return of, bad
	}
	var out Run
	var lines bytes.Buffer
	opts := &follow.Options[S]{Run: engine, Trace: trace.NewWriter(&lines, header), Observe: func(ev graph.Event[S]) {
		if ev.Kind == graph.NodeUpdate && ev.Namespace == "" {
			out.Path = append(out.Path, ev.Node)
		}
	}, End: func(final S, err error) state.End {
		of, bad := conclude(final, err)
		if bad != nil {
			return state.Outcome{Err: bad}.End()
		}
		return of.Answer.End
	}}
	final, took, runErr, err := job.follow(ctx, opts)
	if err != nil {
		return out, err
	}
	out.Times, out.Err = took, runErr
	of, err := conclude(final, runErr)
	if err != nil {
		return out, err
	}
	out.finish(p, label, of)
	if of.Whole == nil {
		of.Whole = of.Answer
	}
	if out.Result, err = plainjson.Encode(of.Whole); err != nil {
		return out, err
	}
	if out.Trace, err = trace.Read(&lines); err != nil {
		return out, fmt.Errorf("reading its trace: %w", err)
	}
	return out, nil
}

// finish completes a result with the data of its run, and copies it to r.
func (r *Run) finish(p *Prepared, label string, of Result) {
	m := &of.Answer.Metrics
	if of.Whole == nil {
		m.ModelUsage = r.Usage()
		of.Answer.Pipeline, of.Answer.Question = p.Case.Pipeline, p.Case.question()
	}
	m.NodeMS = map[string]float64{}
	for node, d := range r.Times.Node {
		m.NodeMS[node] = task.Milliseconds(d)
	}
	m.NodeUsage, m.ElapsedMS, of.Answer.Model = r.Times.Usage, task.Milliseconds(r.Times.Total), label
	r.Answer, r.Steps, r.Grounding, r.Faults = *of.Answer, of.Steps, of.Grounding, of.Faults
	r.Scores = measure(p.Case, r.Answer)
	for name, value := range of.Scores {
		r.Scores[name] = value
	}
}
