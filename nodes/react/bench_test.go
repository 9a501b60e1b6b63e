package react_test

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// rounds calls a tool some times in each of some rounds.
type rounds struct{ rounds, calls int }

func (m rounds) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	if len(req.Messages) > 2*m.rounds {
		return llm.Response{Text: "done"}, nil
	}
	out := make([]llm.ToolCall, m.calls)
	for i := range out {
		out[i] = llm.ToolCall{ID: strconv.Itoa(i), Name: "look", Arguments: json.RawMessage(`{"town":"x"}`)}
	}
	return llm.Response{Calls: out}, nil
}

// Turns without a model's time and without a saver: ten rounds of a call, and a round
// of 100 calls.
func BenchmarkTurn(b *testing.B)   { turns(b, rounds{10, 1}) }
func BenchmarkFanOut(b *testing.B) { turns(b, rounds{1, 100}) }

func turns(b *testing.B, m rounds) {
	look, err := llm.NewTool("look", "Looks.", func(_ context.Context, in town) (string, error) { return in.Town, nil })
	if err != nil {
		b.Fatal(err)
	}
	g, err := react.New(m, react.Tools(look), nil)
	if err != nil {
		b.Fatal(err)
	}
	app, err := g.Compile(nil)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if s, err := app.Invoke(b.Context(), react.Say("go"), nil); err != nil || react.Answer(s) != "done" {
			b.Fatal(err)
		}
	}
}
