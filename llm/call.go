package llm

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// EventModelCall is the name of the custom event that each call publishes.
const EventModelCall = "model_call"

// CallEvent is the payload of a "model_call" event. It holds no prompt and no
// answer, only what was asked of whom and how it went.
type CallEvent struct {
	Skill     string           `json:"skill"`
	SkillHash string           `json:"skill_hash"`
	Model     string           `json:"model,omitempty"`    // who answered; empty when the call failed
	Fallback  string           `json:"fallback,omitempty"` // why the first model did not answer, when another was asked; at most 300 bytes
	Usage     state.ModelUsage `json:"usage"`
	OK        bool             `json:"ok"`              // the answer came and fits its schema
	Repaired  bool             `json:"repaired"`        // this call was the repair of an answer that did not fit
	Error     string           `json:"error,omitempty"` // at most 300 bytes
}

const maxErrorText = 300

// call makes one call and publishes it. It tells the answer's refusal by
// accept from an error of the call.
func call(ctx context.Context, m Model, req Request, accept func(Response) error, repair bool) (resp Response, usage state.ModelUsage, refusal, err error) {
	usage.Calls = 1
	usage.InputChars = inputChars(req.Messages)
	event := CallEvent{Skill: req.Skill, SkillHash: req.SkillHash, Repaired: repair}
	inner, ledger := Open(ctx)
	resp, err = m.Generate(inner, req)
	met := ledger.read()
	usage.InputTokens, usage.OutputTokens = resp.Usage.InputTokens, resp.Usage.OutputTokens // also of a call that cost and failed
	usage.Cost, usage.Unpriced = met.Cost, min(met.Unpriced, 1)
	usage.RecordedCost, usage.RecordedUnpriced = met.RecordedCost, min(met.RecordedUnpriced, 1)
	event.Fallback = met.Fallback
	if err != nil {
		err = fmt.Errorf("asking skill %q: %w", req.Skill, err)
		event.Error = Cut(err.Error(), maxErrorText)
	} else {
		usage.OutputChars = outputChars(resp)
		event.Model = resp.Model
		if refusal = accept(resp); refusal != nil {
			usage.ParseFailures = 1
			event.Error = Cut(refusal.Error(), maxErrorText)
		}
	}
	event.Usage, event.OK = usage, err == nil && refusal == nil
	met.ModelUsage = usage
	Book(ctx, met)
	if emitErr := graph.Emit(ctx, EventModelCall, event); emitErr != nil {
		err = errors.Join(err, fmt.Errorf("publishing a call of skill %q: %w", req.Skill, emitErr))
	}
	return resp, usage, refusal, err
}

// inputChars counts texts, calls and results. Images count as nothing.
func inputChars(messages []Message) int {
	n := 0
	for _, msg := range messages {
		n += utf8.RuneCountInString(msg.Text) + callChars(msg.Calls)
		for _, result := range msg.Results {
			n += utf8.RuneCountInString(result.Text)
		}
	}
	return n
}

func outputChars(resp Response) int { return utf8.RuneCountInString(resp.Text) + callChars(resp.Calls) }

func callChars(calls []ToolCall) int {
	n := 0
	for _, c := range calls {
		n += utf8.RuneCount(c.Arguments)
	}
	return n
}
