package skills

import "example.com/assay/state"

// Inputs and outputs of the research skills. A skill's prompt is rendered
// from its input's JSON field names, its output schema describes the output's.
// Nodes, the offline model and tests share these types, so a field that is
// renamed in one place only does not compile. A field with the tag prompt:"-" is for methods
// without a model: no prompt shows it.

// Names of the research skills.
const (
	DetectPromptInjection = "detect_prompt_injection"
	ClassifyAndRoute      = "classify_and_route"
	ResolveFollowUp       = "resolve_follow_up"
	PlanSynthesis         = "plan_synthesis"
	QueryRewrite          = "query_rewrite"
	SynthesizeAndCite     = "synthesize_and_cite"
	AdaptiveReplan        = "adaptive_replan"
	SelectChoice          = "select_choice"
	RerankPassages        = "rerank_passages" // of a reranker, not of the pipeline
)

// Source is a passage as a prompt shows it, numbered as answers cite it.
type Source struct {
	N       int    `json:"n"`
	Title   string `json:"title"`
	Section string `json:"section"`
	Text    string `json:"text"`

	Doc    string          `json:"doc,omitempty" prompt:"-"`    // names its document
	Date   string          `json:"date,omitempty" prompt:"-"`   // day from which the document is valid; see state.Passage.ValidFrom
	Blocks []state.Block   `json:"blocks,omitempty" prompt:"-"` // the typed parts of Text
	Near   []float64       `json:"near,omitempty" prompt:"-"`   // of state.Hit
	Read   map[int]float64 `json:"read,omitempty" prompt:"-"`   // of state.Hit
}

// Choice is one option of a multiple-choice question.
type Choice struct {
	Letter string `json:"letter"` // upper case, "A" to "Z"
	Text   string `json:"text"`
}

// Finding is the contribution of one finished step.
type Finding struct {
	StepID     int     `json:"step_id"`
	Question   string  `json:"question"`
	Answer     string  `json:"answer"`
	Confidence float64 `json:"confidence"`
	Status     string  `json:"status"` // "completed" or "failed"
}

// DetectInput is the input of detect_prompt_injection.
type DetectInput struct {
	Question string `json:"question"`
}

// DetectOutput is its output.
type DetectOutput struct {
	Verdict  string `json:"verdict"`  // "safe" or "adversarial"
	Category string `json:"category"` // "none", or the kind of attack
	Reason   string `json:"reason"`
}

// FollowUpInput is the input of resolve_follow_up.
type FollowUpInput struct {
	Question string `json:"question"`
	Earlier  []Said `json:"earlier"` // the last one at the end
}

// Said is an earlier question with its answer.
type Said struct {
	Question string `json:"question"` // as it was searched for
	Head     string `json:"head"`     // the headword of the answer's first quote, if it has one
	Answer   string `json:"answer"`   // how it begins
}

// FollowUpOutput is its output.
type FollowUpOutput struct {
	Question string `json:"question"` // that can be understood alone
}

// ClassifyInput is the input of classify_and_route.
type ClassifyInput struct {
	Question string `json:"question"` // with its choices, when it has any
}

// ClassifyOutput is its output.
type ClassifyOutput struct {
	QueryType string `json:"query_type"` // "simple" or "multi_hop"
	Reason    string `json:"reason"`
}

// PlanInput is the input of plan_synthesis.
type PlanInput struct {
	Question  string `json:"question"` // without its choices
	QueryType string `json:"query_type"`
}

// PlanOutput is its output.
type PlanOutput struct {
	Steps []PlanStep `json:"steps"`
}

// PlanStep is one planned step.
type PlanStep struct {
	StepID   int    `json:"step_id"` // 1, 2, 3 …
	Phase    string `json:"phase"`   // a short title, e.g. "Elements of battery"
	Question string `json:"question"`
}

// RewriteInput is the input of query_rewrite.
type RewriteInput struct {
	Objective string `json:"objective"` // the whole question, without its choices
	Question  string `json:"question"`  // the step's question
}

// RewriteOutput is its output.
type RewriteOutput struct {
	Primary      string   `json:"primary"`
	Alternatives []string `json:"alternatives"` // two
}

// SynthesizeInput is the input of synthesize_and_cite. Its output is text.
type SynthesizeInput struct {
	Objective string   `json:"objective"`
	Question  string   `json:"question"`
	Sources   []Source `json:"sources"`

	Confidence float64 `json:"confidence" prompt:"-"` // how surely the sources are about the question, from 0 to 1
}

// ReplanInput is the input of adaptive_replan.
type ReplanInput struct {
	Objective string    `json:"objective"`
	Findings  []Finding `json:"findings"`
	Asked     []string  `json:"asked"` // every question and query asked so far
}

// ReplanOutput is its output.
type ReplanOutput struct {
	Action   string `json:"action"` // "next_step", "retry" or "complete"
	Phase    string `json:"phase"`
	Question string `json:"question"` // self-contained; empty for "complete"
	Reason   string `json:"reason"`
}

// SelectInput is the input of select_choice.
type SelectInput struct {
	Question string   `json:"question"` // the stem
	Choices  []Choice `json:"choices"`
	Research string   `json:"research"` // the aggregated, cited answer
	Sources  []Source `json:"sources"`
}

// SelectOutput is its output.
type SelectOutput struct {
	Elements []string       `json:"elements"` // of the governing rule
	Choices  []ChoiceReason `json:"choices"`  // one per option, in order
	Answer   string         `json:"answer"`   // the letter; empty is an abstention
	Reason   string         `json:"reason"`
}

// ChoiceReason is the judgement of one option.
type ChoiceReason struct {
	Letter     string `json:"letter"`
	Eliminated bool   `json:"eliminated"`
	Reason     string `json:"reason"`
}

// RerankInput is the input of rerank_passages.
type RerankInput struct {
	Question string    `json:"question"`
	Passages []Passage `json:"passages"`
}

// Passage is a text to be ordered.
type Passage struct {
	N    int    `json:"n"` // 1, 2, 3 …
	Text string `json:"text"`
}

// RerankOutput is its output.
type RerankOutput struct {
	Ranking []int `json:"ranking"` // numbers of passages, the best first
}
