package evidence

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
)

// Names of the pipeline's nodes, as drawings and traces show them.
const (
	NodeRetrieve = "retrieve"
	NodeExtract  = "extract" // one task for each few passages
	NodeNumber   = "number"
	NodeVerify   = "verify" // one task for each requirement
	NodeSettle   = "settle"
	NodeCompose  = "compose"
	NodeReview   = "review"
	NodeFinalize = "finalize"
)

// Deps are the dependencies of the pipeline.
type Deps struct {
	Model  llm.Model
	Skills *skills.Set
	Corpus retrieval.Retriever
	// Inspect finds prompt injection in passages: such a sentence is not a requirement. Nil
	// finds none.
	Inspect retrieval.Inspect
}

// Options tune the pipeline. Nil is the zero value.
type Options struct {
	// Passages is how many passages of each kind of source are read. Default 10.
	Passages int
	// Requirements is the most found requirements that are verified. Default 40.
	Requirements int
	// MaxRevisions is how often an answer that fails its review is composed again.
	// Default 2; a negative value never does.
	MaxRevisions int
	// ModelReview lets a model also review what passed the review by code.
	ModelReview bool
	// Checkpointer saves runs, whose graph.RunOptions then name a thread. Default:
	// runs are not saved.
	Checkpointer graph.Checkpointer
}

const (
	defaultPassages     = 10
	defaultRequirements = 40
	defaultRevisions    = 2
	batch               = 5 // passages that one task extracts from
)

// Pipeline is the compiled compliance graph.
type Pipeline struct {
	graph *graph.Compiled[State]
}

// New compiles the pipeline once, for any number of runs.
func New(deps Deps, opts *Options) (*Pipeline, error) {
	g, err := build(deps, opts)
	if err != nil {
		return nil, fmt.Errorf("building the compliance pipeline: %w", err)
	}
	return &Pipeline{g}, nil
}

// Graph returns the compiled graph, for streaming and drawing.
func (p *Pipeline) Graph() *graph.Compiled[State] { return p.graph }

// Skills lists the names of the skills that the pipeline asks, sorted.
func Skills() []string {
	return []string{skills.ComposeAnswer, skills.ExtractRequirements, skills.JudgeClaim, skills.ReviewAnswer, skills.VerifyGrounding}
}

// Input is a question and the filter of the passages that are read for it.
type Input struct {
	Question string
	Filter   Filter
}

// Update is the update that starts a run.
func (in Input) Update() graph.Update[State] {
	return graph.Update[State]{questionChannel.Set(in.Question), filterChannel.Set(in.Filter)}
}

// Run answers one question. The state is final or, with an error, the last one reached.
func (p *Pipeline) Run(ctx context.Context, in Input, opts *graph.RunOptions) (State, error) {
	return p.graph.Invoke(ctx, in.Update(), opts)
}

func build(deps Deps, opts *Options) (*graph.Compiled[State], error) {
	if deps.Model == nil || deps.Skills == nil || deps.Corpus == nil {
		return nil, errors.New("a model, skills and a corpus are needed")
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
	extract, ground := skill(skills.ExtractRequirements), skill(skills.VerifyGrounding)
	compose, review := skill(skills.ComposeAnswer), skill(skills.ReviewAnswer)
	judge := verify.NewJudge(deps.Model, skill(skills.JudgeClaim), nil)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	reviewer := &reviewer{Judge: judge}
	if o.ModelReview {
		reviewer.Model, reviewer.Skill = deps.Model, review
	}

	type options = graph.NodeOptions[State]
	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodeRetrieve, retrieveNode(deps.Corpus, o.Passages, deps.Inspect), options{Goto: []string{NodeExtract, NodeFinalize}})
	g.AddNode(NodeExtract, extractNode(deps.Model, extract, deps.Inspect))
	g.AddNode(NodeNumber, numberNode(deps.Corpus, o.Requirements), options{Goto: []string{NodeVerify, NodeFinalize}})
	g.AddNode(NodeVerify, verifyNode(deps.Model, ground))
	g.AddNode(NodeSettle, settleNode())
	g.AddNode(NodeCompose, composeNode(deps.Model, compose))
	g.AddNode(NodeReview, reviewNode(reviewer, o.MaxRevisions))
	g.AddNode(NodeFinalize, finalizeNode())

	g.AddEdge(graph.Start, NodeRetrieve)
	g.AddEdge(NodeExtract, NodeNumber)
	g.AddEdge(NodeVerify, NodeSettle)
	decide := func(node string) {
		g.AddConditionalPaths(node, afterDecision, graph.Path{Key: string(decideCompose), Target: NodeCompose}, graph.Path{Key: string(decideFinalize), Target: NodeFinalize})
	}
	decide(NodeSettle)
	g.AddEdge(NodeCompose, NodeReview)
	decide(NodeReview)
	g.AddEdge(NodeFinalize, graph.End)
	return g.Compile(&graph.CompileOptions{Name: "comply", Checkpointer: o.Checkpointer})
}

// filled returns the options with their defaults.
func (opts *Options) filled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Passages == 0 {
		o.Passages = defaultPassages
	}
	if o.Requirements == 0 {
		o.Requirements = defaultRequirements
	}
	if o.MaxRevisions == 0 {
		o.MaxRevisions = defaultRevisions
	}
	o.MaxRevisions = max(o.MaxRevisions, 0)
	if o.Passages < 0 || o.Requirements < 0 {
		return o, fmt.Errorf("passages is %d and requirements is %d: both must be at least 1", o.Passages, o.Requirements)
	}
	return o, nil
}

// afterDecision follows what the last node decided.
func afterDecision(_ context.Context, s State) (graph.Route, error) {
	return graph.To(string(s.Decision)), nil
}
