package classify

import (
	"context"

	"example.com/assay/memory/text"
)

// A Detector finds the sentences of passages that give orders to an assistant.
// It is safe for concurrent use.
type Detector struct{ client *Client }

// NewDetector returns the detector of a client whose task is Injection.
func NewDetector(c *Client) *Detector { return &Detector{c} }

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
