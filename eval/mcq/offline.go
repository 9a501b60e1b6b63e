package mcq

import (
	"context"
	"encoding/json"
	"fmt"

	"example.com/assay/llm"
	"example.com/assay/llm/offline"
	"example.com/assay/skills"
)

// A Choice is the answer of a chooser.
type Choice struct {
	Letter string    // the answer; empty if it abstains
	P      []float64 // the probability of each choice, in their order
}

// A Chooser answers questions. Equal arguments should get equal answers.
type Chooser interface {
	Choose(ctx context.Context, in skills.SelectInput) (Choice, error)
}

// An Offline chooses as the offline model's skill select_choice does.
type Offline struct{ model llm.Model }

// NewOffline returns the offline chooser.
func NewOffline() *Offline { return &Offline{offline.New(nil)} }

// Choose asks the skill for its answer, and its signals for the probabilities.
func (o *Offline) Choose(ctx context.Context, in skills.SelectInput) (Choice, error) {
	vars, err := json.Marshal(in)
	if err != nil {
		return Choice{}, fmt.Errorf("choosing: %w", err)
	}
	answer, err := o.model.Generate(ctx, llm.Request{Skill: skills.SelectChoice, Origin: llm.Origin{Vars: vars}})
	if err != nil {
		return Choice{}, fmt.Errorf("choosing: %w", err)
	}
	var out skills.SelectOutput
	if err := json.Unmarshal([]byte(answer.Text), &out); err != nil {
		return Choice{}, fmt.Errorf("choosing: reading the answer: %w", err)
	}
	choice := Choice{Letter: out.Answer}
	for _, m := range offline.MatchChoices(in) {
		choice.P = append(choice.P, m.P)
	}
	return choice, nil
}
