// Deep is a deep agent over a folder: it plans, reads a skill, gives the reading of files to a
// subagent, and writes a file after a person has approved.
//
// Its models are scripted, so that it needs no key. Every other line is what a program with real
// models has.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/nodes/react/files"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "meetings")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(dir, os.DirFS("meetings")); err != nil {
		return err
	}
	folder, err1 := files.NewDisk(dir)
	skills, err2 := files.NewDisk("skills")
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	reader := react.Subagent{Description: "reads files and says what they contain"}
	reader.Name, reader.Files, reader.Prompt = "reader", folder, "Answer from the files."
	g, err := react.Deep(model(), &react.DeepOptions{
		Options:   react.Options{Prompt: "You keep the minutes of meetings."},
		Files:     folder,
		Skills:    skills,
		Subagents: []react.Subagent{reader},
	})
	if err != nil {
		return err
	}
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		return err
	}
	final, err := app.Invoke(ctx, react.Say("What is still open?"), &graph.RunOptions{Thread: "office"})
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
			var given []react.Decision
			for _, action := range q.Actions {
				fmt.Printf("may it call %s with %s? yes\n", action.Name, action.Args)
				given = append(given, react.Decision{Type: react.Approve})
			}
			resume.Resume = append(resume.Resume, graph.ReplyTo(p.ID, react.Decide(given...)))
		}
		final, err = app.Resume(ctx, nil, resume)
	}
	if err != nil {
		return err
	}
	fmt.Printf("agent: %s\n", react.Answer(final))
	for _, t := range final.Todos {
		fmt.Printf("to-do: %s, %s\n", t.Content, t.Status)
	}
	written, err := os.ReadFile(dir + "/open.md")
	fmt.Printf("open.md: %s", written)
	return err
}

// model is a script. openai.New or gemini.New make a real one.
func model() llm.Model {
	call := func(id, name, arguments string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(arguments)}
	}
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{
		"agent": {
			{Calls: []llm.ToolCall{
				call("1", "write_todos", `{"todos":[{"content":"read the minutes","status":"in_progress"},{"content":"write open.md","status":"pending"}]}`),
				call("2", "read_skill", `{"name":"minutes"}`),
				call("3", "task", `{"description":"Which tasks do the files name, whose are they, and which are done?","subagent_type":"reader"}`),
			}},
			{Calls: []llm.ToolCall{
				call("4", "write_file", `{"file_path":"/open.md","content":"- Bo: find a painter, until 31 October\n"}`),
				call("5", "write_todos", `{"todos":[{"content":"read the minutes","status":"completed"},{"content":"write open.md","status":"completed"}]}`),
			}},
			{Text: "One task is open: Bo looks for a painter. It is in open.md."},
		},
		"reader": {
			{Calls: []llm.ToolCall{call("6", "grep", `{"pattern":"paint"}`)}},
			{Text: "Ann orders the paint: done. Bo looks for a painter by the end of October: open."},
		},
	}}
}
