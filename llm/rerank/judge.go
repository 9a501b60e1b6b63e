package rerank

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/skills"
)

// maxJudged is how many passages one prompt may show; a model confuses more.
const maxJudged = 50

// maxShown is how many bytes of a passage the prompt shows.
const maxShown = 2000

// A Judge lets a language model order the whole list in one call, with the skill rerank_passages.
// The call is published like any other. Its tokens count against the model's budget, but not in a
// step's usage.
type Judge struct {
	model llm.Model
	skill skills.Skill
	name  string
}

// NewJudge returns a judge over a model; ID contains name.
func NewJudge(m llm.Model, set *skills.Set, name string) (*Judge, error) {
	if m == nil || set == nil || name == "" {
		return nil, errors.New("making a judge of passages: a model, skills and a name are needed")
	}
	skill, err := set.Get(skills.RerankPassages)
	if err != nil {
		return nil, fmt.Errorf("making a judge of passages: %w", err)
	}
	return &Judge{model: m, skill: skill, name: name}, nil
}

// ID names the model.
func (j *Judge) ID() string { return "judge " + j.name }

// Rerank returns a score for each text by its rank in the model's order: 1 for the first, down to
// above 0. Texts that the model leaves out follow in their given order. A number without a text, or
// an empty order for several texts, is an error. It also returns the errors of [llm.Ask].
func (j *Judge) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if len(texts) > maxJudged {
		return nil, fmt.Errorf("ordering %d passages: a model is shown at most %d; lower the depth of reranking", len(texts), maxJudged)
	}
	in := skills.RerankInput{Question: query, Passages: make([]skills.Passage, len(texts))}
	for i, text := range texts {
		in.Passages[i] = skills.Passage{N: i + 1, Text: llm.Cut(text, maxShown)}
	}
	out, _, err := llm.Ask[skills.RerankOutput](ctx, j.model, j.skill, in)
	if err != nil {
		return nil, err
	}
	return places(out.Ranking, len(texts))
}

// places turns an order of the numbers 1 … n into scores. A repeated number counts at its first
// place.
func places(ranking []int, n int) ([]float64, error) {
	if len(ranking) == 0 && n > 1 {
		return nil, errors.New("reading the order: it is empty")
	}
	scores := make([]float64, n)
	next := n
	place := func(i int) {
		if scores[i] == 0 {
			scores[i] = float64(next) / float64(n)
			next--
		}
	}
	for _, number := range ranking {
		if number < 1 || number > n {
			return nil, fmt.Errorf("reading the order: it names passage %d; there are 1 to %d", number, n)
		}
		place(number - 1)
	}
	for i := range scores {
		place(i)
	}
	return scores, nil
}
