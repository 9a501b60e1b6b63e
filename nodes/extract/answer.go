package extract

import (
	"encoding/json"
	"slices"

	"example.com/assay/state"
)

// An Answer is the result of a run, as `agent extract --json` prints it: a state.Answer with the
// fields.
type Answer struct {
	state.Answer
	Document string           `json:"document"` // its path
	Result   json.RawMessage  `json:"result"`   // in the form of the schema; null when there is none
	Fields   []FieldValue     `json:"fields"`
	Report   Report           `json:"verification"` // of the best iteration; it replaces state.Answer's verification of quotes
	History  []ShownIteration `json:"iterations"`
	Loop     LoopMetadata     `json:"loop_metadata"`
}

// A ShownIteration is one extraction in an Answer.
type ShownIteration struct {
	N             int      `json:"n"`
	Score         float64  `json:"score"`
	Issues        []Issue  `json:"issues"`
	ChangedFields []string `json:"changed_fields"`
}

// LoopMetadata describes the run of the loop.
type LoopMetadata struct {
	AgentType  string `json:"agent_type"` // "tool_agent_with_verification"
	Iterations int    `json:"iterations"`
	Best       int    `json:"best_iteration"` // 0 without any
	Passed     bool   `json:"passed"`
	Stopped    string `json:"stopped"` // why the loop ended
	ModelCalls int    `json:"model_calls"`
	Failure    string `json:"failure,omitempty"` // the call that failed, when one did
}

// AgentType is the loop's name in its metadata.
const AgentType = "tool_agent_with_verification"

// Answer turns a finished run into its answer. A value that the document does not contain is listed
// in the fields and the report, but not in the result. An extraction that did not pass is still
// answered; its report says what is wrong.
func (s *Schema) Answer(final State, runErr error) Answer {
	a := Answer{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "extract", End: s.End(final, runErr), Sources: []state.Source{}, Warnings: final.Warnings,
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage}, NodeMS: map[string]float64{}},
		},
		Document: final.Document.Source, Fields: []FieldValue{}, Report: Report{Issues: []Issue{}}, History: []ShownIteration{},
		Loop: LoopMetadata{AgentType: AgentType, Iterations: len(final.Iterations), Stopped: final.Stopped, ModelCalls: final.Usage.Calls, Failure: final.Failure},
	}
	if best, ok := final.Best(); ok {
		a.Result, a.Report = s.Result(best.Values), best.Report
		a.Fields = append(a.Fields, best.Values...)
		a.Confidence, a.Loop.Best, a.Loop.Passed = best.Report.Confidence, best.N, best.Report.Passed
		a.Metrics.HasAnswer = len(InDocument(best.Values)) > 0
	}
	for _, it := range final.Iterations {
		a.History = append(a.History, ShownIteration{N: it.N, Score: it.Report.Score, Issues: it.Report.Issues, ChangedFields: it.Changed})
	}
	return a
}

// End returns how a run ended. It is grounded when the document contains every value found. A run
// without a value searched for the schema's fields.
func (s *Schema) End(final State, runErr error) state.End {
	best, _ := final.Best()
	held := len(InDocument(best.Values))
	o := state.Outcome{
		Err: runErr, Answered: len(best.Values) > 0, Grounded: held == len(best.Values), Losses: slices.Clone(final.Losses),
		Searched: state.Searched{Queries: make([]string, len(s.Fields))},
	}
	for i, f := range s.Fields {
		o.Searched.Queries[i] = f.Path
	}
	return o.End()
}
