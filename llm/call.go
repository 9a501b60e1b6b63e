package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

const maxSaid = 64 << 10

type verbatimKey struct{}

// Verbatim returns a context in which the events of calls hold prompts and answers.
func Verbatim(ctx context.Context) context.Context {
	return context.WithValue(ctx, verbatimKey{}, true)
}

// said returns the texts of a call, or nil outside Verbatim.
func said(ctx context.Context, req Request, resp Response, taped bool) *event.Said {
	if ctx.Value(verbatimKey{}) == nil {
		return nil
	}
	out := &event.Said{Messages: slices.Clone(req.Messages), Answer: Cut(resp.Text, maxSaid), Calls: slices.Clone(resp.Calls), Cassette: taped}
	for i := range out.Messages {
		m := &out.Messages[i]
		m.Text, m.Reasoning, m.Images, m.Calls, m.Results = Cut(m.Text, maxSaid), Cut(m.Reasoning, maxSaid), slices.Clone(m.Images), slices.Clone(m.Calls), slices.Clone(m.Results)
		for k := range m.Images {
			m.Images[k].Data = nil
		}
		for k := range m.Results {
			m.Results[k].Text = Cut(m.Results[k].Text, maxSaid)
		}
		cutArguments(m.Calls)
	}
	cutArguments(out.Calls)
	return out
}

// cutArguments turns long arguments, and arguments that are not JSON, into a JSON string.
func cutArguments(calls []ToolCall) {
	for i, c := range calls {
		if len(c.Arguments) > maxSaid || !json.Valid(c.Arguments) {
			calls[i].Arguments, _ = json.Marshal(Cut(string(c.Arguments), maxSaid)) // a string can be encoded
		}
	}
}

const maxErrorText = 300

// call makes one call and publishes it. It returns accept's refusal of the answer apart from an
// error of the call.
func call(ctx context.Context, m Model, req Request, accept func(Response) error, repair bool) (resp Response, usage state.ModelUsage, refusal, err error) {
	usage.Calls = 1
	usage.InputChars = inputChars(req.Messages)
	made := event.Call{Skill: req.Skill, SkillHash: req.SkillHash, Repaired: repair}
	inner, ledger := Open(ctx)
	resp, err = m.Generate(inner, req)
	met := ledger.read()
	usage.InputTokens, usage.OutputTokens = resp.Usage.InputTokens, resp.Usage.OutputTokens // a failed call may have a cost too
	usage.Cost, usage.Unpriced = met.Cost, min(met.Unpriced, 1)
	usage.RecordedCost, usage.RecordedUnpriced = met.RecordedCost, min(met.RecordedUnpriced, 1)
	made.Fallback = met.Fallback
	if err != nil {
		err = fmt.Errorf("asking skill %q: %w", req.Skill, err)
		made.Error = Cut(err.Error(), maxErrorText)
	} else {
		usage.OutputChars = outputChars(resp)
		made.Model = resp.Model
		if refusal = accept(resp); refusal != nil {
			usage.ParseFailures = 1
			made.Error = Cut(refusal.Error(), maxErrorText)
		}
	}
	made.Usage, made.OK, made.Said = usage, err == nil && refusal == nil, said(ctx, req, resp, met.Taped)
	met.ModelUsage = usage
	Book(ctx, met)
	if emitErr := graph.Emit(ctx, event.ModelCall, made); emitErr != nil {
		err = errors.Join(err, fmt.Errorf("publishing a call of skill %q: %w", req.Skill, emitErr))
	}
	return resp, usage, refusal, err
}

// inputChars counts the characters of texts, calls and results. Images count as 0.
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
