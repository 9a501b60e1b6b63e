package memory

import (
	"context"
	"math"

	"example.com/assay/memory/answer"
	"example.com/assay/memory/text"
	"example.com/assay/memory/vector"
	"example.com/assay/state"
)

const (
	meantHits  = 16 // of the best, so many are read stretch by stretch
	readLeads  = 12 // stretches that are read together with the question
	newTexts   = 96 // stretches that are embedded for one search, when nobody has yet
	nearDigits = 1e4
	readDigits = 1e3
)

// mostRead is the largest corpus whose stretches are read before anybody asks: beyond it, what is found
// is read when it is found.
const mostRead = 2_000

// Read embeds all stretches of the corpus's passages in OpenOptions.Meaning, so that no question waits
// for them; what is in its cache is not embedded again. A large corpus and one on a server are left
// alone. progress is told how many stretches are done; nil means nobody watches.
func (c *Corpus) Read(ctx context.Context, progress func(done, total int)) error {
	if c.opts.Meaning == nil || c.manifest.Served != nil || c.manifest.Info.Passages > mostRead {
		return nil
	}
	ids, err := c.PassageIDs()
	if err != nil {
		return err
	}
	var texts []string
	for _, id := range ids {
		p, ok, err := c.Passage(id)
		if err != nil {
			return err
		}
		if ok {
			texts = appendReadings(texts, p)
		}
	}
	_, err = c.opts.Meaning.Passages(ctx, texts, progress)
	return err
}

func appendReadings(texts []string, p state.Passage) []string {
	for _, r := range answer.Readings(p) {
		texts = append(texts, r.Text)
	}
	return texts
}

// mean says of each stretch of the best hits how near it is to the question, unless it is in another
// language than English, which the encoders read. What nobody has embedded yet is embedded now, of the best hits first and no more than a
// question can wait for.
func (c *Corpus) mean(ctx context.Context, question string, hits []state.Hit) error {
	if l := text.LanguageOf(question); l != "" && l != text.English {
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

// A Reader reads texts together with a question.
type Reader interface {
	// Answers returns the log-odds of each text that it answers the question.
	Answers(ctx context.Context, question string, texts []string) ([]float64, error)
}

// answers has the stretches that lead read together with the question, each of which takes about a hundredth
// of a second. Only stretches of hits that were read for themselves lead.
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
