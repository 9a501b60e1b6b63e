package react

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/llm"
)

// KeyApproval is the key of the interrupt that asks a person about a call.
const KeyApproval = "approval"

// A Question asks a person about a call. It is the payload of an interrupt.
type Question struct {
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	CallID      string          `json:"call_id"`
	Arguments   json.RawMessage `json:"arguments"`
	Why         string          `json:"why,omitempty"`
	Problem     string          `json:"problem,omitempty"` // why the previous answer was refused
}

// A Decision is a person's decision about a call.
type Decision string

const (
	Approve Decision = "approve" // the call is made
	Edit    Decision = "edit"    // the call is made with other arguments
	Reject  Decision = "reject"  // the call is not made, and the model learns it
)

// An Approval is a person's answer to a Question.
type Approval struct {
	Decision  Decision        `json:"decision"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // for Edit
	Text      string          `json:"text,omitempty"`      // for Reject: a text for the model
	Always    bool            `json:"always,omitempty"`    // for Approve: the tool no longer asks on this thread
}

// approve asks a person about a call until the answer is valid.
func approve(ctx context.Context, t Tool, call llm.ToolCall, why string) (Approval, error) {
	described := t.Tool()
	q := Question{Tool: call.Name, Description: described.Description, CallID: call.ID, Arguments: call.Arguments, Why: why}
	for {
		answer, err := graph.Interrupt[Approval](ctx, KeyApproval, q)
		if err != nil {
			return answer, err
		}
		switch answer.Decision {
		case Approve, Reject:
			return answer, nil
		case Edit:
			answer.Arguments, err = llm.CheckArguments(described, answer.Arguments)
			if err == nil {
				return answer, nil
			}
			q.Problem = err.Error()
		default:
			q.Problem = fmt.Sprintf("the decision is %q; it must be %q, %q or %q", answer.Decision, Approve, Edit, Reject)
		}
	}
}
