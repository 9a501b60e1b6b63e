package eval

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"example.com/assay/state"
)

// An Expectation is what a case asserts, and beside it what came. Whether it was
// met is said by what the item misses.
type Expectation struct {
	What string `json:"what"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// expectations are what a case asserts of a run, for people to read.
func (r Run) expectations(w Want) []Expectation {
	out := []Expectation{}
	add := func(what, want, got string, asserted bool) {
		if asserted {
			out = append(out, Expectation{what, want, got})
		}
	}
	exit := ""
	if w.ExitCode != nil {
		exit = strconv.Itoa(*w.ExitCode)
	}
	m, u := r.Answer.Metrics, r.Usage()
	add("status", string(w.Status), string(r.Answer.Status), w.Status != "")
	add("exit code", exit, strconv.Itoa(ExitCode(r.Answer.Status)), exit != "")
	add("grounding", string(w.Grounding), string(r.Grounding), w.Grounding != "")
	add("choice", w.Choice, r.Answer.Choice, w.Choice != "")
	add("steps", strconv.Itoa(w.Steps), strconv.Itoa(r.Steps), w.Steps != 0)
	add("failed steps", strconv.Itoa(w.Failed), strconv.Itoa(m.StepsFailed), w.Failed != 0)
	add("model calls", strconv.Itoa(w.Calls), strconv.Itoa(m.Calls), w.Calls != 0)
	add("path", strings.Join(w.Path, " → "), strings.Join(r.Path, " → "), w.Path != nil)
	add("cites", strings.Join(w.Cites, ", "), strings.Join(cited(r.Answer.Sources), ", "), len(w.Cites) > 0)
	for _, text := range w.Contains {
		add("the answer holds", text, yesNo(strings.Contains(r.Answer.Answer, text)), true)
	}
	for _, text := range w.JSONContains {
		add("the JSON holds", text, yesNo(strings.Contains(string(r.Result), text)), true)
	}
	add("claims without support", "none", strconv.Itoa(len(unsupported(r.Answer.Verification.ClaimCheck))), w.NoUnsupportedClaim)
	for _, name := range sortedKeys(w.Metrics) {
		got, measured := r.Scores[name]
		text := "not measured"
		if measured {
			text = fmt.Sprintf("%.4g", got)
		}
		add(name, fmt.Sprintf("at least %g", w.Metrics[name]), text, true)
	}
	add("model calls", fmt.Sprintf("at most %d", w.MaxCalls), strconv.Itoa(u.Calls), w.MaxCalls > 0)
	if w.MaxCost != nil {
		got := (u.Cost + u.RecordedCost).String()
		if u.Unpriced+u.RecordedUnpriced > 0 {
			got += " and unknown"
		}
		add("cost", "at most "+state.MoneyOf(*w.MaxCost).String(), got, true)
	}
	add("time", "at most "+w.MaxLatency.String(), r.Times.Total.Round(time.Millisecond).String(), w.MaxLatency > 0)
	return out
}

// cited are the documents that sources are of, each once.
func cited(sources []state.Source) []string {
	docs := map[string]bool{}
	for _, s := range sources {
		docs[s.Doc] = true
	}
	return sortedKeys(docs)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
