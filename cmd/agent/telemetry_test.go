package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
)

// A receiver is a loopback collector of OTLP over HTTP.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	body  bytes.Buffer // everything that arrived
	spans []*spans.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		data, err := io.ReadAll(req.Body)
		var in collector.ExportTraceServiceRequest
		if err != nil || req.URL.Path != "/v1/traces" || proto.Unmarshal(data, &in) != nil {
			t.Errorf("%s %s: %v", req.Method, req.URL, err)
			http.Error(w, "no", http.StatusBadRequest)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.body.Write(data)
		for _, resource := range in.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				r.spans = append(r.spans, scope.Spans...)
			}
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) names() []string {
	var out []string
	for _, s := range r.spans {
		out = append(out, s.Name)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// A question's spans reach the collector. They hold questions, prompts and passages only on
// request, and never keys.
func TestSpansReachTheCollector(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	chat := newChat(t)
	for _, content := range []string{"false", "true"} {
		to := newReceiver(t)
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOTLP, to.URL, "ASSAY_TELEMETRY_CONTENT", content, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, chat.URL, "ASSAY_MODELS_PLAN", "openai:m")
		if code := execute(t.Context(), a, []string{"ask", clitest.PermitQuestion}); code != cli.ExitDone || stderr.Len() > 0 {
			t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
		}
		want := []string{"chat m", "chat offline", "invoke_workflow research", "node classify", "node execute", "node rewrite", "node synthesize", "retrieval default"}
		for _, name := range want {
			if !slices.Contains(to.names(), name) {
				t.Errorf("there is no span %q among %q", name, to.names())
			}
		}
		if trace := to.spans[0].TraceId; slices.ContainsFunc(to.spans, func(s *spans.Span) bool { return !bytes.Equal(s.TraceId, trace) }) {
			t.Error("the spans of one run are in several traces")
		}
		for _, private := range []string{clitest.PermitQuestion, "written application"} {
			if got := bytes.Contains(to.body.Bytes(), []byte(private)); got != (content == "true") {
				t.Errorf("content %s: spans hold %q: %v", content, private, got)
			}
		}
		if bytes.Contains(to.body.Bytes(), []byte(secret)) {
			t.Error("spans hold the key")
		}
	}
}

// The spans of an edge's verification hold each query and its results, only on request.
func TestSpansOfEdges(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, "Damp air causes rust.\n")
	for _, content := range []string{"false", "true"} {
		to := newReceiver(t)
		a, stdout, stderr := clitest.App(home)
		a.Stdin = strings.NewReader(`[{"from_var": "damp air", "to_var": "rust"}]`)
		withEnv(a, config.EnvOTLP, to.URL, "ASSAY_TELEMETRY_CONTENT", content)
		if code := execute(t.Context(), a, []string{"edges", "verify", "-"}); code != cli.ExitDone || stderr.Len() > 0 {
			t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
		}
		searches, found, queries, passages := 0, int64(0), "", ""
		for _, s := range to.spans {
			if s.Name != "retrieval default" {
				continue
			}
			searches++
			for _, attribute := range s.Attributes {
				switch attribute.Key {
				case "assay.retrieval.hits":
					found += attribute.Value.GetIntValue()
				case "gen_ai.retrieval.query.text":
					queries += attribute.Value.GetStringValue() + "\n"
				case "gen_ai.retrieval.documents":
					passages += attribute.Value.GetStringValue()
				}
			}
		}
		if searches < 2 || found != 1 {
			t.Errorf("content %s: %d spans of searches, with %d hits", content, searches, found)
		}
		if got := strings.Contains(passages, `"id":"permits.md#`); got != (content == "true") {
			t.Errorf("content %s: the spans hold the passages %q", content, passages)
		}
		for _, q := range []string{"damp air causes rust\n", "no effect of damp air on rust\n"} {
			if got := strings.Contains(queries, q); got != (content == "true") {
				t.Errorf("content %s: the spans hold %q: %v in %q", content, q, got, queries)
			}
		}
	}
}

// Without a collector no span is sent. When the collector is gone or refuses, the answer comes
// all the same, and the collector's words are not repeated.
func TestCollectorThatFails(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, secret, http.StatusUnauthorized)
	}))
	defer refuses.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, tc := range []struct{ url, ask, doctor string }{
		{refuses.URL, "agent: sending spans to the collector: ", "ok    telemetry      spans go to " + refuses.URL},
		{gone.URL, "connection refused", "warn  telemetry      the collector cannot be reached"},
		{"", "", "ok    telemetry      off"},
	} {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOTLP, tc.url)
		if code := execute(t.Context(), a, []string{"ask", clitest.PermitQuestion}); code != cli.ExitDone || !strings.Contains(stderr.String(), tc.ask) || (stderr.Len() == 0) != (tc.ask == "") {
			t.Errorf("%q: exit code %d: %s%s", tc.url, code, stdout, stderr)
		}
		if strings.Contains(stderr.String(), secret) {
			t.Errorf("the collector's words are repeated: %s", stderr)
		}
		a, stdout, _ = clitest.App(home)
		withEnv(a, config.EnvOTLP, tc.url)
		if code := execute(t.Context(), a, []string{"doctor"}); code != cli.ExitDone || !strings.Contains(stdout.String(), tc.doctor) {
			t.Errorf("doctor: exit code %d: %s", code, stdout)
		}
	}
	for text, want := range map[string]string{
		"http://u:" + secret + "@host": "must not hold credentials",
		"localhost:4318":               "write the address",
		"ftp://host":                   "write the address",
		"http://h\x7f" + secret:        "it is not an address",
	} {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOTLP, text)
		if code := execute(t.Context(), a, []string{"ask", "x"}); code != cli.ExitUsage || !strings.Contains(stderr.String(), want) || strings.Contains(stdout.String()+stderr.String(), secret) {
			t.Errorf("%q: exit code %d: %s%s", text, code, stdout, stderr)
		}
	}
}
