package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/llm"
)

type geminiFormat struct{}

// turn is a message in Gemini's format.
type turn struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type part struct {
	Text             string          `json:"text,omitempty"`
	FunctionCall     *geminiCall     `json:"functionCall,omitempty"`
	FunctionResponse *geminiResponse `json:"functionResponse,omitempty"`
	ThoughtSignature []byte          `json:"thoughtSignature,omitempty"`
	InlineData       *geminiImage    `json:"inlineData,omitempty"`
	FileData         *geminiImage    `json:"fileData,omitempty"`
}

type geminiImage struct {
	MIMEType string `json:"mimeType"`
	Data     []byte `json:"data"`
	FileURI  string `json:"fileUri"`
}

type geminiCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type geminiResponse struct {
	ID       string                     `json:"id"`
	Name     string                     `json:"name"`
	Response map[string]json.RawMessage `json:"response"`
}

func (geminiFormat) embed(path string, body []byte) ([]byte, bool, error) {
	type content struct {
		Content              turn   `json:"content"`
		TaskType             string `json:"taskType"`
		OutputDimensionality int    `json:"outputDimensionality"`
	}
	var in struct {
		Requests  []content `json:"requests"` // the Gemini API's form
		Instances []struct {
			Content  string `json:"content"`
			TaskType string `json:"task_type"`
		} `json:"instances"` // Vertex's form
		Parameters struct {
			OutputDimensionality int `json:"outputDimensionality"`
		} `json:"parameters"`
	}
	gemini, vertex := strings.HasSuffix(path, ":batchEmbedContents"), strings.HasSuffix(path, ":predict")
	if !gemini && !vertex {
		return nil, false, nil
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, true, err
	}
	var out []object
	for _, r := range in.Requests {
		if len(r.Content.Parts) != 1 {
			return nil, true, fmt.Errorf("a text has %d parts", len(r.Content.Parts))
		}
		out = append(out, object{"values": Vector(r.TaskType, r.Content.Parts[0].Text, r.OutputDimensionality)})
	}
	for _, i := range in.Instances {
		values := Vector(i.TaskType, i.Content, in.Parameters.OutputDimensionality)
		out = append(out, object{"embeddings": object{"values": values, "statistics": object{"token_count": 1, "truncated": false}}})
	}
	key := "embeddings"
	if vertex {
		key = "predictions"
	}
	answer, err := json.Marshal(object{key: out})
	return answer, true, err
}

func (geminiFormat) read(path string, body []byte) (asked, error) {
	var in struct {
		Contents []turn `json:"contents"`
		Tools    []struct {
			FunctionDeclarations []struct {
				Name                 string          `json:"name"`
				Description          string          `json:"description"`
				Parameters           json.RawMessage `json:"parameters"`
				ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		GenerationConfig struct {
			Temperature     *float64 `json:"temperature"`
			MaxOutputTokens int      `json:"maxOutputTokens"`
			StopSequences   []string `json:"stopSequences"`
			Seed            *int     `json:"seed"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return asked{}, err
	}
	_, file, _ := strings.Cut(path, "/models/")
	name, verb, _ := strings.Cut(file, ":")
	if verb != "generateContent" && verb != "streamGenerateContent" {
		return asked{}, fmt.Errorf("no such path: %s", path)
	}
	out := asked{model: name, stream: verb == "streamGenerateContent"}
	config := in.GenerationConfig
	out.req.Sampling = llm.Sampling{Temperature: config.Temperature, MaxTokens: config.MaxOutputTokens, Stop: config.StopSequences, Seed: config.Seed}
	for _, t := range in.Contents {
		msg := llm.Message{Role: llm.User}
		if t.Role == "model" {
			msg.Role = llm.Assistant
		}
		for _, p := range t.Parts {
			msg.Text += p.Text
			for _, img := range []*geminiImage{p.InlineData, p.FileData} {
				if img != nil {
					msg.Images = append(msg.Images, llm.Image{MediaType: img.MIMEType, Data: img.Data, URL: img.FileURI})
				}
			}
			if c := p.FunctionCall; c != nil {
				arguments := c.Args
				if arguments == nil { // the library writes empty arguments so
					arguments = json.RawMessage("{}")
				}
				msg.Calls = append(msg.Calls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: arguments})
			}
			if r := p.FunctionResponse; r != nil {
				msg.Role = llm.ToolRole
				msg.Results = append(msg.Results, geminiResult(*r))
			}
		}
		out.req.Messages = joined(out.req.Messages, msg)
	}
	for _, t := range in.Tools {
		for _, d := range t.FunctionDeclarations {
			parameters := d.Parameters
			if parameters == nil {
				parameters = d.ParametersJSONSchema
			}
			out.req.Tools = append(out.req.Tools, llm.Tool{Name: d.Name, Description: d.Description, Parameters: parameters})
		}
	}
	return out, nil
}

func geminiResult(r geminiResponse) llm.ToolResult {
	out := llm.ToolResult{CallID: r.ID, Name: r.Name}
	value := r.Response["output"]
	if failure, ok := r.Response["error"]; ok {
		value, out.Failed = failure, true
	}
	if json.Unmarshal(value, &out.Text) != nil {
		out.Text = string(value) // JSON
	}
	return out
}

func geminiParts(resp llm.Response) []part {
	var parts []part
	if resp.Text != "" || len(resp.Calls) == 0 {
		parts = append(parts, part{Text: resp.Text})
	}
	return append(parts, geminiCalls(resp)...)
}

// geminiCalls returns the calls; the first is signed, as newer models do.
func geminiCalls(resp llm.Response) []part {
	var parts []part
	for i, c := range resp.Calls {
		p := part{FunctionCall: &geminiCall{ID: c.ID, Name: c.Name, Args: c.Arguments}}
		if i == 0 {
			p.ThoughtSignature = []byte("signed " + c.Name)
		}
		parts = append(parts, p)
	}
	return parts
}

func geminiAnswer(a asked, parts []part, finish string, usage *llm.Usage) object {
	candidate := object{"index": 0, "content": turn{"model", parts}}
	if finish != "" {
		candidate["finishReason"] = finish
	}
	out := object{"candidates": []object{candidate}, "modelVersion": a.model}
	if usage != nil {
		out["usageMetadata"] = object{"promptTokenCount": usage.InputTokens, "candidatesTokenCount": usage.OutputTokens, "totalTokenCount": usage.InputTokens + usage.OutputTokens}
	}
	return out
}

func (geminiFormat) whole(a asked, resp llm.Response) ([]byte, error) {
	return json.Marshal(geminiAnswer(a, geminiParts(resp), "STOP", &resp.Usage))
}

func (geminiFormat) events(a asked, resp llm.Response) ([][]byte, error) {
	var values []any
	for _, piece := range split(resp.Text) {
		values = append(values, geminiAnswer(a, []part{{Text: piece}}, "", nil))
	}
	for _, call := range geminiCalls(resp) {
		values = append(values, geminiAnswer(a, []part{call}, "", nil))
	}
	values = append(values, geminiAnswer(a, []part{{Text: ""}}, "STOP", &resp.Usage))
	return list(values...)
}
