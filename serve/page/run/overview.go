package run

import (
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// overviewData is what overview.tmpl shows.
type overviewData struct {
	View     *view.View
	Status   string
	Tone     string
	Why      string
	Tiles    []tile
	Input    []view.Change // nil if it is not a list of writes
	Settings []setting
	Skills   []setting
	Tasks    int
}

type tile struct{ Name, Value, More string }

type setting struct{ Name, Value string }

// Overview shows what ran, how it ended, and with which settings.
func (r *Run) Overview() (template.HTML, error) {
	v := &r.View
	data := overviewData{View: v, Why: r.ending()}
	data.Status, data.Tone = r.status()
	replayed := 0
	for _, n := range v.Ran() {
		data.Tasks += n.Tasks
		replayed += n.Replayed
	}
	tasks := look.Count(data.Tasks, "task")
	if replayed > 0 {
		tasks += fmt.Sprintf(", %d from an earlier run", replayed)
	}
	time := tile{Name: "Time", Value: "not recorded"}
	switch {
	case v.ElapsedMS > 0:
		time.Value = look.Duration(v.ElapsedMS)
	case v.LastMS > 0:
		time.Value, time.More = look.Duration(v.LastMS), "until the last event"
	}
	calls := tile{"Model calls", fmt.Sprint(v.Total.Calls), ""}
	if v.Total.Calls > 0 {
		calls.More = fmt.Sprintf("%d tokens in, %d out", v.Total.InputTokens, v.Total.OutputTokens)
	}
	data.Tiles = []tile{
		time, {"Supersteps", fmt.Sprint(len(v.Steps)), tasks}, calls, {"Cost", cost(v.Total), ""},
	}
	if h := v.Header; h != nil {
		if json.Unmarshal(h.Input, &data.Input) != nil {
			data.Input = nil
		}
		for _, name := range slices.Sorted(maps.Keys(h.Config)) {
			data.Settings = append(data.Settings, setting{name, h.Config[name]})
		}
		for _, name := range slices.Sorted(maps.Keys(h.Skills)) {
			data.Skills = append(data.Skills, setting{name, fmt.Sprintf("%.12s", h.Skills[name])})
		}
	}
	return section("overview", data)
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
	if end.Status != "" {
		return look.Outcome(end.Status)
	}
	switch {
	case !v.Ended && r.Live:
		return "running", "plain"
	case !v.Ended:
		return "broken off", "warn"
	case len(v.Interrupts) > 0:
		return "waits for a person", "warn"
	case v.Error != "":
		return "failed", "bad"
	}
	return "done", "good"
}
