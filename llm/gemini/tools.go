package gemini

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/genai"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// convertMessage turns a message into the library's form. An empty message has no parts.
func convertMessage(msg llm.Message) (*genai.Content, error) {
	out := &genai.Content{Role: genai.RoleUser}
	if msg.Role == llm.Assistant {
		out.Role = genai.RoleModel
	}
	if msg.Text != "" {
		out.Parts = append(out.Parts, &genai.Part{Text: msg.Text})
	}
	for _, img := range msg.Images {
		part := &genai.Part{InlineData: &genai.Blob{Data: img.Data, MIMEType: img.MediaType}}
		if img.URL != "" {
			part = &genai.Part{FileData: &genai.FileData{FileURI: img.URL, MIMEType: img.MediaType}}
		}
		out.Parts = append(out.Parts, part)
	}
	for _, call := range msg.Calls {
		arguments, err := object(call.Arguments)
		if err != nil { // such a call could not be executed either
			arguments = map[string]any{"arguments": wire.ArgumentText(call.Arguments)}
		}
		id, signature := unsign(call.ID)
		out.Parts = append(out.Parts, &genai.Part{
			FunctionCall:     &genai.FunctionCall{ID: id, Name: call.Name, Args: arguments},
			ThoughtSignature: signature,
		})
	}
	for _, result := range msg.Results {
		if result.Name == "" {
			return nil, fmt.Errorf("the result of call %q does not name its tool", llm.Cut(result.CallID, 50))
		}
		id, _ := unsign(result.CallID)
		out.Parts = append(out.Parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: id, Name: result.Name, Response: resultObject(result)}})
	}
	return out, nil
}

// resultObject returns a result under the keys that the API uses.
func resultObject(r llm.ToolResult) map[string]any {
	var value any = r.Text
	if r.Failed {
		return map[string]any{"error": value}
	}
	if json.Valid([]byte(r.Text)) {
		value = json.RawMessage(r.Text)
	}
	return map[string]any{"output": value}
}

// addTools declares the functions. A function without parameters gets no schema: the API refuses an
// object without properties.
func addTools(config *genai.GenerateContentConfig, tools []llm.Tool) error {
	var declared []*genai.FunctionDeclaration
	for _, tool := range tools {
		d := &genai.FunctionDeclaration{Name: tool.Name, Description: tool.Description}
		schema, ok := native(tool.Parameters)
		switch {
		case !ok:
			raw, err := object(tool.Parameters)
			if err != nil {
				return fmt.Errorf("reading the parameters of tool %q: %w", tool.Name, err)
			}
			d.ParametersJsonSchema = raw
		case len(schema.Properties) > 0:
			d.Parameters = schema
		}
		declared = append(declared, d)
	}
	if declared != nil {
		config.Tools = []*genai.Tool{{FunctionDeclarations: declared}}
	}
	return nil
}

// parts extracts text, calls and thoughts from an answer.
func parts(content *genai.Content) (said, thought string, _ []llm.ToolCall) {
	var text, thoughts strings.Builder
	var calls []llm.ToolCall
	if content == nil {
		return "", "", nil
	}
	var signatures [][]byte
	for _, part := range content.Parts {
		switch {
		case part == nil:
		case part.Thought:
			thoughts.WriteString(part.Text)
		case part.FunctionCall != nil:
			arguments, err := json.Marshal(part.FunctionCall.Args)
			if err != nil || part.FunctionCall.Args == nil {
				arguments = []byte("{}") // arguments that came as JSON can be encoded
			}
			calls = append(calls, llm.ToolCall{ID: part.FunctionCall.ID, Name: part.FunctionCall.Name, Arguments: arguments})
			signatures = append(signatures, part.ThoughtSignature)
		default:
			text.WriteString(part.Text)
		}
	}
	wire.NameCalls(calls)
	for i := range calls {
		calls[i].ID = sign(calls[i].ID, signatures[i])
	}
	return text.String(), thoughts.String(), calls
}

// sign appends a signature to a call's ID; unsign removes it.
func sign(id string, signature []byte) string {
	if len(signature) == 0 {
		return id
	}
	return id + "~" + base64.RawURLEncoding.EncodeToString(signature)
}

func unsign(signed string) (id string, signature []byte) {
	at := strings.LastIndexByte(signed, '~')
	if at < 0 {
		return signed, nil
	}
	signature, err := base64.RawURLEncoding.DecodeString(signed[at+1:])
	if err != nil || len(signature) == 0 {
		return signed, nil
	}
	return signed[:at], signature
}

// gather adds a piece of a streamed answer to the earlier pieces and returns its text.
func gather(all, piece *genai.GenerateContentResponse) string {
	if piece == nil {
		return ""
	}
	if piece.UsageMetadata != nil {
		all.UsageMetadata = piece.UsageMetadata
	}
	if piece.PromptFeedback != nil {
		all.PromptFeedback = piece.PromptFeedback
	}
	if piece.ModelVersion != "" {
		all.ModelVersion = piece.ModelVersion
	}
	if len(piece.Candidates) == 0 || piece.Candidates[0] == nil {
		return ""
	}
	if len(all.Candidates) == 0 {
		all.Candidates = []*genai.Candidate{{Content: &genai.Content{}}}
	}
	into, from := all.Candidates[0], piece.Candidates[0]
	if from.FinishReason != "" {
		into.FinishReason, into.FinishMessage = from.FinishReason, from.FinishMessage
	}
	if from.Content == nil {
		return ""
	}
	into.Content.Parts = append(into.Content.Parts, from.Content.Parts...)
	text, _, _ := parts(from.Content)
	return text
}
