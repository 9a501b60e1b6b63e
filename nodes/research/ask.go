package research

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

// AskOptions adjust Ask. Nil is the zero value.
type AskOptions struct {
	// Trace receives every event. Default: no trace.
	Trace *trace.Writer
	// Observe is called for every event, in order. Default: not called.
	Observe func(graph.Event[state.Agent])
	// Earlier is the conversation before the question, the last exchange at the end.
	Earlier []state.Exchange
	// AsOf is the day on which documents must be valid; empty for any.
	AsOf string
	// Again reports that Run.Thread has an earlier question, which has ended.
	Again bool
	// Run is passed to the engine; its Modes are replaced.
	Run graph.RunOptions
	// Resume continues the run of Run.Thread after a failure or a kill. The question is
	// the thread's. Times are of this part.
	Resume bool
}

// Input is the update with which Ask starts; nil for a resumed run.
func (o *AskOptions) Input(question string) graph.Update[state.Agent] {
	switch {
	case o.Resume:
		return nil
	case o.Again:
		return append(append(Input(question, o.Earlier...), asOfChannel.Set(o.AsOf)), nextQuestion()...)
	case o.AsOf != "":
		return append(Input(question, o.Earlier...), asOfChannel.Set(o.AsOf))
	}
	return Input(question, o.Earlier...)
}

// Ask runs the pipeline on one question and follows it. The state is final or, with an
// error, the last committed one.
func (p *Pipeline) Ask(ctx context.Context, question string, opts *AskOptions) (state.Agent, follow.Took, error) {
	var o AskOptions
	if opts != nil {
		o = *opts
	}
	in := o.Input(question)
	final, took, err := follow.Run(ctx, p.graph, in, &follow.Options[state.Agent]{Trace: o.Trace, Observe: o.Observe, Resume: o.Resume, Run: o.Run, End: End})
	if final.Objective == "" {
		final.Objective = question
	}
	return final, took, err
}
