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

// asked is a request as it was read.
type asked struct {
	model  string
	stream bool
	usage  bool // a stream is to count tokens
	req    llm.Request
}

// wireFormat reads requests and writes answers.
type wireFormat interface {
	// embed answers a request for embeddings; ok is false for any other.
	embed(path string, body []byte) (answer []byte, ok bool, err error)
	read(path string, body []byte) (asked, error)
	whole(a asked, resp llm.Response) ([]byte, error)
	// events are the values of a stream, the provider's last marker included.
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

// Vector is the embedding that a loopback server gives a text for a task,
// such as "RETRIEVAL_QUERY" or "" where the format has none: numbers in
// [-1, 1) that depend on nothing else.
func Vector(task, text string, dimension int) []float32 {
	if dimension <= 0 {
		dimension = 8
	}
	vector := make([]float32, dimension)
	for i := range vector {
		h := fnv.New32a()
		_, _ = h.Write([]byte{byte(i), byte(i >> 8)}) // it has no errors
		_, _ = h.Write([]byte(task + "\x00" + text))
		vector[i] = float32(int32(h.Sum32())>>16) / (1 << 15)
	}
	return vector
}

// joined adds a message to a conversation. Several of one role that follow
// each other are one, as each tool's result may come in its own.
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

// result is a tool's result in a format that marks failed ones in the text.
func result(id, text string) llm.ToolResult {
	r := llm.ToolResult{CallID: id, Text: text}
	r.Text, r.Failed = strings.CutPrefix(text, "error: ")
	return r
}

// list writes values as JSON, each on its own.
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

// object is a JSON object, whose keys are written in order.
type object map[string]any
