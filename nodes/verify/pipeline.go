package verify

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
	NodeSplit      = "split_claims"
	NodeSearch     = "search" // only with a corpus to search before claims are judged
	NodeMatch      = "match_evidence"
	NodeJudge      = "judge" // one task for each claim
	NodeScore      = "score"
	NodeGaps       = "gap_queries"
	NodeRetrieve   = "retrieve"
	NodeRegenerate = "regenerate"
	NodeFinish     = "finish"
)

// Deps are the dependencies of the pipeline.
type Deps struct {
	Model  llm.Model
	Skills *skills.Set
	Corpus retrieval.Retriever // nil judges only by the given evidence, and writes no correction
	// Inspect finds prompt injection in evidence: such text supports nothing. Nil finds none.
	Inspect retrieval.Inspect
}

// Options tune the pipeline. Nil is the zero value.
type Options struct {
	// Search is how many passages of the corpus are retrieved for each claim before it is judged.
	// Default 5; a negative value judges only by the given evidence.
	Search int
	// Threshold is the confidence below which a correction is written. Default DefaultThreshold.
	Threshold float64
	// MaxAttempts is the maximum number of corrections. Default 2; a negative value means none.
	MaxAttempts int
	// Passages is how many passages each corrective query adds. Default 3.
	Passages int
	// Treatment says how unsupported claims appear in the final response. Default MarkUnsupported.
	Treatment Treatment
	// WarnOfQuoted limits warnings of prompt injection to passages that a verdict quotes. It is for
	// models that follow no instructions.
	WarnOfQuoted bool
	// Checkpointer saves runs, whose graph.RunOptions then name a thread. Default:
	// runs are not saved.
	Checkpointer graph.Checkpointer
}

// DefaultThreshold is the confidence from which a response needs no correction.
const DefaultThreshold = 0.7

const (
	defaultSearch      = 5 // docs/measurements.md
	defaultMaxAttempts = 2
	defaultPassages    = 3
)

// Pipeline is the compiled verification graph.
type Pipeline struct {
	graph   *graph.Compiled[State]
	inspect retrieval.Inspect
}

// New compiles the pipeline once, for any number of runs.
func New(deps Deps, opts *Options) (*Pipeline, error) {
	g, err := build(deps, opts)
	if err != nil {
		return nil, fmt.Errorf("building the verification pipeline: %w", err)
	}
	return &Pipeline{g, deps.Inspect}, nil
}

// Graph returns the compiled graph, for streaming, drawing, and as a part of
// another pipeline.
func (p *Pipeline) Graph() *graph.Compiled[State] { return p.graph }

// Skills lists the names of the skills that the pipeline asks, sorted.
func Skills() []string {
	return []string{skills.GapQueries, skills.JudgeClaim, skills.RegenerateResponse}
}

// Input is a response and the evidence to check it against.
type Input struct {
	Query    string // the question that it answers; may be empty
	Response string
	Evidence []state.Evidence
	Prefix   string // see State
	AsOf     string // the day on which documents must be valid: "2025-01-31", "2025-01" or "2025"; empty for any
}

// Update is the update that starts a run.
func (in Input) Update() graph.Update[State] {
	return graph.Update[State]{
		queryChannel.Set(in.Query), responseChannel.Set(in.Response),
		evidenceChannel.Add(in.Evidence...), prefixChannel.Set(in.Prefix), asOfChannel.Set(in.AsOf),
	}
}

// Run checks one response. The state is final or, with an error, the last one reached.
func (p *Pipeline) Run(ctx context.Context, in Input, opts *graph.RunOptions) (State, error) {
	return p.graph.Invoke(ctx, in.Update(), opts)
}

func build(deps Deps, opts *Options) (*graph.Compiled[State], error) {
	if deps.Model == nil || deps.Skills == nil {
		return nil, errors.New("a model and skills are needed")
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
	judge, gaps, correct := NewJudge(deps.Model, skill(skills.JudgeClaim), deps.Inspect), skill(skills.GapQueries), skill(skills.RegenerateResponse)
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	early, late := deps.Inspect, retrieval.Inspect(nil)
	if o.WarnOfQuoted {
		early, late = nil, deps.Inspect
	}
	attempts := o.MaxAttempts
	if deps.Corpus == nil {
		attempts = 0
	}

	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodeSplit, splitClaims())
	claims, nothing := graph.Path{Key: keyClaims, Target: NodeMatch}, graph.Path{Key: keyNothing, Target: NodeScore}
	decided := []graph.Path{{Key: string(decideCorrect), Target: NodeGaps}, {Key: string(decideFinish), Target: NodeFinish}}
	if deps.Corpus != nil && o.Search > 0 {
		g.AddNode(NodeSearch, searchClaims(deps.Corpus, o.Search, early))
		g.AddConditionalPaths(NodeSplit, beforeSearch, graph.Path{Key: keyClaims, Target: NodeSearch}, nothing)
		g.AddConditionalPaths(NodeSearch, afterSearch, claims, nothing)
		decided = append(decided, graph.Path{Key: string(decideWrite), Target: NodeRegenerate})
	} else {
		g.AddConditionalPaths(NodeSplit, afterSearch, claims, nothing)
	}
	g.AddConditionalPaths(NodeScore, afterDecision, decided...)
	g.AddNode(NodeMatch, matchEvidence(), graph.NodeOptions[State]{Goto: []string{NodeJudge}})
	g.AddNode(NodeJudge, judgeClaim(judge))
	g.AddNode(NodeScore, scoreAttempt(o.Threshold, attempts))
	g.AddNode(NodeGaps, gapQueries(deps.Model, gaps))
	g.AddNode(NodeRetrieve, retrieve(deps.Corpus, o.Passages, early))
	g.AddNode(NodeRegenerate, regenerate(deps.Model, correct))
	g.AddNode(NodeFinish, finish(o.Treatment, late))

	g.AddEdge(graph.Start, NodeSplit)
	g.AddEdge(NodeJudge, NodeScore)
	goOn := func(node, next string) {
		g.AddConditionalPaths(node, unlessFinished, graph.Path{Key: string(decideCorrect), Target: next}, graph.Path{Key: string(decideFinish), Target: NodeFinish})
	}
	goOn(NodeGaps, NodeRetrieve)
	goOn(NodeRetrieve, NodeRegenerate)
	goOn(NodeRegenerate, NodeSplit)
	g.AddEdge(NodeFinish, graph.End)
	return g.Compile(&graph.CompileOptions{Name: "verify", Checkpointer: o.Checkpointer, Version: version, Migrate: migrate})
}

// version is 1 since responses are checked as of a day.
const version = 1

// migrate continues runs of version 0, which had no such day: any day will do.
func migrate(*graph.Migration) error { return nil }

// filled returns the options with their defaults.
func (opts *Options) filled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Search == 0 {
		o.Search = defaultSearch
	}
	if o.Threshold == 0 {
		o.Threshold = DefaultThreshold
	}
	if o.MaxAttempts == 0 {
		o.MaxAttempts = defaultMaxAttempts
	}
	if o.Passages == 0 {
		o.Passages = defaultPassages
	}
	if o.Threshold < 0 || o.Threshold > 1 {
		return o, fmt.Errorf("confidence threshold is %v: it must lie between 0 and 1", o.Threshold)
	}
	if o.Passages < 0 {
		return o, fmt.Errorf("passages is %d: it must be at least 1", o.Passages)
	}
	return o, o.Treatment.check()
}

// Keys of the routes to judging.
const (
	keyClaims  = "claims"
	keyNothing = "nothing to judge"
)

func beforeSearch(_ context.Context, s State) (graph.Route, error) {
	if len(s.Claims) == 0 {
		return graph.To(keyNothing), nil
	}
	return graph.To(keyClaims), nil
}

func afterSearch(_ context.Context, s State) (graph.Route, error) {
	if len(s.Claims) == 0 || len(s.Evidence) == 0 {
		return graph.To(keyNothing), nil
	}
	return graph.To(keyClaims), nil
}

// afterDecision follows what score decided.
func afterDecision(_ context.Context, s State) (graph.Route, error) {
	return graph.To(string(s.Decision)), nil
}

// unlessFinished goes on with the correction unless the last node ended it.
func unlessFinished(_ context.Context, s State) (graph.Route, error) {
	if s.Decision == decideFinish {
		return graph.To(string(decideFinish)), nil
	}
	return graph.To(string(decideCorrect)), nil
}
