package run

import (
	"cmp"
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
	data := overviewData{Run: r, Figures: r.figures()}
	data.Status, data.Tone, data.Ending = r.ended()
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

// ended returns how the run ended: in a word, from its pipeline or else from the graph, with its tone,
// and in a sentence; "" for one that has just ended.
func (r *Run) ended() (word, tone, says string) {
	switch v := &r.View; {
	case v.Live && !v.Ended:
		word, tone, says = "running", "plain", "The run goes on."
	case !v.Ended:
		word, tone, says = "broken off", "warn", "The record ends before the run does: the run was killed, or its record was cut."
	case len(v.Interrupts) > 0:
		word, tone, says = "waits for a person", "warn", "The run stopped for a person."
	case v.Error != "":
		word, tone, says = "failed", "bad", "The run failed: "+v.Error
	default:
		word, tone = look.Outcome("")
	}
	var end struct {
		Status string `json:"status"`
	}
	_ = json.Unmarshal(r.View.End, &end) // in another form it has no status
	if status := cmp.Or(end.Status, r.Outcome); status != "" {
		word, tone = look.Outcome(status)
	}
	return word, tone, says
}
