package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// EventModelCall is the name of the custom event that each call publishes.
const EventModelCall = "model_call"

// CallEvent is the payload of a "model_call" event. It holds no prompt and no
// answer, only what was asked of whom and how it went.
type CallEvent struct {
	Skill     string           `json:"skill"`
	SkillHash string           `json:"skill_hash"`
	Model     string           `json:"model,omitempty"` // empty when the call failed
	Usage     state.ModelUsage `json:"usage"`
	OK        bool             `json:"ok"`              // the answer came and fits its schema
	Repaired  bool             `json:"repaired"`        // this call was the repair of an answer that did not fit
	Error     string           `json:"error,omitempty"` // at most 300 bytes
}

// A ParseError says that a model's answer does not fit its skill, also after
// the repair attempt.
type ParseError struct {
	Skill string
	Text  string // the last answer, cut to 500 bytes
	Err   error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("parsing the answer of skill %q: %v", e.Skill, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }

const (
	maxErrorText  = 300
	maxParsedText = 500
)

// Ask renders the skill with in, asks m and returns the answer, decoded and
// valid by the skill's schema. An answer that is not gets one repair: the
// model sees it again with the validation error. A second misfit is a
// *ParseError; an error of the model comes back wrapped.
//
// The usage counts every call that was made, also beside an error.
func Ask[Out, In any](ctx context.Context, m Model, skill skills.Skill, in In) (Out, state.ModelUsage, error) {
	var out Out
	if skill.Schema == nil {
		return out, state.ModelUsage{}, fmt.Errorf("asking skill %q: it answers in text; use AskText", skill.Name)
	}
	schema, err := compiled(skill.Schema)
	if err != nil {
		return out, state.ModelUsage{}, fmt.Errorf("asking skill %q: %w", skill.Name, err)
	}
	text, usage, err := exchange(ctx, m, skill, in, func(text string) error {
		data, err := schema.check(text)
		if err != nil {
			return err
		}
		var decoded Out
		if err := json.Unmarshal(data, &decoded); err != nil {
			return fmt.Errorf("decoding it: %w", err)
		}
		out = decoded
		return nil
	})
	if err != nil {
		var zero Out
		return zero, usage, notParsed(skill, text, err)
	}
	return out, usage, nil
}

// AskText asks a skill whose answer is free text. A blank answer gets one
// repair and is then a *ParseError; see Ask for the rest.
func AskText[In any](ctx context.Context, m Model, skill skills.Skill, in In) (string, state.ModelUsage, error) {
	if skill.Schema != nil {
		return "", state.ModelUsage{}, fmt.Errorf("asking skill %q for text: it answers in JSON; use Ask", skill.Name)
	}
	text, usage, err := exchange(ctx, m, skill, in, func(text string) error {
		if strings.TrimSpace(text) == "" {
			return errors.New("it is blank")
		}
		return nil
	})
	if err != nil {
		return "", usage, notParsed(skill, text, err)
	}
	return text, usage, nil
}

// misfit marks an error of the answer, not of the call.
type misfit struct{ error }

func notParsed(skill skills.Skill, text string, err error) error {
	if bad, ok := errors.AsType[misfit](err); ok {
		return &ParseError{Skill: skill.Name, Text: Cut(text, maxParsedText), Err: bad.error}
	}
	return err
}

// exchange asks and, when accept refuses the answer, asks once more. It
// returns the last answer; a refusal of both comes back as a misfit.
func exchange[In any](ctx context.Context, m Model, skill skills.Skill, in In, accept func(string) error) (string, state.ModelUsage, error) {
	req, err := request(skill, in)
	if err != nil {
		return "", state.ModelUsage{}, err
	}
	text, usage, refusal, err := call(ctx, m, req, accept, false)
	if err != nil || refusal == nil {
		return text, usage, err
	}
	req.Messages = append(req.Messages, Message{Role: Assistant, Text: text}, Message{Role: User, Text: repairPrompt(skill, refusal)})
	text, again, refusal, err := call(ctx, m, req, accept, true)
	if err == nil && refusal != nil {
		err = misfit{refusal}
	}
	return text, usage.Plus(again), err
}

func request[In any](skill skills.Skill, in In) (Request, error) {
	var vars bytes.Buffer
	enc := json.NewEncoder(&vars)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(in); err != nil {
		return Request{}, fmt.Errorf("encoding the input of skill %q: %w", skill.Name, err)
	}
	raw := json.RawMessage(bytes.TrimSpace(vars.Bytes()))
	prompt, err := skill.Render(raw)
	if err != nil {
		return Request{}, err
	}
	return Request{
		Skill: skill.Name, SkillHash: skill.Hash, Vars: raw, Schema: skill.Schema,
		Messages: []Message{{Role: System, Text: prompt.System}, {Role: User, Text: prompt.User}},
	}, nil
}

func repairPrompt(skill skills.Skill, refusal error) string {
	want := "Answer the same question again with one JSON object that fits the schema, and nothing else."
	if skill.Schema == nil {
		want = "Answer the same question again, in text."
	}
	return fmt.Sprintf("That answer cannot be used: %s\n\n%s", Cut(refusal.Error(), 1000), want)
}

// call makes one call and publishes it. It tells the answer's refusal by
// accept from an error of the call.
func call(ctx context.Context, m Model, req Request, accept func(string) error, repair bool) (text string, usage state.ModelUsage, refusal, err error) {
	usage.Calls = 1
	for _, msg := range req.Messages {
		usage.InputChars += utf8.RuneCountInString(msg.Text)
	}
	event := CallEvent{Skill: req.Skill, SkillHash: req.SkillHash, Repaired: repair}
	resp, err := m.Generate(ctx, req)
	usage.InputTokens, usage.OutputTokens = resp.Usage.InputTokens, resp.Usage.OutputTokens // also of a call that cost and failed
	if err != nil {
		err = fmt.Errorf("asking skill %q: %w", req.Skill, err)
		event.Error = Cut(err.Error(), maxErrorText)
	} else {
		usage.OutputChars = utf8.RuneCountInString(resp.Text)
		event.Model = resp.Model
		if refusal = accept(resp.Text); refusal != nil {
			usage.ParseFailures = 1
			event.Error = Cut(refusal.Error(), maxErrorText)
		}
	}
	event.Usage, event.OK = usage, err == nil && refusal == nil
	if emitErr := graph.Emit(ctx, EventModelCall, event); emitErr != nil {
		err = errors.Join(err, fmt.Errorf("publishing a call of skill %q: %w", req.Skill, emitErr))
	}
	return resp.Text, usage, refusal, err
}

// Cut shortens s to at most n bytes, the dots at its end included, without
// splitting a character. n is at least 3.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const dots = "…"
	n -= len(dots)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + dots
}
