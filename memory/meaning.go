package memory

import (
	"context"
	"math"

	"example.com/assay/memory/answer"
	"example.com/assay/memory/embed"
	"example.com/assay/memory/encode"
	"example.com/assay/memory/index"
	"example.com/assay/memory/text"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

const (
	meantHits  = 16 // best hits that are embedded by part
	readLeads  = 12 // stretches that are read together with the question
	newTexts   = 96 // stretches that are embedded for one search, when nobody has yet
	nearDigits = 1e4
	readDigits = 1e3
)

// readings cuts passages into the stretches that may answer a question, which an encoder reads each for
// itself.
var readings = &index.Cut{ID: "readings 1", Of: func(p state.Passage) []string {
	if texts := appendReadings(nil, p); len(texts) > 0 {
		return texts
	}
	return []string{index.Text(p)}
}}

// CutFor returns how passages are split for embedding in a space: into parts for a built-in
// encoder, or nil, as a whole, for a remote embedder.
func CutFor(space *embed.Space) *index.Cut {
	if space == nil || !encode.IsID(space.ID()) {
		return nil
	}
	return readings
}

func appendReadings(texts []string, p state.Passage) []string {
	for _, r := range answer.Readings(p) {
		texts = append(texts, r.Text)
	}
	return texts
}

// mean sets the similarity of the question and each part of the best hits, unless the question is
// in another language than English, which the encoders are for. The index has the vectors of a
// corpus whose passages were embedded by part. Missing ones are computed now, for the best hits
// first and within the time that a question can wait.
func (c *Corpus) mean(ctx context.Context, question string, hits []state.Hit) error {
	l := text.LanguageOf(question)
	reads := c.opts.Meaning != nil && (l == "" || l == text.English)
	if reads && c.opts.Space != nil && c.manifest.Info.Cut == readings.ID {
		clearNear(hits[min(len(hits), meantHits):])
		return nil
	}
	clearNear(hits)
	if !reads {
		return nil
	}
	hits = hits[:min(len(hits), meantHits)]
	var texts []string
	from := make([]int, 0, len(hits)+1)
	for _, h := range hits {
		from = append(from, len(texts))
		texts = appendReadings(texts, h.Passage)
	}
	from = append(from, len(texts))
	if len(texts) == 0 {
		return nil
	}
	asked, err := c.opts.Meaning.Queries(ctx, []string{question})
	if err != nil {
		return err
	}
	vectors, err := c.opts.Meaning.Some(ctx, texts, newTexts)
	if err != nil {
		return err
	}
	for i := range hits {
		near := make([]float64, 0, from[i+1]-from[i])
		for _, v := range vectors[from[i]:from[i+1]] {
			if v == nil {
				break
			}
			near = append(near, math.Round(vector.Dot(v, asked[0])*nearDigits)/nearDigits)
		}
		if len(near) == cap(near) && len(near) > 0 {
			hits[i].Near = near
		}
	}
	return nil
}

func clearNear(hits []state.Hit) {
	for i := range hits {
		hits[i].Near = nil
	}
}

// A Reader reads texts together with a question.
type Reader interface {
	// Answers returns the log-odds of each text that it answers the question.
	Answers(ctx context.Context, question string, texts []string) ([]float64, error)
}

// answers reads the leading parts together with the question, each of which takes about a hundredth
// of a second. Only parts of hits that were embedded by part lead.
func (c *Corpus) answers(ctx context.Context, question string, hits []state.Hit) error {
	var sources []answer.Source
	for _, h := range hits {
		if h.Near == nil {
			break
		}
		sources = append(sources, answer.SourceOf(h))
	}
	leading := answer.Leading(question, sources, readLeads)
	texts := make([]string, len(leading))
	for i, l := range leading {
		texts[i] = l.Text
	}
	odds, err := c.opts.Reader.Answers(ctx, question, texts)
	if err != nil {
		return err
	}
	for i, l := range leading {
		h := &hits[l.Source]
		if h.Read == nil {
			h.Read = map[int]float64{}
		}
		h.Read[l.Reading] = math.Round(odds[i]*readDigits) / readDigits
	}
	return nil
}
