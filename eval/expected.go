package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/assay/state"
)

// An Expectation is an assertion of a case with the actual value. The misses of the item
// say whether it was met.
type Expectation struct {
	What string `json:"what"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// An assertion is an expectation with the misses of a run, one sentence each.
type assertion struct {
	Expectation
	misses []string
}

// expectations returns the assertions of a case with the values of a run, for people.
func (r Run) expectations(w Want) []Expectation {
	out := []Expectation{}
	for _, a := range r.assertions(w) {
		out = append(out, a.Expectation)
	}
	return out
}

// assertions compare a run with all that a case wants of it.
func (r Run) assertions(w Want) []assertion {
	var out []assertion
	add := func(what, want, got string, misses ...string) {
		out = append(out, assertion{Expectation{what, want, got}, misses})
	}
	same := func(asserted bool, what, name, want, got string) {
		switch {
		case !asserted:
		case want == got:
			add(what, want, got)
		default:
			add(what, want, got, fmt.Sprintf("the %s is %q, expected %q", name, got, want))
		}
	}
	number := func(asserted int, what, name string, got int) {
		same(asserted != 0, what, name, strconv.Itoa(asserted), strconv.Itoa(got))
	}
	a, m := r.Answer, r.Answer.Metrics
	same(w.Status != "", "status", "status", string(w.Status), string(a.Status))
	if w.ExitCode != nil {
		same(true, "exit code", "exit code", strconv.Itoa(*w.ExitCode), strconv.Itoa(a.Status.ExitCode()))
	}
	same(w.Grounding != "", "grounding", "grounding", string(w.Grounding), string(r.Grounding))
	same(w.Choice != "", "choice", "choice", w.Choice, a.Choice)
	number(w.Steps, "steps", "number of steps", r.Steps)
	number(w.Failed, "failed steps", "number of failed steps", m.StepsFailed)
	number(w.Calls, "model calls", "number of model calls", m.Calls)
	same(w.Path != nil, "path", "path", strings.Join(w.Path, " → "), strings.Join(r.Path, " → "))
	if len(w.Cites) > 0 {
		docs := cited(a.Sources)
		var misses []string
		for _, doc := range w.Cites {
			if !slices.Contains(docs, doc) {
				misses = append(misses, "the answer does not cite "+doc)
			}
		}
		add("cites", strings.Join(w.Cites, ", "), strings.Join(docs, ", "), misses...)
	}
	holds := func(what, in string, texts []string) {
		for _, text := range texts {
			if strings.Contains(in, text) {
				add("the "+strings.TrimPrefix(what, "answer's ")+" holds", text, "yes")
			} else {
				add("the "+strings.TrimPrefix(what, "answer's ")+" holds", text, "no", fmt.Sprintf("the %s does not hold %q", what, text))
			}
		}
	}
	holds("answer", a.Answer, w.Contains)
	holds("answer's JSON", string(r.Result), w.JSONContains)
	if w.NoUnsupportedClaim {
		misses := unsupported(a.Verification.ClaimCheck)
		add("claims without support", "none", strconv.Itoa(len(misses)), misses...)
	}
	for _, name := range sortedKeys(w.Metrics) {
		least := w.Metrics[name]
		switch got, measured := r.Scores[name]; {
		case !measured:
			add(name, fmt.Sprintf("at least %g", least), "not measured", fmt.Sprintf("%s was not measured, expected at least %g: it needs its gold, or the claims checked", name, least))
		case got < least:
			add(name, fmt.Sprintf("at least %g", least), fmt.Sprintf("%.4g", got), fmt.Sprintf("%s is %.4g, expected at least %g", name, got, least))
		default:
			add(name, fmt.Sprintf("at least %g", least), fmt.Sprintf("%.4g", got))
		}
	}
	return append(out, r.bounds(w)...)
}

// bounds are the assertions on calls, cost and time.
func (r Run) bounds(w Want) (out []assertion) {
	u := r.Usage()
	add := func(what, most, got string, misses ...string) {
		out = append(out, assertion{Expectation{what, "at most " + most, got}, misses})
	}
	if w.MaxCalls > 0 {
		var misses []string
		if u.Calls > w.MaxCalls {
			misses = append(misses, fmt.Sprintf("models were called %d times, expected at most %d", u.Calls, w.MaxCalls))
		}
		add("model calls", strconv.Itoa(w.MaxCalls), strconv.Itoa(u.Calls), misses...)
	}
	if w.MaxCost != nil {
		most, cost := state.MoneyOf(*w.MaxCost), u.Cost+u.RecordedCost
		got := cost.String()
		var misses []string
		if cost > most {
			misses = append(misses, fmt.Sprintf("the cost is %v, expected at most %v", cost, most))
		}
		if unknown := u.Unpriced + u.RecordedUnpriced; unknown > 0 {
			got += " and unknown"
			misses = append(misses, fmt.Sprintf("of %d model calls it is unknown what they cost, expected at most %v: give the models a price", unknown, most))
		}
		add("cost", most.String(), got, misses...)
	}
	if w.MaxLatency > 0 {
		var misses []string
		if r.Times.Total > w.MaxLatency {
			misses = append(misses, fmt.Sprintf("the run took %v, expected at most %v", r.Times.Total, w.MaxLatency))
		}
		add("time", w.MaxLatency.String(), r.Times.Total.Round(time.Millisecond).String(), misses...)
	}
	return out
}

// cited returns the documents of sources, each once.
func cited(sources []state.Source) []string {
	docs := map[string]bool{}
	for _, s := range sources {
		docs[s.Doc] = true
	}
	return sortedKeys(docs)
}
