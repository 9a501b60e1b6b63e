package research

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Names of the pipeline's nodes, as drawings and traces show them.
const (
	NodeFollowUp        = "follow_up" // only for a question in a conversation
	NodeDetectInjection = "detect_injection"
	NodeClassify        = "classify"
	NodePlan            = "plan"
	NodeExecute         = "execute" // a subgraph: rewrite, retrieve, synthesize
	NodeRewrite         = "rewrite"
	NodeRetrieve        = "retrieve"
	NodeSynthesize      = "synthesize"
	NodeEvaluate        = "evaluate"
	NodeReplan          = "replan"
	NodeVerify          = "verify" // the verification pipeline, a subgraph
	NodeAdopt           = "adopt"
	NodeCheckWhole      = "check_whole"
	NodeSelectChoice    = "select_choice"
	NodeVerifyChoice    = "verify_choice" // the verification pipeline, without corrections
	NodeGiveChoice      = "give_choice"
	NodeWriteMemory     = "write_memory"
	NodeObserve         = "observe"
)

// Version changes when memory must no longer serve answers of earlier pipelines and none of
// [example.com/assay/nodes/research/recall.Conditions] shows it.
const Version = "research/3"

// A Recall is an earlier answer that memory offers for a question.
type Recall struct {
	Question   string            // the earlier question
	Similarity float64           // 1 for the same question
	Answer     string            // the research part, without a choice
	Steps      []state.Step      // the steps that it was made from, and what verification read
	Check      *state.ClaimCheck // the check of its claims; nil if they were not checked
	Queries    []string          // for a hint: the queries that found its evidence
}

// Whole reports whether the steps can be cited and each of their citations names a hit.
func (r Recall) Whole() bool {
	for _, step := range r.Steps {
		if !citable(step) {
			return false
		}
		for _, c := range step.Citations {
			if c.N < 1 || c.N > len(step.Hits) {
				return false
			}
		}
	}
	return len(r.Steps) > 0
}

// Memory keeps answers for repeated questions.
type Memory interface {
	// Lookup returns the answer of an earlier, equivalent question, if any. With false, a Recall
	// with a Question is a hint: a similar question, with the Queries that found its evidence. With
	// true and an error, the answer is valid; the error is about something else, such as counting
	// the hit.
	Lookup(ctx context.Context, question string) (Recall, bool, error)
	// Store keeps an answer.
	Store(ctx context.Context, question string, r Recall, confidence float64) error
}

// Deps are the dependencies of the pipeline.
type Deps struct {
	Model  llm.Model
	Skills *skills.Set
	Corpus retrieval.Retriever
	Memory Memory // nil remembers nothing
	// Inspect finds prompt injection in the passages that are read. Nil finds none.
	Inspect retrieval.Inspect
}

// Options tune the pipeline. Nil is the zero value.
type Options struct {
	// SkipInjectionCheck saves the model call that judges the question.
	SkipInjectionCheck bool
	// ConfidenceThreshold is what a step needs to be completed. The only step of a
	// question may reach up to 0.90 by its relevance, plus 0.2, instead. Default 0.70.
	ConfidenceThreshold float64
	// Passages is how many passages a step reads. Default 10.
	Passages int
	// WarnOfCited limits warnings of prompt injection to cited passages. It is for models
	// that follow no instructions, such as the offline one. Default: warn of every passage
	// that is read.
	WarnOfCited bool
	// SkipVerification leaves the claims of the answer unchecked.
	SkipVerification bool
	// Verify tunes the check of the answer's claims. Its Checkpointer is not used.
	// Nil is its zero value.
	Verify *verify.Options
	// SearchTool lets the model that writes a step's answer search for more passages.
	// Models without tools, such as the offline one, answer as if it were not set.
	SearchTool bool
	// Tools are further tools for that model. They need SearchTool.
	Tools []Tool
	// SearchRounds is the most rounds of tool calls. Default 3.
	SearchRounds int
	// Checkpointer saves runs, whose graph.RunOptions then name a thread. Default:
	// runs are not saved.
	Checkpointer graph.Checkpointer
}

// OfflinePassages is how many passages a step reads with the offline model, where reading
// costs no tokens.
const OfflinePassages = 20

const (
	defaultThreshold = 0.70
	defaultPassages  = 10
	defaultRounds    = 3
	stagnationBelow  = 0.35 // confidence below which a failure counts towards stagnation
	stagnationAfter  = 3    // failures in a row
	enoughSteps      = 3    // completed steps after which a multi-hop question is answered
	lastIteration    = 4    // evaluation after which nothing more is planned
	contextRunes     = 300  // characters of an answer that later steps see
	rememberFrom     = 0.70 // mean confidence of an answer that memory keeps, whatever the threshold of a step
)

// Pipeline is the compiled research graph.
type Pipeline struct {
	graph *graph.Compiled[state.Agent]
}

// New compiles the pipeline once, for any number of runs.
func New(deps Deps, opts *Options) (*Pipeline, error) {
	g, err := build(deps, opts)
	if err != nil {
		return nil, fmt.Errorf("building the research pipeline: %w", err)
	}
	return &Pipeline{g}, nil
}

// Graph returns the compiled graph, for streaming and drawing.
func (p *Pipeline) Graph() *graph.Compiled[state.Agent] { return p.graph }

// Skills lists the names of the skills that the pipeline asks, sorted.
func Skills() []string {
	return []string{
		skills.AdaptiveReplan, skills.ClassifyAndRoute, skills.DetectPromptInjection, skills.GapQueries, skills.JudgeClaim,
		skills.PlanSynthesis, skills.QueryRewrite, skills.RegenerateResponse, skills.ResolveFollowUp, skills.SelectChoice, skills.SynthesizeAndCite,
	}
}

// Input is the update that starts a run on a question. Earlier is the conversation before it, the
// last exchange at the end.
func Input(question string, earlier ...state.Exchange) graph.Update[state.Agent] {
	in := graph.Update[state.Agent]{objectiveChannel.Set(question)}
	if len(earlier) > 0 {
		in = append(in, earlierChannel.Set(earlier[max(0, len(earlier)-remembered):]))
	}
	return in
}

// remembered is how many exchanges of a conversation a question gets.
const remembered = 3

// Run answers one question. The state is final or, with an error, the last one reached.
func (p *Pipeline) Run(ctx context.Context, question string, opts *graph.RunOptions) (state.Agent, error) {
	return p.graph.Invoke(ctx, Input(question), opts)
}

// filled returns the options with their defaults.
func (opts *Options) filled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.ConfidenceThreshold == 0 {
		o.ConfidenceThreshold = defaultThreshold
	}
	if o.Passages == 0 {
		o.Passages = defaultPassages
	}
	if o.SearchRounds <= 0 {
		o.SearchRounds = defaultRounds
	}
	if o.ConfidenceThreshold < 0 || o.ConfidenceThreshold > 1 {
		return o, fmt.Errorf("confidence threshold is %v: it must lie between 0 and 1", o.ConfidenceThreshold)
	}
	if len(o.Tools) > 0 && !o.SearchTool {
		return o, errors.New("tools are given, and the model that writes may call none: set SearchTool")
	}
	return o, nil
}

// executeGraph is the subgraph of one step.
func executeGraph(deps Deps, o Options, skill func(name string) skills.Skill) *graph.StateGraph[state.Agent] {
	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodeRewrite, rewrite(deps.Model, skill(skills.QueryRewrite)))
	g.AddNode(NodeRetrieve, retrieve(deps.Corpus, o.Passages, deps.Inspect, o.WarnOfCited))
	if write := skill(skills.SynthesizeAndCite); o.SearchTool {
		g.AddNode(NodeSynthesize, synthesizeSearching(deps.Model, write, deps.Corpus, o.SearchRounds, deps.Inspect, o.Tools...))
	} else {
		g.AddNode(NodeSynthesize, synthesizeStep(deps.Model, write))
	}
	g.AddEdge(graph.Start, NodeRewrite)
	g.AddConditionalEdges(NodeRewrite, unlessFailed(NodeRetrieve), NodeRetrieve, graph.End)
	g.AddConditionalEdges(NodeRetrieve, unlessFailed(NodeSynthesize), NodeSynthesize, graph.End)
	g.AddEdge(NodeSynthesize, graph.End)
	return g
}

func build(deps Deps, opts *Options) (*graph.Compiled[state.Agent], error) {
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
	g := graph.NewStateGraph(channels()...)
	g.AddNode(NodeFollowUp, followUp(deps.Model, skill(skills.ResolveFollowUp)))
	g.AddNode(NodeDetectInjection, detectInjection(deps.Model, skill(skills.DetectPromptInjection), o.SkipInjectionCheck))
	g.AddNode(NodeClassify, classify(deps.Model, skill(skills.ClassifyAndRoute)))
	g.AddNode(NodePlan, plan(deps.Model, skill(skills.PlanSynthesis), deps.Memory))
	execute := executeGraph(deps, o, skill)
	g.AddNode(NodeEvaluate, evaluate(o.ConfidenceThreshold))
	g.AddNode(NodeReplan, replan(deps.Model, skill(skills.AdaptiveReplan)))
	g.AddNode(NodeCheckWhole, checkWhole())
	g.AddNode(NodeSelectChoice, selectChoice(deps.Model, skill(skills.SelectChoice)))
	g.AddNode(NodeGiveChoice, giveChoice())
	g.AddNode(NodeWriteMemory, writeMemory(deps.Memory))
	var late retrieval.Inspect
	if o.WarnOfCited {
		late = deps.Inspect
	}
	g.AddNode(NodeObserve, observe(late))
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	step, err := execute.Compile(&graph.CompileOptions{Name: NodeExecute, Version: version, Migrate: migrate})
	if err != nil {
		return nil, err
	}
	g.AddSubgraph(NodeExecute, step)
	answered, chosen := NodeCheckWhole, NodeGiveChoice
	if !o.SkipVerification {
		if err := addVerification(g, deps, o); err != nil {
			return nil, err
		}
		answered, chosen = NodeVerify, NodeVerifyChoice
	}
	addEdges(g, answered, chosen)
	return g.Compile(&graph.CompileOptions{Name: "research", Checkpointer: o.Checkpointer, Version: version, Migrate: migrate})
}

// version is 1 since questions have a day on which documents must be in force.
const version = 1

// migrate continues questions of version 0, which had no such day: any day will do.
func migrate(*graph.Migration) error { return nil }

// addVerification adds the subgraphs that check the answer and the choice.
func addVerification(g *graph.StateGraph[state.Agent], deps Deps, o Options) error {
	check, err := verifier(deps, o, true)
	if err != nil {
		return err
	}
	checkChoice, err := verifier(deps, o, false)
	if err != nil {
		return err
	}
	graph.AddMappedSubgraph(g, NodeVerify, check.Graph(), verifyInput, verifyOutput)
	g.AddNode(NodeAdopt, adopt())
	g.AddEdge(NodeVerify, NodeAdopt)
	g.AddEdge(NodeAdopt, NodeCheckWhole)
	graph.AddMappedSubgraph(g, NodeVerifyChoice, checkChoice.Graph(), choiceInput, choiceOutput)
	g.AddEdge(NodeVerifyChoice, NodeGiveChoice)
	return nil
}

// addEdges adds the edges between the nodes. answered and chosen are the next nodes after an
// answer and a choice.
func addEdges(g *graph.StateGraph[state.Agent], answered, chosen string) {
	g.AddConditionalPaths(graph.Start, afterStart, graph.Path{Key: "first", Target: NodeDetectInjection}, graph.Path{Key: "in a conversation", Target: NodeFollowUp})
	g.AddEdge(NodeFollowUp, NodeDetectInjection)
	g.AddConditionalPaths(NodeDetectInjection, afterDetection, graph.Path{Key: "safe", Target: NodeClassify}, graph.Path{Key: "adversarial", Target: NodeObserve})
	g.AddEdge(NodeClassify, NodePlan)
	g.AddConditionalPaths(NodePlan, afterPlan, graph.Path{Key: "planned", Target: NodeExecute}, graph.Path{Key: "remembered", Target: NodeCheckWhole})
	g.AddEdge(NodeExecute, NodeEvaluate)
	execution := graph.Path{Key: string(state.DecideExecute), Target: NodeExecute}
	completion := []graph.Path{{Key: keyAnswered, Target: answered}, {Key: keyUnanswered, Target: NodeWriteMemory}}
	g.AddConditionalPaths(NodeEvaluate, afterDecision, append(completion, execution, graph.Path{Key: string(state.DecideReplan), Target: NodeReplan})...)
	g.AddConditionalPaths(NodeReplan, afterDecision, append(completion, execution)...)
	g.AddEdge(NodeCheckWhole, NodeSelectChoice)
	g.AddConditionalPaths(NodeSelectChoice, afterSelection, graph.Path{Key: "options", Target: chosen}, graph.Path{Key: "none", Target: NodeWriteMemory})
	g.AddEdge(NodeGiveChoice, NodeWriteMemory)
	g.AddEdge(NodeWriteMemory, NodeObserve)
	g.AddEdge(NodeObserve, graph.End)
}

func afterStart(_ context.Context, s state.Agent) (graph.Route, error) {
	if len(s.Earlier) > 0 {
		return graph.To("in a conversation"), nil
	}
	return graph.To("first"), nil
}

func afterDetection(_ context.Context, s state.Agent) (graph.Route, error) {
	if s.Injection.Safe {
		return graph.To("safe"), nil
	}
	return graph.To("adversarial"), nil
}

func afterPlan(_ context.Context, s state.Agent) (graph.Route, error) {
	if s.Memory.Hit {
		return graph.To("remembered"), nil
	}
	return graph.To("planned"), nil
}

// afterSelection sends the reasons for options to their check, if there are any.
func afterSelection(_ context.Context, s state.Agent) (graph.Route, error) {
	if len(s.Choice.Options) > 0 {
		return graph.To("options"), nil
	}
	return graph.To("none"), nil
}

// Routes when no further step is wanted.
const (
	keyAnswered   = "answered"
	keyUnanswered = "unanswered" // no step was completed: there is nothing to verify
)

// afterDecision follows what evaluate or replan wrote into the state.
func afterDecision(_ context.Context, s state.Agent) (graph.Route, error) {
	switch {
	case s.Decision != state.DecideComplete:
		return graph.To(string(s.Decision)), nil
	case s.Count(state.StepCompleted) == 0:
		return graph.To(keyUnanswered), nil
	}
	return graph.To(keyAnswered), nil
}

// verifier returns the pipeline that checks an answer with the same model and corpus, and corrects
// it if wanted.
func verifier(deps Deps, o Options, correct bool) (*verify.Pipeline, error) {
	var opts verify.Options
	if o.Verify != nil {
		opts = *o.Verify
	}
	opts.Checkpointer = nil // the enclosing run is saved
	opts.Search = -1        // an answer depends on what its steps read
	if !correct {
		opts.MaxAttempts = -1
	}
	return verify.New(verify.Deps{Model: deps.Model, Skills: deps.Skills, Corpus: deps.Corpus, Inspect: deps.Inspect}, &opts)
}

// unlessFailed leads to next while the current step has no error.
func unlessFailed(next string) graph.Router[state.Agent] {
	return func(_ context.Context, s state.Agent) (graph.Route, error) {
		if _, pending := s.Pending(); pending {
			return graph.To(next), nil
		}
		return graph.To(graph.End), nil
	}
}
