package classify

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/assay/llm"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

const (
	// decided is the minimum probability for a text to support or contradict a claim.
	decided = .5
	// window is how many bytes of a source, in whole sentences, are judged at once: such models
	// read about 512 tokens.
	window = 1500
)

// A Judge is a model that answers one skill, judge_claim, with a classifier. It judges each
// sentence of the claim against each source. The claim is as probable as its least probable
// sentence. The quote is the sentence with the highest probability in the best source. It is safe
// for concurrent use.
type Judge struct {
	client      *Client
	calibration *Calibration
}

// NewJudge returns a judge over a client with the task Support. A nil calibration leaves the
// server's probabilities unchanged.
func NewJudge(c *Client, calibration *Calibration) *Judge { return &Judge{c, calibration} }

// Generate answers judge_claim. It returns an error of Client.Score, or an error for another skill.
func (j *Judge) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if req.Skill != skills.JudgeClaim {
		return llm.Response{}, fmt.Errorf("asking a judge of claims: it cannot answer skill %q", req.Skill)
	}
	var in skills.JudgeInput
	if err := json.Unmarshal(req.Vars, &in); err != nil {
		return llm.Response{}, fmt.Errorf("asking a judge of claims: reading the input: %w", err)
	}
	v := verdict{Judge: j}
	out, err := v.judge(ctx, in)
	if err != nil {
		return llm.Response{Usage: v.usage}, err
	}
	data, err := json.Marshal(out)
	if err != nil {
		return llm.Response{}, fmt.Errorf("asking a judge of claims: %w", err)
	}
	return llm.Response{Text: string(data), Model: j.client.Name(), Usage: v.usage}, nil
}

// A verdict is an answer under construction, with its usage.
type verdict struct {
	*Judge
	usage llm.Usage
}

func (v *verdict) score(ctx context.Context, inputs []Input) ([]Score, error) {
	scores, usage, err := v.client.Score(ctx, inputs)
	v.usage = v.usage.Plus(usage)
	return scores, err
}

// A part is a run of sentences of a source, judged together.
type part struct {
	source    skills.Source
	sentences []text.Span
}

func (p part) text() string {
	return p.source.Text[p.sentences[0].Start:p.sentences[len(p.sentences)-1].End]
}

// parts cuts sources into windows.
func parts(sources []skills.Source) []part {
	var out []part
	for _, src := range sources {
		for _, sentences := range windows(src.Text) {
			out = append(out, part{src, sentences})
		}
	}
	return out
}

// windows cuts a text into runs of sentences of at most window bytes. A longer
// sentence stands alone.
func windows(t string) [][]text.Span {
	var out [][]text.Span
	var run []text.Span
	for _, s := range text.Sentences(t) {
		if len(run) > 0 && s.End-run[0].Start > window {
			out, run = append(out, run), nil
		}
		run = append(run, s)
	}
	if len(run) > 0 {
		out = append(out, run)
	}
	return out
}

func (v *verdict) judge(ctx context.Context, in skills.JudgeInput) (skills.JudgeOutput, error) {
	out := skills.JudgeOutput{Status: "unsupported", Quotes: []skills.SourceQuote{}, Against: []skills.SourceQuote{}, Reason: "There is nothing to judge the claim by."}
	shown := parts(in.Sources)
	var sentences []string
	for _, s := range text.Sentences(in.Claim) {
		sentences = append(sentences, in.Claim[s.Start:s.End])
	}
	if len(shown) == 0 || len(sentences) == 0 {
		return out, nil
	}
	var asked []Input
	for _, claim := range sentences {
		for _, p := range shown {
			asked = append(asked, Input{p.text(), claim})
		}
	}
	scores, err := v.score(ctx, asked)
	if err != nil {
		return out, err
	}
	supported := 0
	out.Confidence = 1
	for i, claim := range sentences {
		of := scores[i*len(shown) : (i+1)*len(shown)]
		yes, no := highest(of, Score.support), highest(of, Score.against)
		p := v.calibration.P(of[yes].P)
		out.Confidence = min(out.Confidence, p)
		switch {
		case p >= decided:
			supported++
			out.Quotes, err = v.quote(ctx, out.Quotes, shown[yes], claim, Score.support)
		case of[no].Against >= decided:
			out.Against, err = v.quote(ctx, out.Against, shown[no], claim, Score.against)
		}
		if err != nil {
			return out, err
		}
	}
	switch {
	case supported == len(sentences):
		out.Status = "supported"
	case supported > 0 && len(out.Against) == 0:
		out.Status = "partially_supported"
	default:
		out.Quotes = []skills.SourceQuote{}
	}
	out.Reason = fmt.Sprintf("%s puts the probability of support at %.2f.", v.client.Name(), out.Confidence)
	if len(out.Against) > 0 {
		out.Reason = fmt.Sprintf("%s finds the claim contradicted.", v.client.Name())
	}
	return out, nil
}

func (s Score) support() float64 { return s.P }
func (s Score) against() float64 { return s.Against }

// highest returns the index of the highest score, the first one of equals.
func highest(scores []Score, by func(Score) float64) int {
	best := 0
	for i, s := range scores {
		if by(s) > by(scores[best]) {
			best = i
		}
	}
	return best
}

// quote adds the sentence of a part with the highest score.
func (v *verdict) quote(ctx context.Context, quotes []skills.SourceQuote, p part, claim string, by func(Score) float64) ([]skills.SourceQuote, error) {
	var asked []Input
	for _, s := range p.sentences {
		// A source that was not valid UTF-8 has lost bytes: the replacement character is in no
		// source.
		if words := p.source.Text[s.Start:s.End]; !strings.ContainsRune(words, utf8.RuneError) {
			asked = append(asked, Input{words, claim})
		}
	}
	if len(asked) == 0 {
		return quotes, nil
	}
	best := 0
	if len(asked) > 1 {
		scores, err := v.score(ctx, asked)
		if err != nil {
			return nil, err
		}
		best = highest(scores, by)
	}
	return append(quotes, skills.SourceQuote{Source: p.source.N, Text: asked[best].Text}), nil
}
