package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/llmtest"
	"example.com/assay/state"
)

// A corpus is ingested and searched with a provider's embedder, whose vectors are kept. Another
// embedder, or none, is refused with what to type.
func TestRemoteEmbedder(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	file := clitest.Ingest(t, t.TempDir(), clitest.Permits)
	server := llmtest.NewServer(t, llmtest.OpenAI, &llmtest.Script{})
	var calls atomic.Int64
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		server.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(counting.Close)
	run := func(embedder string, args ...string) (int, string, string) {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, counting.URL, "ASSAY_EMBEDDER", embedder, "ASSAY_EMBEDDER_CACHE_MIB", "7")
		code := execute(t.Context(), a, args)
		return code, stdout.String(), stderr.String()
	}
	ask := []string{"ask", "--json", clitest.PermitQuestion}
	if code, _, told := run("openai:small", ask...); code != cli.ExitUsage || !strings.Contains(told, "was made with the offline embedder") || !strings.Contains(told, "agent ingest") {
		t.Errorf("exit code %d: %s", code, told)
	}
	if code, out, told := run("openai:small", "ingest", "--rebuild", file); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, told, out)
	}
	first := calls.Load()
	if first == 0 {
		t.Fatal("nothing was embedded")
	}
	if code, out, told := run("openai:small", "ingest", "--rebuild", file); code != cli.ExitDone || calls.Load() != first {
		t.Errorf("exit code %d, %d calls for vectors that were kept: %s%s", code, calls.Load()-first, told, out)
	}
	code, out, told := run("openai:small", ask...)
	var answer state.Answer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || code != cli.ExitDone || answer.Status != state.StatusAnswered {
		t.Errorf("exit code %d, %v: %s%s", code, err, told, out)
	}
	cached := `\d+ vectors?, \d+ B, found \d+ of \d+ that were asked for \([1-9]\d? %\)`
	if code, out, told := run("openai:small", "corpus", "stats", "default"); code != cli.ExitDone || !regexp.MustCompile(`(?m)^cache        `+cached+`$`).MatchString(out) {
		t.Errorf("exit code %d: %s%s", code, told, out)
	}
	if _, out, told := run("lsa", "doctor"); !regexp.MustCompile(`(?m)^ok    vectors        ` + cached + `; at most 7.0 MiB$`).MatchString(out) {
		t.Errorf("%s%s", told, out)
	}
	if code, _, told := run("lsa", ask...); code != cli.ExitUsage || !strings.Contains(told, `"openai`) {
		t.Errorf("exit code %d: %s", code, told)
	}
	if code, _, told := run("anthropic:x", ask...); code != cli.ExitUsage || !strings.Contains(told, "ASSAY_EMBEDDER: there is no embedder") {
		t.Errorf("exit code %d: %s", code, told)
	}
}

// A reranker orders the passages. If it fails, there is a warning and the index's order stays.
func TestReranker(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	fails := false
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var req struct {
			Documents []string `json:"documents"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil || fails {
			http.Error(w, `{"detail":"no such model"}`, http.StatusBadRequest)
			return
		}
		type result struct {
			Index int     `json:"index"`
			Score float64 `json:"relevance_score"`
		}
		var out struct {
			Results []result `json:"results"`
		}
		for i := range req.Documents {
			out.Results = append(out.Results, result{i, 1 / float64(i+1)})
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	ask := func(reranker string) (int, state.Answer, string) {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, "ASSAY_RERANKER", reranker)
		code := execute(t.Context(), a, []string{"ask", "--json", clitest.PermitQuestion})
		var answer state.Answer
		if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
			t.Fatalf("%v: %s%s", err, stdout, stderr)
		}
		return code, answer, stderr.String()
	}
	if code, answer, told := ask(server.URL); code != cli.ExitDone || len(answer.Warnings) > 0 || asked.Load() == 0 {
		t.Errorf("exit code %d, %d requests, warnings %q: %s", code, asked.Load(), answer.Warnings, told)
	}
	fails = true
	if code, answer, told := ask(server.URL); code != cli.ExitDone || len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0], "reranker failed") || !strings.Contains(told, "reranker failed") {
		t.Errorf("exit code %d, warnings %q: %s", code, answer.Warnings, told)
	}
	if code, _, told := ask(config.JudgeReranker); code != cli.ExitDone {
		t.Errorf("exit code %d: %s", code, told)
	}
	if code, answer, _ := ask("jina"); code != cli.ExitUsage || !strings.Contains(answer.Error, "none, judge, or an address") {
		t.Errorf("exit code %d: %s", code, answer.Error)
	}
}

// With the encoder, passages are found and chosen by meaning, at once and with kept vectors.
// Without it the same corpus answers by its words. A file without weights is refused.
func TestEncoder(t *testing.T) {
	home := t.TempDir()
	run := func(args ...string) (int, string, string) {
		a, stdout, stderr := clitest.App(home)
		code := execute(t.Context(), a, args)
		return code, stdout.String(), stderr.String()
	}
	file := clitest.Ingest(t, home, clitest.Permits)
	search := func(encoder string) (near, meant bool) {
		t.Helper()
		code, out, told := run("search", "--json", "--encoder", encoder, "how long may I use my light before I need a new permit")
		var found struct {
			Hits []state.Hit `json:"hits"`
		}
		if err := json.Unmarshal([]byte(out), &found); err != nil || code != cli.ExitDone || len(found.Hits) == 0 {
			t.Fatalf("%s: exit code %d, %v: %s%s", encoder, code, err, told, out)
		}
		for _, s := range found.Hits[0].Scores {
			meant = meant || s.Ranker == "meaning"
		}
		return found.Hits[0].Near != nil, meant
	}
	if near, meant := search("builtin"); !near || meant {
		t.Errorf("ingested without the encoder: stretches %v, passages %v", near, meant)
	}
	if code, out, told := run("ingest", "--rebuild", "--encoder", "builtin", file); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, told, out)
	}
	if near, meant := search("builtin"); !near || !meant {
		t.Errorf("ingested with the encoder: stretches %v, passages %v", near, meant)
	}
	if near, meant := search("none"); near || meant {
		t.Errorf("switched off: stretches %v, passages %v", near, meant)
	}
	if code, _, told := run("ask", "--encoder", file, clitest.PermitQuestion); code != cli.ExitUsage || !strings.Contains(told, "not a file of weights") {
		t.Errorf("exit code %d: %s", code, told)
	}
}
