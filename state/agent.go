package state

import ()

// StepStatus is the progress of a planned step.
type StepStatus string

const (
	StepPending   StepStatus = "pending"   // not yet executed
	StepExecuted  StepStatus = "executed"  // has an answer, not yet evaluated
	StepCompleted StepStatus = "completed" // evaluated, confident enough
	StepFailed    StepStatus = "failed"    // evaluated, or ended by an error

	// StepCorrective is a row that verification added: its searches and passages for
	// claims without support. It counts as neither completed nor failed.
	StepCorrective StepStatus = "corrective"
)

// QueryType is the amount of planning that a question needs.
type QueryType string

const (
	Simple   QueryType = "simple"    // one rule, one passage can answer
	MultiHop QueryType = "multi_hop" // several concepts, application, comparison
)

// A Step is one row of the planning table: a sub-question, its queries and passages, and the
// result. An update of a row has its ID and only the columns that it sets.
type Step struct {
	ID         int          `json:"step_id"`         // 1, 2, 3 …
	Phase      string       `json:"phase,omitempty"` // a short title
	Question   string       `json:"question,omitempty"`
	Status     StepStatus   `json:"status,omitempty"`
	Queries    []string     `json:"queries,omitempty"`      // primary first
	Respelt    []Respelling `json:"searched_for,omitempty"` // words that were searched for as others, or as others too
	Hits       []Hit        `json:"hits,omitempty"`         // best first; Source N of the answer is Hits[N-1]
	Confidence float64      `json:"confidence,omitempty"`   // 0..1: see package memory
	Answer     string       `json:"answer,omitempty"`
	Citations  []Citation   `json:"citations,omitempty"`
	Verdict    string       `json:"verdict,omitempty"` // why the evaluation failed it, in words
	Error      string       `json:"error,omitempty"`   // why it stopped: an error of the model or the index
	Reason     string       `json:"reason,omitempty"`  // why it was planned, when that was decided after other steps
}

// A Finding is the contribution of an evaluated step to the accumulated context.
type Finding struct {
	StepID     int        `json:"step_id"`
	Question   string     `json:"question"`
	Answer     string     `json:"answer"` // the first 300 runes
	Confidence float64    `json:"confidence"`
	Status     StepStatus `json:"status"`
}

// An Exchange is a question of a conversation with the beginning of its answer.
type Exchange struct {
	Question string `json:"question"`         // as it was researched
	Head     string `json:"head,omitempty"`   // the headword of the answer's first quote
	Answer   string `json:"answer,omitempty"` // its first quote or, without quotes, its first 300 runes
}

// Injection is the verdict on the question itself.
type Injection struct {
	Checked  bool   `json:"checked"`
	Safe     bool   `json:"safe"` // true when it was not checked
	Category string `json:"category,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// MemoryHit records that an earlier answer was served, or, without Hit and with a Question, that a
// similar question helps to find evidence.
type MemoryHit struct {
	Hit        bool     `json:"hit"`
	Question   string   `json:"question,omitempty"` // the question as it was asked then
	Similarity float64  `json:"similarity,omitempty"`
	Queries    []string `json:"queries,omitempty"` // the queries that found its evidence, if it was not served
}

// Selection is the outcome of a multiple-choice question.
type Selection struct {
	Letter   string         `json:"letter"` // empty is an abstention
	Elements []string       `json:"elements,omitempty"`
	Options  []OptionReason `json:"options,omitempty"`
	Reason   string         `json:"reason,omitempty"`
	Withheld string         `json:"withheld,omitempty"` // the letter that was selected and has no support
	Block    string         `json:"block,omitempty"`    // all of this as text, before it is verified
	Check    *ClaimCheck    `json:"check,omitempty"`    // of the block's claims; nil when they were not checked
}

// ChoiceCheck has the reasons of a selection, with unsupported ones marked or left out, and the
// verdicts on them.
type ChoiceCheck struct {
	Text  string      `json:"text"`
	Check *ClaimCheck `json:"check"` // nil when they were not checked
}

// Wholeness says how many parts of the question the answer's evidence covers.
type Wholeness struct {
	Parts   int      `json:"parts"`             // that the question asks for; 0 if they cannot be separated
	Missing []string `json:"missing,omitempty"` // in words; see package research
}

// None reports whether the evidence covers no part of the question.
func (w Wholeness) None() bool { return w.Parts > 0 && len(w.Missing) >= w.Parts }

// OptionReason is the judgement of one option.
type OptionReason struct {
	Letter     string `json:"letter"`
	Eliminated bool   `json:"eliminated"`
	Reason     string `json:"reason"`
}

// A Correction is the result of verifying an answer.
type Correction struct {
	Text     string     `json:"text"`               // the answer's body, with unsupported text marked or left out
	Rewrote  bool       `json:"rewrote,omitempty"`  // it was written again from more evidence
	Queries  []string   `json:"queries,omitempty"`  // queries of the correction
	Evidence []Evidence `json:"evidence,omitempty"` // passages found and read
}

// Decision is the next action requested by the last evaluation or replanning.
type Decision string

const (
	DecideExecute  Decision = "execute"  // a step is pending
	DecideReplan   Decision = "replan"   // another step may help
	DecideComplete Decision = "complete" // answer with the present evidence
)

// Agent is the state of the research pipeline. Nodes change it only through
// the channels below.
type Agent struct {
	Objective  string      `json:"objective"`         // the question that is researched, choices included
	Asked      string      `json:"asked,omitempty"`   // as it was typed, where it leaned on Earlier
	Earlier    []Exchange  `json:"earlier,omitempty"` // the conversation before it, the last one at the end
	AsOf       string      `json:"as_of,omitempty"`   // the day that documents must hold on: "2025-01-31", "2025-01" or "2025"; empty for any
	QueryType  QueryType   `json:"query_type,omitempty"`
	Plan       []Step      `json:"plan"`
	Context    []Finding   `json:"context"` // accumulated, one per evaluated step
	Iterations int         `json:"iterations"`
	Decision   Decision    `json:"decision,omitempty"`
	Answer     string      `json:"answer"`   // the final, cited answer, choice block included
	Research   string      `json:"research"` // the answer without the choice block
	Injection  Injection   `json:"injection"`
	Memory     MemoryHit   `json:"memory"`
	Choice     Selection   `json:"choice"`
	Check      *ClaimCheck `json:"check,omitempty"` // of the answer's claims; nil when they were not checked
	Whole      Wholeness   `json:"whole,omitzero"`
	// ChoiceCheck is the result of verifying the selection's reasons.
	ChoiceCheck ChoiceCheck `json:"choice_check,omitzero"`
	Losses      []Loss      `json:"losses,omitempty"`  // calls that failed while the run went on
	Stopped     string      `json:"stopped,omitempty"` // why no further step was planned, in the replanner's words
	Correction  Correction  `json:"correction,omitzero"`
	Stored      bool        `json:"stored"`   // written to QA memory in this run
	Warnings    []string    `json:"warnings"` // problems that do not affect the answer
	Usage       ModelUsage  `json:"usage"`
	Metrics     Metrics     `json:"metrics"` // set by the last node
}

// Metrics sum up a run. Times are not among them: they are the trace's.
type Metrics struct {
	ModelUsage
	Iterations     int       `json:"iterations"`
	StepsCompleted int       `json:"steps_completed"`
	StepsFailed    int       `json:"steps_failed"`
	StepsPending   int       `json:"steps_pending"`
	QueryType      QueryType `json:"query_type"`
	MemoryHit      bool      `json:"memory_hit"`
	HasAnswer      bool      `json:"has_answer"`
	InjectionSafe  bool      `json:"injection_safe"`
}

// Sums sums up a run so far.
func (s Agent) Sums() Metrics {
	return Metrics{
		ModelUsage: s.Usage, Iterations: s.Iterations, StepsCompleted: s.Count(StepCompleted),
		StepsFailed: s.Count(StepFailed), StepsPending: s.Count(StepPending), QueryType: s.QueryType,
		MemoryHit: s.Memory.Hit, HasAnswer: s.Count(StepCompleted) > 0, InjectionSafe: s.Injection.Safe,
	}
}

// With returns the row with the columns set in upd.
func (s Step) With(upd Step) Step {
	fill(&s.Phase, upd.Phase)
	fill(&s.Question, upd.Question)
	fill(&s.Status, upd.Status)
	fill(&s.Confidence, upd.Confidence)
	fill(&s.Answer, upd.Answer)
	fill(&s.Verdict, upd.Verdict)
	fill(&s.Error, upd.Error)
	fill(&s.Reason, upd.Reason)
	if upd.Queries != nil {
		s.Queries = upd.Queries
	}
	if upd.Respelt != nil {
		s.Respelt = upd.Respelt
	}
	if upd.Hits != nil {
		s.Hits = upd.Hits
	}
	if upd.Citations != nil {
		s.Citations = upd.Citations
	}
	return s
}

func fill[T comparable](column *T, v T) {
	var none T
	if v != none {
		*column = v
	}
}

// Pending returns the first step that is still to be executed.
func (s Agent) Pending() (Step, bool) { return s.firstStep(StepPending) }

// Executed returns the first step that waits for its evaluation.
func (s Agent) Executed() (Step, bool) { return s.firstStep(StepExecuted) }

func (s Agent) firstStep(status StepStatus) (Step, bool) {
	for _, step := range s.Plan {
		if step.Status == status {
			return step, true
		}
	}
	return Step{}, false
}

// Count returns how many steps have a status.
func (s Agent) Count(status StepStatus) int {
	n := 0
	for _, step := range s.Plan {
		if step.Status == status {
			n++
		}
	}
	return n
}

// readClosely is the number of a step's passages, the best first, that count as read by it; of the
// others only those that it cites do.
const readClosely = 5

// Read returns the ids of the passages that steps have read closely or cite, in
// step order.
func (s Agent) Read() []string {
	var ids []string
	for _, step := range s.Plan {
		cited := map[string]bool{}
		for _, c := range step.Citations {
			cited[c.Passage] = true
		}
		for i, h := range step.Hits {
			if i < readClosely || cited[h.Passage.ID] {
				ids = append(ids, h.Passage.ID)
			}
		}
	}
	return ids
}

// MeanConfidence is the mean confidence of the completed steps, 0 without any.
func (s Agent) MeanConfidence() float64 {
	sum, n := 0.0, 0
	for _, step := range s.Plan {
		if step.Status == StepCompleted {
			sum += step.Confidence
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}
