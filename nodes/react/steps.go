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

// Trim returns a step before the model. Each request has at most this many tokens (estimated at four
// bytes each, without tools and images). It has the system prompt, the person's message of this turn
// and the last calls with their results, which are shortened where they do not fit. Then come the
// turn's calls before them, with their results, and whole earlier turns. What must be there and does
// not fit is an error. State.Messages keeps everything. Put Trim behind steps that add a View.Note.
func Trim(tokens int) Step {
	return limited("trim", tokens, func(_ context.Context, s State, in frame) (Change, error) {
		return fitted(s, in, tokens)
	})
}

// A frame is what a step knows of its agent.
type frame struct {
	system string
	tokens int // the limit of the steps before the model; 0 for none
}

// limited makes a step that keeps requests within a limit.
func limited(name string, tokens int, run func(context.Context, State, frame) (Change, error)) Step {
	return Step{Name: name, tokens: tokens, inside: run, Run: func(ctx context.Context, s State) (Change, error) { return run(ctx, s, frame{}) }}
}

func fitted(s State, in frame, tokens int) (Change, error) {
	view, err := s.View.fit(s.View.seen(s.Messages), join(in.system, s.View.Note), tokens)
	if err != nil || len(view.Skip) == len(s.View.Skip) && view.MaxResult == s.View.MaxResult {
		return Change{}, err
	}
	return Change{View: &View{Skip: view.Skip, MaxResult: view.MaxResult}}, nil
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
		if m.person() {
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

// Summarise returns a step before the model. When a request would have more than this many tokens
// (counted as Trim does), m sums up the conversation without its last part, which has at least keep
// messages and begins with a message of the person. Where that is not enough, the turn's own calls are
// summed up, too, until the last part has at most half the limit. The summary is made once: later requests have it in place of what it sums up, and a
// later summary goes on from it. It has at most a quarter of the limit. State.Messages keeps
// everything. Requests stay within the limit as with Trim.
func Summarise(m llm.Model, tokens, keep int) Step {
	return limited("summarise", tokens, func(ctx context.Context, s State, in frame) (Change, error) {
		list := s.View.seen(s.Messages)
		old := toSum(&s.View, list, tokens-size(&llm.Message{Text: join(in.system, s.View.Note)}), keep)
		if len(old) == 0 {
			return fitted(s, in, tokens)
		}
		ask := llm.Message{Role: llm.User, Text: "Sum up the conversation so far for somebody who goes on with it: what was asked, what was found with its figures and names, what is open. Write only the summary."}
		var view View
		view.shorten(old, tokens-size(&ask))
		asked, _ := view.render(nil, old, 0)
		resp, usage, err := llm.Generate(ctx, m, llm.Request{Skill: "summarise", Messages: append(asked, ask)})
		blank := errors.As(err, new(*llm.ParseError))
		if err != nil && !blank {
			return Change{}, err
		}
		var put []Message
		if !blank { // else the messages stay
			sum := Message{Sum: &Sum{}, ID: freshID(ctx, s.Messages), Message: llm.Message{Role: llm.User, Text: "Summary of the conversation so far:\n" + llm.Cut(resp.Text, max(tokens, 100))}}
			for _, m := range old {
				if sum.Sum.For = append(sum.Sum.For, m.ID); m.Sum != nil {
					sum.Sum.For = append(sum.Sum.For, m.Sum.For...)
				}
			}
			put, s.Messages = []Message{sum}, append(slices.Clip(s.Messages), sum)
		}
		out, err := fitted(s, in, tokens)
		out.Put, out.Usage = put, usage
		return out, err
	})
}

// toSum returns the messages that a summary is to replace; none where all fit.
func toSum(v *View, list []Message, room, keep int) []Message {
	if len(list) == 0 || v.tokens(list) <= room {
		return nil
	}
	question := questionAt(list)
	newest := unitBefore(list, len(list)) // it stays
	at := max(len(list)-keep, 0)
	for at > newest || at > 0 && list[min(at, newest)].Role == llm.ToolRole {
		at--
	}
	turn := at
	for turn > 0 && !list[turn].person() {
		turn--
	}
	if turn > 0 && v.tokens(list[turn:]) <= room*3/4 || at <= question {
		at = turn
	} else if question >= 0 {
		for at < newest && v.tokens(list[question:question+1])+v.tokens(list[at:]) > room/2 { // else the next request asks for a summary again
			for at++; list[at].Role == llm.ToolRole; at++ {
			}
		}
	}
	var old []Message
	fresh := 0
	for i, m := range list[:at] {
		if i == question {
			continue
		}
		if old = append(old, m); m.Sum == nil {
			fresh++
		}
	}
	if fresh < 2 {
		return nil
	}
	return old
}

// AnswerIn returns a step after the model. In it m writes the answer as a T, a struct whose fields
// give the schema. The message's text is its JSON; Decode reads it.
func AnswerIn[T any](m llm.Model) Step {
	return limited("answer_in_schema", 0, func(ctx context.Context, s State, in frame) (Change, error) {
		answer, ask := last(s.Messages), llm.Message{Role: llm.User, Text: "Give that answer as one JSON object that fits the schema."}
		if in.tokens > 0 {
			var err error
			if s.View, err = s.View.fit(s.View.seen(s.Messages), "", in.tokens-size(&ask)); err != nil {
				return Change{}, err
			}
		}
		asked := append(prompt("", &s), ask)
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
	})
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
