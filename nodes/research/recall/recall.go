// Package recall keeps answers of the research pipeline in a corpus's QA memory. It serves an
// answer again only if everything that it cites is still there.
//
//	conditions, err := recall.Conditions(corpus.Fingerprint(), graph, set)
//	p, err := research.New(research.Deps{Memory: recall.New(answers, corpus, conditions), …})
//
// It does not decide when two questions count as the same: memory/qa does.
package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/memory"
	"example.com/assay/memory/qa"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// hintQueries is how many earlier queries a hint brings.
const hintQueries = 2

// Conditions lists what an answer depends on: the content of the corpus, the research.Version, the
// pipeline's graph ([research.Pipeline.Graph]), the skills, and further conditions of the caller,
// such as the model, thresholds and retrieval settings.
func Conditions(corpus, graph string, set *skills.Set, more ...qa.Condition) ([]qa.Condition, error) {
	list := []qa.Condition{{Name: "corpus", Value: corpus}, {Name: "pipeline", Value: research.Version}, {Name: "graph", Value: graph}}
	for _, name := range research.Skills() {
		skill, err := set.Get(name)
		if err != nil {
			return nil, fmt.Errorf("listing what an answer depends on: %w", err)
		}
		list = append(list, qa.Condition{Name: "skill " + name, Value: skill.Hash})
	}
	return append(list, more...), nil
}

// New returns the pipeline's view of the memory of a corpus. It serves an answer again only
// under the same conditions ([Conditions]), and when every cited passage and quote is still
// there.
func New(answers *qa.Memory, corpus *memory.Corpus, conditions []qa.Condition) research.Memory {
	return &recalls{answers, corpus, conditions}
}

type recalls struct {
	answers    *qa.Memory
	corpus     *memory.Corpus
	conditions []qa.Condition
}

// Lookup implements research.Memory. An inconsistent entry, for example one that was edited, is
// neither a hit nor a hint. A hit that could not be counted comes with an error.
func (r *recalls) Lookup(ctx context.Context, question string) (research.Recall, bool, error) {
	found, err := r.answers.Lookup(ctx, question, r.conditions)
	if err != nil || found.Kind == qa.None {
		return research.Recall{}, false, err
	}
	recall, err := Remembered(found.Entry, r.corpus)
	if errors.As(err, new(*UnsoundError)) {
		return research.Recall{}, false, nil
	}
	if err != nil {
		return research.Recall{}, false, err
	}
	recall.Similarity = found.Similarity
	if !found.Kind.Hit() {
		return hintOf(recall), false, nil
	}
	return recall, true, r.answers.MarkServed(ctx, found.Entry.ID)
}

// hintOf keeps the parts of an answer that help to find its evidence again.
func hintOf(r research.Recall) research.Recall {
	hint := research.Recall{Question: r.Question, Similarity: r.Similarity}
	for _, step := range r.Steps {
		if len(step.Queries) > 0 && len(step.Citations) > 0 && len(hint.Queries) < hintQueries && !slices.Contains(hint.Queries, step.Queries[0]) {
			hint.Queries = append(hint.Queries, step.Queries[0])
		}
	}
	return hint
}

// kept is the payload of an entry.
type kept struct {
	Steps []state.Step      `json:"steps"`
	Check *state.ClaimCheck `json:"check,omitempty"`
}

// Store implements research.Memory.
func (r *recalls) Store(ctx context.Context, question string, answer research.Recall, confidence float64) error {
	payload, err := json.Marshal(kept{answer.Steps, answer.Check})
	if err != nil {
		return fmt.Errorf("encoding an answer for memory: %w", err)
	}
	_, err = r.answers.Store(ctx, qa.Entry{
		Question: question, Answer: answer.Answer, Payload: payload, Conditions: r.conditions, Confidence: confidence,
	})
	return err
}

// An UnsoundError says why a remembered answer cannot be served under any conditions.
type UnsoundError struct{ Reason string }

func (e *UnsoundError) Error() string { return e.Reason }

func unsoundf(format string, args ...any) error { return &UnsoundError{fmt.Sprintf(format, args...)} }

// Remembered reads an entry and checks whether it can be served again: its steps are completed, and
// the corpus still contains every passage and quote that they, or the check of the claims, cite. If
// it cannot, the error is an *UnsoundError, and the research.Recall has what was readable. A nil
// corpus leaves passages unchecked.
func Remembered(entry qa.Entry, corpus *memory.Corpus) (research.Recall, error) {
	var k kept
	if err := json.Unmarshal(entry.Payload, &k); err != nil {
		return research.Recall{Question: entry.Question, Answer: entry.Answer}, unsoundf("what is kept of it cannot be read: %v", err)
	}
	r := research.Recall{Question: entry.Question, Similarity: 1, Answer: entry.Answer, Steps: k.Steps, Check: k.Check}
	if !r.Whole() {
		return r, unsoundf("what is kept of it does not hold together")
	}
	if corpus == nil {
		return r, nil
	}
	for _, step := range r.Steps {
		for _, c := range step.Citations {
			p := step.Hits[c.N-1].Passage
			p.Orders = nil // set by a search, not by the corpus
			if have, ok, err := corpus.Passage(p.ID); err != nil {
				return r, err
			} else if !ok || !have.Equal(p) {
				return r, unsoundf("the passage %s of %s is gone or has changed", p.ID, p.Source)
			}
			if err := quoted(p, c.Quotes); err != nil {
				return r, err
			}
		}
	}
	return r, checked(r.Check, corpus)
}

// checked checks the quotes of a claim check against the corpus.
func checked(check *state.ClaimCheck, corpus *memory.Corpus) error {
	if check == nil {
		return nil
	}
	for _, claim := range check.Claims {
		for _, q := range slices.Concat(claim.Evidence, claim.Against) {
			p, ok, err := corpus.Passage(q.Passage)
			if err != nil {
				return err
			}
			if !ok || p.Source != q.Source {
				return unsoundf("the passage %s of %s, which supports a claim, is gone", q.Passage, q.Source)
			}
			if err := quoted(p, []state.Quote{q}); err != nil {
				return err
			}
		}
	}
	return nil
}

// quoted reports a quote that is not in a passage.
func quoted(p state.Passage, quotes []state.Quote) error {
	for _, q := range quotes {
		if q.Start < p.Start || q.End < q.Start || q.End > p.End || p.Text[q.Start-p.Start:q.End-p.Start] != q.Text {
			return unsoundf("the bytes %d-%d of %s are not what it quotes", q.Start, q.End, p.Source)
		}
	}
	return nil
}
