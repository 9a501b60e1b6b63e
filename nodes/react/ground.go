package react

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// Grounding says how an answer is judged against what the tools returned.
type Grounding struct {
	// Model judges claims. The offline model of package llm/offline does.
	Model llm.Model
	// Skills has the prompts of the judge.
	Skills *skills.Set
	// Treatment is what becomes of statements that the results do not support. Default
	// verify.MarkUnsupported.
	Treatment verify.Treatment
	// Strict treats statements that are partially supported, too. Default: they stay as
	// they are, and the verdict says so.
	Strict bool
	// Again is how often in a turn the model is asked to answer again without them,
	// before Treatment. Default 0.
	Again int
	// Inspect looks for orders in results: what gives one supports nothing. Default: none
	// are looked for.
	Inspect retrieval.Inspect
}

// NodeGround is the name of the step that Grounded makes.
const NodeGround = "ground"

// Grounded is a step after the model. It judges each statement of the answer against
// the results of the tools on this thread, by the claims stage of package verify. The
// answer's message gets the verdicts with their quotes, and its text shows what is not
// supported, as Treatment says. An answer that no result could support is judged, too:
// where no tool returned anything, no statement of fact is supported.
func Grounded(g Grounding) (Step, error) {
	p, err := verify.New(verify.Deps{Model: g.Model, Skills: g.Skills, Inspect: g.Inspect}, &verify.Options{MaxAttempts: -1, Treatment: g.Treatment}) // which checks Treatment
	if err != nil {
		return Step{}, fmt.Errorf("making the step that judges answers: %w", err)
	}
	if g.Again < 0 {
		return Step{}, errors.New("making the step that judges answers: Again may not be negative")
	}
	return Step{Name: NodeGround, Run: func(ctx context.Context, s State) (Change, error) {
		answer := last(s.Messages)
		if answer.Role != llm.Assistant || strings.TrimSpace(answer.Text) == "" {
			return Change{}, nil
		}
		final, err := p.Run(ctx, verify.Input{Query: question(s), Response: answer.Text, Evidence: results(s.Messages)}, &graph.RunOptions{})
		if err != nil {
			return Change{}, err
		}
		given, _ := final.Given()
		bad := slices.DeleteFunc(slices.Clone(given.Verdicts), func(v state.Verdict) bool {
			return v.Status == state.Supported || v.Status == state.PartiallySupported && !g.Strict
		})
		if len(bad) > 0 && asked(s) < g.Again {
			return Change{Again: true, Put: []Message{{Again: true, Message: llm.Message{Role: llm.User, Text: fmt.Sprintf(againText, listed(bad))}}}, Usage: final.Usage}, nil
		}
		check := verify.Check(final)
		answer.Check, answer.Text = &check, verify.Treat(answer.Text, bad, g.Treatment)
		return Change{Put: []Message{answer}, Usage: final.Usage}, nil
	}}, nil
}

const againText = `The results of the tools do not support these statements of your answer:
%s
Answer again without them, or call a tool that shows them. Say only what results say.`

// listed are statements, a line each.
func listed(verdicts []state.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&b, "- %s\n", v.Text)
	}
	return strings.TrimSpace(b.String())
}

// question is what the person said last.
func question(s State) string {
	for _, m := range slices.Backward(s.Messages) {
		if m.Role == llm.User && !m.Again {
			return m.Text
		}
	}
	return ""
}

// asked counts how often the model was asked again in this turn.
func asked(s State) int {
	n := 0
	for _, m := range slices.Backward(s.Messages) {
		switch {
		case m.Again:
			n++
		case m.Role == llm.User:
			return n
		}
	}
	return n
}

// results are the results of a conversation as evidence. A failed call shows nothing, and
// of a result that is marked as data, what stands between the marks counts.
func results(list []Message) []state.Evidence {
	var out []state.Evidence
	for _, m := range list {
		for _, r := range m.Results {
			if r.Failed || strings.TrimSpace(r.Text) == "" {
				continue
			}
			id, text := m.ID+"/"+r.CallID, skills.Unfence(r.Text)
			out = append(out, state.Evidence{Label: r.Name, Passage: state.Passage{ID: id, Doc: id, Title: r.Name, Text: text, End: len(text), Source: r.Name}})
		}
	}
	return out
}
