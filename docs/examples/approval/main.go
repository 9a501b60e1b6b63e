// Approval is an agent that asks a person before it pays.
//
// Its model is scripted, so that it needs no key. Every other line is what a program
// with a real model has.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

type payment struct {
	To    string  `json:"to" jsonschema:"who gets the money"`
	Euros float64 `json:"euros" jsonschema:"how much"`
}

type receipt struct {
	Number string  `json:"number"`
	Euros  float64 `json:"euros"`
}

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	pay, err := llm.NewTool("pay", "Pays a bill.", func(_ context.Context, p payment) (receipt, error) {
		fmt.Printf("tool: %.2f euros go to %s\n", p.Euros, p.To)
		return receipt{"R-1", p.Euros}, nil
	})
	if err != nil {
		return err
	}
	g, err := react.New(model(), []react.Tool{{Callable: pay, Approve: react.Always}}, nil)
	if err != nil {
		return err
	}
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		return err
	}
	final, err := app.Invoke(ctx, react.Say("Pay what we owe to the printer."), &graph.RunOptions{Thread: "office"})
	for {
		waiting, ok := errors.AsType[*graph.InterruptedError](err)
		if !ok {
			break
		}
		resume := &graph.RunOptions{Thread: "office"}
		for _, p := range waiting.Pending {
			var q react.HITLRequest
			if err := json.Unmarshal(p.Payload, &q); err != nil {
				return err
			}
			resume.Resume = append(resume.Resume, graph.ReplyTo(p.ID, decide(q)))
		}
		final, err = app.Resume(ctx, nil, resume)
	}
	if err != nil {
		return err
	}
	fmt.Printf("agent: %s\n", react.Answer(final))
	return nil
}

// decide is the person. They correct the amount.
func decide(q react.HITLRequest) react.HITLResponse {
	var answer react.HITLResponse
	for _, call := range q.Actions {
		fmt.Printf("%s wants to be called with %s\n", call.Name, call.Args)
		fmt.Println("person: 40 euros, not 400")
		edited := &react.EditedAction{Args: json.RawMessage(`{"to":"Printer Ltd","euros":40}`)}
		answer.Decisions = append(answer.Decisions, react.Decision{Type: react.Edit, Edited: edited})
	}
	return answer
}

// model is a script. openai.New or gemini.New make a real one.
func model() llm.Model {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
		{Calls: []llm.ToolCall{{ID: "1", Name: "pay", Arguments: json.RawMessage(`{"to":"Printer Ltd","euros":400}`)}}},
		{Text: "40 euros are paid, receipt R-1."},
	}}}
}
