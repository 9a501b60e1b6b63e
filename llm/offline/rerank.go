package offline

import (
	"errors"

	"example.com/assay/skills"
)

// rerank leaves passages in their order. They come from the index, whose
// ranking is all that is known without a model; a second one made of the same
// words could only be worse.
func rerank(in skills.RerankInput) (skills.RerankOutput, error) {
	if len(in.Passages) == 0 {
		return skills.RerankOutput{}, errors.New("there are no passages to order")
	}
	out := skills.RerankOutput{Ranking: make([]int, len(in.Passages))}
	for i, p := range in.Passages {
		out.Ranking[i] = p.N
	}
	return out, nil
}
