package langgraph

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// runJSON is a run in the clients' format.
type runJSON struct {
	ID        string          `json:"run_id"`
	Thread    string          `json:"thread_id"`
	Assistant string          `json:"assistant_id"`
	Metadata  json.RawMessage `json:"metadata"`
	Status    runs.Status     `json:"status"`
	Kwargs    json.RawMessage `json:"kwargs"`
	Strategy  runs.Strategy   `json:"multitask_strategy"`
	Created   string          `json:"created_at"`
	Updated   string          `json:"updated_at"`
}

func runOf(r runs.Run) runJSON {
	assistant := fieldOf(r.Metadata, "assistant_id")
	if assistant == "" {
		assistant = assistantOf(r.Graph)
	}
	return runJSON{r.ID, r.Thread, assistant, r.Metadata, r.Status, object(r.Kept), r.Strategy, moment(r.Created), moment(r.Updated)}
}

// names is one name or a list of names.
type names []string

func (n *names) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(n))
}

// settings is the config of a run, an assistant or a thread.
type settings struct {
	Tags         []string        `json:"tags,omitempty"`
	Limit        int             `json:"recursion_limit,omitempty"`
	Configurable json.RawMessage `json:"configurable,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// placing is the part of a config about a run's place.
type placing struct {
	Checkpoint string `json:"checkpoint_id"`
}

// config reads a config.
func (c *call) config(data json.RawMessage) (s settings, err error) {
	if !present(data) {
		return s, nil
	}
	if err := c.decode(data, &s); err != nil {
		return s, fmt.Errorf("config: %w", err)
	}
	if s.Limit < 0 {
		return s, refusal.New(http.StatusUnprocessableEntity, "config.recursion_limit is %d: it must be from 1", s.Limit)
	}
	_, _, err = s.place()
	return s, err
}

// place returns the place in a config, and the settings that it chooses for the run.
func (s *settings) place() (p placing, chosen map[string]json.RawMessage, err error) {
	if !present(s.Configurable) {
		return p, nil, nil
	}
	if err = json.Unmarshal(s.Configurable, &chosen); err == nil {
		err = json.Unmarshal(s.Configurable, &p)
	}
	if err != nil {
		return p, nil, refusal.New(http.StatusUnprocessableEntity, "config.configurable: %v", err)
	}
	for _, name := range []string{"thread_id", "graph_id", "assistant_id", "checkpoint_id", "checkpoint_ns", "checkpoint_map"} {
		delete(chosen, name)
	}
	return p, chosen, nil
}

// choices are settings of an assistant or a run, in either of two fields.
type choices struct {
	config  settings
	context json.RawMessage
}

// settingsOf merges the settings of a run; later ones win.
func (c *call) settingsOf(g runs.Graph, all ...choices) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for _, part := range all {
		_, chosen, err := part.config.place()
		if err != nil {
			return nil, err
		}
		maps.Copy(out, chosen)
		if !present(part.context) {
			continue
		}
		if err := json.Unmarshal(part.context, &out); err != nil {
			return nil, refusal.New(http.StatusUnprocessableEntity, "context must be an object: %v", err)
		}
	}
	if unknown := g.Unknown(out); c.Strict && len(unknown) > 0 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "graph %q has no setting %q: it has %s", g.Name, unknown[0], settingNames(g))
	}
	setUser(out, c.Caller())
	return out, c.CheckSettings(g, out)
}

func settingNames(g runs.Graph) string {
	var names []string
	for _, s := range g.Settings {
		names = append(names, s.Name)
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

// runRequest is a run to begin.
type runRequest struct {
	Assistant    string          `json:"assistant_id"`
	Input        json.RawMessage `json:"input"`
	Command      *command        `json:"command"`
	Config       json.RawMessage `json:"config"`
	Context      json.RawMessage `json:"context"`
	Metadata     json.RawMessage `json:"metadata"`
	CheckpointID string          `json:"checkpoint_id"`
	Checkpoint   *checkpointJSON `json:"checkpoint"`
	Before       names           `json:"interrupt_before"`
	After        names           `json:"interrupt_after"`
	Modes        names           `json:"stream_mode"`
	Subgraphs    bool            `json:"stream_subgraphs"`
	Resumable    bool            `json:"stream_resumable"` // all streams are resumable
	OnDisconnect string          `json:"on_disconnect"`
	OnCompletion string          `json:"on_completion"`
	Strategy     string          `json:"multitask_strategy"`
	IfNotExists  string          `json:"if_not_exists"`
	AfterSeconds float64         `json:"after_seconds"`
	Durability   string          `json:"durability"`
	During       *bool           `json:"checkpoint_during"`
	Strict       bool            `json:"strict_resume"`    // always in effect: an answer without an interrupt fails
	Feedback     json.RawMessage `json:"feedback_keys"`    // kept, without effect
	Tracer       json.RawMessage `json:"langsmith_tracer"` // kept, without effect
	Webhook      string          `json:"webhook"`
}

// choice checks a field's value against its allowed values. The first one is the default.
func choice(field, given string, values ...string) (string, error) {
	if given == "" {
		return values[0], nil
	}
	if slices.Contains(values, given) {
		return given, nil
	}
	return "", refusal.New(http.StatusUnprocessableEntity, "%s is %q: it can be %s", field, given, strings.Join(values, ", "))
}

// spec returns the requested run. The data is the whole request.
func (c *call) spec(r *runRequest, data json.RawMessage) (spec runs.Spec, err error) {
	v, err := c.kept(r.Assistant)
	if err != nil {
		return spec, err
	}
	g, err := c.graphNamed(v.Graph)
	if err != nil {
		return spec, err
	}
	conf, err := c.config(r.Config)
	if err != nil {
		return spec, err
	}
	ofAssistant, err := c.config(v.Config)
	if err != nil {
		return spec, err
	}
	place, _, err := conf.place()
	if err != nil {
		return spec, err
	}
	chosen, err := c.settingsOf(g, choices{ofAssistant, v.Context}, choices{conf, r.Context})
	if err != nil {
		return spec, err
	}
	spec = runs.Spec{
		Thread: c.thread(), Graph: g.Name, Limit: ofAssistant.Limit, Checkpoint: place.Checkpoint, Subgraphs: r.Subgraphs,
		Delay: time.Duration(r.AfterSeconds * float64(time.Second)), Kept: data, Webhook: r.Webhook,
		Saved: map[string]string{"graph_id": g.Name, "assistant_id": v.ID}, Settings: chosen,
	}
	if conf.Limit > 0 {
		spec.Limit = conf.Limit
	}
	if spec.Config, err = runs.Merge(json.RawMessage(`{"configurable":{}}`), r.Config); err != nil {
		return spec, err
	}
	mine, err := json.Marshal(map[string]string{"graph_id": g.Name, "assistant_id": v.ID})
	if err != nil {
		return spec, err
	}
	spec.Marks = mine
	unknown, err := c.unknownIn(g, r, chosen)
	if err != nil {
		return spec, err
	}
	for _, part := range []json.RawMessage{v.Metadata, conf.Metadata, r.Metadata, mine, unknown} {
		if spec.Metadata, err = runs.Merge(spec.Metadata, part); err != nil {
			return spec, err
		}
	}
	if len(conf.Tags) > 0 {
		tags, err := json.Marshal(map[string][]string{"tags": conf.Tags})
		if err != nil {
			return spec, err
		}
		if spec.Metadata, err = runs.Merge(spec.Metadata, tags); err != nil {
			return spec, err
		}
	}
	if err := c.input(&spec, r, g); err != nil {
		return spec, err
	}
	return spec, r.policies(&spec, g)
}

// unknownIn returns metadata that names what a run's caller gave and its graph does not know: the
// run's record has the values.
func (c *call) unknownIn(g runs.Graph, r *runRequest, chosen map[string]json.RawMessage) (json.RawMessage, error) {
	var input []string
	if _, input = known(g, r.Input); r.Command != nil {
		_, input = known(g, r.Command.Update)
	}
	if c.Strict && len(input) > 0 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "graph %q has no channel %q; nothing was done", g.Name, input[0])
	}
	unknown := map[string][]string{}
	for where, names := range map[string][]string{"input": input, "context": g.Unknown(chosen)} {
		if len(names) > 0 {
			unknown[where] = names
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	return json.Marshal(map[string]any{"unknown": unknown})
}

// known returns values without those of channels that a graph does not have, and their names.
func known(g runs.Graph, values json.RawMessage) (rest json.RawMessage, unknown []string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(values, &fields) != nil {
		return values, nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.ContainsFunc(g.App.Channels(), func(ch graph.ChannelInfo) bool { return ch.Name == name }) {
			unknown = append(unknown, name)
			delete(fields, name)
		}
	}
	if len(unknown) == 0 {
		return values, nil
	}
	rest, _ = json.Marshal(fields) // it was read from JSON
	return rest, unknown
}

// input sets the input of the run.
func (c *call) input(spec *runs.Spec, r *runRequest, g runs.Graph) (err error) {
	if r.CheckpointID != "" {
		spec.Checkpoint = r.CheckpointID
	}
	if p := r.Checkpoint; p != nil {
		if p.Namespace != "" {
			return refusal.New(http.StatusUnprocessableEntity, "checkpoint.checkpoint_ns is %q: a run begins at a checkpoint of the root", p.Namespace)
		}
		if p.ID != "" {
			spec.Checkpoint = p.ID
		}
	}
	if r.Command != nil {
		var given map[string]json.RawMessage // agent-chat-ui sends an empty input together with its command
		if present(r.Input) && (json.Unmarshal(r.Input, &given) != nil || len(given) > 0) {
			return refusal.New(http.StatusUnprocessableEntity, "give input or command, not both")
		}
		spec.Resume, spec.Answers = true, r.Command.answers()
		r.Command.Update, _ = known(g, r.Command.Update)
		spec.Input, err = r.Command.update(c, g, nil)
		return err
	}
	given, _ := known(g, r.Input)
	spec.Input, err = (*command)(nil).update(c, g, given)
	return err
}

// policies sets the run's options.
func (r *runRequest) policies(spec *runs.Spec, g runs.Graph) error {
	var all []string
	for _, n := range g.App.Drawing().Nodes() {
		all = append(all, n.Name)
	}
	for _, b := range []struct {
		field string
		given names
		to    *[]string
	}{{"interrupt_before", r.Before, &spec.Before}, {"interrupt_after", r.After, &spec.After}} {
		if slices.Equal(b.given, names{"*"}) {
			*b.to = all
			continue
		}
		for _, n := range b.given {
			if !slices.Contains(all, n) {
				return refusal.New(http.StatusUnprocessableEntity, "%s names %q; the graph has %s", b.field, n, strings.Join(all, ", "))
			}
		}
		*b.to = b.given
	}
	strategy, err := choice("multitask_strategy", r.Strategy, "reject", "enqueue", "interrupt", "rollback")
	if err != nil {
		return err
	}
	spec.Strategy = runs.Strategy(strategy)
	if spec.Thread == "" {
		done, err := choice("on_completion", r.OnCompletion, "delete", "keep")
		if err != nil {
			return err
		}
		spec.Create, spec.Temporary = true, done == "delete"
	} else {
		missing, err := choice("if_not_exists", r.IfNotExists, "reject", "create")
		if err != nil {
			return err
		}
		spec.Create = missing == "create"
	}
	if _, err := choice("on_disconnect", r.OnDisconnect, "continue", "cancel"); err != nil {
		return err
	}
	saved := "sync"
	if r.During != nil && !*r.During {
		saved = "exit"
	}
	if r.Durability != "" {
		saved = r.Durability
	}
	if saved, err = choice("durability", saved, "sync", "async", "exit"); err != nil {
		return err
	}
	spec.Durability = map[string]graph.Durability{"sync": graph.DurabilitySync, "async": graph.DurabilityAsync, "exit": graph.DurabilityExit}[saved]
	if r.AfterSeconds < 0 || r.AfterSeconds > 24*60*60 {
		return refusal.New(http.StatusUnprocessableEntity, "after_seconds is %v: it must be from 0 to a day", r.AfterSeconds)
	}
	modes, err := modesOf(r.Modes)
	if err != nil {
		return err
	}
	spec.Modes = modes.wanted()
	return nil
}
