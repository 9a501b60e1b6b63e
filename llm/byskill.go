package llm

import "context"

// BySkill returns a model that passes each request to the model for its skill, or to other if the
// map has none. Do not change the map afterwards.
func BySkill(models map[string]Model, other Model) Model {
	if len(models) == 0 {
		return other
	}
	return routed{models, other}
}

type routed struct {
	models map[string]Model
	other  Model
}

func (r routed) Generate(ctx context.Context, req Request) (Response, error) {
	if m, ok := r.models[req.Skill]; ok {
		return m.Generate(ctx, req)
	}
	return r.other.Generate(ctx, req)
}
