package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Run is what became of a case.
type Run struct {
	Final  state.Agent
	Answer state.Answer
	Trace  []trace.Record // as it happened
	Path   []string       // the root graph's nodes, in the order in which they finished
	Times  follow.Took
	Err    error // what stopped the pipeline; nil when it came to its end
	// Faults are what whoever ran it found wrong beside the run, such as
	// recordings that were not asked for. Each is a miss.
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

// RunOptions configure Run. Nil is the zero value.
type RunOptions struct {
	// Graph is passed to the engine.
	Graph graph.RunOptions
	// Model is what the trace calls the models. Default "offline".
	Model string
}

// RunCase asks a case's question. An error of the pipeline is part of the
// answer; the error returned is one of running at all.
func RunCase(ctx context.Context, c Case, p *research.Pipeline, set *skills.Set, files research.Locator, opts *RunOptions) (Run, error) {
	if opts == nil {
		opts = &RunOptions{}
	}
	header, err := Header(c, set)
	if err != nil {
		return Run{}, fmt.Errorf("running case %q: %w", c.Name, err)
	}
	if opts.Model != "" {
		header.Config["model"] = opts.Model
	}
	var out Run
	var lines bytes.Buffer
	ask := &research.AskOptions{Run: opts.Graph, Trace: trace.NewWriter(&lines, header), Observe: func(ev graph.Event[state.Agent]) {
		if ev.Kind == graph.NodeUpdate && ev.Namespace == "" {
			out.Path = append(out.Path, ev.Node)
		}
	}}
	out.Final, out.Times, out.Err = p.Ask(ctx, strings.TrimSpace(c.Question), ask)
	out.Answer = research.Result(out.Final, out.Err, files)
	if out.Trace, err = trace.Read(&lines); err != nil {
		return out, fmt.Errorf("running case %q: %w", c.Name, err)
	}
	return out, nil
}

// Header is the trace header of a case that is run offline: nothing in it
// depends on the machine.
func Header(c Case, set *skills.Set) (trace.Header, error) {
	input, err := json.Marshal(research.Input(strings.TrimSpace(c.Question)))
	if err != nil {
		return trace.Header{}, err
	}
	h := trace.Header{Config: map[string]string{"case": c.Name, "model": "offline"}, Skills: map[string]string{}, Input: input}
	for _, name := range research.Skills() {
		skill, err := set.Get(name)
		if err != nil {
			return trace.Header{}, err
		}
		h.Skills[name] = skill.Hash
	}
	return h, nil
}
