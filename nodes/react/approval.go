package react

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/llm"
)

// KeyApproval is the key of the interrupt that asks a person about calls.
const KeyApproval = "approval"

// An HITLRequest asks a person about the calls of a message. It is the payload of an interrupt, in
// the form of LangChain's human-in-the-loop middleware.
type HITLRequest struct {
	Actions []ActionRequest `json:"action_requests"`
	Reviews []ReviewConfig  `json:"review_configs"` // one for each tool
}

// An ActionRequest is a call that waits for a decision.
type ActionRequest struct {
	Name        string          `json:"name"` // of the tool
	Args        json.RawMessage `json:"args"`
	Description string          `json:"description"` // of the tool, and why the call asks
	CallID      string          `json:"call_id"`
	Problem     string          `json:"problem,omitempty"` // why the previous answer was refused
}

// A ReviewConfig says how a tool's calls can be decided.
type ReviewConfig struct {
	Action  string          `json:"action_name"`
	Allowed []DecisionType  `json:"allowed_decisions"`
	Schema  json.RawMessage `json:"args_schema,omitempty"`
}

// A DecisionType is a person's decision about a call.
type DecisionType string

const (
	Approve DecisionType = "approve" // the call is made
	Edit    DecisionType = "edit"    // the call is made with other arguments
	Reject  DecisionType = "reject"  // the call is not made, and the model learns it
	Respond DecisionType = "respond" // the call is not made: the message is its result
)

var decisions = []DecisionType{Approve, Edit, Reject, Respond}

// An HITLResponse is a person's answer to an HITLRequest: a decision for each action, in order.
type HITLResponse struct {
	Decisions []Decision `json:"decisions"`
}

// A Decision decides about one call.
type Decision struct {
	Type    DecisionType  `json:"type"`
	Edited  *EditedAction `json:"edited_action,omitempty"` // for Edit
	Message string        `json:"message,omitempty"`       // for Reject and Respond
	Always  bool          `json:"always,omitempty"`        // for Approve: the tool no longer asks on this thread
}

// An EditedAction is a call with a person's arguments.
type EditedAction struct {
	Name string          `json:"name"` // of the same tool; may be empty
	Args json.RawMessage `json:"args"`
}

// UnmarshalJSON also reads the spelling of JavaScript's clients.
func (d *Decision) UnmarshalJSON(data []byte) error {
	type plain Decision
	in := struct {
		plain
		Camel *EditedAction `json:"editedAction"`
	}{}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	if *d = Decision(in.plain); d.Edited == nil {
		d.Edited = in.Camel
	}
	return nil
}

// Decide makes the answer to an HITLRequest.
func Decide(list ...Decision) HITLResponse { return HITLResponse{list} }

// approve is the node that asks a person about calls, all at once, until every decision is valid.
func (a *agent[S]) approve(ctx context.Context, s S) (graph.Update[S], error) {
	at := a.at(&s)
	asking := at.Asking
	given, err := a.decided(ctx, asking)
	if err != nil {
		return nil, err
	}
	var u graph.Update[S]
	made := slices.Clip(at.Decided) // by dispatch, which also makes those that wait already
	for i, d := range given {
		sent := asking[i].Sent
		switch d.Type {
		case Reject:
			u, err = a.answers(ctx, u, &sent, rejected(d.Message), true)
		case Respond:
			u, err = a.answers(ctx, u, &sent, d.Message, false)
		case Edit:
			sent.Arguments, sent.Edited = d.Edited.Args, true
			made = append(made, sent)
		default:
			made = append(made, sent)
		}
		if err != nil {
			return nil, err
		}
		if d.Always {
			u = append(u, a.Allowed.Add([]string{sent.Name}))
		}
	}
	return append(u, a.Decided.Set(made)), nil
}

// An Asking is a call that waits for a person, and why.
type Asking struct {
	Sent
	Why string `json:"why,omitempty"`
}

// decided asks until each call has a valid decision.
func (a *agent[S]) decided(ctx context.Context, asking []Asking) ([]Decision, error) {
	q := HITLRequest{}
	for _, c := range asking {
		described := a.kit.tools[c.Name].Tool()
		q.Actions = append(q.Actions, ActionRequest{Name: c.Name, Args: c.Arguments, Description: join(described.Description, c.Why), CallID: c.ID})
		if !slices.ContainsFunc(q.Reviews, func(r ReviewConfig) bool { return r.Action == c.Name }) {
			q.Reviews = append(q.Reviews, ReviewConfig{c.Name, decisions, described.Parameters})
		}
	}
	for {
		answer, err := graph.Interrupt[HITLResponse](ctx, KeyApproval, q)
		if err != nil {
			return nil, err
		}
		fine := true
		for i := range q.Actions {
			q.Actions[i].Problem = problem(a.kit.tools[asking[i].Name].Tool(), answer.Decisions, i, len(asking))
			fine = fine && q.Actions[i].Problem == ""
		}
		if fine {
			return answer.Decisions, nil
		}
	}
}

// problem says why the decision about call i of n cannot be taken; "" if it can. It checks and
// completes edited arguments.
func problem(t llm.Tool, given []Decision, i, n int) string {
	if len(given) != n {
		return fmt.Sprintf("there are %d decisions for %d calls", len(given), n)
	}
	d := &given[i]
	switch d.Type {
	case Approve, Reject, Respond:
		return ""
	case Edit:
		if d.Edited == nil || d.Edited.Name != "" && d.Edited.Name != t.Name {
			return fmt.Sprintf("an edit needs edited_action, with the name %q and args", t.Name)
		}
		args, err := llm.CheckArguments(t, d.Edited.Args)
		if err != nil {
			return err.Error()
		}
		d.Edited.Args = args
		return ""
	}
	return fmt.Sprintf("the decision is %q; it must be %q, %q, %q or %q", d.Type, Approve, Edit, Reject, Respond)
}

func rejected(text string) string {
	if text == "" {
		return "a person rejected this call"
	}
	return "a person rejected this call: " + text
}
