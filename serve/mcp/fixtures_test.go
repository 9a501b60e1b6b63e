//lint:file-ignore SA1019 The suite of 2025-11-25 wants logging, sampling and roots, which newer versions give up.

package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/assay/graph"
	"example.com/assay/serve/mcp"
)

// The conformance suite calls tools, resources and prompts by names of its own. What a tool
// of a mounting can do is made with NewTool; the rest, which the mounting leaves out, with the
// SDK.

var (
	picture = []byte("\x89PNG\r\n\x1a\n")
	sound   = []byte("RIFF\x00\x00\x00\x00WAVE")
)

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func embedded(uri string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "the content of the resource"}}
}

type (
	result  = sdk.CallToolResult
	request = sdk.CallToolRequest
	handler = func(context.Context, *request, map[string]any) (*result, error)
)

func content(c ...sdk.Content) *result { return &result{Content: c} }

// always is a tool with one output.
func always(c ...sdk.Content) handler {
	return func(context.Context, *request, map[string]any) (*result, error) { return content(c...), nil }
}

// form is the schema of an object with one field.
func oneField(name, kind string) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{name: map[string]any{"type": kind}}, "required": []string{name}}
}

// asking is a tool of a mounting that asks for one field.
func asking(name, id, field, kind, done string) mcp.Tool {
	return mcp.NewTool(mcp.About{Name: name, Description: "asks a person"}, func(_ context.Context, c *mcp.Call, _ struct{}) (said, error) {
		if v, ok := mcp.Given(c, id)[field]; ok {
			return said{fmt.Sprint(done, v)}, nil
		}
		schema, err := json.Marshal(oneField(field, kind))
		if err != nil {
			return said{}, err
		}
		return said{}, &mcp.InputRequired{Questions: []mcp.Question{{ID: id, Text: "What is your " + field + "?", Schema: schema}}}
	})
}

// rounds is a graph that asks twice.
func rounds() *graph.Compiled[letter] {
	text := graph.LastValue("text", func(s *letter) *string { return &s.Text })
	ask := func(field string) graph.Node[letter] {
		return func(ctx context.Context, s letter) (graph.Update[letter], error) {
			answer, err := graph.Interrupt[map[string]string](ctx, field, map[string]any{"message": "What is your " + field + "?", "schema": oneField(field, "string")})
			return graph.Update[letter]{text.Set(s.Text + answer[field])}, err
		}
	}
	g := graph.NewStateGraph(text)
	g.AddNode("one", ask("name"))
	g.AddNode("two", ask("color"))
	g.AddEdge(graph.Start, "one")
	g.AddEdge("one", "two")
	return compiled(g, "rounds")
}

type said struct {
	Text string `json:"text"`
}

// fixtureTools are the tools of the suite that a mounting can have.
func fixtureTools() []mcp.Tool {
	return []mcp.Tool{
		mcp.NewTool(mcp.About{Name: "test_error_handling", Description: "fails"}, func(context.Context, *mcp.Call, struct{}) (said, error) {
			return said{}, errors.New("it fails, as the test wants")
		}),
		mcp.NewTool(mcp.About{Name: "test_tool_with_progress", Description: "tells progress"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (said, error) {
			for i := range 3 {
				c.Progress(ctx, fmt.Sprintf("step %d of 3", i+1))
			}
			return said{"done"}, nil
		}),
		asking("test_input_required_result_elicitation", "user_name", "name", "string", "Hello, "),
		asking("test_input_required_result_request_state", "confirm", "ok", "boolean", "state-ok: "),
		asking("test_input_required_result_tampered_state", "confirm", "ok", "boolean", "state-ok: "),
		mcp.NewTool(mcp.About{Name: "test_input_required_result_multi_round", Description: "asks twice"}, func(ctx context.Context, c *mcp.Call, _ struct{}) (said, error) {
			end, err := c.Run(ctx, mcp.Job{Graph: "rounds", Values: json.RawMessage(`{"text":"It is "}`)})
			return said{string(end.Values)}, err
		}),
	}
}

// tuned is what the suite wants of the server.
func tuned(o *sdk.ServerOptions) {
	o.SubscribeHandler = func(context.Context, *sdk.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	o.Capabilities.Logging = &sdk.LoggingCapabilities{}
}

// fixtures adds the others.
func fixtures(s *sdk.Server) {
	add := func(name string, schema any, do handler) {
		if schema == nil {
			schema = map[string]any{"type": "object"}
		}
		sdk.AddTool(s, &sdk.Tool{Name: name, Description: "a tool of the suite", InputSchema: schema}, func(ctx context.Context, r *request, in map[string]any) (*result, any, error) {
			res, err := do(ctx, r, in)
			return res, nil, err
		})
	}
	add("test_simple_text", nil, always(text("This is a simple text response for testing.")))
	add("test_image_content", nil, always(&sdk.ImageContent{Data: picture, MIMEType: "image/png"}))
	add("test_audio_content", nil, always(&sdk.AudioContent{Data: sound, MIMEType: "audio/wav"}))
	add("test_embedded_resource", nil, always(embedded("test://embedded-resource")))
	add("test_multiple_content_types", nil, always(text("Multiple content types test:"), &sdk.ImageContent{Data: picture, MIMEType: "image/png"}, embedded("test://mixed-content-resource")))
	add("test_streaming_elicitation", nil, always(text("no request came")))
	add("test_reconnection", nil, always(text("it is here")))
	log := func(ctx context.Context, r *request, _ map[string]any) (*result, error) {
		for i := range 3 {
			if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: fmt.Sprint("message ", i)}); err != nil {
				return nil, err
			}
			time.Sleep(20 * time.Millisecond) // the suite wants them apart
		}
		return content(text("logged")), nil
	}
	add("test_tool_with_logging", nil, log)
	add("test_logging_tool", nil, log)
	add("json_schema_2020_12_tool", json.RawMessage(richSchema), func(context.Context, *request, map[string]any) (*result, error) { return content(text("called")), nil })
	add("test_x_mcp_header", json.RawMessage(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`), always(text("called")))
	add("test_trigger_tool_change", nil, func(context.Context, *request, map[string]any) (*result, error) {
		add("transient", nil, always())
		return content(text("changed")), nil
	})
	add("test_trigger_prompt_change", nil, func(context.Context, *request, map[string]any) (*result, error) {
		s.AddPrompt(&sdk.Prompt{Name: "transient", Description: "is new"}, prompted())
		return content(text("changed")), nil
	})
	add("test_missing_capability", nil, needsSampling)
	fromClient(add)
	inputs(add)
	resources(s)
	prompts(s)
}

// richSchema uses what the newest JSON Schema has.
const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
	"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`

func needsSampling(_ context.Context, r *request, _ map[string]any) (*result, error) {
	if caps := r.ClientCapabilities(); caps != nil && caps.Sampling != nil {
		return content(text("it has it")), nil
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "the client cannot sample", Data: data}
}

// fromClient are tools that ask an old client in the middle of a call.
func fromClient(add func(string, any, handler)) {
	elicit := func(fields map[string]any) handler {
		return func(ctx context.Context, r *request, in map[string]any) (*result, error) {
			res, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: fmt.Sprint(in["message"]), RequestedSchema: map[string]any{"type": "object", "properties": fields}})
			if err != nil {
				return nil, err
			}
			return content(text(fmt.Sprintf("action=%s, content=%v", res.Action, res.Content))), nil
		}
	}
	add("test_elicitation", oneField("message", "string"), elicit(map[string]any{"username": map[string]any{"type": "string"}}))
	var defaults, choices map[string]any
	for data, v := range map[string]*map[string]any{
		`{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
			"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`: &defaults,
		`{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
			"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
			"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
			"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
			"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}`: &choices,
	} {
		if err := json.Unmarshal([]byte(data), v); err != nil {
			panic(err)
		}
	}
	add("test_elicitation_sep1034_defaults", nil, elicit(defaults))
	add("test_elicitation_sep1330_enums", nil, elicit(choices))
	add("test_sampling", oneField("prompt", "string"), func(ctx context.Context, r *request, in map[string]any) (*result, error) {
		res, err := r.Session.CreateMessage(ctx, sampling(fmt.Sprint(in["prompt"])))
		if err != nil {
			return nil, err
		}
		return content(res.Content), nil
	})
}

func sampling(prompt string) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{Messages: []*sdk.SamplingMessage{{Role: "user", Content: text(prompt)}}, MaxTokens: 100}
}

// inputs are tools that ask a new client for what a mounting never asks.
func inputs(add func(string, any, handler)) {
	all := sdk.InputRequestMap{
		"user_name": &sdk.ElicitParams{Message: "What is your name?", RequestedSchema: oneField("name", "string")},
		"greeting":  sampling("Write a greeting."), "client_roots": &sdk.ListRootsParams{},
		"capital_question": sampling("What is the capital of France?"),
	}
	needs := func(state string, ids ...string) handler {
		return func(_ context.Context, r *request, _ map[string]any) (*result, error) {
			out := &result{InputRequests: sdk.InputRequestMap{}, RequestState: state}
			for _, id := range ids {
				if r.Params.InputResponses[id] == nil {
					out.InputRequests[id] = all[id]
				}
			}
			if len(out.InputRequests) == 0 {
				return content(text("everything was given")), nil
			}
			return out, nil
		}
	}
	add("test_input_required_result_sampling", nil, needs("", "capital_question"))
	add("test_input_required_result_list_roots", nil, needs("", "client_roots"))
	add("test_input_required_result_multiple_inputs", nil, needs("many", "user_name", "greeting", "client_roots"))
	add("test_input_required_result_capabilities", nil, func(_ context.Context, r *request, _ map[string]any) (*result, error) {
		caps, can := r.ClientCapabilities(), maps.Clone(all)
		if caps == nil || caps.Elicitation == nil {
			delete(can, "user_name")
		}
		if caps == nil || caps.Sampling == nil {
			delete(can, "greeting")
		}
		if caps == nil || caps.RootsV2 == nil {
			delete(can, "client_roots")
		}
		delete(can, "capital_question")
		if len(r.Params.InputResponses) > 0 || len(can) == 0 {
			return content(text("done")), nil
		}
		return &result{InputRequests: can}, nil
	})
}

func resources(s *sdk.Server) {
	read := func(uri, kind, text string, blob []byte) {
		s.AddResource(&sdk.Resource{URI: uri, Name: uri, MIMEType: kind}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: kind, Text: text, Blob: blob}}}, nil
		})
	}
	read("test://static-text", "text/plain", "This is the content of the static text resource.", nil)
	read("test://static-binary", "image/png", "", picture)
	read("test://watched-resource", "text/plain", "watched", nil)
}

func prompted(c ...sdk.Content) sdk.PromptHandler {
	return func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		out := &sdk.GetPromptResult{}
		for _, one := range c {
			out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: one})
		}
		return out, nil
	}
}

func prompts(s *sdk.Server) {
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_image", Description: "has a picture"}, prompted(&sdk.ImageContent{Data: picture, MIMEType: "image/png"}, text("Look at it.")))
	s.AddPrompt(&sdk.Prompt{Name: "test_prompt_with_embedded_resource", Description: "has a resource", Arguments: []*sdk.PromptArgument{{Name: "resourceUri", Description: "an address", Required: true}}}, func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return prompted(embedded(r.Params.Arguments["resourceUri"]), text("Read it."))(ctx, r)
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "asks first"}, func(ctx context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		if r.Params.InputResponses["user_context"] == nil {
			return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": &sdk.ElicitParams{Message: "What is it about?", RequestedSchema: oneField("context", "string")}}}, nil
		}
		return prompted(text("Go on."))(ctx, r)
	})
}

// shelf is the library of the suite.
type shelf struct{}

func (shelf) Templates() []mcp.Template {
	return []mcp.Template{{URI: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}}
}

func (shelf) List(context.Context, string) ([]mcp.Link, error) {
	return []mcp.Link{{URI: "test://template/1/data", Name: "one"}}, nil
}

func (shelf) Read(_ context.Context, _, uri string) (mcp.Content, error) {
	var id string
	if _, err := fmt.Sscanf(uri, "test://template/%3s/data", &id); err != nil {
		return mcp.Content{}, fmt.Errorf("there is no %q", uri)
	}
	return mcp.Content{MIMEType: "application/json", Text: `{"id":"` + id + `","templateTest":true,"data":"Data for ID: ` + id + `"}`}, nil
}

func (shelf) Complete(context.Context, string, string, string, map[string]string) ([]string, error) {
	return []string{"paris", "park"}, nil
}

// suitePrompts are the prompts of the suite that a mounting can have.
func suitePrompts() []mcp.Prompt {
	return []mcp.Prompt{
		{Name: "test_simple_prompt", Description: "says one thing", Text: func(map[string]string) string { return "This is a simple prompt for testing." }},
		{Name: "test_prompt_with_arguments", Description: "says what it is given", Arguments: []mcp.Argument{{Name: "arg1", Description: "the first"}, {Name: "arg2", Description: "the second"}}, Text: func(a map[string]string) string {
			return fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"])
		}},
	}
}
