package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

var askPage = parsed("ask.tmpl")

// An asking is the page that begins a run, with the values filled in.
type asking struct {
	Graphs   []look.Link // other graphs to choose
	Graph    runs.Graph
	Thread   *runs.Thread // the thread to continue; nil for a new one
	Says     string       // why the thread cannot take a run now, in a sentence
	Converse bool         // the graph takes a question, not an object
	More     bool         // the graph takes further input in addition to the question
	Channels []graph.ChannelInfo
	Settings []setting
	Question string
	Input    string // JSON
	Refused  string // why the run did not begin
}

// A setting is a field of the form.
type setting struct {
	Name, About, Value string
	Field              string // the name of the field
	IsText             bool   // its values are texts, not JSON
	Values             []string
}

// settingField begins the names of fields of settings.
const settingField = "set."

// ask shows the form.
func (v *visit) ask() error {
	a, err := v.asking(v.r.URL.Query())
	if err != nil {
		return err
	}
	return v.showAsk(http.StatusOK, a)
}

func (v *visit) showAsk(status int, a *asking) error {
	frame := look.Frame{Title: "Ask", PartsName: "What is asked"}
	if len(a.Graphs) > 1 {
		frame.Parts = a.Graphs
	}
	if a.Thread != nil {
		frame.Title, frame.Eyebrow = "Ask further", "Thread "+a.Thread.ID
	}
	return v.answer(status, askPage, "Ask", frame, a)
}

// asking returns the form for a graph, or for the graph of a thread, with the given values.
func (v *visit) asking(given url.Values) (*asking, error) {
	a := &asking{Question: given.Get("question"), Input: given.Get("input")}
	name, thread := given.Get("graph"), given.Get("thread")
	var chosen map[string]json.RawMessage // the settings of the thread's last run
	if thread != "" {
		t, err := v.Thread(v.r.Context(), thread)
		if err != nil {
			return nil, err
		}
		a.Thread = &t
		all, err := v.Runs(v.r.Context(), thread)
		if err != nil {
			return nil, err
		}
		if len(all) > 0 {
			chosen = maps.Clone(all[0].Settings)
			delete(chosen, SettingSkill)
		}
		if t.Graph != "" {
			name = t.Graph
		}
		switch t.Status {
		case runs.Busy:
			a.Says = "A run of this thread goes on. Wait for its end before you ask further."
		case runs.Interrupted:
			a.Says = "The last run of this thread waits for an answer. A question begins anew, and leaves that one unanswered."
		}
	}
	all := v.Graphs()
	at := slices.IndexFunc(all, func(g runs.Graph) bool { return g.Name == name })
	if at < 0 && name != "" {
		return nil, &runs.NotFoundError{What: "graph", ID: name}
	}
	if at < 0 {
		at = max(0, slices.IndexFunc(all, func(g runs.Graph) bool { return g.Name == v.Usual }))
	}
	a.Graph = all[at]
	for _, g := range all {
		if a.Thread == nil || a.Thread.Graph == "" || g.Name == a.Graph.Name {
			a.Graphs = append(a.Graphs, look.Link{Text: g.Name, Href: query(root+"ask", "graph", g.Name, "thread", thread), Here: g.Name == a.Graph.Name})
		}
	}
	a.Converse = a.Graph.Converses()
	for _, ch := range a.Graph.App.Channels() {
		a.More = a.More || a.Converse && ch.Name == "input"
		a.Channels = append(a.Channels, ch)
	}
	for _, s := range a.Graph.Settings {
		if s.Name == SettingSkill {
			continue // it is only for running again
		}
		one, err := v.setting(s, chosen[s.Name])
		if err != nil {
			return nil, err
		}
		if given.Has(one.Field) {
			one.Value = given.Get(one.Field)
		}
		a.Settings = append(a.Settings, one)
	}
	return a, nil
}

// setting returns the field of a setting, with the thread's previous choice.
func (v *visit) setting(s runs.Setting, before json.RawMessage) (setting, error) {
	var schema struct {
		Type        any    `json:"type"`
		Description string `json:"description"`
	}
	_ = json.Unmarshal(s.Schema, &schema) // a setting without a type takes JSON
	out := setting{Name: s.Name, About: schema.Description, Field: settingField + s.Name, IsText: schema.Type == "string", Value: string(before)}
	if out.IsText {
		var text string
		_ = json.Unmarshal(before, &text) // without a choice, text stays empty
		out.Value = text
	}
	var err error
	if s.Values != nil {
		if out.Values, err = s.Values(v.tenant); err != nil {
			err = fmt.Errorf("listing values of %s: %w", s.Name, err)
		}
	}
	return out, err
}

// begin begins a run and redirects to its page.
func (v *visit) begin() error {
	if err := v.r.ParseForm(); err != nil {
		return refusal.New(http.StatusBadRequest, "the form cannot be read: %v", err)
	}
	a, err := v.asking(v.r.PostForm)
	if err != nil {
		return err
	}
	run, err := v.beginRun(v.r.Context(), a)
	if err == nil {
		return v.to(join("runs", run.ID))
	}
	refusal.Later(v.w.Header(), err)
	status := refusal.Status(err)
	if status == http.StatusInternalServerError {
		return err
	}
	a.Refused = err.Error()
	return v.showAsk(status, a)
}

func (v *visit) beginRun(ctx context.Context, a *asking) (runs.Run, error) {
	spec := runs.Spec{Graph: a.Graph.Name, Saved: map[string]string{"graph_id": a.Graph.Name}}
	if a.Thread != nil {
		spec.Thread = a.Thread.ID
	}
	values, err := a.values(v.NewID())
	if err != nil {
		return runs.Run{}, err
	}
	if spec.Input, err = a.Graph.App.Values(values); err != nil {
		return runs.Run{}, &runs.InvalidError{Err: err}
	}
	if spec.Settings, err = a.chosen(); err != nil {
		return runs.Run{}, err
	}
	if spec.Metadata, err = json.Marshal(map[string]string{"graph_id": a.Graph.Name}); err != nil {
		return runs.Run{}, err
	}
	spec.Marks = spec.Metadata
	return v.Begin(ctx, spec)
}

// values returns the input of the graph as an object of its channels.
func (a *asking) values(messageID string) (json.RawMessage, error) {
	text, input := strings.TrimSpace(a.Question), strings.TrimSpace(a.Input)
	if input != "" && !json.Valid([]byte(input)) {
		return nil, refusal.New(http.StatusUnprocessableEntity, "the input is not JSON: %v", json.Unmarshal([]byte(input), new(any)))
	}
	if !a.Converse {
		if input == "" {
			return nil, refusal.New(http.StatusUnprocessableEntity, "nothing was given: write an object with the graph's channels")
		}
		return json.RawMessage(input), nil
	}
	if text == "" {
		return nil, refusal.New(http.StatusUnprocessableEntity, "nothing was asked: write a question")
	}
	values := map[string]any{"messages": []map[string]string{{"id": messageID, "type": "human", "content": text}}}
	if a.More && input != "" {
		values["input"] = json.RawMessage(input)
	}
	return json.Marshal(values)
}

// chosen returns the settings in the form.
func (a *asking) chosen() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, s := range a.Settings {
		value := strings.TrimSpace(s.Value)
		switch {
		case value == "":
		case s.IsText:
			data, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			out[s.Name] = data
		case !json.Valid([]byte(value)):
			return nil, &runs.InvalidError{Err: errors.New(s.Name + " is not JSON")}
		default:
			out[s.Name] = json.RawMessage(value)
		}
	}
	return out, nil
}
