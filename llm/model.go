package llm

import (
	"context"
	"encoding/json"

	"example.com/assay/state/event"
)

// A Model answers a request. Implementations are safe for concurrent use.
//
// Errors are returned as they are; whether one may be retried is decided by
// its type, never by its text (Retryable). Beside an error, the response holds
// the usage of a call that cost something, and nothing else.
type Model interface {
	Generate(ctx context.Context, req Request) (Response, error)
}

// A Request is one question to a model.
type Request struct {
	Skill    string          `json:"skill"` // the name of who asks, e.g. the skill "query_rewrite", for traces, errors and BySkill
	Origin                   // not for providers
	Messages []Message       `json:"messages"`          // the rendered prompt
	Schema   json.RawMessage `json:"schema,omitempty"`  // JSON Schema of the answer; nil asks for free text
	Tools    []Tool          `json:"tools,omitempty"`   // functions that the model may call instead of answering
	Sampling Sampling        `json:"sampling,omitzero"` // how the model chooses its words

	// OnText is called with the answer's text as the model writes it, in order, by
	// one goroutine at a time, and not after Generate has returned. Models that do
	// not stream call it once, with the whole text, or not at all: the response
	// is what counts. Nil asks for no streaming.
	OnText func(Chunk) `json:"-"`
}

// An Origin is what a skill's prompt was rendered from. A model that is an algorithm
// (package offline) answers from it and does not read the prompt. Providers read the
// prompt alone.
type Origin struct {
	SkillHash string          `json:"skill_hash"` // hash of the skill's file
	Vars      json.RawMessage `json:"vars"`       // the skill's typed input as JSON
}

// Sampling is how a model chooses the words of its answer. A provider that cannot take
// what is set returns an *UnsupportedError. Models that are algorithms or classifiers
// have no use for it and ignore it.
type Sampling struct {
	// Temperature is 0 to 2. Nil means 0, or the model's own where it refuses to have one
	// set.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens limits the answer; one that is cut there is a *TruncatedError. 0 means the
	// limit that the provider was configured with.
	MaxTokens int `json:"max_tokens,omitempty"`
	// Stop are texts before which the answer ends. Providers limit how many.
	Stop []string `json:"stop,omitempty"`
	// Seed makes equal requests have equal answers, as far as the provider keeps to that.
	Seed *int `json:"seed,omitempty"`
}

// A Chunk is a piece of an answer on its way.
type Chunk struct {
	Text string
	// Again says that the answer begins anew with Text, because a call was
	// repeated: what came before is void.
	Again bool
}

// A Tool is a function that a model may call. Names hold letters, digits, "_"
// and "-", at most 64 of them.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments, an object
}

// The parts of a prompt are those that a run's events record.
type (
	Message    = event.Message
	Role       = event.Role
	Image      = event.Image
	ToolCall   = event.ToolCall
	ToolResult = event.ToolResult
)

// Who speaks in a message.
const (
	System    = event.System
	User      = event.User
	Assistant = event.Assistant
	ToolRole  = event.ToolRole
)

// A Response is a model's answer.
type Response struct {
	Text  string     `json:"text"`            // JSON when the request had a schema
	Calls []ToolCall `json:"calls,omitempty"` // functions to call before the model answers
	Model string     `json:"model"`           // the model that answered, e.g. "offline"
	Usage Usage      `json:"usage"`
}

// Usage counts tokens as the provider counts them. The offline model counts
// words.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Plus returns the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}
