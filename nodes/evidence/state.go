package evidence

import (
	"example.com/assay/graph"
	"example.com/assay/state"
)

// Filter limits the passages by metadata. Empty fields select everything.
type Filter struct {
	Topic      string     `json:"topic,omitempty"`
	Section    string     `json:"section,omitempty"` // section in the metadata, or a part of the heading
	Category   string     `json:"category,omitempty"`
	SourceType SourceType `json:"source_type,omitempty"`
	Explicit   bool       `json:"explicit,omitempty"` // only explicit norms
	AsOf       string     `json:"as_of,omitempty"`    // the day on which documents must be valid: "2025-01-31", "2025-01" or "2025"; empty for any
}

// GroundingConfidence rates the verified evidence behind an answer.
type GroundingConfidence string

const (
	GroundedHigh         GroundingConfidence = "high"         // five or more verified requirements, all explicit
	GroundedMedium       GroundingConfidence = "medium"       // two to four, or more that are not all explicit
	GroundedLow          GroundingConfidence = "low"          // one, or any that needs inference
	GroundedInsufficient GroundingConfidence = "insufficient" // none
)

// Decision is the next action of the compliance pipeline.
type Decision string

const (
	decideCompose  Decision = "compose"
	decideFinalize Decision = "finalize"
)

// A Draft is an answer as composed.
type Draft struct {
	Answer     string              `json:"final_answer"`
	References []Reference         `json:"requirement_references"`
	Unused     []string            `json:"unused_requirements"`
	Confidence GroundingConfidence `json:"confidence"`
}

// State is the state of the compliance pipeline. Nodes change it only through
// the channels below.
type State struct {
	Question     string        `json:"question"`
	Filter       Filter        `json:"filter"`
	Hits         []state.Hit   `json:"hits"`            // statutes first, each kind by rank
	Extracted    []Requirement `json:"extracted"`       // as found, without ids
	Requirements []Requirement `json:"requirements"`    // with ids, in the order of passages and offsets
	Least        float64       `json:"least,omitempty"` // the minimum relevance, computed by code
	Verdicts     []Verdict     `json:"verdicts"`        // in that order
	Conflicts    []Conflict    `json:"conflicts,omitempty"`
	Missing      []string      `json:"missing_evidence,omitempty"`
	Draft        Draft         `json:"draft"`
	Revisions    int           `json:"revisions"` // how often the draft was composed again
	Open         []Finding     `json:"open,omitempty"`
	Findings     []Finding     `json:"findings,omitempty"` // everything that was caught, in order
	Losses       []state.Loss  `json:"losses,omitempty"`   // calls that failed while the run went on
	Decision     Decision      `json:"decision,omitempty"`

	Answer           string              `json:"answer"` // final; empty when there is none
	Statements       []Statement         `json:"statements,omitempty"`
	Grounding        GroundingConfidence `json:"grounding_confidence,omitempty"`
	StatuteSummary   string              `json:"statute_summary,omitempty"`
	PolicySummary    string              `json:"policy_summary,omitempty"`
	SearchConfidence float64             `json:"search_confidence"` // of the best search
	Warnings         []string            `json:"warnings,omitempty"`
	Usage            state.ModelUsage    `json:"usage"`
}

// Channels of State.
var (
	questionChannel         = graph.LastValue("question", func(s *State) *string { return &s.Question })
	filterChannel           = graph.LastValue("filter", func(s *State) *Filter { return &s.Filter })
	hitsChannel             = graph.LastValue("hits", func(s *State) *[]state.Hit { return &s.Hits })
	extractedChannel        = graph.Append("extracted", func(s *State) *[]Requirement { return &s.Extracted })
	requirementsChannel     = graph.LastValue("requirements", func(s *State) *[]Requirement { return &s.Requirements })
	leastChannel            = graph.LastValue("least", func(s *State) *float64 { return &s.Least })
	verdictsChannel         = graph.Append("verdicts", func(s *State) *[]Verdict { return &s.Verdicts })
	conflictsChannel        = graph.LastValue("conflicts", func(s *State) *[]Conflict { return &s.Conflicts })
	missingChannel          = graph.Append("missing_evidence", func(s *State) *[]string { return &s.Missing })
	draftChannel            = graph.LastValue("draft", func(s *State) *Draft { return &s.Draft })
	revisionsChannel        = graph.LastValue("revisions", func(s *State) *int { return &s.Revisions })
	openChannel             = graph.LastValue("open", func(s *State) *[]Finding { return &s.Open })
	findingsChannel         = graph.Append("findings", func(s *State) *[]Finding { return &s.Findings })
	lossesChannel           = graph.Append("losses", func(s *State) *[]state.Loss { return &s.Losses })
	decisionChannel         = graph.LastValue("decision", func(s *State) *Decision { return &s.Decision })
	answerChannel           = graph.LastValue("answer", func(s *State) *string { return &s.Answer })
	statementsChannel       = graph.LastValue("statements", func(s *State) *[]Statement { return &s.Statements })
	groundingChannel        = graph.LastValue("grounding_confidence", func(s *State) *GroundingConfidence { return &s.Grounding })
	statuteSummaryChannel   = graph.LastValue("statute_summary", func(s *State) *string { return &s.StatuteSummary })
	policySummaryChannel    = graph.LastValue("policy_summary", func(s *State) *string { return &s.PolicySummary })
	searchConfidenceChannel = graph.LastValue("search_confidence", func(s *State) *float64 { return &s.SearchConfidence })
	warningsChannel         = graph.Append("warnings", func(s *State) *[]string { return &s.Warnings })
	usageChannel            = graph.Reduce("usage", func(s *State) *state.ModelUsage { return &s.Usage }, state.ModelUsage.Plus)
)

// channels returns every channel of State, for NewStateGraph.
func channels() []graph.Channel[State] {
	return []graph.Channel[State]{
		questionChannel, filterChannel, hitsChannel, extractedChannel, requirementsChannel, leastChannel, verdictsChannel, conflictsChannel,
		missingChannel, draftChannel, revisionsChannel, openChannel, findingsChannel, lossesChannel, decisionChannel, answerChannel, statementsChannel,
		groundingChannel, statuteSummaryChannel, policySummaryChannel, searchConfidenceChannel, warningsChannel, usageChannel,
	}
}

// Verified are the requirements that may be used, in their order.
func (s State) Verified() []Requirement {
	ok := map[string]bool{}
	for _, v := range s.Verdicts {
		ok[v.ID] = v.Verified
	}
	var out []Requirement
	for _, r := range s.Requirements {
		if ok[r.ID] {
			out = append(out, r)
		}
	}
	return out
}
