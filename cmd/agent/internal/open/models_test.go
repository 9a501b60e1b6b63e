package open

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm"
)

// Each provider is called at its own address, and gets no key of another one.
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
		c := Connector{env: tc.env, transport: &last}
		r, err := c.Connect(t.Context(), tc.model)
		if err != nil {
			t.Errorf("%s with %v: %v", tc.model, tc.env, err)
			continue
		}
		if _, err := r.Model.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "?"}}}); err == nil {
			t.Fatal("nobody answered, and there was no error")
		}
		if key := last.Header.Get("Authorization") + last.Header.Get("X-Goog-Api-Key") + last.Header.Get("X-Api-Key"); last.URL.String() != tc.url || key != tc.key {
			t.Errorf("%s with %v: asked %s with key %q", tc.model, tc.env, last.URL, key)
		}
	}
}

const secret = "sk-test-0123456789abcdef"

// lastRequest keeps the last request and answers none of them.
type lastRequest struct{ *http.Request }

func (l *lastRequest) RoundTrip(req *http.Request) (*http.Response, error) {
	l.Request = req
	return nil, io.EOF
}

// google gives a token to everybody, and keeps the last other request.
type google struct {
	last   *http.Request
	status int
}

func (g *google) RoundTrip(req *http.Request) (*http.Response, error) {
	body, status := `{"access_token":"token-0123456789","token_type":"Bearer","expires_in":3600}`, http.StatusOK
	if req.URL.Host != "oauth2.googleapis.com" {
		g.last = req
		body, status = `{"candidates":[{"content":{"parts":[{"text":"{\"ok\":true}"}]},"finishReason":"STOP"}]}`, g.status
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

// With a project, Gemini is called through Vertex, without the key.
func TestVertex(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, []byte(`{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	s := config.Default(false)
	s.Model, s.Vertex = "gemini:m", config.Vertex{Project: "quay", Location: "europe-west4"}
	to := &google{status: http.StatusOK}
	c := NewConnector(cli.Environment{config.EnvGeminiKey: secret}, s)
	c.transport = to
	r, err := c.Connect(t.Context(), "gemini:m")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Model.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "?"}}}); err != nil {
		t.Fatal(err)
	}
	const want = "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/quay/locations/europe-west4/publishers/google/models/m:generateContent"
	if got := to.last; got.URL.String() != want || got.Header.Get("Authorization") != "Bearer token-0123456789" || got.Header.Get("X-Goog-Api-Key") != "" {
		t.Errorf("asked %s, with %v", got.URL, got.Header)
	}
	if p, _, _ := config.ProviderOf("gemini:m"); c.SendsKey(p) {
		t.Error("a key is said to be sent")
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none"))
	_, err = c.Connect(t.Context(), "gemini:m")
	if err == nil || !strings.Contains(err.Error(), "application default credentials") {
		t.Errorf("without credentials the error is %v", err)
	}
}
