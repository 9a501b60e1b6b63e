package extract

import (
	"context"
	"encoding/json"
	"errors"

	"example.com/assay/state"
)

// An Answer is what a run comes to, as `agent extract --json` prints it: the
// answer's schema, with the fields.
type Answer struct {
	state.Answer
	Document string                   `json:"document"` // its path
	Result   json.RawMessage          `json:"result"`   // as the schema describes it; null when there is none
	Fields   []state.FieldValue       `json:"fields"`
	Report   state.VerificationReport `json:"verification"` // of the best iteration; it takes the place of the answer's own, which is of quotes
	History  []Iteration              `json:"iterations"`
	Loop     LoopMetadata             `json:"loop_metadata"`
}

// An Iteration is one extraction in an Answer.
type Iteration struct {
	N             int           `json:"n"`
	Score         float64       `json:"score"`
	Issues        []state.Issue `json:"issues"`
	ChangedFields []string      `json:"changed_fields"`
}

// LoopMetadata says how the loop went.
type LoopMetadata struct {
	AgentType  string `json:"agent_type"` // "tool_agent_with_verification"
	Iterations int    `json:"iterations"`
	Best       int    `json:"best_iteration"` // 0 without any
	Passed     bool   `json:"passed"`
	Stopped    string `json:"stopped"` // why the loop ended
	ModelCalls int    `json:"model_calls"`
	Failure    string `json:"failure,omitempty"` // the call that failed, when one did
}

// AgentType is what the loop is called in its metadata.
const AgentType = "tool_agent_with_verification"

// Answer turns a finished run into the answer that is printed. An extraction that
// did not pass is still answered; its report says what is wrong. Without any
// value the status is no_evidence.
func (s *Schema) Answer(final state.Extract, runErr error) Answer {
	a := Answer{
		Answer: state.Answer{
			Schema: state.AnswerSchema, Pipeline: "extract", End: state.End{Status: state.StatusAnswered}, Sources: []state.Source{}, Warnings: final.Warnings,
			Metrics: state.RunMetrics{Metrics: state.Metrics{ModelUsage: final.Usage}, NodeMS: map[string]float64{}},
		},
		Document: final.Document.Source, Fields: []state.FieldValue{}, Report: state.VerificationReport{Issues: []state.Issue{}}, History: []Iteration{},
		Loop: LoopMetadata{AgentType: AgentType, Iterations: len(final.Iterations), Stopped: final.Stopped, ModelCalls: final.Usage.Calls, Failure: final.Failure},
	}
	if best, ok := final.Best(); ok {
		a.Result, a.Report = s.Result(best.Values), best.Report
		a.Fields = append(a.Fields, best.Values...)
		a.Confidence, a.Loop.Best, a.Loop.Passed = best.Report.Confidence, best.N, best.Report.Passed
		a.Metrics.HasAnswer = len(best.Values) > 0
	}
	for _, it := range final.Iterations {
		a.History = append(a.History, Iteration{N: it.N, Score: it.Report.Score, Issues: it.Report.Issues, ChangedFields: it.Changed})
	}
	switch {
	case errors.Is(runErr, context.Canceled) || errors.Is(runErr, context.DeadlineExceeded):
		a.Status = state.StatusCancelled
	case runErr != nil:
		a.Status = state.StatusFailed
	case len(a.Fields) == 0:
		a.Status = state.StatusNoEvidence
	}
	if runErr != nil {
		a.Error = runErr.Error()
	}
	return a
}
