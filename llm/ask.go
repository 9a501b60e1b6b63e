package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/internal/plainjson"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// EventTextAgain is the name of a custom event: the tokens that a node, or a graph inside it, has
// published so far for a skill are void, and its text begins again, because a call was repeated or
// called tools. The payload is a TextAgain.
const EventTextAgain = "model_text_again"

// TextAgain is the payload of a "model_text_again" event.
type TextAgain struct {
	Skill string `json:"skill"`
}

// A ParseError reports that a model's answer does not fit its skill, even after the repair.
type ParseError struct {
	Skill string
	Text  string // the last answer, cut to 500 bytes
	Err   error
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("parsing the answer of skill %q: %v", e.Skill, e.Err)
}

func (e *ParseError) Unwrap() error { return e.Err }

const maxParsedText = 500

// Ask renders the skill with in, asks m, checks the answer against the skill's schema and decodes
// it. After an invalid answer the model sees it again, with the validation error, for one repair. A
// second invalid answer is a *ParseError. An error of the model comes back wrapped.
//
// The usage counts every call made, also when Ask returns an error.
func Ask[Out, In any](ctx context.Context, m Model, skill skills.Skill, in In) (Out, state.ModelUsage, error) {
	var zero Out
	if skill.Schema == nil {
		return zero, state.ModelUsage{}, fmt.Errorf("asking skill %q: it answers in text; use AskText", skill.Name)
	}
	req, err := Render(skill, in)
	if err != nil {
		return zero, state.ModelUsage{}, err
	}
	return askTyped[Out](ctx, m, req)
}

// AskFor asks m with the caller's own request and decodes the answer as a T, a struct. The
// request's schema is replaced by T's JSON Schema, which describes fields as NewTool does. See Ask
// for the rest.
func AskFor[T any](ctx context.Context, m Model, req Request) (T, state.ModelUsage, error) {
	var zero T
	schema, err := schemaOf[T]()
	if err != nil {
		return zero, state.ModelUsage{}, fmt.Errorf("asking for a %T: %w", zero, err)
	}
	req.Schema = schema
	return askTyped[T](ctx, m, req)
}

// askTyped asks for an answer that fits the request's schema.
func askTyped[T any](ctx context.Context, m Model, req Request) (T, state.ModelUsage, error) {
	var out, zero T
	schema, err := compiled(req.Schema)
	if err != nil {
		return zero, state.ModelUsage{}, fmt.Errorf("asking skill %q: %w", req.Skill, err)
	}
	_, usage, err := exchange(ctx, m, req, silent, func(resp Response) error {
		data, err := schema.check(resp.Text)
		if err != nil {
			return err
		}
		var decoded T
		if err := json.Unmarshal(data, &decoded); err != nil {
			return fmt.Errorf("decoding it: %w", err)
		}
		out = decoded
		return nil
	})
	if err != nil {
		return zero, usage, err
	}
	return out, usage, nil
}

// AskText asks a skill with a free-text answer, as Generate does.
func AskText[In any](ctx context.Context, m Model, skill skills.Skill, in In) (string, state.ModelUsage, error) {
	if skill.Schema != nil {
		return "", state.ModelUsage{}, fmt.Errorf("asking skill %q for text: it answers in JSON; use Ask", skill.Name)
	}
	req, err := Render(skill, in)
	if err != nil {
		return "", state.ModelUsage{}, err
	}
	resp, usage, err := Generate(ctx, m, req)
	return resp.Text, usage, err
}

// Generate asks m with the caller's own request. It checks no schema. A blank answer without calls
// of tools gets one repair; a second blank answer is a *ParseError. See Ask for the rest.
//
// When req.OnText is nil and the node in ctx has a reader of tokens, the model streams and its text
// goes to graph.EmitToken. Otherwise Generate asks for a whole answer, since more providers check
// and count whole answers. EventTextAgain announces that a text begins again. The tokens since the
// last such event together are the returned text.
func Generate(ctx context.Context, m Model, req Request) (Response, state.ModelUsage, error) {
	to := req.OnText
	if to == nil {
		to = tokens(ctx, req)
	}
	listener := silent
	if to != nil {
		listener = &relay{to: to}
	}
	accept := notBlank
	if len(req.Tools) > 0 {
		accept = callsOrText
	}
	resp, usage, err := exchange(ctx, m, req, listener, accept)
	if err == nil {
		listener.finish(resp.Text)
	}
	return resp, usage, err
}

func notBlank(resp Response) error {
	if strings.TrimSpace(resp.Text) == "" {
		return errors.New("it is blank")
	}
	return nil
}

func callsOrText(resp Response) error {
	if len(resp.Calls) > 0 {
		return nil
	}
	return notBlank(resp)
}

// tokens returns a function that publishes a streamed text, or nil when there is no reader.
func tokens(ctx context.Context, req Request) func(Chunk) {
	if !graph.WantsTokens(ctx) {
		return nil
	}
	_ = graph.Emit(ctx, event.ModelText, event.Text{Skill: req.Skill, Message: req.Message}) // names can always be encoded
	return func(c Chunk) {
		if c.Again {
			_ = graph.Emit(ctx, EventTextAgain, TextAgain{req.Skill})
		}
		graph.EmitToken(ctx, c.Text)
	}
}

// exchange asks m. When accept refuses the answer, it asks once more with the refusal. A second
// refusal is a *ParseError.
func exchange(ctx context.Context, m Model, req Request, listener *relay, accept func(Response) error) (Response, state.ModelUsage, error) {
	var sum state.ModelUsage
	for repair := false; ; repair = true {
		req.OnText = listener.next()
		resp, usage, refusal, err := call(ctx, m, req, accept, repair)
		sum = sum.Plus(usage)
		switch {
		case err != nil:
			return Response{}, sum, err
		case refusal == nil:
			return resp, sum, nil
		case repair:
			return Response{}, sum, &ParseError{Skill: req.Skill, Text: Cut(resp.Text, maxParsedText), Err: refusal}
		}
		req.Messages = append(slices.Clip(req.Messages), Message{Role: Assistant, Text: resp.Text}, Message{Role: User, Text: repairPrompt(req.Schema != nil, refusal)})
	}
}

// Render returns the request that Ask and AskText send for a skill and its input.
func Render[In any](skill skills.Skill, in In) (Request, error) {
	raw, err := plainjson.Encode(in)
	if err != nil {
		return Request{}, fmt.Errorf("encoding the input of skill %q: %w", skill.Name, err)
	}
	prompt, err := skill.Render(raw)
	if err != nil {
		return Request{}, err
	}
	return Request{
		Skill: skill.Name, Origin: Origin{SkillHash: skill.Hash, Vars: raw}, Schema: skill.Schema,
		Messages: []Message{{Role: System, Text: prompt.System}, {Role: User, Text: prompt.User}},
	}, nil
}

func repairPrompt(inJSON bool, refusal error) string {
	want := "Answer the same question again, in text."
	if inJSON {
		want = "Answer the same question again with one JSON object that fits the schema, and nothing else."
	}
	return fmt.Sprintf("That answer cannot be used: %s\n\n%s", Cut(refusal.Error(), 1000), want)
}

// Cut shortens s to at most n bytes, including the dots at its end, without splitting a character.
// n must be at least 3.
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
