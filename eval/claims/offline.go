package claims

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/claim/support"
	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// An Offline judges by the offline model's skill judge_claim alone, without the pipeline's
// checks of numbers, names and negation.
type Offline struct{ model llm.Model }

// NewOffline returns the offline judge.
func NewOffline() *Offline { return &Offline{model: offline.New(nil)} }

// Judge asks the skill. A whole response is judged like one long claim.
func (o *Offline) Judge(ctx context.Context, text string, evidence []state.Evidence) (state.Verdict, error) {
	in := skills.JudgeInput{Claim: text, Sources: make([]skills.Source, len(evidence))}
	for i, e := range evidence {
		in.Sources[i] = skills.Source{N: i + 1, Title: e.Passage.Title, Section: e.Passage.Section, Text: e.Passage.Text}
	}
	vars, err := json.Marshal(in)
	if err != nil {
		return state.Verdict{}, fmt.Errorf("judging a claim: %w", err)
	}
	answer, err := o.model.Generate(ctx, llm.Request{Skill: skills.JudgeClaim, Origin: llm.Origin{Vars: vars}})
	if err != nil {
		return state.Verdict{}, fmt.Errorf("judging a claim: %w", err)
	}
	var out skills.JudgeOutput
	if err := json.Unmarshal([]byte(answer.Text), &out); err != nil {
		return state.Verdict{}, fmt.Errorf("judging a claim: reading the answer: %w", err)
	}
	v := state.Verdict{Claim: state.Claim{ID: 1, Text: text, End: len(text)}, Status: state.ClaimStatus(out.Status), Confidence: out.Confidence, Reason: out.Reason}
	for _, q := range out.Quotes {
		p := evidence[q.Source-1].Passage
		at := strings.Index(p.Text, q.Text)
		if at < 0 {
			return state.Verdict{}, fmt.Errorf("judging a claim: source %d does not hold the quote %q", q.Source, q.Text)
		}
		v.For = append(v.For, state.Quote{Passage: p.ID, Source: p.Source, Start: p.Start + at, End: p.Start + at + len(q.Text), Text: q.Text})
	}
	return v, nil
}

// offlineSaw reports whether the shipped offline judge was trained on the labels of a
// dataset, or of a part of it.
func offlineSaw(d *Dataset) (bool, error) {
	m, err := support.Default()
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(m.Trained(), func(data support.Data) bool { return data.SHA256 == d.Hash }), nil
}

// Sources converts evidence into the input of the offline judge.
func Sources(evidence []state.Evidence) []support.Source {
	out := make([]support.Source, len(evidence))
	for i, e := range evidence {
		out[i] = support.Source{Title: e.Passage.Title, Section: e.Passage.Section, Text: e.Passage.Text}
	}
	return out
}
