// Supervisor is an agent with two others for tools: one counts, one writes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	count, err := llm.NewTool("count_words", "Counts the words of a text.", func(_ context.Context, in struct {
		Text string `json:"text"`
	}) (int, error) {
		return len(strings.Fields(in.Text)), nil
	})
	if err != nil {
		return err
	}
	counter, err := agent("counter", "Counts words.", react.Tools(count)...)
	if err != nil {
		return err
	}
	writer, err := agent("writer", "Writes a sentence about a subject.")
	if err != nil {
		return err
	}
	g, err := react.Supervisor(model, []react.Tool{writer, counter}, &react.Options{Name: "supervisor"})
	if err != nil {
		return err
	}
	app, err := g.Compile(nil)
	if err != nil {
		return err
	}
	final, err := app.Invoke(ctx, react.Say("A sentence about rain, and how long it is."), nil)
	if err != nil {
		return err
	}
	for _, m := range final.Messages {
		for _, c := range m.Calls {
			fmt.Printf("%s asks %s: %s\n", "supervisor", c.Name, c.Arguments)
		}
		for _, r := range m.Results {
			fmt.Printf("%s: %s\n", r.Name, r.Text)
		}
	}
	fmt.Printf("supervisor: %s\n", react.Answer(final))
	return nil
}

// agent makes a tool of an agent. It sees the task that the supervisor writes, and
// nothing else.
func agent(name, description string, tools ...react.Tool) (react.Tool, error) {
	g, err := react.New(model, tools, &react.Options{Name: name})
	if err != nil {
		return react.Tool{}, err
	}
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		return react.Tool{}, err
	}
	return react.AsTool(name, description, app)
}

func call(id, name, arguments string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
}

// model is a script for all three, in place of a real one.
var model = &llmtest.Script{Answers: map[string][]llmtest.Answer{
	"supervisor": {
		{Calls: []llm.ToolCall{call("1", "writer", `{"task":"a sentence about rain"}`)}},
		{Calls: []llm.ToolCall{call("2", "counter", `{"task":"count: Rain falls on roofs and on gardens."}`)}},
		{Text: "“Rain falls on roofs and on gardens.” It has 7 words."},
	},
	"writer": {{Text: "Rain falls on roofs and on gardens."}},
	"counter": {
		{Calls: []llm.ToolCall{call("1", "count_words", `{"text":"Rain falls on roofs and on gardens."}`)}},
		{Text: "7"},
	},
}}
