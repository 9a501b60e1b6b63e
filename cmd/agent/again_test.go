package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory"
	"example.com/assay/state"
)

// refusingFirst answers the first request with 429, and counts the requests.
func refusingFirst(t *testing.T, next http.Handler) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, `{"error":{"message":"too many requests"}}`, http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

const quickRetries = "model_limits: {backoff_base: 1ms, backoff_jitter_max: 1ms}\n"

// Calls of embedders are retried like calls of models.
func TestEmbedderIsAskedAgain(t *testing.T) {
	home := t.TempDir()
	file := clitest.Ingest(t, t.TempDir(), clitest.Permits)
	for name, tc := range map[string]struct {
		format llmtest.Format
		url    string
		key    string
	}{
		"openai:small": {llmtest.OpenAI, config.EnvOpenAIURL, config.EnvOpenAIKey},
		"gemini:small": {llmtest.Gemini, config.EnvGeminiURL, config.EnvGeminiKey},
	} {
		url, asked := refusingFirst(t, llmtest.NewServer(t, tc.format, &llmtest.Script{}).Config.Handler)
		config := writeConfig(t, "embedder: "+name+"\n"+quickRetries)
		for _, args := range [][]string{{"ingest", "--rebuild", "--corpus", "c", file}, {"ask", "--corpus", "c", clitest.PermitQuestion}} {
			asked.Store(0)
			a, stdout, stderr := clitest.App(home)
			withEnv(a, tc.key, secret, tc.url, url)
			if code := execute(t.Context(), a, append(args, "--config", config)); code != cli.ExitDone || asked.Load() < 2 || !strings.Contains(stderr.String(), "429") {
				t.Errorf("%s, %s: exit code %d after %d requests: %s%s", name, args[0], code, asked.Load(), stdout, stderr)
			}
		}
	}
}

// Calls of a reranking server are retried, too: its order counts, and there is no warning.
func TestRerankerIsAskedAgain(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	url, asked := refusingFirst(t, inGivenOrder(t))
	a, stdout, stderr := clitest.App(home)
	config := writeConfig(t, "reranker: "+url+"\n"+quickRetries)
	code := execute(t.Context(), a, []string{"ask", "--json", "--config", config, clitest.PermitQuestion})
	var answer state.Answer
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || code != cli.ExitDone || asked.Load() != 2 || len(answer.Warnings) > 0 || !strings.Contains(stderr.String(), "429") {
		t.Errorf("exit code %d after %d requests, %v: %s%s", code, asked.Load(), err, stdout, stderr)
	}
}

// inGivenOrder is a reranking server that keeps the given order.
func inGivenOrder(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Documents []string `json:"documents"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		results := []map[string]any{}
		for i := range req.Documents {
			results = append(results, map[string]any{"index": i, "relevance_score": 1 / float64(i+1)})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"results": results}); err != nil {
			t.Error(err)
		}
	}
}

// A reranking server has no price, so a bound on money does not end its run. Its calls count
// against the bound on calls.
func TestMoneyOfRerankers(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	rerankers := httptest.NewServer(inGivenOrder(t))
	defer rerankers.Close()
	for limit, want := range map[string]int{"max_money: 9": cli.ExitDone, "max_calls: 6": cli.ExitDone, "max_calls: 5": cli.ExitFailed} {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
		config := writeConfig(t, "model: openai:m\nreranker: "+rerankers.URL+"\nmodel_limits: {"+limit+"}\nprices: {openai:m: {input: 1, output: 1}}\n")
		if code := execute(t.Context(), a, []string{"ask", "--config", config, clitest.PermitQuestion}); code != want || strings.Contains(stderr.String(), "reranker failed") {
			t.Errorf("%s: exit code %d: %s%s", limit, code, stdout, stderr)
		}
	}
}

// A bound on money counts an embedder's calls by their price. An embedder without a price is
// refused before any call.
func TestMoneyOfLookups(t *testing.T) {
	home := t.TempDir()
	var text strings.Builder // more calls than run at the same time: the bound is checked before each
	for i := range 1500 {
		fmt.Fprintf(&text, "# Lantern %d\n\nLantern %d hangs at gate %d.\n\n", i, i, i)
	}
	file := clitest.Ingest(t, home, text.String())
	server := llmtest.NewServer(t, llmtest.OpenAI, &llmtest.Script{})
	for name, tc := range map[string]struct {
		config string
		code   int
		Told   string
		asked  bool
	}{
		"no bound":   {"embedder: openai:small", cli.ExitDone, "", true},
		"enough":     {"embedder: openai:small\nmodel_limits: {max_money: 1}\nprices: {openai:small: {input: 1, output: 0}}", cli.ExitDone, "", true},
		"free":       {"embedder: openai:small\nmodel_limits: {max_money: 1}\nprices: {openai:small: {input: 0, output: 0}}", cli.ExitDone, "", true},
		"no price":   {"embedder: openai:small\nmodel_limits: {max_money: 1}", cli.ExitFailed, `what model "openai:small" costs is unknown`, false},
		"not enough": {"embedder: openai:small\nmodel_limits: {max_money: 0.000001}\nprices: {openai:small: {input: 1000, output: 0}}", cli.ExitFailed, "max_money", true},
	} {
		asked := server.Asked()
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
		args := []string{"ingest", "--rebuild", "--corpus", "c", file, "--config", writeConfig(t, tc.config+"\n")}
		if err := os.RemoveAll(memory.VectorsPath(home)); err != nil {
			t.Fatal(err)
		}
		if code := execute(t.Context(), a, args); code != tc.code || !strings.Contains(stderr.String(), tc.Told) || (server.Asked() > asked) != tc.asked {
			t.Errorf("%s: exit code %d after %d requests: %s%s", name, code, server.Asked()-asked, stdout, stderr)
		}
	}
}
