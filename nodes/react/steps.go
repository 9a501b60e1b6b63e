package react

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
)

// size estimates a message's tokens: one for every four bytes, and four more. Images count 0.
func size(m Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Arguments)
	}
	for _, r := range m.Results {
		n += len(r.Text)
	}
	return n/4 + 4
}

// Trim returns a step before the model. The model sees the end of the conversation, of at most this
// many tokens (estimated at four bytes each). It begins with a message of the person, and includes
// at least the last one. State.Messages keeps everything.
func Trim(tokens int) Step {
	return Step{Name: "trim", Run: func(_ context.Context, s State) (Change, error) {
		from, sum := len(s.Messages), 0
		for i, m := range slices.Backward(s.Messages) {
			if sum += size(m); sum > tokens && from < len(s.Messages) {
				break
			}
			if m.Role == llm.User && !m.Again {
				from = i
			}
		}
		if from == len(s.Messages) { // the person wrote no message
			return Change{}, nil
		}
		var skip []string
		for _, m := range s.Messages[:from] {
			skip = append(skip, m.ID)
		}
		return Change{View: &View{Skip: skip}}, nil
	}}
}

// ClearResults returns a step before the model. The model sees only the last results of tools; a
// note replaces older ones. State.Messages keeps them.
func ClearResults(keep int) Step {
	return Step{Name: "clear_results", Run: func(_ context.Context, s State) (Change, error) {
		var cleared []string
		left := keep
		for _, m := range slices.Backward(s.Messages) {
			if len(m.Results) == 0 {
				continue
			}
			if left--; left < 0 {
				cleared = append(cleared, m.ID)
			}
		}
		return Change{View: &View{Cleared: cleared}}, nil
	}}
}

// ChooseTools returns a step before the model. The model is offered the tools that choose returns;
// none means all.
func ChooseTools(choose func(ctx context.Context, s State) ([]string, error)) Step {
	return Step{Name: "choose_tools", Run: func(ctx context.Context, s State) (Change, error) {
		chosen, err := choose(ctx, s)
		return Change{View: &View{Tools: chosen}}, err
	}}
}

// Redact returns a step before the model. It replaces matches of the patterns in the person's
// messages and in tool results for good: later checkpoints do not contain them. The input's own
// checkpoint and the tools still see them. Images stay.
func Redact(patterns ...*regexp.Regexp) Step {
	const redacted = "[redacted]"
	clean := func(text string) string {
		for _, p := range patterns {
			text = p.ReplaceAllLiteralString(text, redacted)
		}
		return text
	}
	return Step{Name: "redact", Run: func(_ context.Context, s State) (Change, error) {
		var out Change
		for _, m := range s.Messages {
			if m.Role == llm.Assistant {
				continue
			}
			was := m.Text
			m.Text = clean(m.Text)
			changed := m.Text != was
			m.Results = slices.Clone(m.Results)
			for i, r := range m.Results {
				m.Results[i].Text = clean(r.Text)
				changed = changed || m.Results[i].Text != r.Text
			}
			if changed {
				out.Put = append(out.Put, m)
			}
		}
		return out, nil
	}}
}

// StopWhenStuck returns a step before the model. It ends the turn when the model made the same
// calls with the same results this many times in a row.
func StopWhenStuck(times int) Step {
	return Step{Name: "stop_when_stuck", Run: func(_ context.Context, s State) (Change, error) {
		rounds := roundsOf(s.Messages)
		if len(rounds) < times || times < 2 {
			return Change{}, nil
		}
		for _, r := range rounds[len(rounds)-times:] {
			if r != rounds[len(rounds)-1] {
				return Change{}, nil
			}
		}
		return Change{End: fmt.Sprintf("the model made the same calls %d times, and nothing new came", times)}, nil
	}}
}

// roundsOf returns the calls of this turn with their results, a text for each round.
func roundsOf(list []Message) []string {
	var out []string
	for i, m := range slices.Backward(list) {
		if m.Role == llm.User && !m.Again {
			break
		}
		if m.Role != llm.Assistant || len(m.Calls) == 0 {
			continue
		}
		var b strings.Builder
		for _, c := range m.Calls {
			r, _ := new(View).result(list[i+1:], c.ID)
			fmt.Fprintf(&b, "%s(%s)=%s\n", c.Name, c.Arguments, r.Text)
		}
		out = append(out, b.String())
	}
	slices.Reverse(out)
	return out
}

// Summarise returns a step before the model. When the conversation has more than this many tokens
// (estimated at four bytes each), m summarises all but its last part. That part has at least keep
// messages and begins with a message of the person. The summary replaces the summarised messages
// for good.
func Summarise(m llm.Model, tokens, keep int) Step {
	return Step{Name: "summarise", Run: func(ctx context.Context, s State) (Change, error) {
		sum := 0
		for _, each := range s.Messages {
			sum += size(each)
		}
		at := max(len(s.Messages)-keep, 0)
		for at > 0 && (at == len(s.Messages) || s.Messages[at].Role != llm.User || s.Messages[at].Again) {
			at--
		}
		if sum <= tokens || at < 2 {
			return Change{}, nil
		}
		old := s
		old.Messages, old.View = s.Messages[:at], View{}
		asked := append(prompt("", &old), llm.Message{Role: llm.User, Text: "Sum up the conversation so far for somebody who goes on with it: what was asked, what was found with its figures and names, what is open. Write only the summary."})
		resp, usage, err := llm.Generate(ctx, m, llm.Request{Skill: "summarise", Messages: asked})
		if errors.As(err, new(*llm.ParseError)) { // blank: keep the messages
			return Change{Usage: usage}, nil
		}
		if err != nil {
			return Change{}, err
		}
		out := Change{Usage: usage, Put: []Message{{ID: old.Messages[0].ID, Message: llm.Message{Role: llm.User, Text: "Summary of the conversation so far:\n" + resp.Text}}}}
		for _, each := range old.Messages[1:] {
			out.Remove = append(out.Remove, each.ID)
		}
		return out, nil
	}}
}

// AnswerIn returns a step after the model. In it m writes the answer as a T, a struct whose fields
// give the schema. The message's text is its JSON; Decode reads it.
func AnswerIn[T any](m llm.Model) Step {
	return Step{Name: "answer_in_schema", Run: func(ctx context.Context, s State) (Change, error) {
		answer := last(s.Messages)
		asked := append(prompt("", &s), llm.Message{Role: llm.User, Text: "Give that answer as one JSON object that fits the schema."})
		out, usage, err := llm.AskFor[T](ctx, m, llm.Request{Skill: "answer_in_schema", Messages: asked})
		if err != nil {
			return Change{}, err
		}
		text, err := plainjson.Encode(out)
		if err != nil {
			return Change{}, fmt.Errorf("encoding the answer: %w", err)
		}
		answer.Text = string(text)
		return Change{Put: []Message{answer}, Usage: usage}, nil
	}}
}

// ErrNoAnswer reports a turn that ended without an answer.
var ErrNoAnswer = errors.New("the turn ended without an answer")

// Decode reads the answer of an agent with AnswerIn.
func Decode[T any](s State) (T, error) {
	var out T
	text := Answer(s)
	if text == "" {
		return out, fmt.Errorf("%w: %s", ErrNoAnswer, s.Ended)
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return out, fmt.Errorf("reading the answer: %w", err)
	}
	return out, nil
}
