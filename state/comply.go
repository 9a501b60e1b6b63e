package state

import (
	"strings"

	"example.com/assay/graph"
)

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// ComplyFilter limits the passages by metadata. Empty fields do not.
type ComplyFilter struct {
	Topic      string     `json:"topic,omitempty"`
	Section    string     `json:"section,omitempty"` // of the metadata, or a part of the heading
	Category   string     `json:"category,omitempty"`
	SourceType SourceType `json:"source_type,omitempty"`
}

// GroundingConfidence is how much verified evidence an answer stands on.
type GroundingConfidence string

const (
	GroundedHigh         GroundingConfidence = "high"         // five or more verified requirements, all explicit
	GroundedMedium       GroundingConfidence = "medium"       // two to four, or more that are not all explicit
	GroundedLow          GroundingConfidence = "low"          // one, or any that needs inference
	GroundedInsufficient GroundingConfidence = "insufficient" // none
)

// ComplyDecision is what the compliance pipeline does next.
type ComplyDecision string

const (
	ComplyCompose  ComplyDecision = "compose"
	ComplyFinalize ComplyDecision = "finalize"
)

// A Draft is an answer as it was composed.
type Draft struct {
	Answer     string                 `json:"final_answer"`
	References []RequirementReference `json:"requirement_references"`
	Unused     []string               `json:"unused_requirements"`
	Confidence GroundingConfidence    `json:"confidence"`
}

// Comply is the state of the compliance pipeline. Nodes change it only through
// the channels below.
type Comply struct {
	Question     string                `json:"question"`
	Filter       ComplyFilter          `json:"filter"`
	Hits         []Hit                 `json:"hits"`         // statutes first, each kind by rank
	Extracted    []Requirement         `json:"extracted"`    // as found, without ids
	Requirements []Requirement         `json:"requirements"` // with ids, in the order of passages and offsets
	Verdicts     []RequirementVerdict  `json:"verdicts"`     // in that order
	Conflicts    []RequirementConflict `json:"conflicts,omitempty"`
	Missing      []string              `json:"missing_evidence,omitempty"`
	Draft        Draft                 `json:"draft"`
	Revisions    int                   `json:"revisions"` // how often the draft was composed again
	Open         []ComplyFinding       `json:"open,omitempty"`
	Findings     []ComplyFinding       `json:"findings,omitempty"` // everything that was caught, in order
	Losses       []Loss                `json:"losses,omitempty"`   // calls that failed while the run went on
	Decision     ComplyDecision        `json:"decision,omitempty"`

	Answer           string              `json:"answer"` // final; empty when there is none
	Statements       []Statement         `json:"statements,omitempty"`
	Grounding        GroundingConfidence `json:"grounding_confidence,omitempty"`
	StatuteSummary   string              `json:"statute_summary,omitempty"`
	PolicySummary    string              `json:"policy_summary,omitempty"`
	SearchConfidence float64             `json:"search_confidence"` // calibrated, of the best search
	Warnings         []string            `json:"warnings,omitempty"`
	Usage            ModelUsage          `json:"usage"`
}

// Channels of Comply.
var (
	ComplyQuestion     = graph.LastValue("question", func(s *Comply) *string { return &s.Question })
	ComplyFiltered     = graph.LastValue("filter", func(s *Comply) *ComplyFilter { return &s.Filter })
	ComplyHits         = graph.LastValue("hits", func(s *Comply) *[]Hit { return &s.Hits })
	ComplyExtracted    = graph.Append("extracted", func(s *Comply) *[]Requirement { return &s.Extracted })
	ComplyRequirements = graph.LastValue("requirements", func(s *Comply) *[]Requirement { return &s.Requirements })
	ComplyVerdicts     = graph.Append("verdicts", func(s *Comply) *[]RequirementVerdict { return &s.Verdicts })
	ComplyConflicts    = graph.LastValue("conflicts", func(s *Comply) *[]RequirementConflict { return &s.Conflicts })
	ComplyMissing      = graph.Append("missing_evidence", func(s *Comply) *[]string { return &s.Missing })
	ComplyDraft        = graph.LastValue("draft", func(s *Comply) *Draft { return &s.Draft })
	ComplyRevisions    = graph.LastValue("revisions", func(s *Comply) *int { return &s.Revisions })
	ComplyOpen         = graph.LastValue("open", func(s *Comply) *[]ComplyFinding { return &s.Open })
	ComplyFindings     = graph.Append("findings", func(s *Comply) *[]ComplyFinding { return &s.Findings })
	ComplyLosses       = graph.Append("losses", func(s *Comply) *[]Loss { return &s.Losses })
	ComplyDecided      = graph.LastValue("decision", func(s *Comply) *ComplyDecision { return &s.Decision })
	ComplyAnswer       = graph.LastValue("answer", func(s *Comply) *string { return &s.Answer })
	ComplyStatements   = graph.LastValue("statements", func(s *Comply) *[]Statement { return &s.Statements })
	ComplyGrounding    = graph.LastValue("grounding_confidence", func(s *Comply) *GroundingConfidence { return &s.Grounding })
	ComplyStatutes     = graph.LastValue("statute_summary", func(s *Comply) *string { return &s.StatuteSummary })
	ComplyPolicies     = graph.LastValue("policy_summary", func(s *Comply) *string { return &s.PolicySummary })
	ComplySearched     = graph.LastValue("search_confidence", func(s *Comply) *float64 { return &s.SearchConfidence })
	ComplyWarnings     = graph.Append("warnings", func(s *Comply) *[]string { return &s.Warnings })
	ComplyUsage        = graph.Reduce("usage", func(s *Comply) *ModelUsage { return &s.Usage }, ModelUsage.Plus)
)

// ComplyChannels returns every channel of Comply, for NewStateGraph.
func ComplyChannels() []graph.Channel[Comply] {
	return []graph.Channel[Comply]{
		ComplyQuestion, ComplyFiltered, ComplyHits, ComplyExtracted, ComplyRequirements, ComplyVerdicts, ComplyConflicts,
		ComplyMissing, ComplyDraft, ComplyRevisions, ComplyOpen, ComplyFindings, ComplyLosses, ComplyDecided, ComplyAnswer, ComplyStatements,
		ComplyGrounding, ComplyStatutes, ComplyPolicies, ComplySearched, ComplyWarnings, ComplyUsage,
	}
}

// Verified are the requirements that may be used, in their order.
func (s Comply) Verified() []Requirement {
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
