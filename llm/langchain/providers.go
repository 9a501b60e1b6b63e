package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/ollama"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// AnthropicBaseURL is Anthropic's own server; OllamaBaseURL an Ollama on this
// machine.
const (
	AnthropicBaseURL = "https://api.anthropic.com/v1"
	OllamaBaseURL    = "http://localhost:11434"
)

// AnthropicMaxTokens is the default limit of an answer, which all of Anthropic's
// models allow.
const AnthropicMaxTokens = 4096

// AnthropicOptions says how to reach Anthropic. Key is required.
type AnthropicOptions struct {
	// Key is the API key.
	Key string
	// BaseURL ends before "/messages". Default AnthropicBaseURL.
	BaseURL string
	// MaxTokens is the limit of an answer, which Anthropic wants to be told.
	// Default AnthropicMaxTokens.
	MaxTokens int
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// Anthropic returns the model of a name, such as "claude-sonnet-4-5". It makes
// no call. Unlike those of New, its errors are all typed, and a cut stream is
// one. Errors are those of settings that cannot be used; none shows the key.
func Anthropic(name string, opts *AnthropicOptions) (llm.Model, error) {
	o := AnthropicOptions{}
	if opts != nil {
		o = *opts
	}
	if o.BaseURL == "" {
		o.BaseURL = AnthropicBaseURL
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = AnthropicMaxTokens
	}
	const provider = "anthropic"
	var needsKey error
	if o.Key == "" {
		needsKey = errors.New("there is no key: make one at https://console.anthropic.com/settings/keys")
	}
	if err := errors.Join(checkName(name), needsKey, wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", provider, err)
	}
	transport := &wire.Transport{Provider: provider, Base: o.Transport, Secrets: []string{o.Key}, Event: anthropicEvent(provider, name)}
	client, err := anthropic.New(anthropic.WithToken(o.Key), anthropic.WithModel(name), anthropic.WithBaseURL(o.BaseURL), anthropic.WithHTTPClient(&http.Client{Transport: transport}))
	if err != nil {
		return nil, fmt.Errorf("setting up %s: the library refused the settings; check the key and the base URL", provider)
	}
	return wired(client, Options{Provider: provider, Name: name}, o.MaxTokens), nil
}

// OllamaOptions says how to reach an Ollama. Nil and the zero value mean one on
// this machine.
type OllamaOptions struct {
	// BaseURL ends before "/api/chat". Default OllamaBaseURL.
	BaseURL string
	// ContextTokens is how long a prompt and its answer may be together, beyond
	// which Ollama cuts the prompt without a word. Default Ollama's own.
	ContextTokens int
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// Ollama returns the model of a name, such as "llama3.2", asked through
// Ollama's own API, which unlike the one that llm/openai asks lets the length
// of the context be set. The library drops tools there: a request with some is
// an error. It makes no call; its errors are all typed, and a cut stream is
// one.
func Ollama(name string, opts *OllamaOptions) (llm.Model, error) {
	o := OllamaOptions{}
	if opts != nil {
		o = *opts
	}
	if o.BaseURL == "" {
		o.BaseURL = OllamaBaseURL
	}
	const provider = "ollama"
	if err := errors.Join(checkName(name), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", provider, err)
	}
	transport := &wire.Transport{Provider: provider, Base: o.Transport, Event: ollamaEvent(provider, name)}
	settings := []ollama.Option{ollama.WithModel(name), ollama.WithServerURL(o.BaseURL), ollama.WithHTTPClient(&http.Client{Transport: transport})}
	if o.ContextTokens > 0 {
		settings = append(settings, ollama.WithRunnerNumCtx(o.ContextTokens))
	}
	client, err := ollama.New(settings...)
	if err != nil {
		return nil, fmt.Errorf("setting up %s: %w", provider, err)
	}
	return wired(client, Options{Provider: provider, Name: name}, 0), nil
}

func wired(client llms.Model, opts Options, maxTokens int) llm.Model {
	m := &model{client, opts, habitsOf(client)}
	m.habits.wired, m.habits.maxTokens = true, maxTokens
	return m
}

func checkName(name string) error {
	if strings.TrimSpace(name) == "" {
		return errors.New("the model's name is empty")
	}
	return nil
}

// anthropicEvent judges an event of a stream, or a whole answer. Events that
// the library does not know would be printed by it.
func anthropicEvent(provider, model string) func([]byte) (wire.Verdict, error) {
	return func(data []byte) (wire.Verdict, error) {
		var event struct {
			Type       string `json:"type"`
			StopReason string `json:"stop_reason"` // of a whole answer
			Delta      struct {
				StopReason string `json:"stop_reason"`
			} `json:"delta"`
		}
		if json.Unmarshal(data, &event) != nil {
			return wire.More, nil // the library says that it cannot read it
		}
		if event.StopReason == "refusal" || event.Delta.StopReason == "refusal" {
			return wire.More, &llm.BlockedError{Provider: provider, Model: model, Reason: "refusal"}
		}
		switch event.Type {
		case "message_stop":
			return wire.Whole, nil
		case "message", "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta":
			return wire.More, nil
		}
		return wire.Skip, nil
	}
}

// ollamaEvent judges a line of a stream. The library drops the reason to stop.
func ollamaEvent(provider, model string) func([]byte) (wire.Verdict, error) {
	return func(data []byte) (wire.Verdict, error) {
		var event struct {
			Done            bool   `json:"done"`
			DoneReason      string `json:"done_reason"`
			PromptEvalCount int    `json:"prompt_eval_count"`
			EvalCount       int    `json:"eval_count"`
		}
		switch err := json.Unmarshal(data, &event); {
		case err != nil: // the library says that it cannot read it
			return wire.More, nil
		case event.Done && event.DoneReason == "length":
			usage := llm.Usage{InputTokens: max(0, event.PromptEvalCount), OutputTokens: max(0, event.EvalCount)}
			return wire.More, &llm.TruncatedError{Provider: provider, Model: model, Usage: usage}
		case event.Done:
			return wire.Whole, nil
		}
		return wire.More, nil
	}
}
