package page

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// An edit is the form that changes a state as a node would.
type edit struct {
	Checkpoint, As, Channel, Value string
	Replace                        bool
	Nodes                          []string // nodes that the update may count for
	Channels                       []string
	Fault                          string // why the engine refused it
}

// editOf returns the form at a checkpoint, with the values of a failed attempt.
func editOf(g runs.Graph, at *runs.Snapshot, tried edit) edit {
	tried.Checkpoint = at.Key.ID
	for _, n := range g.App.Drawing().Nodes() {
		if n.Name != graph.Start && n.Name != graph.End {
			tried.Nodes = append(tried.Nodes, n.Name)
		}
	}
	for _, c := range g.App.Channels() {
		tried.Channels = append(tried.Channels, c.Name)
	}
	return tried
}

// editState writes a value into a channel at a checkpoint, as a node. An error of the engine is
// shown next to the field.
func (v *visit) editState() error {
	form, thread := v.r.PostFormValue, v.r.PathValue("thread")
	e := edit{Checkpoint: form("checkpoint"), As: form("as"), Channel: form("channel"), Value: form("value"), Replace: form("replace") != ""}
	_, g, err := v.at(thread, e.Checkpoint)
	if err != nil {
		return err
	}
	update, err := e.update(g)
	id := ""
	if err == nil {
		id, err = v.UpdateState(v.r.Context(), thread, "", e.Checkpoint, []graph.AppUpdate{{As: e.As, Update: update}})
	}
	if refusal.Status(err) == http.StatusUnprocessableEntity {
		e.Fault = err.Error()
		return v.showThread(http.StatusUnprocessableEntity, e.Checkpoint, e, again{})
	}
	if err != nil {
		return err
	}
	if form("on") != "" {
		return v.runOn(thread, id)
	}
	return v.to(threadPath(thread, "at", id))
}

// at returns a checkpoint of a thread, with its graph.
func (v *visit) at(thread, checkpoint string) (*runs.Snapshot, runs.Graph, error) {
	at, g, err := v.State(v.r.Context(), thread, checkpoint)
	if err == nil && at == nil {
		err = &runs.NotFoundError{What: "checkpoint", ID: checkpoint}
	}
	return at, g, err
}

// update returns the update in the form.
func (e edit) update(g runs.Graph) (json.RawMessage, error) {
	if !json.Valid([]byte(e.Value)) {
		return nil, &runs.InvalidError{Err: errors.New(`the value is not JSON: a text stands in quotes, as in "a text"`)}
	}
	if e.Replace {
		return json.Marshal([]map[string]any{{"channel": e.Channel, "op": graph.OpOverwrite.String(), "value": json.RawMessage(e.Value)}})
	}
	object, err := json.Marshal(map[string]json.RawMessage{e.Channel: json.RawMessage(e.Value)})
	if err != nil {
		return nil, err
	}
	data, err := g.App.Values(object)
	if err != nil {
		return nil, &runs.InvalidError{Err: err}
	}
	return data, nil
}

// A Skill is a prompt that a run may replace.
type Skill struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// SettingSkill is the setting of graphs that replaces a prompt with a Skill.
const SettingSkill = "skill"

// again is the form that runs again with another prompt.
type again struct {
	Skills []string
	Skill  Skill  // the chosen one
	Fault  string // why its text was refused
}

// againOf returns the form for a graph, with the values of a failed attempt; empty if its prompts
// cannot be replaced.
func (v *visit) againOf(g runs.Graph, tried again) again {
	if v.Skills == nil || !slices.ContainsFunc(g.Settings, func(s runs.Setting) bool { return s.Name == SettingSkill }) {
		return again{}
	}
	out, chosen := tried, v.r.URL.Query().Get("skill")
	for _, s := range v.Skills(g.Name) {
		if out.Skills = append(out.Skills, s.Name); s.Name == chosen && tried.Skill.Name == "" {
			out.Skill = s
		}
	}
	return out
}

// goOn continues from a checkpoint: its due nodes run again, with another prompt if the form has
// one. Earlier runs from the checkpoint stay.
func (v *visit) goOn() error {
	checkpoint := v.r.PostFormValue("checkpoint")
	if checkpoint == "" {
		return refusal.New(http.StatusBadRequest, "no checkpoint is named")
	}
	return v.runOn(v.r.PathValue("thread"), checkpoint)
}

// runOn runs the nodes that are due at a checkpoint, and shows the run.
func (v *visit) runOn(thread, checkpoint string) error {
	ctx := v.r.Context()
	at, g, err := v.at(thread, checkpoint)
	if err != nil {
		return err
	}
	if len(at.Next) == 0 {
		return refusal.New(http.StatusConflict, "nothing is due at this checkpoint: go on from one before it, or edit its state")
	}
	spec := runs.Spec{Thread: thread, Graph: g.Name, Resume: true, Checkpoint: checkpoint}
	if err := v.continues(ctx, &spec, at.Run); err != nil {
		return err
	}
	var tried Skill
	if name := v.r.PostFormValue("skill"); name != "" {
		text := strings.ReplaceAll(v.r.PostFormValue("text"), "\r\n", "\n") // browsers send CRLF
		tried = Skill{name, text}
		data, err := json.Marshal(tried)
		if err != nil {
			return err
		}
		if spec.Settings == nil {
			spec.Settings = map[string]json.RawMessage{}
		}
		spec.Settings[SettingSkill] = data
	}
	r, err := v.Begin(ctx, spec)
	if tried.Name != "" && refusal.Status(err) == http.StatusUnprocessableEntity {
		return v.showThread(http.StatusUnprocessableEntity, checkpoint, edit{}, again{Skill: tried, Fault: err.Error()})
	}
	if err != nil {
		return err
	}
	return v.to(join("runs", r.ID))
}

// continues makes a run the successor of the run of a checkpoint: it has the same question and the
// same settings. For a checkpoint edited by hand it is the successor of the thread's last run. A
// removed run has no successor.
func (v *visit) continues(ctx context.Context, spec *runs.Spec, id string) error {
	all, err := v.Runs(ctx, spec.Thread)
	if err != nil || len(all) == 0 {
		return err
	}
	of := all[0]
	if at := slices.IndexFunc(all, func(r runs.Run) bool { return r.ID == id }); at >= 0 {
		of = all[at]
	}
	spec.Forked, spec.Asked, spec.Settings = of.ID, of.Asked, maps.Clone(of.Settings)
	delete(spec.Settings, SettingSkill)
	return nil
}
