package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/fields"
	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/skills"
)

// Name is the name that the model gives in its responses.
const Name = "offline"

// Options adjusts the model. Nil and the zero value mean the defaults.
type Options struct {
	// MaxQuotes is the approximate number of sentences that a synthesized answer quotes, including
	// items of lists. A list is never cut, so the last one may exceed it by four; two sentences
	// that share a story's facts, and the end of an example, are added. Default 8.
	MaxQuotes int
	// More has a synthesized answer also quote sentences that answer less surely.
	More bool
	// Margin is the distance, in standard deviations over the options, by which the best choice of
	// a multiple-choice question must exceed the mean of all; below it the model abstains. Default
	// 1; a negative value never abstains while there is any evidence.
	Margin float64
	// Fields are the weights for finding the fields of forms. Default: the built-in ones.
	Fields *fields.Weights
}

// An UnknownSkillError says that a request names a skill for which the model
// has no algorithm.
type UnknownSkillError struct {
	Skill string
	Known []string // sorted
}

func (e *UnknownSkillError) Error() string {
	return fmt.Sprintf("the offline model has no algorithm for skill %q; it knows %s: use another model for this skill", e.Skill, strings.Join(e.Known, ", "))
}

// errBlank is the error of skills that need a question.
var errBlank = errors.New("the question is blank")

type model struct {
	skills map[string]func(json.RawMessage) (string, error)
	known  []string
}

// New returns the offline model. No answer depends on the calls before it.
func New(opts *Options) llm.Model {
	o := Options{}
	if opts != nil {
		o = *opts
	}
	if o.MaxQuotes <= 0 {
		o.MaxQuotes = 8
	}
	if o.Margin == 0 {
		o.Margin = 1
	}
	m := &model{skills: map[string]func(json.RawMessage) (string, error){
		skills.DetectPromptInjection: answerJSON(detect),
		skills.ClassifyAndRoute:      answerJSON(classify),
		skills.ResolveFollowUp:       answerJSON(resolveFollowUp),
		skills.PlanSynthesis:         answerJSON(plan),
		skills.QueryRewrite:          answerJSON(rewrite),
		skills.AdaptiveReplan:        answerJSON(replan),
		skills.RerankPassages:        answerJSON(rerank),
		skills.GapQueries:            answerJSON(gapQueries),
		skills.RegenerateResponse:    answerWith(regenerate),
		skills.JudgeClaim:            answerJSON(judgeClaim),
		skills.JudgeEdge:             answerJSON(judgeEdge),
		skills.DevilsAdvocate:        answerJSON(devilsAdvocate),
		skills.DraftEdges:            answerJSON(draftEdges),
		skills.ExtractRequirements:   answerJSON(extract),
		skills.VerifyGrounding:       answerJSON(ground),
		skills.ComposeAnswer:         answerJSON(compose),
		skills.ReviewAnswer:          answerJSON(reviewAnswer),
		skills.VerifyExtraction:      answerJSON(verifyExtraction),
		skills.ExtractFields: answerJSON(func(in skills.ExtractInput) (skills.ExtractOutput, error) {
			return extractFields(in, o.Fields)
		}),
		skills.RefineExtraction: answerJSON(func(in skills.RefineInput) (skills.ExtractOutput, error) {
			return refineExtraction(in, o.Fields)
		}),
		skills.SelectChoice: answerJSON(func(in skills.SelectInput) (skills.SelectOutput, error) {
			return selectChoice(in, o.Margin)
		}),
		skills.SynthesizeAndCite: answerWith(func(in skills.SynthesizeInput) (string, error) {
			return synthesize(in, o.MaxQuotes, o.More)
		}),
	}}
	for name := range m.skills {
		m.known = append(m.known, name)
	}
	slices.Sort(m.known)
	return m
}

// Generate answers from req.Skill and req.Vars. Tokens are words, counted by
// white space.
func (m *model) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	run, ok := m.skills[req.Skill]
	if !ok {
		return llm.Response{}, &UnknownSkillError{Skill: req.Skill, Known: slices.Clone(m.known)}
	}
	text, err := run(req.Vars)
	if err != nil {
		return llm.Response{}, fmt.Errorf("answering skill %q offline: %w", req.Skill, err)
	}
	usage := llm.Usage{OutputTokens: len(strings.Fields(text))}
	for _, msg := range req.Messages {
		usage.InputTokens += len(strings.Fields(msg.Text))
	}
	return llm.Response{Text: text, Model: Name, Usage: usage}, nil
}

func answerWith[In any](f func(In) (string, error)) func(json.RawMessage) (string, error) {
	return func(vars json.RawMessage) (string, error) {
		var in In
		if err := json.Unmarshal(vars, &in); err != nil {
			return "", fmt.Errorf("reading its input: %w", err)
		}
		return f(in)
	}
}

func answerJSON[In, Out any](f func(In) (Out, error)) func(json.RawMessage) (string, error) {
	return answerWith(func(in In) (string, error) {
		out, err := f(in)
		if err != nil {
			return "", err
		}
		answer, err := plainjson.Encode(out)
		if err != nil {
			return "", fmt.Errorf("encoding the answer: %w", err)
		}
		return string(answer), nil
	})
}
