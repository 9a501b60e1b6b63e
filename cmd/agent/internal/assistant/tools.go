package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/converse"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/pipeline"
	"example.com/assay/nodes/react"
	"example.com/assay/state"
	"example.com/assay/state/message"
)

// An artifact is what a pipeline's tool returns for programs.
type artifact struct {
	Pipeline  string             `json:"pipeline"`
	Answer    json.RawMessage    `json:"answer,omitempty"` // the JSON of the pipeline's command
	Citations []message.Citation `json:"citations,omitempty"`
}

func (a artifact) status() state.Status {
	var common struct {
		Status state.Status `json:"status"`
	}
	_ = json.Unmarshal(a.Answer, &common) // an answer that was not given has no status
	return common.Status
}

// Answered returns the pipeline whose own answer is the last message of a conversation, and the JSON
// of that answer; nothing for an answer in a model's words.
func Answered(all []message.Message) (pipeline string, answer json.RawMessage) {
	n := len(all)
	if n < 2 || all[n-1].Type != message.AI || all[n-2].Type != message.Tool || all[n-1].Content.String() != all[n-2].Content.String() {
		return "", nil
	}
	var from artifact
	if json.Unmarshal(all[n-2].Artifact, &from) != nil {
		return "", nil
	}
	return from.Pipeline, from.Answer
}

// Proved is the metadata of an answer that a pipeline gave.
type Proved struct {
	Pipeline string       `json:"pipeline"`
	Status   state.Status `json:"status"`
}

// argumentEarlier is an argument in addition to the pipeline's fields.
const argumentEarlier = "earlier"

const earlierSchema = `{"type":"array","description":"earlier messages that the question leans on, in order","items":{"type":"object","properties":{"type":{"type":"string","enum":["human","ai"]},"content":{"type":"string"}},"required":["type","content"],"additionalProperties":false}}`

// Tools makes a tool of each pipeline.
func Tools(ctx context.Context, d converse.Desk) ([]react.Tool, error) {
	var out []react.Tool
	for _, p := range open.Pipelines() {
		if p.Corpus == pipeline.Always && d.Corpus == nil {
			continue
		}
		app, err := converse.Graph(ctx, d, p, nil)
		if err != nil {
			return nil, fmt.Errorf("opening %s: %w", p.Name, err)
		}
		t := tool{desk: d, pipeline: p, app: app}
		properties, needed, err := p.Arguments()
		if err != nil {
			return nil, err
		}
		properties[argumentEarlier] = json.RawMessage(earlierSchema)
		needed = append(needed, p.Message.Argument())
		slices.Sort(needed)
		parameters, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": slices.Compact(needed), "additionalProperties": false})
		if err != nil {
			return nil, err
		}
		t.described = llm.Tool{Name: p.ToolName(), Description: p.About, Parameters: parameters}
		out = append(out, react.Tool{Callable: t, Limit: -1})
	}
	return out, nil
}

// A tool runs a pipeline as a graph inside the tool's node.
type tool struct {
	desk      converse.Desk
	pipeline  open.Pipeline
	app       graph.App // without settings
	described llm.Tool
}

func (t tool) Tool() llm.Tool { return t.described }

func (t tool) Call(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
	text, _, err := t.CallArtifact(ctx, arguments)
	if err != nil {
		return nil, err
	}
	return json.Marshal(text)
}

// CallArtifact returns the pipeline's answer in Markdown, and an artifact.
func (t tool) CallArtifact(ctx context.Context, arguments json.RawMessage) (string, json.RawMessage, error) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &args); err != nil {
		return "", nil, fmt.Errorf("reading the arguments: %w", err)
	}
	text, input, settings, err := t.pipeline.Read(args)
	if err == nil {
		err = t.pipeline.CheckText(text)
	}
	if err != nil {
		return "", nil, err
	}
	app := t.app
	if conf := t.pipeline.Conf(settings); len(conf) > 0 {
		if app, err = converse.Graph(ctx, t.desk, t.pipeline, conf); err != nil {
			return "", nil, err
		}
	}
	said, answer, err := turn(ctx, app, args[argumentEarlier], text, input)
	if err != nil {
		return "", nil, err
	}
	out := artifact{Pipeline: t.pipeline.Name, Answer: answer}
	for _, b := range said.Content.Blocks {
		out.Citations = append(out.Citations, b.Annotations...)
	}
	data, err := json.Marshal(out)
	return strings.TrimSpace(said.Content.String()), data, err
}

// turn runs one turn of a pipeline's conversation, and returns its last message and answer.
func turn(ctx context.Context, app graph.App, earlier json.RawMessage, text string, input map[string]json.RawMessage) (said message.Message, answer json.RawMessage, err error) {
	var messages []message.Message
	if len(earlier) > 0 {
		if err := json.Unmarshal(earlier, &messages); err != nil {
			return said, nil, fmt.Errorf("reading %s: %w", argumentEarlier, err)
		}
	}
	messages = append(messages, message.Message{Type: message.Human, Content: message.Content{Text: text}})
	for i := range messages {
		messages[i].ID = fmt.Sprintf("m%d", i+1)
	}
	values := map[string]any{"messages": messages}
	if len(input) > 0 {
		values["input"] = input
	}
	data, err := json.Marshal(values)
	if err != nil {
		return said, nil, err
	}
	in, err := app.Values(data)
	if err != nil {
		return said, nil, err
	}
	var final json.RawMessage
	for ev, err := range app.Stream(ctx, in, &graph.RunOptions{Modes: graph.Debug}) {
		if err != nil {
			return said, nil, err
		}
		if ev.Kind == graph.RunEnd {
			final = ev.State // the last one is the whole run's
		}
	}
	var s struct {
		Messages []message.Message `json:"messages"`
		Answer   json.RawMessage   `json:"answer"`
	}
	if err := json.Unmarshal(final, &s); err != nil {
		return said, nil, fmt.Errorf("reading the end of a run: %w", err)
	}
	if len(s.Messages) == 0 {
		return said, nil, errors.New("the pipeline gave no answer")
	}
	return s.Messages[len(s.Messages)-1], s.Answer, nil
}
