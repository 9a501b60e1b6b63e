package llm

import (
	"context"
	"encoding/json"

	"example.com/assay/state/event"
)

// A Model answers a request. Implementations are safe for concurrent use.
//
// Whether an error may be retried depends on its type, never on its text (Retryable). With an
// error, the response holds only the usage of a call that cost something.
type Model interface {
	Generate(ctx context.Context, req Request) (Response, error)
}

// A Request is one question to a model.
type Request struct {
	Skill    string          `json:"skill"` // the name of who asks, e.g. the skill "query_rewrite", for traces, errors and BySkill
	Origin                   // providers must not read it
	Messages []Message       `json:"messages"`          // the rendered prompt
	Schema   json.RawMessage `json:"schema,omitempty"`  // JSON Schema of the answer; nil asks for free text
	Tools    []Tool          `json:"tools,omitempty"`   // functions that the model may call instead of answering
	Sampling Sampling        `json:"sampling,omitzero"` // how the model samples its answer

	// Message is the ID of the message that the answer becomes, for readers of its text. Default:
	// none.
	Message string `json:"-"`
	// Cached says that later requests begin with the same tools and messages, so the provider may
	// keep what it computed for them. It changes no answer. Anthropic's model sends marks for it;
	// other servers find equal beginnings by themselves.
	Cached bool `json:"-"`

	// OnText is called with the answer's text as the model writes it, in order, by one goroutine at
	// a time, and not after Generate has returned. A model that does not stream calls it once with
	// the whole text, or never: only the response counts. Nil asks for no streaming.
	OnText func(Chunk) `json:"-"`
}

// An Origin is the skill and the input of a rendered prompt. An algorithmic model (package offline)
// answers from it and does not read the prompt. Providers read only the prompt.
type Origin struct {
	SkillHash string          `json:"skill_hash"` // hash of the skill's file
	Vars      json.RawMessage `json:"vars"`       // the skill's typed input as JSON
}

// Sampling configures how a model samples its answer. A provider that cannot take a setting returns
// an *UnsupportedError. Algorithms and classifiers ignore it.
type Sampling struct {
	// Temperature is 0 to 2. Nil means 0, or the model's own default if it accepts no temperature.
	Temperature *float64 `json:"temperature,omitempty"`
	// MaxTokens limits the answer; an answer cut by it is a *TruncatedError. 0 means the provider's
	// configured limit.
	MaxTokens int `json:"max_tokens,omitempty"`
	// Stop lists texts at which the answer ends. Providers limit their number.
	Stop []string `json:"stop,omitempty"`
	// Seed asks for equal answers to equal requests, as far as the provider supports it.
	Seed *int `json:"seed,omitempty"`
}

// A Chunk is a piece of a streamed answer.
type Chunk struct {
	Text string
	// Again says that the answer begins again with Text, because a call was repeated: all earlier
	// text is void.
	Again bool
}

// A Tool is a function that a model may call. Its name has at most 64 letters, digits, "_" and "-".
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments, an object
}

// The parts of a prompt. The events of a run record them, too.
type (
	// A Message is one turn of a prompt.
	Message = event.Message
	// Role says who speaks in a message.
	Role = event.Role
	// An Image is a picture in a message.
	Image = event.Image
	// A ToolCall is a model's request to call a function.
	ToolCall = event.ToolCall
	// A ToolResult is the result of a function.
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
	// Reasoning is what the model thought before it answered, where its provider shows it.
	Reasoning string `json:"reasoning,omitempty"`
	Model     string `json:"model"` // the model that answered, e.g. "offline"
	Usage     Usage  `json:"usage"`
}

// Usage counts tokens in the provider's way. The offline model counts words.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Plus returns the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}
