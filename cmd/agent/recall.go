package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"example.com/assay/memory"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// pipelineVersion changes whenever answers kept by an earlier program must
// not be served any more.
const pipelineVersion = "research/1"

// recall is the QA memory of a corpus as the pipeline sees it. An answer is
// served again only to the same corpus content, pipeline, model, threshold
// and skills.
type recall struct {
	qa       *memory.QA
	corpus   *memory.Corpus
	pipeline string
}

func openRecall(s settings, corpus *memory.Corpus, set *skills.Set) (*recall, error) {
	qa, err := memory.OpenQA(memory.QAPath(s.home, corpus.Name()), corpus.Embed)
	if err != nil {
		return nil, withoutMemory(err)
	}
	hashes, err := skillHashes(set)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	for _, name := range set.Names() {
		fmt.Fprintf(h, "%s %s\n", name, hashes[name])
	}
	return &recall{qa, corpus, fmt.Sprintf("%s %s %g %s", pipelineVersion, s.model, s.threshold, hex.EncodeToString(h.Sum(nil))[:16])}, nil
}

// Lookup implements research.Memory. An entry that does not hold together,
// because it was cut or edited, is no hit.
func (r *recall) Lookup(_ context.Context, question string) (research.Recall, bool, error) {
	entry, similarity, ok, err := r.qa.Lookup(question, r.corpus.Fingerprint(), r.pipeline)
	if err != nil {
		return research.Recall{}, false, withoutMemory(err)
	}
	if !ok {
		return research.Recall{}, false, nil
	}
	var steps []state.Step
	if json.Unmarshal(entry.Payload, &steps) != nil || !r.sound(steps) {
		return research.Recall{}, false, nil
	}
	return research.Recall{Question: entry.Question, Similarity: similarity, Answer: entry.Answer, Steps: steps}, true, nil
}

// Store implements research.Memory.
func (r *recall) Store(_ context.Context, question string, answer research.Recall, confidence float64) error {
	payload, err := json.Marshal(answer.Steps)
	if err != nil {
		return fmt.Errorf("encoding an answer for memory: %w", err)
	}
	if err := r.qa.Store(memory.QAEntry{
		Question: question, Answer: answer.Answer, Payload: payload, Corpus: r.corpus.Name(),
		Fingerprint: r.corpus.Fingerprint(), Pipeline: r.pipeline, Confidence: confidence,
	}); err != nil {
		return withoutMemory(err)
	}
	return nil
}

// withoutMemory says how to do without a memory that fails.
func withoutMemory(err error) error { return fmt.Errorf("%w; --no-memory goes without it", err) }

// sound reports whether steps are completed, and every passage and quote that
// they cite is still in the corpus as it stands there.
func (r *recall) sound(steps []state.Step) bool {
	for _, step := range steps {
		if step.Status != state.StepCompleted {
			return false
		}
		for _, c := range step.Citations {
			if c.N < 1 || c.N > len(step.Hits) {
				return false
			}
			p := step.Hits[c.N-1].Passage
			if have, ok, err := r.corpus.Passage(p.ID); err != nil || !ok || have != p {
				return false
			}
			for _, q := range c.Quotes {
				if q.Start < p.Start || q.End < q.Start || q.End > p.End || p.Text[q.Start-p.Start:q.End-p.Start] != q.Text {
					return false
				}
			}
		}
	}
	return len(steps) > 0
}

// skillHashes maps every skill to the hash of its content.
func skillHashes(set *skills.Set) (map[string]string, error) {
	hashes := map[string]string{}
	for _, name := range set.Names() {
		skill, err := set.Get(name)
		if err != nil {
			return nil, err
		}
		hashes[name] = skill.Hash
	}
	return hashes, nil
}
