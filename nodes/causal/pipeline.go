package causal

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Names of the pipeline's nodes, as drawings and traces show them.
const (
	NodePlan     = "plan_edges"
	NodeEdge     = "verify_edge" // the loop of one edge; one task for each edge
	NodeAssemble = "assemble"

	NodeRetrieve = "retrieve_grounding"
	NodeJudge    = "judge_edge"
	NodeRoute    = "route"
	NodeDevil    = "devils_advocate"
)

// An Embedder embeds texts in the corpus's vector space, as memory.Corpus does.
type Embedder interface {
	Embed(text string) []float32 // of length 1, or zero
}

// A Corpus finds passages, and returns them by their IDs, as memory.Corpus does.
type Corpus interface {
	retrieval.Retriever
	Passage(id string) (p state.Passage, ok bool, err error)
}

// Deps are the dependencies of the pipeline.
type Deps struct {
	Model    llm.Model
	Skills   *skills.Set
	Corpus   Corpus
	Embedder Embedder // nil compares queries and names only by their stems
	// Inspect finds prompt injection in passages: a quote of it does not count, and the run warns.
	// Nil finds none.
	Inspect retrieval.Inspect
}

// Options tune the pipeline. Nil is the zero value.
type Options struct {
	// Iterations is how often evidence for an edge is searched for and judged. Default 3.
	Iterations int
	// Threshold is the minimum confidence for grounding an edge. Default 0.6.
	Threshold float64
	// TopK is how many passages each side of a search adds. Default 3.
	TopK int
	// SkipAdversarial accepts strong edges without the adversary.
	SkipAdversarial bool
	// MaxConcurrent is how many model calls run at the same time, for all edges of all runs.
	// Default llm.DefaultLimit.
	MaxConcurrent int
	// Checkpointer saves runs, whose graph.RunOptions then name a thread. A killed
	// run continues without judging a concluded edge again. Default: runs are not
	// saved.
	Checkpointer graph.Checkpointer
}

const (
	defaultIterations = 3
	defaultThreshold  = 0.6
	defaultTopK       = 3
	sameQuery         = 0.9 // similarity from which two queries count as the same
)

// Pipeline is the compiled graph.
type Pipeline struct {
	graph *graph.Compiled[State]
	loop  *graph.Compiled[edgeLoop]
}

// New compiles the pipeline once, for any number of runs.
func New(deps Deps, opts *Options) (*Pipeline, error) {
	p, err := build(deps, opts)
	if err != nil {
		return nil, fmt.Errorf("building the pipeline of causal edges: %w", err)
	}
	return p, nil
}

// Graph returns the compiled graph, for streaming and drawing.
func (p *Pipeline) Graph() *graph.Compiled[State] { return p.graph }

// Skills lists the names of the skills that the pipeline asks, sorted.
func Skills() []string { return []string{skills.DevilsAdvocate, skills.JudgeEdge} }

// Input is the update that starts a run over edges. It drops status, evidence and rejection of an
// earlier run.
func Input(edges []Edge) graph.Update[State] {
	drafts := make([]Edge, len(edges))
	for i, e := range edges {
		drafts[i] = drafted(e)
	}
	return graph.Update[State]{draftsChannel.Add(drafts...)}
}

// Run verifies edges. The state is final or, with an error, the last one reached.
func (p *Pipeline) Run(ctx context.Context, edges []Edge, opts *graph.RunOptions) (State, error) {
	return p.graph.Invoke(ctx, Input(edges), opts)
}

func build(deps Deps, opts *Options) (*Pipeline, error) {
	if deps.Model == nil || deps.Skills == nil || deps.Corpus == nil {
		return nil, errors.New("a model, skills and a corpus are needed")
	}
	o, err := opts.filled()
	if err != nil {
		return nil, err
	}
	judge, judgeErr := deps.Skills.Get(skills.JudgeEdge)
	devil, devilErr := deps.Skills.Get(skills.DevilsAdvocate)
	if err := errors.Join(judgeErr, devilErr); err != nil {
		return nil, err
	}
	model := llm.Limit(o.MaxConcurrent)(deps.Model)

	l := graph.NewStateGraph(loopChannels()...)
	inspect := deps.Inspect
	l.AddNode(NodeRetrieve, retrieveGrounding(deps.Corpus, o.TopK, inspect))
	l.AddNode(NodeJudge, judgeEdge(model, judge, deps.Corpus, inspect, newWordings(deps.Embedder)))
	l.AddNode(NodeRoute, routeVerdict(o, judge, newRepeats(deps.Embedder)))
	l.AddNode(NodeDevil, devilsAdvocate(model, devil, deps.Corpus))
	l.AddEdge(graph.Start, NodeRetrieve)
	l.AddConditionalPaths(NodeRetrieve, afterRetrieval, graph.Path{Key: keyFound, Target: NodeJudge}, graph.Path{Key: keyNothing, Target: NodeRoute})
	l.AddEdge(NodeJudge, NodeRoute)
	l.AddConditionalPaths(NodeRoute, afterRoute,
		graph.Path{Key: string(state.EdgeAccept), Target: graph.End}, graph.Path{Key: string(state.EdgeAttack), Target: NodeDevil},
		graph.Path{Key: string(state.EdgeRefine), Target: NodeRetrieve}, graph.Path{Key: string(state.EdgeReject), Target: graph.End})
	l.AddEdge(NodeDevil, graph.End)
	// Each iteration is three supersteps, and the adversary is one more.
	loop, err := l.Compile(&graph.CompileOptions{Name: NodeEdge, RecursionLimit: 3*o.Iterations + 2})
	if err != nil {
		return nil, err
	}

	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodePlan, plan(), graph.NodeOptions[State]{Goto: []string{NodeEdge, NodeAssemble}})
	graph.AddMappedSubgraph(g, NodeEdge, loop, loopInput, loopOutput)
	g.AddNode(NodeAssemble, assemble())
	g.AddEdge(graph.Start, NodePlan)
	g.AddEdge(NodeEdge, NodeAssemble)
	g.AddEdge(NodeAssemble, graph.End)
	compiled, err := g.Compile(&graph.CompileOptions{Name: "edges", Checkpointer: o.Checkpointer})
	if err != nil {
		return nil, err
	}
	return &Pipeline{graph: compiled, loop: loop}, nil
}

// filled returns the options with their defaults.
func (opts *Options) filled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Iterations == 0 {
		o.Iterations = defaultIterations
	}
	if o.Threshold == 0 {
		o.Threshold = defaultThreshold
	}
	if o.TopK == 0 {
		o.TopK = defaultTopK
	}
	switch {
	case o.Iterations < 0:
		return o, fmt.Errorf("iterations is %d: it must be at least 1", o.Iterations)
	case o.Threshold < 0 || o.Threshold > 1:
		return o, fmt.Errorf("grounding threshold is %v: it must lie between 0 and 1", o.Threshold)
	case o.TopK < 0:
		return o, fmt.Errorf("top k is %d: it must be at least 1", o.TopK)
	case o.MaxConcurrent < 0:
		return o, fmt.Errorf("concurrent calls is %d: it must be at least 1", o.MaxConcurrent)
	}
	return o, nil
}

func loopInput(s State) graph.Update[edgeLoop] {
	return graph.Update[edgeLoop]{loopEdgeChannel.Set(s.Sent)}
}

func loopOutput(s edgeLoop) graph.Update[State] {
	update := graph.Update[State]{edgesChannel.Add(conclude(s)), auditChannel.Add(s.Audit...), usageChannel.Add(s.Usage)}
	if len(s.Losses) > 0 {
		update = append(update, lossesChannel.Add(s.Losses...))
	}
	if len(s.Warnings) > 0 {
		update = append(update, warningsChannel.Add(s.Warnings...))
	}
	return update
}
