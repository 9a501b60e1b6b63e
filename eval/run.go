package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
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
}

// RunOptions configure Run. Nil is the zero value.
type RunOptions struct {
	// Graph is passed to the engine.
	Graph graph.RunOptions
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
	var out Run
	var lines bytes.Buffer
	ask := &research.AskOptions{Run: opts.Graph, Trace: trace.NewWriter(&lines, header), Observe: func(ev graph.Event[state.Agent]) {
		if ev.Kind == graph.NodeUpdate && ev.Namespace == "" {
			out.Path = append(out.Path, ev.Node)
		}
	}}
	final, _, runErr := p.Ask(ctx, strings.TrimSpace(c.Question), ask)
	out.Final, out.Answer = final, research.Result(final, runErr, files)
	if out.Trace, err = trace.Read(&lines); err != nil {
		return out, fmt.Errorf("running case %q: %w", c.Name, err)
	}
	return out, nil
}

// Header is the trace header of a case: nothing in it depends on the machine.
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

// Check compares a run with what its case expects and returns what is missing,
// one sentence each.
func (r Run) Check(w Want) []string {
	var misses []string
	expect := func(ok bool, sentence string) {
		if !ok {
			misses = append(misses, sentence)
		}
	}
	differ := func(what, want, got string, checked bool) {
		expect(!checked || want == got, fmt.Sprintf("%s is %q, expected %q", what, got, want))
	}
	differ("the status", string(w.Status), string(r.Answer.Status), w.Status != "")
	differ("the choice", w.Choice, r.Answer.Choice, w.Choice != "")
	differ("the number of steps", fmt.Sprint(w.Steps), fmt.Sprint(len(r.Final.Plan)), w.Steps != 0)
	differ("the number of failed steps", fmt.Sprint(w.Failed), fmt.Sprint(r.Final.Metrics.StepsFailed), w.Failed != 0)
	differ("the number of model calls", fmt.Sprint(w.Calls), fmt.Sprint(r.Final.Metrics.Calls), w.Calls != 0)
	differ("the path", strings.Join(w.Path, " → "), strings.Join(r.Path, " → "), w.Path != nil)
	for _, doc := range w.Cites {
		cited := slices.ContainsFunc(r.Answer.Sources, func(s state.Source) bool { return s.Doc == doc })
		expect(cited, fmt.Sprintf("the answer does not cite %s", doc))
	}
	for _, text := range w.Contains {
		expect(strings.Contains(r.Answer.Answer, text), fmt.Sprintf("the answer does not hold %q", text))
	}
	v := r.Answer.Verification
	expect(v.QuotesExact == v.QuotesChecked, fmt.Sprintf("%d of %d quotes are not the bytes of their source", v.QuotesChecked-v.QuotesExact, v.QuotesChecked))
	return misses
}
