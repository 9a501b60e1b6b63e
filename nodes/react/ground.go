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

// Grounding configures how an answer is judged against tool results.
type Grounding struct {
	// Model judges claims, for example the model of package llm/offline.
	Model llm.Model
	// Skills holds the judge's prompts.
	Skills *skills.Set
	// Treatment says how to treat statements that the results do not support. Default
	// verify.MarkUnsupported.
	Treatment verify.Treatment
	// Strict also treats partially supported statements. Default: they stay, and the verdict says
	// so.
	Strict bool
	// Again is how often per turn the model is asked to answer again without the unsupported
	// statements, before Treatment. Default 0.
	Again int
	// Inspect finds prompt injection in results: such text supports nothing. Default: none is
	// detected.
	Inspect retrieval.Inspect
}

// NodeGround is the name of the step of Grounded.
const NodeGround = "ground"

// Grounded returns a step after the model. It judges each statement of the answer against the tool
// results on this thread, with the claims stage of package verify. The answer's message gets the
// verdicts with their quotes, and its text shows unsupported statements as Treatment says. If no
// tool returned anything, no statement of fact is supported.
func Grounded(g Grounding) (Step, error) {
	p, err := verify.New(verify.Deps{Model: g.Model, Skills: g.Skills, Inspect: g.Inspect}, &verify.Options{MaxAttempts: -1, Treatment: g.Treatment}) // New checks Treatment
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

// listed returns the statements, one per line.
func listed(verdicts []state.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&b, "- %s\n", v.Text)
	}
	return strings.TrimSpace(b.String())
}

// question returns the person's last message.
func question(s State) string {
	for _, m := range slices.Backward(s.Messages) {
		if m.person() {
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
		case m.person():
			return n
		}
	}
	return n
}

// results returns the tool results of a conversation as evidence. Failed calls are left out. In a
// result that is marked as data, only the text between the marks counts.
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
