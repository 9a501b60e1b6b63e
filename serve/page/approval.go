package page

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// A call is a tool's call that waits for a decision, with the form that decides about it.
type call struct {
	ID                         string // of its elements, and the end of its fields' names
	Name, Description, Problem string
	Args                       []argument
	Ways                       []way
	Chosen                     string // the type of the decision
	Reason, Reply              string
	Fault                      string // why the decision cannot be taken
}

// An argument is a field of a call. Its kind is that of its JSON value: "text", "number", "truth",
// or "json" for any other.
type argument struct {
	Name, Field, Kind string
	Text              string
	Is                value // as it stands
	Fault             string
}

// Long reports whether the field has several lines.
func (a argument) Long() bool {
	return a.Kind == "json" || len(a.Text) > 60 || strings.Contains(a.Text, "\n")
}

// A way is a decision that is allowed: its type, the same in the older form of requests, and words
// for it, before and after.
type way struct{ Type, old, allows, Words, done string }

var ways = []way{
	{"approve", "accept", "allow_accept", "Approve", "approved"},
	{"edit", "edit", "allow_edit", "Change the arguments", "changed"},
	{"reject", "ignore", "allow_ignore", "Reject", "rejected"},
	{"respond", "response", "allow_respond", "Answer in its place", "answered"},
}

// callsOf returns the calls that a payload asks about: LangChain's request for decisions, or the older
// form, of one call, whose answers have other names. It returns none for any other payload, and where
// a call allows no decision that is known.
func callsOf(payload json.RawMessage, id string) (calls []call, old bool) {
	type action struct {
		Name, Action, Description, Problem string
		Args                               json.RawMessage
	}
	var asks struct {
		Actions []action `json:"action_requests"`
		Reviews []struct {
			Action  string   `json:"action_name"`
			Allowed []string `json:"allowed_decisions"`
		} `json:"review_configs"`
		One         *action         `json:"action_request"`
		Config      map[string]bool `json:"config"`
		Description string          `json:"description"`
	}
	var list []json.RawMessage
	if json.Unmarshal(payload, &list) == nil && len(list) == 1 {
		payload = list[0]
	}
	if json.Unmarshal(payload, &asks) != nil {
		return nil, false
	}
	if old = asks.One != nil; old {
		asks.One.Name, asks.One.Description = asks.One.Action, cmp.Or(asks.One.Description, asks.Description)
		asks.Actions = []action{*asks.One}
	}
	for i, a := range asks.Actions {
		c := call{ID: fmt.Sprintf("%s-%d", id, i+1), Name: a.Name, Description: a.Description, Problem: a.Problem}
		allowed := []string{"approve", "edit", "reject"} // LangChain's, for a tool without a config
		for _, r := range asks.Reviews {
			if r.Action == a.Name {
				allowed = r.Allowed
			}
		}
		for _, w := range ways {
			if old && (asks.Config == nil && w.Type != "respond" || asks.Config[w.allows]) || !old && slices.Contains(allowed, w.Type) {
				c.Ways = append(c.Ways, w)
			}
		}
		var err error
		if c.Args, err = argumentsOf(a.Args, c.ID); len(c.Args) == 0 {
			c.Ways = slices.DeleteFunc(c.Ways, func(w way) bool { return w.Type == "edit" })
		}
		if err != nil || len(c.Ways) == 0 {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, old
}

// argumentsOf returns the arguments of a call in order. Arguments that are not an object are one,
// without a name.
func argumentsOf(args json.RawMessage, id string) ([]argument, error) {
	list, err := view.Changes(nil, args)
	var out []argument
	for i, f := range list {
		a := argument{Name: f.Name, Field: fmt.Sprintf("arg-%s-%d", id, i+1), Kind: "json", Text: look.Readable(f.Is), Is: named(f.Name, f.Is)}
		switch c := f.Is[0]; {
		case c == '"':
			a.Kind = "text"
		case c == 't' || c == 'f':
			a.Kind = "truth"
		case c == '-' || c >= '0' && c <= '9':
			a.Kind = "number"
		}
		out = append(out, a)
	}
	return out, err
}

// take fills in what a person chose and typed.
func (c *call) take(form url.Values) {
	c.Chosen, c.Reason, c.Reply = form.Get("decision-"+c.ID), form.Get("reason-"+c.ID), form.Get("reply-"+c.ID)
	if form.Has("all") {
		c.Chosen = ways[0].Type
	}
	for i, a := range c.Args {
		if form.Has(a.Field) {
			c.Args[i].Text = strings.ReplaceAll(form.Get(a.Field), "\r\n", "\n") // so are lines sent
		}
	}
}

// decided returns the decision in the form of the request, or sets the faults. The words say it to
// readers of runs.
func (c *call) decided(old bool) (decision any, words string) {
	at := slices.IndexFunc(c.Ways, func(w way) bool { return w.Type == c.Chosen })
	if at < 0 {
		c.Fault = "choose what becomes of this call"
		return nil, ""
	}
	w := c.Ways[at]
	out, words := map[string]any{"type": w.Type}, w.done+" "+c.Name
	if old {
		out = map[string]any{"type": w.old, "args": nil}
	}
	text := strings.TrimSpace(c.Reason)
	switch w.Type {
	case "edit":
		edited := map[string]any{"name": c.Name, "args": c.edited()}
		if old {
			out["args"] = map[string]any{"action": c.Name, "args": edited["args"]}
		} else {
			out["edited_action"] = edited
		}
	case "respond":
		if text = strings.TrimSpace(c.Reply); text == "" {
			c.Fault = "write what the agent gets as the result of this call"
		}
		if old {
			out["args"] = text
		} else {
			out["message"] = text
		}
		words += ": " + text
	case "reject":
		if text != "" && !old {
			out["message"] = text
			words += ": " + text
		}
	}
	return out, words
}

// edited returns the arguments as typed; it sets the faults of those that have another form.
func (c *call) edited() any {
	out := map[string]json.RawMessage{}
	for i, a := range c.Args {
		data, err := a.typed()
		if err != nil {
			c.Args[i].Fault, c.Fault = err.Error(), "an argument cannot be read"
		}
		out[a.Name] = data
	}
	if len(c.Args) == 1 && c.Args[0].Name == "" {
		return out[""]
	}
	return out
}

// typed returns an argument's text as JSON of its kind.
func (a argument) typed() (json.RawMessage, error) {
	if a.Kind == "text" {
		return json.Marshal(a.Text)
	}
	var is any
	err := json.Unmarshal([]byte(a.Text), &is)
	if _, ok := is.(float64); a.Kind == "number" && (err != nil || !ok) {
		return nil, errors.New("it must be a number, such as 3 or 0.5")
	}
	if err != nil {
		return nil, errors.New(`it must be JSON: a text stands in quotes, as in "a text"`)
	}
	return json.RawMessage(a.Text), nil
}
