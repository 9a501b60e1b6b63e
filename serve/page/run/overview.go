package run

import (
	"encoding/json"
	"fmt"
	"html/template"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// overviewData is what overview.tmpl shows.
type overviewData struct {
	*Run
	Status, Tone, Ending string
	Figures              []figure
	Input                []view.Change // nil if it is not a list of writes
}

// A figure is a number of a run, with more about it.
type figure struct{ Name, Value, More string }

// Overview shows what ran, how it ended, and with which settings.
func (r *Run) Overview() (template.HTML, error) {
	data := overviewData{Run: r, Ending: r.ending(), Figures: r.figures()}
	data.Status, data.Tone = r.status()
	if h := r.View.Header; h != nil && json.Unmarshal(h.Input, &data.Input) != nil {
		data.Input = nil
	}
	return section("overview", data)
}

// figures returns a run in numbers.
func (r *Run) figures() []figure {
	v := &r.View
	replayed := 0
	for _, n := range v.Ran() {
		replayed += n.Replayed
	}
	tasks := look.Count(r.tasks(), "task")
	if replayed > 0 {
		tasks += fmt.Sprintf(", %d from an earlier run", replayed)
	}
	time := figure{Name: "Time", Value: "not recorded"}
	switch {
	case v.ElapsedMS > 0:
		time.Value = look.Duration(v.ElapsedMS)
	case v.LastMS > 0:
		time.Value, time.More = look.Duration(v.LastMS), "until the last event"
	}
	calls := figure{"Model calls", fmt.Sprint(v.Total.Calls), ""}
	if v.Total.Calls > 0 {
		calls.More = fmt.Sprintf("%d tokens in, %d out", v.Total.InputTokens, v.Total.OutputTokens)
	}
	return []figure{time, {"Supersteps", fmt.Sprint(len(v.Steps)), tasks}, calls, {"Cost", cost(v.Total), ""}}
}

// status returns the run's end in a word: from its pipeline, or else from the graph.
func (r *Run) status() (word, tone string) {
	v := &r.View
	var end struct {
		Status string `json:"status"`
	}
	if json.Unmarshal(v.End, &end) != nil || end.Status == "" {
		end.Status = r.Outcome
	}
	switch {
	case end.Status != "":
	case v.Live && !v.Ended:
		return "running", "plain"
	case !v.Ended:
		return "broken off", "warn"
	case len(v.Interrupts) > 0:
		return "waits for a person", "warn"
	case v.Error != "":
		return "failed", "bad"
	}
	return look.Outcome(end.Status)
}
