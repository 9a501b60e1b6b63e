package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/memory"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/follow"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/state"
)

// A Job is a case that is ready to run on a graph with the state S.
type Job[S any] struct {
	// Graph returns the graph of one run. It is called for each run, possibly at the same
	// time, so a graph can have a scripted model or a checkpointer of its own.
	Graph func() (*graph.Compiled[S], error)
	// Input is the input of each run.
	Input graph.Update[S]
	// Result reads the result from the last state, and from the error that stopped the run,
	// or nil. It is called twice for a run.
	Result func(final S, err error) (Result, error)
	// Thread is the thread of each run, for a graph with a checkpointer. Default: that of
	// the run's options.
	Thread string
	// Skills are the hashes of the prompts used, by name, for the trace.
	Skills map[string]string
	// Options are further settings that the run depends on, printable. Default: none.
	Options any
	// Inputs is a hash of the files of the case other than the corpus. Default: none.
	Inputs string
	// Document is the text in which the answer's byte offsets count. Default: none.
	Document string

	made *instance // in place of Graph and Input
}

// An instance is a pipeline that was made, with its encoded input.
type instance struct {
	pipeline.Instance
	in json.RawMessage
}

// input returns the encoded input of each run.
func (j Job[S]) input() (json.RawMessage, error) {
	if j.made != nil {
		return j.made.in, nil
	}
	return json.Marshal(j.Input)
}

// follow runs the job once. The last error says that it could not be run.
func (j Job[S]) follow(ctx context.Context, opts *follow.Options[S]) (final S, took follow.Took, runErr, err error) {
	if j.made != nil {
		o := any(opts).(*follow.Options[json.RawMessage]) // RegisterPipeline makes no other
		last, took, runErr := follow.App(ctx, j.made.App, j.made.in, o)
		return any(last).(S), took, runErr, nil
	}
	g, err := j.Graph()
	if err != nil {
		return final, took, nil, err
	}
	final, took, runErr = follow.Run(ctx, g, j.Input, opts)
	return final, took, runErr, nil
}

// A Result is the outcome of a graph's run.
type Result struct {
	// Answer is compared with the expectations of a case.
	Answer *state.Answer
	// Whole is stored as JSON: a pointer to a struct that embeds the Answer, so that fields added
	// to the Answer are in both. Default: the Answer; its pipeline, question and model calls are
	// then taken from the case and from the run's events.
	Whole any
	// Steps is the number of rows of a plan.
	Steps int
	// Grounding is the amount of evidence behind a compliance answer.
	Grounding evidence.GroundingConfidence
	// Scores are metrics by name. A case can bound them, and results have their means.
	Scores map[string]float64
	// Faults are problems other than unmet expectations. Each is a miss.
	Faults []string
}

// TextOf makes a Job's Result for a graph whose answer is a text. A run with a text is answered,
// one without is no_evidence, one that waits for a person is interrupted, and one that failed has
// the status of its error.
func TextOf[S any](text func(S) string) func(S, error) (Result, error) {
	return func(final S, err error) (Result, error) {
		said := text(final)
		o := state.Outcome{Err: err, Answered: said != "", Grounded: true}
		if _, asks := errors.AsType[*graph.InterruptedError](err); asks {
			o.Err, o.Asks = nil, true
		}
		answer := state.FailedAnswer("", "", o.End())
		answer.Answer = said
		return Result{Answer: &answer}, nil
	}
}

// Register adds a graph to a bench. Cases name it as their pipeline. Prepare calls ready
// with the case, and with its corpus or nil.
func Register[S any](b *Bench, name string, ready func(context.Context, Case, *memory.Corpus) (Job[S], error)) error {
	switch {
	case name == "":
		return errors.New("registering a graph: its name is empty")
	case b.prepares[name] != nil || slices.Contains(pipelines, name):
		return fmt.Errorf("registering a graph: there is a pipeline %q already: give it another name", name)
	}
	register(b, name, ready)
	return nil
}

// RegisterPipeline adds a pipeline to a bench. A case of it has the pipeline's message as
// its question, and may have a corpus and further input.
func RegisterPipeline(b *Bench, p pipeline.Pipeline) error {
	return Register(b, p.Name, func(_ context.Context, c Case, corpus *memory.Corpus) (Job[json.RawMessage], error) {
		var job Job[json.RawMessage]
		bench := pipeline.Bench{Model: b.Model, Skills: b.Skills, Inspect: b.Inspect}
		files := pipeline.Library(pipeline.Elsewhere{})
		if corpus != nil {
			bench.Corpus, files = corpus, corpus
		}
		if corpus == nil && p.Corpus == pipeline.Always {
			return job, fmt.Errorf("%s: corpus is empty: %s needs it", c.File, p.Name)
		}
		made, err := p.Make(bench)
		if err != nil {
			return job, err
		}
		turn := conversation.Turn{Text: c.question(), Input: c.Input}
		if err := errors.Join(p.CheckText(turn.Text), p.CheckInput(turn.Input), made.Check(turn)); err != nil {
			return job, fmt.Errorf("%s: %w", c.File, err)
		}
		in, err := made.Input(turn)
		if err != nil {
			return job, err
		}
		job.made = &instance{made, in}
		job.Result = func(final json.RawMessage, runErr error) (Result, error) {
			answer, err := made.Answer(final, runErr, files)
			if err != nil {
				return Result{}, err
			}
			return Result{Whole: answer, Answer: answer.Common()}, nil
		}
		job.Skills, err = b.Skills.Hashes(p.Skills)
		return job, err
	})
}

func register[S any](b *Bench, name string, ready func(context.Context, Case, *memory.Corpus) (Job[S], error)) {
	b.names = append(b.names, name)
	b.prepares[name] = func(ctx context.Context, p *Prepared, corpus *memory.Corpus) error {
		job, err := ready(ctx, p.Case, corpus)
		switch {
		case err != nil:
			return err
		case job.Graph == nil && job.made == nil || job.Result == nil:
			return fmt.Errorf("the job of pipeline %q needs a Graph and a Result", name)
		}
		if job.Skills != nil {
			p.Skills = job.Skills
		}
		p.Inputs, p.Document, p.conditions = job.Inputs, job.Document, fmt.Sprintf("%s %+v", b.opts.Label, job.Options)
		p.run = func(ctx context.Context, opts graph.RunOptions) (Run, error) {
			return run(ctx, p, b.opts.Label, job, opts)
		}
		return nil
	}
}
