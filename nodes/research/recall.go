package research

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/memory"
	"example.com/assay/state"
)

// Version changes whenever an answer that an earlier pipeline gave must not be
// served from memory any more.
const Version = "research/1"

// NewMemory is the QA memory of a corpus as the pipeline uses it. An answer is
// served again only to the same content of the corpus, the same Version and
// the same key, which names what else answers depend on: model, skills,
// thresholds.
func NewMemory(qa *memory.QA, corpus *memory.Corpus, key string) Memory {
	return &recalls{qa, corpus, Version + " " + key}
}

type recalls struct {
	qa       *memory.QA
	corpus   *memory.Corpus
	pipeline string
}

// Lookup implements Memory. An entry that does not hold together, because it
// was cut or edited, is no hit.
func (r *recalls) Lookup(_ context.Context, question string) (Recall, bool, error) {
	entry, similarity, ok, err := r.qa.Lookup(question, r.corpus.Fingerprint(), r.pipeline)
	if err != nil || !ok {
		return Recall{}, false, err
	}
	var steps []state.Step
	if json.Unmarshal(entry.Payload, &steps) != nil || !r.sound(steps) {
		return Recall{}, false, nil
	}
	return Recall{Question: entry.Question, Similarity: similarity, Answer: entry.Answer, Steps: steps}, true, nil
}

// Store implements Memory.
func (r *recalls) Store(_ context.Context, question string, answer Recall, confidence float64) error {
	payload, err := json.Marshal(answer.Steps)
	if err != nil {
		return fmt.Errorf("encoding an answer for memory: %w", err)
	}
	return r.qa.Store(memory.QAEntry{
		Question: question, Answer: answer.Answer, Payload: payload, Corpus: r.corpus.Name(),
		Fingerprint: r.corpus.Fingerprint(), Pipeline: r.pipeline, Confidence: confidence,
	})
}

// sound reports whether steps are completed, and every passage and quote that
// they cite is still in the corpus as it stands there.
func (r *recalls) sound(steps []state.Step) bool {
	if !whole(steps) {
		return false
	}
	for _, step := range steps {
		for _, c := range step.Citations {
			p := step.Hits[c.N-1].Passage
			if have, ok, err := r.corpus.Passage(p.ID); err != nil || !ok || !have.Equal(p) {
				return false
			}
			for _, q := range c.Quotes {
				if q.Start < p.Start || q.End < q.Start || q.End > p.End || p.Text[q.Start-p.Start:q.End-p.Start] != q.Text {
					return false
				}
			}
		}
	}
	return true
}
