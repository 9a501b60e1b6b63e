package react_test

import (
	"context"
	"encoding/json"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// rounds calls a tool in each of ten rounds.
type rounds struct{}

func (rounds) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	if len(req.Messages) > 20 {
		return llm.Response{Text: "done"}, nil
	}
	return llm.Response{Calls: []llm.ToolCall{{ID: "c", Name: "look", Arguments: json.RawMessage(`{"town":"x"}`)}}}, nil
}

// BenchmarkTurn is a turn of ten rounds without a model's time and without a saver.
func BenchmarkTurn(b *testing.B) {
	look, err := llm.NewTool("look", "Looks.", func(_ context.Context, in town) (string, error) { return in.Town, nil })
	if err != nil {
		b.Fatal(err)
	}
	g, err := react.New(rounds{}, react.Tools(look), nil)
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
