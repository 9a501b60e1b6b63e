package serve_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/serve"
)

// issuer starts an OpenID Connect issuer, and returns its address and what signs tokens.
func issuer(t *testing.T) (string, func(claims map[string]any) string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	b64 := base64.RawURLEncoding.EncodeToString
	mux := http.NewServeMux()
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"issuer":%q,"jwks_uri":%q}`, s.URL, s.URL+"/keys")
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"keys":[{"kty":"RSA","kid":"1","n":%q,"e":%q}]}`, b64(key.N.Bytes()), b64(big.NewInt(int64(key.E)).Bytes()))
	})
	return s.URL, func(claims map[string]any) string {
		all := map[string]any{"iss": s.URL, "aud": "assay", "exp": time.Now().Add(time.Hour).Unix()}
		for name, v := range claims {
			all[name] = v
		}
		body, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(body)
		sum := sha256.Sum256([]byte(text))
		sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			t.Fatal(err)
		}
		return text + "." + b64(sig)
	}
}

// With an issuer everybody has threads of their own, and nobody learns where files are; a server with a
// file of tenants takes them from a claim, with their corpora and limits.
func TestIssuer(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	defer serve.FewDesks(2)()
	at, sign := issuer(t)
	s := start(t, home, "--oidc-issuer", at, "--oidc-audience", "assay", "--oidc-scope-claim", "scope")
	if _, err := os.Stat(filepath.Join(home, "serve.token")); err == nil {
		t.Error("a token was made that nobody asked for")
	}
	if out := s.stdout.String(); !strings.Contains(out, "tokens of "+at+" for assay") || !strings.Contains(out, "Authorization: Bearer TOKEN") {
		t.Errorf("%s", out)
	}
	ann, bob := sign(map[string]any{"sub": "ann@example.com", "scope": "openid write"}), sign(map[string]any{"sub": "bob", "scope": "read"})
	text, citations := s.ask(turn{token: ann, graph: "research", text: clitest.PermitQuestion})
	if !strings.Contains(text, "lantern fee") || len(citations) == 0 {
		t.Fatalf("%s", text)
	}
	for _, c := range citations {
		if data, _ := json.Marshal(c); strings.Contains(string(data), filepath.Dir(file)) {
			t.Errorf("a caller is told where files are: %s", data)
		}
	}
	var many sync.WaitGroup
	for n := range 12 { // each opens its own desk, while others are cleared away
		many.Go(func() {
			token := sign(map[string]any{"sub": fmt.Sprint("caller", n%6), "scope": "write"})
			if status, answer := s.post(token, "/runs/wait", `{"assistant_id":"research","input":{"messages":[{"role":"user","content":"When does a lantern permit expire?"}]}}`); status != http.StatusOK || !strings.Contains(fmt.Sprint(answer), "two winters") {
				t.Errorf("caller %d: %d %v", n, status, answer)
			}
		})
	}
	many.Wait()
	_, made := s.post(ann, "/threads", "{}")
	if status, _ := s.post(bob, fmt.Sprintf("/threads/%v/history", made["thread_id"]), "{}"); status != http.StatusNotFound {
		t.Errorf("a thread of another: %d", status)
	}
	if status, answer := s.post(bob, "/threads", "{}"); status != http.StatusForbidden {
		t.Errorf("one who may read makes a thread: %d %v", status, answer)
	}
	if status, answer := s.post("no token at all", "/threads", "{}"); status != http.StatusUnauthorized {
		t.Errorf("another token: %d %v", status, answer)
	}
	s.stop()
	if log := s.stderr.String(); strings.Contains(log, "closing a corpus") || !strings.Contains(log, `"subject":"ann@example.com"`) || strings.Contains(log, ann) {
		t.Errorf("the log:\n%s", log)
	}

	list := filepath.Join(t.TempDir(), "tenants.yaml")
	if err := os.WriteFile(list, []byte("- {name: harbour, per_minute: 1}\n- {name: quay, token: the token of the quay}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, home, "--oidc-issuer", at, "--oidc-audience", "assay", "--oidc-tenant-claim", "org.name", "--tenants", list)
	of := func(org string) string { return sign(map[string]any{"sub": "ann", "org": map[string]any{"name": org}}) }
	if text, _ := s.ask(turn{token: of("harbour"), graph: "research", text: clitest.PermitQuestion}); !strings.Contains(text, "lantern fee") {
		t.Errorf("%s", text)
	}
	run := `{"assistant_id":"research","input":{"messages":[{"role":"user","content":"When?"}]}}`
	if status, answer := s.post(of("harbour"), "/runs/wait", run); status != http.StatusTooManyRequests {
		t.Errorf("the second run within a minute: %d %v", status, answer)
	}
	for _, token := range []string{of("quay"), "the token of the quay"} {
		if status, answer := s.post(token, "/runs/wait", run); status != http.StatusOK {
			t.Errorf("another tenant: %d %v", status, answer)
		}
	}
	if status, answer := s.post(of("nobody"), "/threads", "{}"); status != http.StatusForbidden || !strings.Contains(fmt.Sprint(answer["detail"]), "not a tenant") {
		t.Errorf("a tenant that the file lacks: %d %v", status, answer)
	}
}
