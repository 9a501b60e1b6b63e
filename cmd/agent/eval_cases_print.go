package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/eval"
	"example.com/assay/eval/metrics"
	"example.com/assay/state"
)

// printCases prints outcomes for people.
func (a *app) printCases(model string, outcomes []eval.Outcome, s eval.Summary) {
	width := len("case")
	for _, o := range outcomes {
		width = max(width, len(o.Case.Name))
	}
	row := fmt.Sprintf("%%-%ds  %%-4s  %%5s  %%9s  %%9s  %%9s  %%s\n", width)
	fmt.Fprintf(a.stdout, row, "case", "", "calls", "read", "written", "ms", "cost")
	for _, o := range outcomes {
		u, result := o.Run.Usage(), "pass"
		if !o.Passed() {
			result = "FAIL"
		}
		fmt.Fprintf(a.stdout, row, render.Visible(o.Case.Name), result, strconv.Itoa(u.Calls), strconv.Itoa(u.InputTokens), strconv.Itoa(u.OutputTokens),
			fmt.Sprintf("%.1f", milliseconds(o.Run.Times.Total)), costOf(u))
		if o.Err != nil {
			fmt.Fprintf(a.stdout, "  not run: %s\n", render.Visible(o.Err.Error()))
		}
		for _, miss := range o.Misses {
			fmt.Fprintf(a.stdout, "  %s\n", render.Visible(miss))
		}
	}
	fmt.Fprintf(a.stdout, "\n%d of %s passed, model %s\n", s.Passed, count(s.N, "case"), model)
	fmt.Fprintf(a.stdout, "\n%-14s  %9s  %s\n", "per case", "mean", "95 % interval")
	for _, v := range s.Metrics {
		fmt.Fprintf(a.stdout, "%-14s  %9s  [%s, %s]\n", v.Name, number(v.Value), number(v.Lo), number(v.Hi))
	}
	fmt.Fprintf(a.stdout, "\nlatency p50 %.1f ms, p95 %.1f ms, of cases that ran side by side\n", milliseconds(s.P50), milliseconds(s.P95))
	fmt.Fprintf(a.stdout, "intervals: %d bootstrap resamples, seed %d\n", s.Resample.Resamples, s.Resample.Seed)

	nodes := slices.Sorted(maps.Keys(s.NodeUsage))
	width = len("all nodes")
	for _, node := range nodes {
		width = max(width, len(node))
	}
	row = fmt.Sprintf("%%-%ds  %%5s  %%9s  %%9s  %%s\n", width)
	fmt.Fprintf(a.stdout, "\n"+row, "node", "calls", "read", "written", "cost")
	for _, node := range nodes {
		u := s.NodeUsage[node]
		fmt.Fprintf(a.stdout, row, node, strconv.Itoa(u.Calls), strconv.Itoa(u.InputTokens), strconv.Itoa(u.OutputTokens), costOf(u))
	}
	fmt.Fprintf(a.stdout, row, "all nodes", strconv.Itoa(s.Usage.Calls), strconv.Itoa(s.Usage.InputTokens), strconv.Itoa(s.Usage.OutputTokens), costOf(s.Usage))
}

// costOf is what calls cost: what is unknown of it is said, and never 0.
func costOf(u state.ModelUsage) string {
	text := u.Cost.String()
	switch {
	case u.Unpriced > 0 && u.Cost == 0:
		text = "unknown: " + count(u.Unpriced, "call")
	case u.Unpriced > 0:
		text += " and unknown: " + count(u.Unpriced, "call")
	}
	if u.RecordedCost > 0 || u.RecordedUnpriced > 0 {
		text += ", when recorded " + costOf(state.ModelUsage{Cost: u.RecordedCost, Unpriced: u.RecordedUnpriced})
	}
	return text
}

// number is a mean as people read it.
func number(v float64) string { return strconv.FormatFloat(six(v), 'g', 5, 64) }

// casesDocument is an evaluation as --json prints it.
type casesDocument struct {
	Schema    int                         `json:"schema"`
	Task      string                      `json:"task"` // "cases"
	Model     string                      `json:"model"`
	N         int                         `json:"n"`
	Passed    int                         `json:"passed"`
	Metrics   map[string]metrics.Interval `json:"metrics"` // per case
	Latency   latency                     `json:"latency_ms"`
	Drawn     drawnCases                  `json:"resampling"`
	Usage     spent                       `json:"usage"` // of all cases
	NodeUsage map[string]spent            `json:"node_usage"`
	Items     []caseItem                  `json:"items"`
}

type drawnCases struct {
	Seed      uint64 `json:"seed"`
	Resamples int    `json:"resamples"`
}

// spent is a state.ModelUsage whose money was counted.
type spent struct {
	Calls         int `json:"calls"`
	InputTokens   int `json:"input_tokens"`
	OutputTokens  int `json:"output_tokens"`
	ParseFailures int `json:"parse_failures"`
	// Cost is what is known of it, null when nothing is; Unpriced counts the
	// calls of which it is not known.
	Cost     *state.Money `json:"cost"`
	Unpriced int          `json:"unpriced"`
	// What the calls of a replay had cost.
	RecordedCost     state.Money `json:"recorded_cost,omitempty"`
	RecordedUnpriced int         `json:"recorded_unpriced,omitempty"`
}

func spentOf(u state.ModelUsage) spent {
	out := spent{u.Calls, u.InputTokens, u.OutputTokens, u.ParseFailures, &u.Cost, u.Unpriced, u.RecordedCost, u.RecordedUnpriced}
	if u.Cost == 0 && u.Unpriced > 0 {
		out.Cost = nil
	}
	return out
}

func spentOfEach(nodes map[string]state.ModelUsage) map[string]spent {
	out := map[string]spent{}
	for node, u := range nodes {
		out[node] = spentOf(u)
	}
	return out
}

// caseItem is one case. What has no run has zeros.
type caseItem struct {
	ID        string           `json:"id"`
	Pass      bool             `json:"pass"`
	Misses    []string         `json:"misses"`
	Error     string           `json:"error,omitempty"` // why it was not run, or what stopped it
	Status    state.Status     `json:"status"`
	ExitCode  int              `json:"exit_code"` // of agent ask
	Choice    string           `json:"choice"`
	Answer    string           `json:"answer"`
	LatencyMS float64          `json:"latency_ms"`
	Usage     spent            `json:"usage"`
	NodeUsage map[string]spent `json:"node_usage"`
}

func (a *app) printCasesJSON(model string, outcomes []eval.Outcome, s eval.Summary) {
	out := casesDocument{
		Schema: 1, Task: "cases", Model: model, N: s.N, Passed: s.Passed, Metrics: map[string]metrics.Interval{},
		Latency: latency{milliseconds(s.P50), milliseconds(s.P95)}, Drawn: drawnCases{s.Resample.Seed, s.Resample.Resamples},
		Usage: spentOf(s.Usage), NodeUsage: spentOfEach(s.NodeUsage), Items: make([]caseItem, len(outcomes)),
	}
	for _, v := range s.Metrics {
		out.Metrics[v.Name] = rounded(v.Interval)
	}
	for i, o := range outcomes {
		out.Items[i] = itemOf(o)
	}
	a.printJSON(out)
}

func itemOf(o eval.Outcome) caseItem {
	answer := o.Run.Answer
	item := caseItem{
		ID: o.Case.Name, Pass: o.Passed(), Misses: append([]string{}, o.Misses...), Error: answer.Error, Status: answer.Status, ExitCode: eval.ExitCode(answer.Status),
		Choice: answer.Choice, Answer: answer.Answer, LatencyMS: milliseconds(o.Run.Times.Total), Usage: spentOf(o.Run.Usage()), NodeUsage: spentOfEach(o.Run.Times.Usage),
	}
	if o.Err != nil {
		item.Error = o.Err.Error()
		item.Status = state.StatusFailed
	}
	return item
}
