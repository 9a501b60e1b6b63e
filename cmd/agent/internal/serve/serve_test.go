package serve_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/recall"
	"example.com/assay/cmd/agent/internal/serve"
	"example.com/assay/memory"
)

// said collects what a program prints while others read it.
type said struct {
	mu  sync.Mutex
	out bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.String()
}

// A started is agent serve while it runs.
type started struct {
	t              *testing.T
	url            string
	client         *http.Client
	stdout, stderr *said
	stop           func()
}

// start starts agent serve in a home, on a free port.
func start(t *testing.T, home string, args ...string) *started {
	t.Helper()
	return startWith(t, []string{cli.EnvHome + "=" + home}, args...)
}

func startWith(t *testing.T, environ []string, args ...string) *started {
	t.Helper()
	return startAs(t, nil, environ, args...)
}

// startAs starts a server with its streams and variables changed.
func startAs(t *testing.T, change func(*cli.App), environ []string, args ...string) *started {
	t.Helper()
	s := &started{t: t, client: http.DefaultClient, stdout: &said{}, stderr: &said{}}
	a := cli.New(strings.NewReader(""), s.stdout, s.stderr, environ)
	a.Models = open.Local()
	if change != nil {
		change(a)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(t.Context()))
	ended := make(chan int, 1)
	go func() {
		ended <- clitest.Run(ctx, a, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), serve.Command(a, "test"))
	}()
	s.stop = sync.OnceFunc(func() {
		cancel(cli.ErrInterrupted)
		if code := <-ended; code != cli.ExitDone {
			t.Errorf("the server ended with code %d\n%s%s", code, s.stdout, s.stderr)
		}
	})
	t.Cleanup(s.stop)
	address := regexp.MustCompile(` on (https?://\S+)`)
	for until := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if m := address.FindStringSubmatch(s.stdout.String()); m != nil {
			s.url = m[1]
			return s
		}
		if len(ended) > 0 || time.Now().After(until) {
			t.Fatalf("the server does not start\n%s%s", s.stdout, s.stderr)
		}
	}
}

// post sends a request, and decodes the answer.
func (s *started) post(token, path, body string) (status int, answer map[string]any) {
	s.t.Helper()
	r, err := http.NewRequest("POST", s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", token)
	res, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		s.t.Fatalf("%s: %v", data, err)
	}
	return res.StatusCode, answer
}

// A turn is a message to a graph.
type turn struct {
	token, thread, graph, text string
	input                      string // more fields of the input
	more                       string // more fields of the request
}

// ask returns the last message and its citations, or the error of the run.
func (s *started) ask(u turn) (reply string, citations []map[string]any) {
	s.t.Helper()
	path := "/runs/wait"
	if u.thread != "" {
		path = "/threads/" + u.thread + path
	}
	message, _ := json.Marshal(u.text) // a string can always be encoded
	_, answer := s.post(u.token, path, fmt.Sprintf(`{"assistant_id":%q,"input":{"messages":[{"role":"user","content":%s}]%s}%s}`, u.graph, message, u.input, u.more))
	if failed, ok := answer["__error__"].(map[string]any); ok {
		return failed["message"].(string), nil
	}
	messages, ok := answer["messages"].([]any)
	if !ok {
		return fmt.Sprint(answer), nil
	}
	block := messages[len(messages)-1].(map[string]any)["content"].([]any)[0].(map[string]any)
	annotations, _ := block["annotations"].([]any)
	for _, c := range annotations {
		citations = append(citations, c.(map[string]any))
	}
	return block["text"].(string), citations
}

func token(t *testing.T, home string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(home, "serve.token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

// A caller with the token gets answers whose citations are bytes of the documents. A question
// may refer to the one before. Documents that are ingested meanwhile are found. A server that
// starts again has the threads.
func TestServe(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home)
	key := token(t, home)
	if info, err := os.Stat(filepath.Join(home, "serve.token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info.Mode(), err)
	}
	if status, answer := s.post("another token that is long", "/threads", "{}"); status != http.StatusUnauthorized {
		t.Errorf("another token: %d %v", status, answer)
	}
	_, made := s.post(key, "/threads", "{}")
	thread := made["thread_id"].(string)
	text, citations := s.ask(turn{token: key, thread: thread, graph: "research", text: clitest.PermitQuestion})
	if !strings.Contains(text, "payment of the lantern fee") || len(citations) < 3 {
		t.Fatalf("%s\n%v", text, citations)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range citations {
		from, to := int(c["start"].(float64)), int(c["end"].(float64))
		if got := string(whole[from:to]); got != c["cited_text"] || c["path"] != file {
			t.Errorf("a citation of %q holds %q", got, c)
		}
		from, to = int(c["start_index"].(float64)), int(c["end_index"].(float64))
		if got := string([]rune(text)[from:to]); got != strings.Join(strings.Fields(c["cited_text"].(string)), " ") {
			t.Errorf("at its place the message has %q, of %q", got, c["cited_text"])
		}
	}
	if text, _ := s.ask(turn{token: key, thread: thread, graph: "research", text: "And when does it expire?"}); !strings.Contains(text, "expires after two winters") {
		t.Errorf("a question that leans on the one before: %s", text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(clitest.Permits, "two winters", "five winters", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "default", Paths: []string{file}}); err != nil {
		t.Fatal(err)
	}
	if text, _ := s.ask(turn{token: key, graph: "research", text: "When does a lantern permit expire?"}); !strings.Contains(text, "five winters") {
		t.Errorf("after another ingest: %s", text)
	}
	s.stop()
	if log := s.stderr.String(); !strings.Contains(log, `"path":"/runs/wait","status":200`) || strings.Contains(log, key) {
		t.Errorf("the log: %s", log)
	}
	s = start(t, home)
	if text, _ := s.ask(turn{token: key, thread: thread, graph: "research", text: "And when does it expire?"}); !strings.Contains(text, "five winters") {
		t.Errorf("after another start: %s", text)
	}
}

// Every pipeline is served, and says what a message lacks.
func TestPipelines(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	schema := `,"context":{"schema":{"type":"object","properties":{"invoice_number":{"type":"string"},"total":{"type":"number"}}}}`
	for _, c := range []struct {
		turn
		want string
	}{
		{turn{graph: "comply", text: "What must be paid for a permit?"}, "requirement"},
		{turn{graph: "verify", text: "A lantern permit expires after two winters. A permit expires after nine winters."}, `(?s)✗ unsupported: A permit expires after nine winters.*1 of 2 claims supported`},
		{turn{graph: "verify", text: "The moon is made of basalt.", input: `,"input":{"query":"?","context":[{"name":"moon.txt","text":"The moon is made of basalt."}]}`}, `1 of 1 claim supported`},
		{turn{graph: "verify", text: "The moon is made of basalt.", input: `,"input":{"contexts":[]}`}, `unknown field "contexts"`},
		{turn{graph: "verify", text: "The moon is made of basalt.", input: `,"input":{"context":[{"name":"a"}]}`}, `context 1 has no text`},
		{turn{graph: "edges", text: "inspection => expiry"}, `(?s)0 of 1 edges are grounded.*\*\*inspection → expiry\*\*: rejected`},
		{turn{graph: "edges", text: "no edge at all"}, "CAUSE => EFFECT"},
		{turn{graph: "glossary", text: "*", input: `,"input":{"x":1}`}, `unknown field .*takes nothing but the message`},
		{turn{graph: "comply", text: "What must be paid?", input: `,"input":{"kind":"statute"}`}, `unknown field .*source_type`},
		{turn{graph: "glossary", text: "unicorn"}, `No definition of “unicorn” was found in \d passages?`},
		{turn{graph: "extract", text: "Invoice number: 77\nTotal: 12.50", more: schema}, `(?s)\| invoice_number \| 77 .*bytes \d+–\d+`},
		{turn{graph: "extract", text: "Invoice number: 77"}, "no schema says which fields to read"},
		{turn{graph: "extract", text: "Invoice number: 77", more: `,"context":{"schema":{"type":"nonsense"}}`}, "reading the schema"},
		{turn{graph: "research", text: " "}, "nothing was asked"},
		{turn{graph: "research", text: "When?", more: `,"context":{"corpus":"none"}`}, `there is no corpus "none"`},
		{turn{graph: "research", text: "When?", more: `,"context":{"corpus":"../x"}`}, `corpus is "../x"`},
		{turn{graph: "research", text: "When?", more: `,"context":{"schema":{}}`}, "Your documents do not answer this"},
	} {
		if text, _ := s.ask(c.turn); !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%+v: %s; want %s", c.turn, text, c.want)
		}
	}
}

// A client that reads messages while they are written sees the steps of a pipeline.
func TestSteps(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	const request = `{"assistant_id":"research","stream_mode":["values","messages-tuple"],"input":{"messages":[{"type":"human","content":"When does a permit expire?"}]}}`
	res, err := http.Post(s.url+"/runs/stream", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?s)event: messages\ndata: \[\{[^\n]*"content":"plan → ".*"content":"retrieve → ".*"id":"reply-`).Match(data) {
		t.Errorf("the stream has no steps: %s", data)
	}
}

// A wrong setting is refused before a run begins, also for an assistant.
func TestChosen(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--no-auth")
	for body, want := range map[string]string{
		`{"graph_id":"research","context":{"corpus":"none"}}`:           `there is no corpus "none"`,
		`{"graph_id":"extract","context":{"schema":{"type":"text"}}}`:   "reading the schema",
		`{"graph_id":"research","context":{"corpus":7}}`:                "it must be the name of one",
		`{"graph_id":"research","context":{"corpus":"default"}}`:        "",
		`{"graph_id":"extract","config":{"configurable":{"schema":1}}}`: "reading the schema",
	} {
		status, answer := s.post("", "/assistants", body)
		if refused := status == http.StatusUnprocessableEntity; refused != (want != "") || !strings.Contains(fmt.Sprint(answer["detail"]), want) && refused {
			t.Errorf("%s: %d %v; want %q", body, status, answer, want)
		}
	}
}

// A tenant reads the corpora that the file names, has its own memory, and does not learn where
// files are.
func TestTenants(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, home, clitest.Permits)
	other := filepath.Join(t.TempDir(), "ferries.md")
	if err := os.WriteFile(other, []byte("# Ferries\n\nA ferry ticket expires after one day.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "ferries", Paths: []string{other}}); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "tenants.yaml")
	const harbour, quay = "the token of the harbour", "the token of the quay"
	if err := os.WriteFile(list, []byte("- {name: harbour, token: "+harbour+"}\n- {name: quay, token: "+quay+", corpora: [ferries]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, home, "--tenants", list)
	text, citations := s.ask(turn{token: harbour, graph: "research", text: clitest.PermitQuestion})
	if !strings.Contains(text, "lantern fee") || len(citations) == 0 {
		t.Errorf("%s", text)
	}
	_, answer := s.post(harbour, "/runs/wait", fmt.Sprintf(`{"assistant_id":"research","input":{"messages":[{"role":"user","content":%q}]}}`, clitest.PermitQuestion))
	if data, _ := json.Marshal(answer); strings.Contains(string(data), filepath.Dir(file)) || !strings.Contains(string(data), "permits.md") {
		t.Errorf("a tenant is told where files are: %s", data)
	}
	if text, _ := s.ask(turn{token: quay, graph: "research", text: "When does a ferry ticket expire?"}); !strings.Contains(text, "after one day") {
		t.Errorf("the tenant's first corpus: %s", text)
	}
	for _, corpus := range []string{"default", "none"} {
		if text, _ := s.ask(turn{token: quay, graph: "research", text: clitest.PermitQuestion, more: `,"context":{"corpus":"` + corpus + `"}`}); !strings.Contains(text, fmt.Sprintf("there is no corpus %q for you; there are ferries", corpus)) {
			t.Errorf("a corpus of others: %s", text)
		}
	}
	s.stop()
	for of, want := range map[string]string{"harbour": "valid lantern permit", "quay": "no remembered answers", "": "no remembered answers"} {
		a, stdout, stderr := clitest.App(home)
		code := clitest.Run(t.Context(), a, []string{"memory", "list", "--tenant", of}, recall.Command(a))
		if got := stdout.String() + stderr.String(); code != cli.ExitDone || !strings.Contains(got, want) {
			t.Errorf("the memory of tenant %q: code %d, %s", of, code, got)
		}
	}
}

// The spans of runs reach the collector.
func TestSpans(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	var got said
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(&got, r.Body); err != nil {
			t.Error(err)
		}
	}))
	defer to.Close()
	s := startWith(t, []string{cli.EnvHome + "=" + home, config.EnvOTLP + "=" + to.URL}, "--no-auth")
	_, answer := s.post("", "/threads", "{}")
	s.ask(turn{thread: answer["thread_id"].(string), graph: "research", text: clitest.PermitQuestion})
	s.stop()
	for _, name := range []string{"invoke_workflow research", "node execute", "chat offline", "retrieval default"} {
		if !strings.Contains(got.String(), name) { // names stand in the bytes as they are
			t.Errorf("no span %q arrived", name)
		}
	}
}

// With a certificate the server speaks HTTPS.
func TestTLS(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	other := httptest.NewTLSServer(nil) // its certificate is for 127.0.0.1
	defer other.Close()
	pair := other.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(filepath.Join(folder, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, home, "--no-auth", "--tls-cert", filepath.Join(folder, "cert.pem"), "--tls-key", filepath.Join(folder, "key.pem"))
	if s.client = other.Client(); !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Errorf("it is at %s", s.url)
	}
	if text, _ := s.ask(turn{graph: "research", text: clitest.PermitQuestion}); !strings.Contains(text, "lantern fee") {
		t.Errorf("%s", text)
	}
	s.client.CloseIdleConnections()
}

// Wrong flags are refused before the server listens, with what to do.
func TestRefusedFlags(t *testing.T) {
	home := t.TempDir()
	folder := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for want, args := range map[string][]string{
		"HOST:PORT":                   {"--addr", "2024"},
		"would let everybody in":      {"--no-auth", "--addr", "0.0.0.0:0"},
		"both given; give one":        {"--no-auth", "--tenants", "x"},
		"are both given; give one":    {"--no-auth", "--oidc-issuer", "https://x", "--oidc-audience", "y"},
		"--oidc-audience belong":      {"--oidc-issuer", "https://x"},
		"needs --oidc-issuer":         {"--oidc-scope-claim", "scope"},
		"asking the issuer":           {"--oidc-issuer", "https://127.0.0.1:1", "--oidc-audience", "x"},
		"must not be below 0":         {"--tenant-mib", "-1"},
		"tenant a: a limit":           {"--tenants", write("limits.yaml", "- {name: a, token: b, per_minute: -1}", 0o600)},
		"belong together":             {"--tls-cert", "x"},
		"must be at least 1":          {"--at-once", "0"},
		"choose another with --addr":  {"--addr", taken.Addr().String()},
		"no such file":                {"--tenants", filepath.Join(folder, "none")},
		"chmod 600":                   {"--tenants", write("open.yaml", "- {name: a, token: b}", 0o644)},
		"is not a list of tenants":    {"--tenants", write("wrong.yaml", "name: secret-token", 0o600)},
		"names no tenant":             {"--tenants", write("empty.yaml", "[]", 0o600)},
		"too short":                   {"--tenants", write("short.yaml", "- {name: a, token: b}", 0o600)},
		"is that of a server without": {"--tenants", write("default.yaml", "- {name: default, token: b}", 0o600)},
		"others can read":             {"--token-file", write("token", "0123456789abcdef", 0o644)},
		"there is no corpus":          {"--corpus", "none"},
		"wants no argument":           {"here"},
	} {
		a, stdout, stderr := clitest.App(home)
		code := clitest.Run(t.Context(), a, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...), serve.Command(a, "test")) // the later --addr wins
		if got := stdout.String() + stderr.String(); code == cli.ExitDone || !strings.Contains(got, want) || strings.Contains(got, "secret-token") {
			t.Errorf("%q: code %d, %s; want %q", args, code, got, want)
		}
	}
}

// A check reports what is right and what is wrong, and leaves nothing behind.
func TestCheck(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	a, stdout, _ := clitest.App(home)
	if code := clitest.Run(t.Context(), a, []string{"serve", "--check", "--addr", "127.0.0.1:0"}, serve.Command(a, "test")); code != cli.ExitDone || strings.Contains(stdout.String(), "✗") || !strings.Contains(stdout.String(), "6 pipelines") {
		t.Errorf("code %d: %s", code, stdout)
	}
	if _, err := os.Stat(filepath.Join(home, "serve.token")); err == nil {
		t.Error("a check made the token")
	}
	list := filepath.Join(t.TempDir(), "tenants.yaml")
	if err := os.WriteFile(list, []byte("- {name: quay, token: 0123456789abcdef, corpora: [default, ferries]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, stdout, _ = clitest.App(home)
	code := clitest.Run(t.Context(), a, []string{"serve", "--check", "--addr", "127.0.0.1:0", "--tenants", list}, serve.Command(a, "test"))
	if got := stdout.String(); code != cli.ExitFailed || !regexp.MustCompile(`(?m)^✓ corpus default for quay: 1 file`).MatchString(got) || !regexp.MustCompile(`(?m)^✗ corpus ferries for quay: .*agent ingest`).MatchString(got) {
		t.Errorf("code %d: %s", code, got)
	}
}
