package eval

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"example.com/assay/eval/task"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
)

// An Item is one run of a case in the results. A case that could not be run has an error
// and zeros.
type Item struct {
	ID        string             `json:"id"`               // the case's name
	Repeat    int                `json:"repeat,omitempty"` // from 1, when cases are run more than once
	Pipeline  string             `json:"pipeline"`
	Pass      bool               `json:"pass"`
	Misses    []string           `json:"misses"`          // expectations that are not met, one sentence each
	Error     string             `json:"error,omitempty"` // why it was not run, or why it stopped
	Status    state.Status       `json:"status"`
	ExitCode  int                `json:"exit_code"` // of the pipeline's verb
	Question  string             `json:"question"`  // or the case's input, as JSON
	Choice    string             `json:"choice"`
	Answer    string             `json:"answer"`
	Metrics   map[string]float64 `json:"metrics"`
	LatencyMS float64            `json:"latency_ms"`
	Usage     Spent              `json:"usage"`
	NodeUsage map[string]Spent   `json:"node_usage"`
	Path      []string           `json:"path"`
	Timeline  []Stay             `json:"timeline"`
	// Confidence is the confidence of the answer; Answered reports that there is an answer.
	Confidence float64 `json:"confidence"`
	Notes      string  `json:"notes,omitempty"`
	// Expected are the case's assertions with the actual values.
	Expected []Expectation `json:"expected,omitempty"`
	// Document is the text in which the byte offsets of extracted values count.
	Document string `json:"document,omitempty"`
	// Hashes of the run's inputs: the case, the corpus (empty without one), and all.
	CaseHash string            `json:"case_hash"`
	Corpus   string            `json:"corpus_fingerprint"`
	Skills   map[string]string `json:"skills,omitempty"`
	Key      string            `json:"key"`
	// Result is the whole answer, as the pipeline's verb prints it with --json.
	Result json.RawMessage `json:"result,omitempty"`
}

// Name returns the case's name with the number of its repeat.
func (item Item) Name() string {
	if item.Repeat == 0 {
		return item.ID
	}
	return fmt.Sprintf("%s #%d", item.ID, item.Repeat)
}

// A Stay is a node's work in a run. A node inside another is "execute/rewrite".
type Stay struct {
	Node    string  `json:"node"`
	StartMS float64 `json:"start_ms"` // from the run's beginning
	MS      float64 `json:"ms"`
}

// Spent is a state.ModelUsage whose money was counted.
type Spent struct {
	Calls         int `json:"calls"`
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	ParseFailures int `json:"parse_failures"`
	// Cost is the known cost, null if none is known; Unpriced counts the calls of unknown cost.
	Cost     *state.Money `json:"cost"`
	Unpriced int          `json:"unpriced"`
	// The recorded cost of a replay's calls.
	RecordedCost     state.Money `json:"recorded_cost,omitempty"`
	RecordedUnpriced int         `json:"recorded_unpriced,omitempty"`
}

// SpentOf converts usage.
func SpentOf(u state.ModelUsage) Spent {
	out := Spent{u.Calls, u.InputTokens, u.OutputTokens, u.ParseFailures, &u.Cost, u.Unpriced, u.RecordedCost, u.RecordedUnpriced}
	if u.Cost == 0 && u.Unpriced > 0 {
		out.Cost = nil
	}
	return out
}

// Usage is the reverse of SpentOf.
func (s Spent) Usage() state.ModelUsage {
	u := state.ModelUsage{
		Calls: s.Calls, InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, ParseFailures: s.ParseFailures,
		Unpriced: s.Unpriced, RecordedCost: s.RecordedCost, RecordedUnpriced: s.RecordedUnpriced,
	}
	if s.Cost != nil {
		u.Cost = *s.Cost
	}
	return u
}

// ItemOf converts an outcome into an item of the results.
func ItemOf(o Outcome) Item {
	r, answer := o.Run, o.Run.Answer
	item := Item{
		ID: o.Case.Name, Repeat: o.Repeat, Pipeline: o.Case.Pipeline, Pass: o.Passed(), Misses: append([]string{}, o.Misses...), Error: answer.Error,
		Status: answer.Status, ExitCode: answer.Status.ExitCode(), Question: cmp.Or(o.Case.question(), string(o.Case.Input)), Choice: answer.Choice, Answer: answer.Answer,
		Metrics: map[string]float64{}, LatencyMS: task.Milliseconds(r.Times.Total), Usage: SpentOf(r.Usage()), NodeUsage: map[string]Spent{},
		Path: append([]string{}, r.Path...), Timeline: timeline(r.Trace), Confidence: task.Six(answer.Confidence), Notes: o.Case.Notes, Expected: r.expectations(o.Case.Want), CaseHash: o.Case.Hash, Result: r.Result,
	}
	for name, value := range r.Scores {
		item.Metrics[name] = task.Six(value)
	}
	for node, u := range r.Times.Usage {
		item.NodeUsage[node] = SpentOf(u)
	}
	if p := o.Prepared; p != nil {
		item.CaseHash, item.Corpus, item.Skills, item.Key, item.Document = hashOf([]byte(p.Case.Hash+p.Inputs)), p.Corpus, p.Skills, p.Key(), p.Document
	}
	if o.Err != nil {
		item.Error, item.Status, item.ExitCode = o.Err.Error(), state.StatusFailed, state.StatusFailed.ExitCode()
	}
	return item
}

// timeline lists when each node worked. It leaves out records without a time.
func timeline(records []trace.Record) []Stay {
	out := []Stay{}
	var began time.Time
	for _, rec := range records {
		at, err := time.Parse(time.RFC3339Nano, rec.Time)
		switch {
		case err != nil:
			continue
		case began.IsZero():
			began = at
		}
		if rec.Kind != graph.NodeUpdate.String() {
			continue
		}
		name := rec.Node
		if rec.Namespace != "" {
			name = rec.Namespace + "/" + rec.Node
		}
		ms := float64(rec.ElapsedUS) / 1000
		out = append(out, Stay{Node: name, StartMS: max(task.Milliseconds(at.Sub(began))-ms, 0), MS: ms})
	}
	return out
}
