package verify

import (
	"context"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/skills"
)

const skillRemark = "remark"

type remarkInput struct {
	Response string `json:"response"`
}

type remarkOutput struct {
	Remark string `json:"remark"`
}

// remark adds a model's remark on the response to the warnings. If the model fails, there is none.
func remark(m llm.Model, set *skills.Set) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		skill, err := set.Get(skillRemark)
		if err != nil {
			return nil, err
		}
		out, usage, err := llm.Ask[remarkOutput](ctx, m, skill, remarkInput{Response: s.Response})
		if err := llm.Stops(ctx, err); err != nil {
			return nil, err
		}
		update := graph.Update[State]{usageChannel.Add(usage)}
		if err == nil {
			update = append(update, warningsChannel.Add(out.Remark))
		}
		return update, nil
	}
}
