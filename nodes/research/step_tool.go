package research

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A Tool is a function for the model that writes a step's answer. The calls of one response run one
// after the other, so the events of a graph that a tool runs stay in order.
type Tool struct {
	llm.Callable
	// Passages returns the sources of a result. They join the step's passages, so their citations
	// are checked like any other. Nil: none.
	Passages func(result json.RawMessage) ([]state.Passage, error)
}

// toolFound is a Tool's result for the model, with its sources.
type toolFound struct {
	Result json.RawMessage `json:"result"`
	sourcesFound
}

// stepTool is a Tool for one step. The step's search numbers its sources.
type stepTool struct {
	llm.Callable
	passages func(result json.RawMessage) ([]state.Passage, error)
	search   *stepSearch
}

// Call calls the tool.
func (t stepTool) Call(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
	result, err := t.Callable.Call(ctx, arguments)
	if err != nil {
		return nil, err
	}
	var hits []state.Hit
	if t.passages != nil {
		passages, err := t.passages(result)
		if err != nil {
			return nil, fmt.Errorf("reading what %s rests on: %w", t.Tool().Name, err)
		}
		for i, p := range passages {
			hits = append(hits, state.Hit{Passage: p, Rank: i + 1})
		}
	}
	t.search.warn(t.Tool().Name, result)
	sources, err := t.search.give(ctx, hits)
	if err != nil {
		return nil, err
	}
	return plainjson.Encode(toolFound{result, sources})
}

// warn adds a warning if a result that is marked as data contains prompt injection.
func (t *stepSearch) warn(tool string, result json.RawMessage) {
	var text string
	if json.Unmarshal(result, &text) != nil || skills.Unfence(text) == text {
		return
	}
	if kinds := t.inspect.Kinds(skills.Unfence(text)); len(kinds) > 0 {
		t.warnings = append(t.warnings, fmt.Sprintf("step %d: what the tool %s returned reads as an order to an assistant (%s): it was shown as data; check the answer before you rely on it", t.step, tool, strings.Join(kinds, ", ")))
	}
}
