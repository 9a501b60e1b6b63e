package gemini_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
)

const token = "token-0123456789"

func TestVertexByToken(t *testing.T) {
	var path, authorization, apiKey string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, authorization, apiKey = r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("X-Goog-Api-Key")
		if strings.Contains(path, "closed") {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"not for `+authorization+`"}}`)
			return
		}
		_, _ = io.WriteString(w, answered)
	}))
	defer server.Close()
	for location, want := range map[string]string{"": "global", "europe-west4": "europe-west4"} {
		m := model(t, &gemini.Options{Vertex: true, Credentials: gemini.StaticToken(token), Project: "project-1", Location: location, BaseURL: server.URL})
		if _, err := m.Generate(t.Context(), request("")); err != nil {
			t.Fatal(err)
		}
		if path != "/v1beta1/projects/project-1/locations/"+want+"/publishers/google/models/gemini-test:generateContent" || authorization != "Bearer "+token || apiKey != "" {
			t.Errorf("path %q, authorization %q, key %q", path, authorization, apiKey)
		}
	}
	m := model(t, &gemini.Options{Vertex: true, Credentials: gemini.StaticToken(token), Project: "closed", BaseURL: server.URL})
	_, err := m.Generate(t.Context(), request(""))
	if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Status != 403 || strings.Contains(err.Error(), token) {
		t.Errorf("error %v", err)
	}
}

// The server of a location, seen by where the call goes.
func TestVertexServers(t *testing.T) {
	for location, want := range map[string]string{
		"": "aiplatform.googleapis.com", "global": "aiplatform.googleapis.com", "eu": "aiplatform.eu.rep.googleapis.com", "us-central1": "us-central1-aiplatform.googleapis.com",
	} {
		host := ""
		m := model(t, &gemini.Options{Vertex: true, Credentials: gemini.StaticToken(token), Project: "p", Location: location, Transport: hosts{&host}})
		if _, err := m.Generate(t.Context(), request("")); err != nil || host != want {
			t.Errorf("%q: host %q, %v; want %q", location, host, err, want)
		}
	}
}

type hosts struct{ seen *string }

func (h hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	*h.seen = req.URL.Host
	return canned(answered).RoundTrip(req)
}

func TestVertexOptionsAreChecked(t *testing.T) {
	for name, opts := range map[string]gemini.Options{
		"credentials without Vertex": {Key: key, Credentials: gemini.StaticToken(token)},
		"two ways":                   {Vertex: true, Key: key, Credentials: gemini.StaticToken(token), Project: "p"},
		"no project":                 {Vertex: true, Credentials: gemini.StaticToken(token)},
		"project as a path":          {Vertex: true, Credentials: gemini.StaticToken(token), Project: "../p"},
		"location as a host":         {Vertex: true, Credentials: gemini.StaticToken(token), Project: "p", Location: "evil.example/"},
		"no credentials":             {Vertex: true, Project: "p", Location: "us"},
		"nothing":                    {Vertex: true},
	} {
		if _, err := gemini.New(t.Context(), "m", &opts); err == nil || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), token) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// serviceAccount writes the file of a service account whose tokens come from
// a server, and lets the machine's settings name it.
func serviceAccount(t *testing.T, tokens string) {
	t.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(map[string]string{
		"type": "service_account", "project_id": "p", "private_key_id": "1", "client_email": "robot@p.iam.gserviceaccount.com", "client_id": "2",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": tokens, "quota_project_id": "payer",
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "account.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", file)
}

func TestDefaultCredentials(t *testing.T) {
	refuse, asked, authorization, payer := false, 0, "", ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path != "/token":
			authorization, payer = r.Header.Get("Authorization"), r.Header.Get("X-Goog-User-Project")
			_, _ = io.WriteString(w, answered)
		case refuse:
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write(body)
		default:
			asked++
			_, _ = io.WriteString(w, `{"access_token":"`+token+`","token_type":"Bearer","expires_in":3600}`)
		}
	}))
	defer server.Close()
	serviceAccount(t, server.URL+"/token")
	credentials := func() *gemini.Credentials {
		c, err := gemini.DefaultCredentials(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	options := func() *gemini.Options {
		return &gemini.Options{Vertex: true, Credentials: credentials(), Project: "p", BaseURL: server.URL}
	}
	m := model(t, options())
	for range 2 {
		if _, err := m.Generate(t.Context(), request("")); err != nil {
			t.Fatal(err)
		}
	}
	if authorization != "Bearer "+token || payer != "payer" || asked != 1 {
		t.Errorf("authorization %q, project %q, %d tokens", authorization, payer, asked)
	}
	refuse = true
	_, err := model(t, options()).Generate(t.Context(), request(""))
	if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Status != 401 || strings.Contains(err.Error(), "assertion") {
		t.Errorf("a refused account: %v", err)
	}
	m = model(t, options())
	server.Close()
	if _, err := m.Generate(t.Context(), request("")); !llm.Retryable(err) {
		t.Errorf("no server of tokens: %v", err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none.json"))
	if _, err := gemini.DefaultCredentials(t.Context(), nil); err == nil {
		t.Error("credentials of no file")
	}
}
