package langgraph

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// command is a caller's command to a waiting thread.
type command struct {
	Name   string          `json:"lg_name"` // the name of the client's class
	Resume json.RawMessage `json:"resume"`
	Update json.RawMessage `json:"update"`
	Goto   json.RawMessage `json:"goto"`
}

// update returns the update from values and from the command's update and goto; nil for none.
func (cmd *command) update(c *call, g runs.Graph, values json.RawMessage) (json.RawMessage, error) {
	if cmd != nil && present(cmd.Update) {
		if present(values) {
			return nil, refusal.New(http.StatusUnprocessableEntity, "give values or command.update, not both")
		}
		values = cmd.Update
	}
	var writes []json.RawMessage
	if present(values) {
		if pairs, ok := pairsOf(values); ok {
			values = pairs
		}
		values, err := c.identified(g, values)
		if err != nil {
			return nil, err
		}
		data, err := g.App.Values(values)
		if err != nil {
			return nil, &runs.InvalidError{Err: err}
		}
		if err := json.Unmarshal(data, &writes); err != nil {
			return nil, err
		}
	}
	if cmd != nil && present(cmd.Goto) {
		write, err := gotoOf(cmd.Goto)
		if err != nil {
			return nil, err
		}
		writes = append(writes, write)
	}
	if writes == nil && !present(values) {
		return nil, nil
	}
	return json.Marshal(slices.Concat([]json.RawMessage{}, writes))
}

func present(data json.RawMessage) bool { return len(data) > 0 && string(data) != "null" }

// pairsOf turns a list of name and value pairs into an object.
func pairsOf(values json.RawMessage) (json.RawMessage, bool) {
	var pairs [][2]json.RawMessage
	if json.Unmarshal(values, &pairs) != nil {
		return nil, false
	}
	out := map[string]json.RawMessage{}
	for _, p := range pairs {
		var name string
		if json.Unmarshal(p[0], &name) != nil {
			return nil, false
		}
		out[name] = p[1]
	}
	data, err := json.Marshal(out)
	return data, err == nil
}

// gotoOf returns a write that goes to nodes.
func gotoOf(data json.RawMessage) (json.RawMessage, error) {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		list = []json.RawMessage{data}
	}
	to := []string{}
	for _, one := range list {
		var name string
		if json.Unmarshal(one, &name) != nil {
			return nil, refusal.New(http.StatusUnprocessableEntity, "command.goto must name nodes; Sends cannot be given from outside")
		}
		to = append(to, name)
	}
	return json.Marshal(map[string]any{"op": "goto", "value": map[string]any{"to": to}})
}

// interruptID matches the engine's IDs of interrupts.
var interruptID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// answers returns the answers that resume a run: by interrupt ID, or one answer for the only
// interrupt.
func (cmd *command) answers() map[string]json.RawMessage {
	if cmd == nil || cmd.Resume == nil {
		return nil
	}
	var byID map[string]json.RawMessage
	if json.Unmarshal(cmd.Resume, &byID) == nil && len(byID) > 0 {
		all := true
		for id := range byID {
			all = all && interruptID.MatchString(id)
		}
		if all {
			return byID
		}
	}
	return map[string]json.RawMessage{"": cmd.Resume}
}
