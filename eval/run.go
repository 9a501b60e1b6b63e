package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/eval/task"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// A Run is what became of a case.
type Run struct {
	Answer state.Answer       // what all pipelines have
	Result json.RawMessage    // all of it, as the pipeline's verb prints it with --json
	Trace  []trace.Record     // as it happened
	Path   []string           // the root graph's nodes, in the order in which they finished
	Steps  int                // of a research plan
	Scores map[string]float64 // by metric
	Times  follow.Took
	Err    error // what stopped the pipeline; nil when it came to its end
	// Grounding is how much evidence a compliance answer stands on.
	Grounding evidence.GroundingConfidence
	// Faults are what is wrong beside what the case wants, such as an audit that
	// does not hold or recordings that were not asked for. Each is a miss.
	Faults []string
}

// Usage is what the nodes asked of models, together.
func (r Run) Usage() state.ModelUsage {
	var sum state.ModelUsage
	for _, usage := range r.Times.Usage { // whole numbers: the order does not matter
		sum = sum.Plus(usage)
	}
	return sum
}

// A result is a pipeline's answer: Answer points into Whole, so that what is
// added to it is in both.
type result struct {
	Whole     any
	Answer    *state.Answer
	Steps     int
	Grounding evidence.GroundingConfidence
	Scores    map[string]float64
	Faults    []string
}

// run runs a compiled graph on a case's input and keeps what it came to.
func run[S any](ctx context.Context, b *Bench, p *Prepared, g *graph.Compiled[S], in graph.Update[S], conclude func(S, error) (result, error)) (Run, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return Run{}, err
	}
	header := trace.Header{Config: map[string]string{"case": p.Case.Name, "model": b.opts.Label}, Skills: p.Skills, Input: input}
	var out Run
	var lines bytes.Buffer
	opts := &follow.Options[S]{Run: b.opts.Run, Trace: trace.NewWriter(&lines, header), Observe: func(ev graph.Event[S]) {
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
	final, took, runErr := follow.Run(ctx, g, in, opts)
	out.Times, out.Err = took, runErr
	of, err := conclude(final, runErr)
	if err != nil {
		return out, err
	}
	m := &of.Answer.Metrics
	m.NodeMS = map[string]float64{}
	for node, d := range took.Node {
		m.NodeMS[node] = task.Milliseconds(d)
	}
	m.NodeUsage, m.ElapsedMS, of.Answer.Model = took.Usage, task.Milliseconds(took.Total), b.opts.Label
	out.Answer, out.Steps, out.Grounding, out.Faults = *of.Answer, of.Steps, of.Grounding, of.Faults
	out.Scores = measure(p.Case, out.Answer)
	for name, value := range of.Scores {
		out.Scores[name] = value
	}
	if out.Result, err = encode(of.Whole); err != nil {
		return out, err
	}
	if out.Trace, err = trace.Read(&lines); err != nil {
		return out, fmt.Errorf("reading its trace: %w", err)
	}
	return out, nil
}

// encode keeps <, > and & as they are: results are read by people.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
