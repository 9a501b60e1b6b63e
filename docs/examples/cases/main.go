// Cases runs an agent on cases of one's own, and compares the trace of each with one
// that was recorded when the agent was right.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// cases are questions and what their answers must hold.
var cases = []struct{ name, question, want string }{
	{"sum", "What is 2 + 3?", "5"},
	{"sum of a person who adds up wrongly", "Is 2 + 3 really 6?", "5"},
}

type numbers struct{ A, B int }

// script is a model that calls add and reads its result to the person.
func script() llm.Model {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
		{Calls: []llm.ToolCall{{ID: "1", Name: "add", Arguments: json.RawMessage(`{"A":2,"B":3}`)}}}, {Text: "It is 5."},
	}}}
}

// ask runs one case and returns its answer and its trace. A wrong tool makes the golden
// trace differ.
func ask(ctx context.Context, question string, add func(numbers) int) (string, []trace.Record, error) {
	tool, err := llm.NewTool("add", "Adds two numbers.", func(_ context.Context, n numbers) (int, error) { return add(n), nil })
	if err != nil {
		return "", nil, err
	}
	g, err := react.New(script(), react.Tools(tool), nil)
	if err != nil {
		return "", nil, err
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent"})
	if err != nil {
		return "", nil, err
	}
	var file bytes.Buffer
	w, answer := trace.NewWriter(&file, trace.Header{}), ""
	for ev, err := range app.Stream(ctx, react.Say(question), &graph.RunOptions{Modes: graph.Debug | graph.Values}) {
		if err == nil {
			err = trace.Add(w, ev)
		}
		if err != nil {
			return "", nil, err
		}
		if ev.Kind == graph.RunEnd {
			answer = react.Answer(ev.State)
		}
	}
	records, err := trace.Read(&file)
	return answer, trace.Normalise(records), err
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	for _, c := range cases {
		right := func(n numbers) int { return n.A + n.B }
		answer, golden, err := ask(ctx, c.question, right)
		if err != nil {
			return err
		}
		fmt.Printf("%s: pass %v (%s)\n", c.name, strings.Contains(answer, c.want), answer)
		_, again, err := ask(ctx, c.question, right)
		if err != nil {
			return err
		}
		if _, differs := trace.First(golden, again); differs {
			return fmt.Errorf("%s: two equal runs differ", c.name)
		}
		_, broken, err := ask(ctx, c.question, func(n numbers) int { return n.A * n.B })
		if err != nil {
			return err
		}
		if d, differs := trace.First(golden, broken); differs {
			fmt.Printf("  with a broken tool the trace differs at %s\n", d)
		}
	}
	return nil
}
