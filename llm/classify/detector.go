package classify

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/memory/text"
)

// SkillOrders stands where a request has its skill when a Detector is asked as a
// model, so that its calls are recorded and replayed as those of models are.
const SkillOrders = "detect_orders"

// DetectBy asks a model for SkillOrders: a Detector, or what is recorded of one. It
// returns, by index, the spans of each text that give orders.
func DetectBy(ctx context.Context, m llm.Model, texts []string) ([][]text.Span, error) {
	vars, err := json.Marshal(texts)
	if err != nil {
		return nil, fmt.Errorf("asking for orders: %w", err)
	}
	resp, err := m.Generate(ctx, llm.Request{Skill: SkillOrders, Origin: llm.Origin{Vars: vars}})
	if err != nil {
		return nil, err
	}
	var found [][]text.Span
	if err := json.Unmarshal([]byte(resp.Text), &found); err != nil {
		return nil, fmt.Errorf("reading what orders were found: %w", err)
	}
	return found, nil
}

// A Detector finds the sentences of passages that give orders to an assistant.
// It is safe for concurrent use.
type Detector struct{ client *Client }

// NewDetector returns the detector of a client whose task is Injection.
func NewDetector(c *Client) *Detector { return &Detector{c} }

// Generate answers SkillOrders. Errors are those of Detect, and any other skill.
func (d *Detector) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	var texts []string
	if req.Skill != SkillOrders {
		return llm.Response{}, fmt.Errorf("asking a detector of orders: it cannot answer skill %q", req.Skill)
	}
	if err := json.Unmarshal(req.Vars, &texts); err != nil {
		return llm.Response{}, fmt.Errorf("asking a detector of orders: reading the texts: %w", err)
	}
	found, err := d.Detect(ctx, texts)
	if err != nil {
		return llm.Response{}, err
	}
	data, err := json.Marshal(found)
	if err != nil {
		return llm.Response{}, fmt.Errorf("asking a detector of orders: %w", err)
	}
	return llm.Response{Text: string(data), Model: d.client.Name()}, nil
}

// Detect returns, by index, the spans of each text that give orders. A text is
// classified by runs of whole sentences, and of a run that gives orders each
// sentence alone; when none of these does, the likeliest is taken. Errors are
// those of Client.Score.
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

// A run is some sentences of a text, by its number, that are classified at once.
type run struct {
	text      int
	sentences []text.Span
}
