package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/config"
)

// google answers whoever wants a token, and keeps the last other request.
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

// With a project, Gemini is asked through Vertex, without the key.
func TestVertex(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials.json")
	if err := os.WriteFile(file, []byte(`{"type":"authorized_user","client_id":"c","client_secret":"s","refresh_token":"r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
	s := config.Default(false)
	s.Model, s.Vertex = "gemini:m", config.Vertex{Project: "quay", Location: "europe-west4"}
	to := &google{status: http.StatusOK}
	c := newConnector(cli.Environment{config.EnvGeminiKey: secret}, s)
	c.transport = to
	r, err := c.connect(t.Context(), "gemini:m")
	if err != nil {
		t.Fatal(err)
	}
	if err := probe(t.Context(), r.model); err != nil {
		t.Fatal(err)
	}
	const want = "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/quay/locations/europe-west4/publishers/google/models/m:generateContent"
	if got := to.last; got.URL.String() != want || got.Header.Get("Authorization") != "Bearer token-0123456789" || got.Header.Get("X-Goog-Api-Key") != "" {
		t.Errorf("asked %s, with %v", got.URL, got.Header)
	}
	if p, _, _ := config.ProviderOf("gemini:m"); c.sendsKey(p) {
		t.Error("a key is said to be sent")
	}
	to.status = http.StatusForbidden
	a, _, _ := testApp(t.TempDir())
	if f := modelFailed(a, "gemini:m", s, probe(t.Context(), r.model)); f.Status != statusFail || !strings.HasPrefix(f.Do, "gcloud auth application-default login, ") {
		t.Errorf("the doctor says %+v", f)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none"))
	_, err = c.connect(t.Context(), "gemini:m")
	if f := modelFailed(a, "gemini:m", s, err); !strings.Contains(f.Detail, "application default credentials") || f.Do != "gcloud auth application-default login" {
		t.Errorf("without credentials the doctor says %+v", f)
	}
}
