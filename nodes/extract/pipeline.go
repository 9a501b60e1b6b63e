package extract

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
)

// Names of the pipeline's nodes, as drawings and traces show them.
const (
	NodeExtract = "extract"
	NodeReview  = "review" // only with Options.Review
	NodeVerify  = "verify"
	NodeRefine  = "refine"
	NodeFinish  = "finish"
)

// Deps are the dependencies of the pipeline. All are required.
type Deps struct {
	Model  llm.Model
	Skills *skills.Set
	Schema *Schema
}

// Options tune the pipeline. Nil is the zero value.
type Options struct {
	// MaxIterations is the maximum number of extractions, including the first; for a document of
	// one window also the number of model calls. Default 3.
	MaxIterations int
	// Thresholds are the conditions for an extraction to pass.
	Thresholds Thresholds
	// Review also asks a model for its opinion on each extraction: one more call each.
	Review bool
	// Window is the number of bytes of a document per call. Default 200,000.
	Window int
	// Overlap is the number of bytes that two windows share in a document without pages. Default: a
	// hundredth of Window.
	Overlap int
	// Checkpointer saves runs, whose graph.RunOptions then name a thread. Default:
	// runs are not saved.
	Checkpointer graph.Checkpointer
}

const (
	defaultIterations = 3
	defaultWindow     = 200_000
	leastWindow       = 200 // bytes
)

// Pipeline is the compiled extraction graph.
type Pipeline struct {
	graph  *graph.Compiled[State]
	schema *Schema
}

// New compiles the pipeline once, for any number of documents.
func New(deps Deps, opts *Options) (*Pipeline, error) {
	g, err := build(deps, opts)
	if err != nil {
		return nil, fmt.Errorf("building the extraction pipeline: %w", err)
	}
	return &Pipeline{g, deps.Schema}, nil
}

// Graph returns the compiled graph, for streaming and drawing.
func (p *Pipeline) Graph() *graph.Compiled[State] { return p.graph }

// Skills lists the names of the skills that the pipeline asks, sorted.
func Skills() []string {
	return []string{skills.ExtractFields, skills.RefineExtraction, skills.VerifyExtraction}
}

// Update is the update that starts a run on a document.
func Update(doc FieldDocument) graph.Update[State] {
	return graph.Update[State]{documentChannel.Set(doc)}
}

// Run reads one document. The state is final or, with an error, the last one reached.
func (p *Pipeline) Run(ctx context.Context, doc FieldDocument, opts *graph.RunOptions) (State, error) {
	return p.graph.Invoke(ctx, Update(doc), opts)
}

func build(deps Deps, opts *Options) (*graph.Compiled[State], error) {
	if deps.Model == nil || deps.Skills == nil || deps.Schema == nil {
		return nil, errors.New("a model, skills and a schema are needed")
	}
	o, err := opts.filled()
	if err != nil {
		return nil, err
	}
	var problems []error
	skill := func(name string) skills.Skill {
		s, err := deps.Skills.Get(name)
		problems = append(problems, err)
		return s
	}
	first, again, opinion := skill(skills.ExtractFields), skill(skills.RefineExtraction), skill(skills.VerifyExtraction)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	r := &reading{schema: deps.Schema, size: o.Window, overlap: o.Overlap}
	check := NodeVerify

	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodeExtract, firstReading(deps.Model, first, r))
	g.AddNode(NodeVerify, verifyValues(deps.Schema, o.Thresholds, o.MaxIterations))
	g.AddNode(NodeRefine, refine(deps.Model, again, r))
	g.AddNode(NodeFinish, finish())
	if o.Review {
		check = NodeReview
		g.AddNode(NodeReview, review(deps.Model, opinion, r))
		g.AddEdge(NodeReview, NodeVerify)
	}
	g.AddEdge(graph.Start, NodeExtract)
	g.AddEdge(NodeExtract, check)
	g.AddConditionalPaths(NodeVerify, afterDecision, graph.Path{Key: string(decideRefine), Target: NodeRefine}, graph.Path{Key: string(decideFinish), Target: NodeFinish})
	g.AddConditionalPaths(NodeRefine, afterDecision, graph.Path{Key: string(decideRefine), Target: check}, graph.Path{Key: string(decideFinish), Target: NodeFinish})
	g.AddEdge(NodeFinish, graph.End)
	return g.Compile(&graph.CompileOptions{Name: "extract", Checkpointer: o.Checkpointer})
}

// filled returns the options with their defaults.
func (opts *Options) filled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = defaultIterations
	}
	if o.Window == 0 {
		o.Window = defaultWindow
	}
	if o.Overlap == 0 {
		o.Overlap = o.Window / 100
	}
	switch {
	case o.MaxIterations < 0:
		return o, fmt.Errorf("iterations are %d: there must be at least 1", o.MaxIterations)
	case o.Window < leastWindow:
		return o, fmt.Errorf("the window is %d bytes: it must be at least %d", o.Window, leastWindow)
	case o.Overlap < 0 || o.Overlap > o.Window/2:
		return o, fmt.Errorf("the overlap is %d bytes: it must be at most half of the window, %d", o.Overlap, o.Window/2)
	case o.Thresholds.Confidence < 0 || o.Thresholds.Confidence > 1 || o.Thresholds.Doubt < 0 || o.Thresholds.Doubt > 1:
		return o, errors.New("thresholds of confidence must lie between 0 and 1")
	}
	return o, nil
}

// afterDecision follows what the last node decided.
func afterDecision(_ context.Context, s State) (graph.Route, error) {
	return graph.To(string(s.Decision)), nil
}
