package llm

import (
	"context"
	"encoding/json"
)

// A Model answers a request. Implementations are safe for concurrent use.
//
// Errors are returned as they are; whether one may be retried is decided by
// its type, never by its text (Retryable). Beside an error, the response holds
// the usage of a call that cost something, and nothing else.
type Model interface {
	Generate(ctx context.Context, req Request) (Response, error)
}

// A Request is one question to a model. It carries the rendered prompt and,
// beside it, what the prompt was rendered from, so that a model that is an
// algorithm (package offline) answers by skill and not by reading prose.
type Request struct {
	Skill     string          `json:"skill"`            // the skill's name, e.g. "query_rewrite"
	SkillHash string          `json:"skill_hash"`       // hash of the skill's file
	Vars      json.RawMessage `json:"vars"`             // the skill's typed input as JSON
	Messages  []Message       `json:"messages"`         // the rendered prompt
	Schema    json.RawMessage `json:"schema,omitempty"` // JSON Schema of the answer; nil asks for free text
}

// Role says who speaks in a message.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Message is one turn of a prompt.
type Message struct {
	Role Role   `json:"role"`
	Text string `json:"text"`
}

// A Response is a model's answer.
type Response struct {
	Text  string `json:"text"`  // JSON when the request had a schema
	Model string `json:"model"` // the model that answered, e.g. "offline"
	Usage Usage  `json:"usage"`
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
