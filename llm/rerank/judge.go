package rerank

import (
	"context"
	"errors"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/skills"
)

// maxJudged is how many passages a model is shown at once; more in one prompt
// are no longer told apart.
const maxJudged = 50

// maxShown is how many bytes of a passage it is shown.
const maxShown = 2000

// A Judge has a language model order the whole list, in one call, by the
// skill rerank_passages. The call is published as every other; its tokens
// count against the budget of the model, and are in no step's usage.
type Judge struct {
	model llm.Model
	skill skills.Skill
	name  string
}

// NewJudge returns the judge of a model; name is what ID says of it.
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

// Rerank returns a score per text by its place in the model's order: 1 for
// the first, down to above 0. Texts that the model leaves out follow in the
// order in which they were given. A number that stands for no text, and an
// empty order of several texts, are errors; beside these there are those of
// [llm.Ask].
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

// places turns an order of the numbers 1 … n into scores. A number that comes
// again counts where it came first.
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
