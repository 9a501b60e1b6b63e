package classify

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/memory/text"
)

// SkillOrders is the skill in a Detector's requests. With it a cassette records and replays them as
// calls of a model.
const SkillOrders = "detect_orders"

// DetectBy asks a model for SkillOrders: a Detector, or a cassette of one. It returns, by index,
// the spans of each text that are prompt injection.
func DetectBy(ctx context.Context, m llm.Model, texts []string) ([][]text.Span, error) {
	vars, err := json.Marshal(texts)
	if err != nil {
		return nil, fmt.Errorf("detecting prompt injection: %w", err)
	}
	resp, err := m.Generate(ctx, llm.Request{Skill: SkillOrders, Origin: llm.Origin{Vars: vars}})
	if err != nil {
		return nil, err
	}
	var found [][]text.Span
	if err := json.Unmarshal([]byte(resp.Text), &found); err != nil {
		return nil, fmt.Errorf("reading the prompt injection that was found: %w", err)
	}
	return found, nil
}

// A Detector finds sentences of passages that are prompt injection. It is safe for concurrent use.
type Detector struct{ client *Client }

// NewDetector returns a detector over a client with the task Injection.
func NewDetector(c *Client) *Detector { return &Detector{c} }

// Generate answers SkillOrders. It returns an error of Detect, or an error for another skill.
func (d *Detector) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	var texts []string
	if req.Skill != SkillOrders {
		return llm.Response{}, fmt.Errorf("asking a detector of prompt injection: it cannot answer skill %q", req.Skill)
	}
	if err := json.Unmarshal(req.Vars, &texts); err != nil {
		return llm.Response{}, fmt.Errorf("asking a detector of prompt injection: reading the texts: %w", err)
	}
	found, err := d.Detect(ctx, texts)
	if err != nil {
		return llm.Response{}, err
	}
	data, err := json.Marshal(found)
	if err != nil {
		return llm.Response{}, fmt.Errorf("asking a detector of prompt injection: %w", err)
	}
	return llm.Response{Text: string(data), Model: d.client.Name()}, nil
}

// Detect returns, by index, the spans of each text that are prompt injection. It classifies runs of
// whole sentences, and then each sentence of a positive run alone. If no sentence of that run is
// positive, it takes the one with the highest probability. Errors are those of Client.Score.
func (d *Detector) Detect(ctx context.Context, texts []string) ([][]text.Span, error) {
	var asked []Input
	var runs []run
	for i, t := range texts {
		for _, sentences := range windows(t) {
			runs = append(runs, run{i, sentences})
			asked = append(asked, Input{Text: t[sentences[0].Start:sentences[len(sentences)-1].End]})
		}
	}
	scores, _, err := d.client.Score(ctx, asked)
	if err != nil {
		return nil, err
	}
	var flagged []run
	asked = nil
	for k, r := range runs {
		if scores[k].P < decided {
			continue
		}
		flagged = append(flagged, r)
		for _, s := range r.sentences {
			asked = append(asked, Input{Text: texts[r.text][s.Start:s.End]})
		}
	}
	if scores, _, err = d.client.Score(ctx, asked); err != nil {
		return nil, err
	}
	out := make([][]text.Span, len(texts))
	for _, r := range flagged {
		of := scores[:len(r.sentences)]
		scores = scores[len(r.sentences):]
		best := highest(of, Score.support)
		for k, s := range r.sentences {
			if of[k].P >= decided || k == best {
				out[r.text] = append(out[r.text], s)
			}
		}
	}
	return out, nil
}

// A run is a group of sentences of the text with this number, which are classified together.
type run struct {
	text      int
	sentences []text.Span
}
