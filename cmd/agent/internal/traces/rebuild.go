package traces

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/extract"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state/proof"
)

// A rebuilt run has what a trace alone does not hold: states, answer and graph. To rebuild it, no
// node runs and no model is called.
type rebuilt struct {
	app    *graph.App               // the graph; nil when this program has no such graph
	states map[int]json.RawMessage  // after each superstep; 0 is the state of the input
	answer json.RawMessage          // the run's answer; nil when it is not known
	held   map[string]proof.Content // documents that the run itself holds, by name
	why    string                   // why something is missing, as a sentence; empty when nothing is
}

// rebuild replays a trace. Without a library it does not compare the files of passages.
func rebuild(ctx context.Context, a *cli.App, s config.Settings, records []trace.Record, files pipeline.Library) (rebuilt, error) {
	first := records[0]
	if first.Kind != graph.RunStart.String() || first.Header == nil {
		return rebuilt{why: "The trace does not begin with the start of its run."}, nil
	}
	bare, err := bareOf(ctx, a, s, first)
	if err != nil {
		return rebuilt{why: fmt.Sprintf("This version of Assay cannot make the graph again: %v.", err)}, nil
	}
	if bare.App.Fingerprint() != first.Fingerprint {
		return rebuilt{why: fmt.Sprintf("The graph has changed since: its fingerprint was %.12s, and is %.12s.", first.Fingerprint, bare.App.Fingerprint())}, nil
	}
	out := rebuilt{app: &bare.App, states: map[int]json.RawMessage{}}
	if len(first.Header.Input) == 0 || len(first.Places) != 1 || first.Places[0].Step != -1 {
		out.why = "The run continued a thread, and what came before is not in its trace."
		return out, nil
	}
	final, err := out.replay(ctx, bare.App, records)
	if err != nil {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		out.why = fmt.Sprintf("The states could not be made again: %v.", err)
		return out, nil
	}
	if out.held, err = heldBy(first.Graph, final); err == nil {
		out.answer, err = answerOf(bare, final, records, files)
	}
	if err != nil {
		out.why = fmt.Sprintf("The answer could not be made again: %v.", err)
	}
	return out, nil
}

// bareOf makes the pipeline of a trace on a bare desk.
func bareOf(ctx context.Context, a *cli.App, s config.Settings, first trace.Record) (pipeline.Instance, error) {
	p, err := open.PipelineOf(first.Graph)
	if err != nil {
		return pipeline.Instance{}, err
	}
	d, err := open.NewBare(a, s, first.Header.Config["corpus"] != "")
	if err != nil {
		return pipeline.Instance{}, err
	}
	return p.On(ctx, d, first.Header.Config)
}

// heldBy returns the documents that the last state of a run holds in full.
func heldBy(pipeline string, final json.RawMessage) (map[string]proof.Content, error) {
	if pipeline != "extract" || final == nil {
		return nil, nil
	}
	var s extract.State
	if err := json.Unmarshal(final, &s); err != nil {
		return nil, fmt.Errorf("reading the last state: %w", err)
	}
	return map[string]proof.Content{s.Document.Source: extract.Content(s.Document)}, nil
}

// replay fills in the state after each committed superstep, and returns the last state.
func (r *rebuilt) replay(ctx context.Context, app graph.App, records []trace.Record) (json.RawMessage, error) {
	committed := committedSteps(records)
	if committed == 0 {
		return nil, nil
	}
	whole, err := trace.NewRecording(records, nil)
	if err != nil {
		return nil, err
	}
	told := map[int]json.RawMessage{}
	for ev, err := range app.Stream(ctx, records[0].Header.Input, &graph.RunOptions{Replay: whole, Modes: graph.Values, RecursionLimit: committed}) {
		if errors.As(err, new(*graph.RecursionError)) {
			break // the end of the committed supersteps
		}
		if err != nil {
			return nil, err
		}
		if ev.Kind == graph.StateValue && ev.Namespace == "" {
			told[ev.Step] = ev.State
		}
	}
	last := told[-1] // the input's
	for step := range committed + 1 {
		if state, changed := told[step]; changed {
			last = state
		}
		r.states[step] = last
	}
	return last, nil
}

// committedSteps counts the supersteps of a run whose updates were all merged: all before the last,
// and the last one if the run reached its end.
func committedSteps(records []trace.Record) int {
	begun := 0
	for _, rec := range records {
		if rec.Kind == graph.StepStart.String() && rec.Namespace == "" {
			begun++
		}
	}
	if last := rootEnd(records); last != nil && last.Error == "" && !asked(records) {
		return begun
	}
	return max(0, begun-1)
}

// asked reports whether a run stopped to ask a person.
func asked(records []trace.Record) bool {
	for _, rec := range records {
		if rec.Kind == graph.RunInterrupt.String() && rec.Namespace == "" {
			return true
		}
	}
	return false
}

// answerOf makes the answer of a run, with the end that the trace records.
func answerOf(bare pipeline.Instance, final json.RawMessage, records []trace.Record, files pipeline.Library) (json.RawMessage, error) {
	last := rootEnd(records)
	var runErr error
	switch {
	case last == nil:
		runErr = errors.New("the trace ends before its run does")
	case last.Error != "":
		runErr = errors.New(last.Error)
	}
	made, err := bare.Answer(final, runErr, cmp.Or(files, pipeline.Library(pipeline.Elsewhere{})))
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	conf := records[0].Header.Config
	known := map[string]any{"model": conf["model"], "corpus": conf["corpus"], "run_id": records[0].Header.RunID}
	if last != nil && last.End != nil {
		var end map[string]any
		if err := json.Unmarshal(last.End, &end); err != nil {
			return nil, fmt.Errorf("reading how the run ended: %w", err)
		}
		for key, value := range end {
			known[key] = value
		}
	}
	if answer, err = merged(answer, known); err == nil && files == nil {
		answer, err = unchecked(answer)
	}
	return answer, err
}

// unchecked sets the counts of an answer's checked quotes to 0, since no file was compared.
func unchecked(answer json.RawMessage) (json.RawMessage, error) {
	var a struct {
		Verification json.RawMessage `json:"verification"`
	}
	if err := json.Unmarshal(answer, &a); err != nil || a.Verification == nil {
		return answer, err
	}
	verification, err := merged(a.Verification, map[string]any{"quotes_checked": 0, "quotes_exact": 0})
	if err != nil {
		return nil, err
	}
	return merged(answer, map[string]any{"verification": verification})
}

// merged replaces the values of some keys of an object.
func merged(object json.RawMessage, values map[string]any) (json.RawMessage, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, err
	}
	for key, value := range values {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		all[key] = data
	}
	return json.Marshal(all)
}
