// Cases runs an agent on cases of one's own, and shows which of its changes the cases
// and their golden traces find.
//
//	cd docs/examples/cases && go run .
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory"
	"example.com/assay/nodes/react"
)

type numbers struct{ A, B int }

// sum is the agent's tool.
func sum(n numbers) int { return n.A + n.B }

// adder is the agent.
func adder(m llm.Model, add func(numbers) int) (*graph.Compiled[react.State], error) {
	tool, err := llm.NewTool("add", "Adds two numbers.", func(_ context.Context, n numbers) (int, error) { return add(n), nil })
	if err != nil {
		return nil, err
	}
	g, err := react.New(m, react.Tools(tool), nil)
	if err != nil {
		return nil, err
	}
	return g.Compile(&graph.CompileOptions{Name: "adder"})
}

// script is a model that calls add, and then says what it was told to say.
func script() *llmtest.Script {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
		{Calls: []llm.ToolCall{{ID: "1", Name: "add", Arguments: json.RawMessage(`{"A":2,"B":3}`)}}},
		{Text: "It is 5."},
	}}}
}

// bench runs cases whose pipeline is "adder".
func bench(add func(numbers) int) (*eval.Bench, error) {
	b, err := eval.NewBench(eval.Deps{}, &eval.BenchOptions{Label: "script"})
	if err != nil {
		return nil, err
	}
	return b, eval.Register(b, "adder", func(_ context.Context, c eval.Case, _ *memory.Corpus) (eval.Job[react.State], error) {
		return eval.Job[react.State]{
			Graph:  func() (*graph.Compiled[react.State], error) { return adder(script(), add) }, // for each run
			Input:  react.Say(c.Question),
			Result: eval.TextOf(react.Answer),
		}, nil
	})
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	cases, err := eval.FindCases(".", "")
	if err != nil {
		return err
	}
	fmt.Println("as it is:")
	if err := show(ctx, cases, sum); err != nil {
		return err
	}
	fmt.Println("with a broken tool:")
	return show(ctx, cases, func(n numbers) int { return n.A * n.B })
}

// show runs the cases and prints the results, and where a trace is not the golden one.
func show(ctx context.Context, cases []eval.Case, add func(numbers) int) error {
	b, err := bench(add)
	if err != nil {
		return err
	}
	ready, err := b.PrepareAll(ctx, cases)
	if err != nil {
		return err
	}
	traces := map[string][]trace.Record{}
	items, err := eval.RunCases(ctx, ready, func(ctx context.Context, p *eval.Prepared) (eval.Run, error) {
		got, err := p.Run(ctx, nil)
		traces[p.Case.Name] = got.Trace
		return got, err
	}, nil)
	if err != nil {
		return err
	}
	results, err := eval.Summarise(items, eval.Made{Deterministic: true})
	if err != nil {
		return err
	}
	fmt.Printf("  %d of %d cases pass, %d model calls\n", results.Passed, results.N, results.Usage.Calls)
	for _, c := range cases {
		golden, err := c.ReadGolden()
		if err != nil {
			return err
		}
		if d, differs := trace.First(golden, trace.Normalise(traces[c.Name])); differs {
			fmt.Printf("  %s is not its golden trace: %s\n", c.Name, d)
		}
	}
	return nil
}
