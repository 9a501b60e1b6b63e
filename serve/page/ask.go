package page

import (
	"cmp"
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

var askPage = parsed("ask.tmpl", "value.tmpl")

// An asking is the page that asks: a conversation, empty at first, and the form that goes on with it.
type asking struct {
	Graph    runs.Graph
	Thread   *runs.Thread // the conversation; nil for a new one
	Turns    []runView
	Before   string       // link to earlier turns, which are left out; empty for none
	Past     []look.Link  // other conversations, the newest first
	Offers   []runs.Graph // what else can be done
	Checker  string       // the graph with a page of its own
	Reads    string       // the graph that reads fields, with a page of its own
	Examples []string     // questions that the corpus may answer
	Note     string       // on the corpus
	Label    string       // of the field
	About    string       // what the graph does, where the heading does not say it
	Says     string       // why the thread cannot take a run now, in a sentence
	Converse bool         // the graph takes a text, not an object
	More     bool         // the graph takes further input in addition to the text
	Channels []string
	Corpus   *setting // shown with the question; nil for none
	Settings []setting
	Question string
	Input    string // JSON
	Refused  string // why the run did not begin
}

// A setting is a field of the form.
type setting struct {
	Name, About, Value string
	Field              string // the name of the field
	Usual              string // the value without a choice; empty if it is not known
	IsText             bool   // its values are texts, not JSON
	Values             []string
}

// Gone reports whether the value is not among those that can be chosen, as a corpus that was removed.
func (s setting) Gone() bool { return s.Value != "" && !slices.Contains(s.Values, s.Value) }

const (
	// settingField begins the names of fields of settings.
	settingField = "set."
	// settingCorpus is the setting that is asked for with the question.
	settingCorpus = "corpus"

	mostTurns = 20 // of a conversation on a page
	mostPast  = 40 // conversations at the side
)

// ask shows the form, or a conversation with the form below it.
func (v *visit) ask() error {
	given := v.r.URL.Query()
	if thread := v.r.PathValue("thread"); thread != "" {
		given.Set("thread", thread)
	}
	a, err := v.asking(given)
	if err != nil {
		return err
	}
	if a.Thread == nil && v.Papers != nil && a.Graph.Name == v.Extractor {
		return v.to(papersPath) // it cannot begin without fields
	}
	return v.showAsk(http.StatusOK, a)
}

// showAsk shows the form, with what a form alone does not need: the turns, the other conversations,
// and what else can be done.
func (v *visit) showAsk(status int, a *asking) error {
	frame := look.Frame{Title: "Ask", Heading: "What do you want to know?", Scripts: []string{root + "static/ask.js"}}
	a.Label = "Your question"
	if a.Graph.Name != v.Usual {
		frame.Title = cmp.Or(a.Graph.Offer, a.Graph.Name)
		frame.Heading, a.Label, a.About = frame.Title, cmp.Or(a.Graph.Wants, "Your question or text"), a.Graph.Description
	}
	if a.Thread == nil {
		v.offer(a)
	} else if err := v.converse(a, &frame); err != nil {
		return err
	}
	if err := v.past(a); err != nil {
		return err
	}
	return v.answer(status, askPage, "Ask", frame, a)
}

// offer adds what a person can begin with.
func (v *visit) offer(a *asking) {
	if a.Checker = v.Checker; v.Papers != nil {
		a.Reads = v.Extractor
	}
	for _, g := range v.Graphs() {
		if g.Offer != "" && g.Name != a.Graph.Name {
			a.Offers = append(a.Offers, g)
		}
	}
	if v.Examples != nil && a.Corpus != nil && a.Graph.Name == v.Usual {
		corpus := a.Corpus.Value
		if corpus == "" {
			corpus = a.Corpus.Usual
		}
		a.Examples, a.Note = v.Examples(v.r.Context(), v.tenant, corpus)
	}
}

// converse adds the turns of the thread, with the steps of a run that goes on.
func (v *visit) converse(a *asking, frame *look.Frame) error {
	all, err := v.Runs(v.r.Context(), a.Thread.ID)
	if err != nil {
		return err
	}
	slices.Reverse(all) // the oldest first
	frame.Title = cmp.Or(a.Graph.Offer, a.Graph.Name)
	if a.Graph.Name != v.Usual {
		frame.Eyebrow = a.Graph.Offer
	}
	if len(all) > 0 {
		frame.Title = title(all[0])
	}
	frame.Heading = frame.Title
	if extra := len(all) - mostTurns; extra > 0 {
		a.Before, all = join("threads", a.Thread.ID), all[extra:]
	}
	for i, r := range all {
		turn, err := v.turn(r, i == len(all)-1)
		if err != nil {
			return err
		}
		if a.Turns = append(a.Turns, turn); turn.Live {
			frame.Scripts = append(frame.Scripts, root+"static/live.js")
		}
	}
	if a.Thread.Status == runs.Busy && a.Refused == "" {
		a.Says = "" // its steps say so, or it has just ended
	}
	return nil
}

// turn returns a run as a turn of its conversation.
func (v *visit) turn(r runs.Run, last bool) (runView, error) {
	out := runView{Run: v.row(r), ID: turnID(r), Asked: r.Asked, Passed: r.Asks && !last}
	a := &account{}
	if out.Live = last && !r.Status.Ended(); out.Live {
		var err error
		if a, err = v.account(r, want{}); err != nil {
			return out, err
		}
		out.After, out.Lines, out.Earlier, out.Draft = a.seq, a.lines, a.earlier, a.draft
		return out, nil
	}
	if out.Passed {
		return out, nil
	}
	err := v.ended(r, a, &out)
	for i := range out.Asks {
		out.Asks[i].In = "ask"
	}
	if out.Failed != "" {
		out.State = nil // the page of the run has it
	}
	return out, err
}

// past adds the tenant's conversations, the newest first.
func (v *visit) past(a *asking) error {
	all, err := v.AllRuns(v.r.Context(), func(r *runs.Run) bool {
		return !r.Temporary && (v.Papers == nil || r.Graph != v.Extractor) // papers have a list of their own
	})
	if err != nil {
		return err
	}
	at := map[string]int{}
	for _, r := range all { // the newest first
		i, known := at[r.Thread]
		switch {
		case known && r.Asked != "":
			a.Past[i].Text = r.Asked // the first question names the conversation
		case !known && len(a.Past) < mostPast:
			at[r.Thread] = len(a.Past)
			here := a.Thread != nil && a.Thread.ID == r.Thread
			to := join("ask", r.Thread)
			if r.Graph == v.Checker {
				to = join("check", r.ID)
			}
			a.Past = append(a.Past, look.Link{Text: title(r), Href: to, Here: here})
		}
	}
	return nil
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
	a.Converse = a.Graph.Converses()
	for _, ch := range a.Graph.App.Channels() {
		a.More = a.More || a.Converse && ch.Name == "input"
		a.Channels = append(a.Channels, fmt.Sprintf("%s (%s)", ch.Name, ch.Kind))
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
		if one.Value == one.Usual {
			one.Value = ""
		}
		if s.Name == settingCorpus && one.Values != nil {
			a.Corpus = &one
		} else {
			a.Settings = append(a.Settings, one)
		}
	}
	return a, nil
}

// setting returns the field of a setting, with the thread's previous choice.
func (v *visit) setting(s runs.Setting, before json.RawMessage) (setting, error) {
	var schema struct {
		Type        any    `json:"type"`
		Description string `json:"description"`
		Default     any    `json:"default"`
	}
	_ = json.Unmarshal(s.Schema, &schema) // a setting without a type takes JSON
	out := setting{Name: s.Name, About: schema.Description, Field: settingField + s.Name, IsText: schema.Type == "string", Value: string(before)}
	out.Usual, _ = schema.Default.(string)
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
	if at := slices.Index(out.Values, out.Usual); at < 0 {
		out.Usual = ""
	} else {
		out.Values = slices.Delete(slices.Clone(out.Values), at, at+1)
	}
	return out, err
}

// begin begins a run, and redirects to its conversation, or to its page if it is none.
func (v *visit) begin() error {
	if err := v.r.ParseForm(); err != nil {
		return refusal.New(http.StatusBadRequest, "the form cannot be read: %v", err)
	}
	a, err := v.asking(v.r.PostForm)
	if err != nil {
		return err
	}
	a.Question = strings.TrimSpace(a.Question)
	run, err := v.beginRun(v.r.Context(), a)
	if err == nil && a.Converse {
		return v.to(turnPath(run))
	}
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

// turnPath returns the address of a run as a turn of its conversation.
func turnPath(r runs.Run) string { return join("ask", r.Thread) + "#" + turnID(r) }

func turnID(r runs.Run) string { return fmt.Sprintf("turn-%d", r.Number) }

func (v *visit) beginRun(ctx context.Context, a *asking) (runs.Run, error) {
	spec := runs.Spec{Graph: a.Graph.Name, Saved: map[string]string{"graph_id": a.Graph.Name}}
	if a.Thread != nil {
		spec.Thread = a.Thread.ID
	}
	if a.Converse {
		spec.Modes = graph.Tokens
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
	text, input := a.Question, strings.TrimSpace(a.Input)
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
	all := a.Settings
	if a.Corpus != nil {
		all = append(slices.Clip(all), *a.Corpus)
	}
	for _, s := range all {
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
