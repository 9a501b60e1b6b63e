package langchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tmc/langchaingo/llms/anthropic"

	"example.com/assay/llm"
	"example.com/assay/llm/internal/wire"
)

// AnthropicBaseURL is Anthropic's own server.
const AnthropicBaseURL = "https://api.anthropic.com/v1"

// AnthropicMaxTokens is the default limit of an answer. All of Anthropic's models allow it.
const AnthropicMaxTokens = 4096

// AnthropicOptions configure access to Anthropic. Key is required.
type AnthropicOptions struct {
	// Key is the API key.
	Key string
	// BaseURL ends before "/messages". Default AnthropicBaseURL.
	BaseURL string
	// MaxTokens is the limit of an answer, which Anthropic requires. Default AnthropicMaxTokens.
	MaxTokens int
	// Transport carries the calls. Default http.DefaultTransport.
	Transport http.RoundTripper
}

// Anthropic returns a model by its name, such as "claude-sonnet-4-5". It makes no call. Unlike
// models of New, it returns only typed errors, also for a cut stream. Anthropic returns an error
// for invalid settings; no error shows the key.
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
	var missing error
	switch {
	case strings.TrimSpace(name) == "":
		missing = errors.New("the model's name is empty")
	case o.Key == "":
		missing = errors.New("there is no key: make one at https://console.anthropic.com/settings/keys")
	}
	if err := errors.Join(missing, wire.CheckKey(o.Key), wire.CheckBaseURL(o.BaseURL)); err != nil {
		return nil, fmt.Errorf("setting up %s: %w", provider, err)
	}
	transport := &wire.Transport{Provider: provider, Base: o.Transport, Secrets: []string{o.Key}, Event: anthropicEvent(provider, name)}
	client, err := anthropic.New(anthropic.WithToken(o.Key), anthropic.WithModel(name), anthropic.WithBaseURL(o.BaseURL), anthropic.WithHTTPClient(&http.Client{Transport: marking{transport}}))
	if err != nil {
		return nil, fmt.Errorf("setting up %s: the library refused the settings; check the key and the base URL", provider)
	}
	m := &model{client: client, opts: Options{Provider: provider, Name: name}, anthropic: true, wired: true, maxTokens: o.MaxTokens}
	return m, nil
}

// anthropicEvent judges an event of a stream, or a whole answer. It skips events that the library
// does not know, since the library would print them.
func anthropicEvent(provider, model string) func([]byte) (wire.Verdict, error) {
	return func(data []byte) (wire.Verdict, error) {
		var event struct {
			Type       string `json:"type"`
			StopReason string `json:"stop_reason"` // in a whole answer
			Delta      struct {
				StopReason string `json:"stop_reason"`
			} `json:"delta"`
		}
		if json.Unmarshal(data, &event) != nil {
			return wire.More, nil // the library reports the error
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
