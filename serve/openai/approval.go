package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// An action is a call of a tool that waits for a person, as an agent's interrupt has it.
type action struct {
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	Description string          `json:"description"`
	Problem     string          `json:"problem"`
}

// actionsOf returns the actions of an interrupt; none if it asks something else.
func actionsOf(q graph.PendingInterrupt) []action {
	var in struct {
		Actions []action `json:"action_requests"`
	}
	if json.Unmarshal(q.Payload, &in) != nil {
		return nil
	}
	return in.Actions
}

// questionOf returns the text of an interrupt: the calls that wait for approval, or else its
// payload, as JSON unless it is a text.
func questionOf(q graph.PendingInterrupt) string {
	var text string
	actions := actionsOf(q)
	if json.Unmarshal(q.Payload, &text) != nil && actions == nil {
		text = string(bytes.TrimSpace(q.Payload))
	}
	for _, a := range actions {
		text += strings.TrimSpace(fmt.Sprintf("%s %s\n%s\n%s", a.Name, a.Args, a.Description, a.Problem)) + gap
	}
	if actions != nil {
		text += "May I? Answer yes, or say why not."
	}
	return strings.TrimSpace(text + gap + q.Problem)
}

// An approval decides on one of the actions that a response asks about.
type approval struct {
	Run     string // of the response
	N       int    // the action, counted over all interrupts
	Approve bool
	Why     string // it does not
}

// yes are the texts that approve. Any other text says why not.
var yes = []string{"yes", "y", "ok", "okay", "approve", "approved"}

// decision returns the decision about an action, in the form of an agent's interrupt; nil without one.
func (in *request) decision(n int) map[string]string {
	var given approval
	if len(in.Approvals) == 0 {
		given.Why = in.Messages[len(in.Messages)-1].Text
		given.Approve = slices.Contains(yes, strings.ToLower(strings.Trim(given.Why, " \n.!")))
	} else if i := slices.IndexFunc(in.Approvals, func(a approval) bool { return a.N == n }); i >= 0 {
		given = in.Approvals[i]
	} else {
		return nil
	}
	if given.Approve {
		return map[string]string{"type": "approve"}
	}
	return map[string]string{"type": "reject", "message": given.Why}
}

// answers returns the answers to a thread's interrupts: the request's approvals, or else the text of
// its last message, which answers the only one.
func (in *request) answers(asked []graph.PendingInterrupt) (map[string]json.RawMessage, error) {
	out, n := map[string]json.RawMessage{}, 0
	for _, q := range asked {
		var decisions []map[string]string
		for range actionsOf(q) {
			d := in.decision(n)
			if d == nil {
				return nil, invalid("input", "", "an approval is missing: each mcp_approval_request of the response needs its mcp_approval_response")
			}
			decisions = append(decisions, d)
			n++
		}
		var value any = map[string]any{"decisions": decisions}
		if decisions == nil {
			if len(in.Approvals) > 0 {
				continue // it waits for another answer
			}
			value = in.Messages[len(in.Messages)-1].Text
		}
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		out[q.ID] = data
	}
	if len(out) == 0 {
		return nil, invalid("input", "", "no call waits for an approval")
	}
	return out, nil
}
