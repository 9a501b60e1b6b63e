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

// EventTextAgain is the name of the custom event that says that the tokens
// which the node has published so far are void: the text begins anew, because
// a call was repeated. Its payload is a TextAgain.
const EventTextAgain = "model_text_again"

// TextAgain is the payload of a "model_text_again" event.
type TextAgain struct {
	Skill string `json:"skill"`
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

const maxParsedText = 500

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
	text, usage, err := exchange(ctx, m, skill, in, nil, nil, &relay{}, func(text string) error {
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

// AskFor asks m with a request of one's own and returns the answer as a T, whose JSON
// Schema takes the place of the request's. T is a struct; its fields are described as
// those of NewTool's arguments. See Ask for the rest.
func AskFor[T any](ctx context.Context, m Model, req Request) (T, state.ModelUsage, error) {
	var out, zero T
	text, err := schemaOf[T]()
	if err != nil {
		return zero, state.ModelUsage{}, fmt.Errorf("asking for a %T: %w", zero, err)
	}
	schema, err := compiled(text)
	if err != nil {
		return zero, state.ModelUsage{}, fmt.Errorf("asking for a %T: %w", zero, err)
	}
	req.Schema = text
	skill := skills.Skill{Name: req.Skill, Schema: text}
	conv, err := converse(ctx, m, req, nil, nil, &relay{}, func(text string) (string, error) {
		data, refusal := schema.check(text)
		if refusal == nil {
			refusal = json.Unmarshal(data, &out)
		}
		if refusal == nil {
			return "", nil
		}
		return repairPrompt(skill, refusal), refusal
	})
	if err != nil {
		return zero, conv.Usage, notParsed(skill, conv.Response.Text, err)
	}
	return out, conv.Usage, nil
}

// AskText asks a skill whose answer is free text. A blank answer gets one
// repair and is then a *ParseError; see Ask for the rest.
//
// When somebody listens to the tokens of the node that runs in ctx, the model
// is asked to stream, and the text goes there by graph.EmitToken as it is
// written; else it is not, for a whole answer is checked and counted by more
// providers than a streamed one. A text that begins anew is announced by
// EventTextAgain. The tokens since the last one are together the text that is
// returned.
func AskText[In any](ctx context.Context, m Model, skill skills.Skill, in In) (string, state.ModelUsage, error) {
	return AskTextWith(ctx, m, skill, in, nil, nil)
}

// AskTextWith is AskText of a model that may call tools before it answers, as
// by Converse. A model that calls on after the last round is a *RoundsError; one
// without tools answers as AskText lets it.
func AskTextWith[In any](ctx context.Context, m Model, skill skills.Skill, in In, tools []Callable, opts *ConverseOptions) (string, state.ModelUsage, error) {
	if skill.Schema != nil {
		return "", state.ModelUsage{}, fmt.Errorf("asking skill %q for text: it answers in JSON; use Ask", skill.Name)
	}
	listener := relay{to: tokens(ctx, skill.Name)}
	text, usage, err := exchange(ctx, m, skill, in, tools, opts, &listener, notBlank)
	if err != nil {
		return "", usage, notParsed(skill, text, err)
	}
	listener.finish(text)
	return text, usage, nil
}

func notBlank(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is blank")
	}
	return nil
}

// tokens returns what publishes a streamed text, or nil when nobody listens.
func tokens(ctx context.Context, skill string) func(Chunk) {
	if !graph.WantsTokens(ctx) {
		return nil
	}
	return func(c Chunk) {
		if c.Again {
			_ = graph.Emit(ctx, EventTextAgain, TextAgain{skill}) // a name can always be encoded
		}
		graph.EmitToken(ctx, c.Text)
	}
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
func exchange[In any](ctx context.Context, m Model, skill skills.Skill, in In, tools []Callable, opts *ConverseOptions, listener *relay, accept func(string) error) (string, state.ModelUsage, error) {
	req, err := request(skill, in)
	if err != nil {
		return "", state.ModelUsage{}, err
	}
	conv, err := converse(ctx, m, req, tools, opts, listener, func(text string) (string, error) {
		refusal := accept(text)
		if refusal == nil {
			return "", nil
		}
		return repairPrompt(skill, refusal), refusal
	})
	return conv.Response.Text, conv.Usage, err
}

func request[In any](skill skills.Skill, in In) (Request, error) {
	raw, err := Encode(in)
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

func repairPrompt(skill skills.Skill, refusal error) string {
	want := "Answer the same question again with one JSON object that fits the schema, and nothing else."
	if skill.Schema == nil {
		want = "Answer the same question again, in text."
	}
	return fmt.Sprintf("That answer cannot be used: %s\n\n%s", Cut(refusal.Error(), 1000), want)
}

// Encode returns v as JSON for models and people to read: with <, > and & as they
// are, and without a line end.
func Encode(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
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
