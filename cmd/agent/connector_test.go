package main

import (
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
)

// Each provider is asked at its own address, and gets no key of another.
func TestWhereModelsAre(t *testing.T) {
	const other = "sk-other-0123456789"
	for _, tc := range []struct {
		model, url, key string
		env             cli.Environment
	}{
		{"openai:m", "https://api.openai.com/v1/chat/completions", "Bearer " + secret, cli.Environment{config.EnvOpenAIKey: secret, config.EnvGeminiKey: other}},
		{"openai:m", "http://host/v1/chat/completions", "Bearer " + secret, cli.Environment{config.EnvOpenAIKey: secret, config.EnvOpenAIURL: "http://host/v1/"}},
		{"openai:m", "http://host/v1/chat/completions", "", cli.Environment{config.EnvOpenAIURL: "http://host/v1"}},
		{"ollama:m", "http://localhost:11434/v1/chat/completions", "", cli.Environment{config.EnvOpenAIKey: other}},
		{"ollama:m", "http://host/v1/chat/completions", "Bearer " + secret, cli.Environment{config.EnvOpenAIKey: secret, config.EnvOpenAIURL: "http://host/v1"}},
		{"gemini:m", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", secret, cli.Environment{config.EnvGeminiKey: secret, config.EnvOpenAIKey: other}},
		{"gemini:m", "http://host/v1beta/models/m:generateContent", secret, cli.Environment{config.EnvGeminiKey: secret, config.EnvGeminiURL: "http://host", "GOOGLE_API_KEY": other}},
		{"anthropic:m", "https://api.anthropic.com/v1/messages", secret, cli.Environment{config.EnvAnthropicKey: secret, config.EnvOpenAIKey: other}},
		{"anthropic:m", "http://host/v1/messages", secret, cli.Environment{config.EnvAnthropicKey: secret, config.EnvAnthropicURL: "http://host/"}},
		{"anthropic:m", "http://host/v1/messages", secret, cli.Environment{config.EnvAnthropicKey: secret, config.EnvAnthropicURL: "http://host/v1/"}},
	} {
		var last lastRequest
		c := connector{env: tc.env, transport: &last}
		r, err := c.connect(t.Context(), tc.model)
		if err != nil {
			t.Errorf("%s with %v: %v", tc.model, tc.env, err)
			continue
		}
		if _, err := r.model.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "?"}}}); err == nil {
			t.Fatal("nobody answered, and there was no error")
		}
		if key := last.Header.Get("Authorization") + last.Header.Get("X-Goog-Api-Key") + last.Header.Get("X-Api-Key"); last.URL.String() != tc.url || key != tc.key {
			t.Errorf("%s with %v: asked %s with key %q", tc.model, tc.env, last.URL, key)
		}
	}
}
