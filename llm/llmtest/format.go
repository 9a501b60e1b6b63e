package llmtest

import (
	"encoding/json"
	"hash/fnv"
	"strings"

	"example.com/assay/llm"
)

// A Format is a provider's wire format.
type Format string

const (
	OpenAI    Format = "openai"    // POST …/chat/completions, …/embeddings
	Gemini    Format = "gemini"    // POST …/models/NAME:generateContent, :streamGenerateContent, :batchEmbedContents, :predict
	Anthropic Format = "anthropic" // POST …/messages
)

// asked is a parsed request.
type asked struct {
	model  string
	stream bool
	usage  bool // the stream must count tokens
	req    llm.Request
}

// wireFormat reads requests and writes answers.
type wireFormat interface {
	// embed answers a request for embeddings; ok is false for any other.
	embed(path string, body []byte) (answer []byte, ok bool, err error)
	read(path string, body []byte) (asked, error)
	whole(a asked, resp llm.Response) ([]byte, error)
	// events returns the values of a stream, with the provider's end marker.
	events(a asked, resp llm.Response) ([][]byte, error)
}

func (f Format) wire() wireFormat {
	switch f {
	case Gemini:
		return geminiFormat{}
	case Anthropic:
		return anthropicFormat{}
	}
	return openAIFormat{}
}

// Vector is a loopback server's embedding of a text for a task, such as "RETRIEVAL_QUERY", or "" in
// formats without tasks. Its numbers are in [-1, 1) and depend only on the arguments.
func Vector(task, text string, dimension int) []float32 {
	if dimension <= 0 {
		dimension = 8
	}
	vector := make([]float32, dimension)
	for i := range vector {
		h := fnv.New32a()
		_, _ = h.Write([]byte{byte(i), byte(i >> 8)}) // writing to a hash cannot fail
		_, _ = h.Write([]byte(task + "\x00" + text))
		vector[i] = float32(int32(h.Sum32())>>16) / (1 << 15)
	}
	return vector
}

// joined adds a message to a conversation, and joins it with a previous message of the same role:
// each tool's result may come in its own message.
func joined(messages []llm.Message, m llm.Message) []llm.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == m.Role && (m.Role == llm.ToolRole || m.Role == llm.Assistant) {
		last := &messages[n-1]
		last.Text += m.Text
		last.Calls = append(last.Calls, m.Calls...)
		last.Results = append(last.Results, m.Results...)
		return messages
	}
	return append(messages, m)
}

// result returns a tool's result in formats that mark failed results in the text.
func result(id, text string) llm.ToolResult {
	r := llm.ToolResult{CallID: id, Text: text}
	r.Text, r.Failed = strings.CutPrefix(text, "error: ")
	return r
}

// list encodes each value as JSON.
func list(values ...any) ([][]byte, error) {
	out := make([][]byte, len(values))
	for i, v := range values {
		var err error
		if out[i], err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// object is a JSON object; its keys are written in order.
type object map[string]any
