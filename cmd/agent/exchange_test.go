package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/state"
)

// The cost of calls is shown if it is known, and the number of calls with an unknown cost.
func TestCostOfAQuestion(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	ask := func(prices string, flags ...string) string {
		t.Helper()
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
		conf := writeConfig(t, "model: openai:m\n"+prices)
		if code := execute(t.Context(), a, append([]string{"ask", clitest.PermitQuestion, "--config", conf}, flags...)); code != cli.ExitDone {
			t.Fatalf("exit code %d: %s%s", code, stderr, stdout)
		}
		return stdout.String()
	}
	const priced = "prices: {openai:m: {input: 1000, output: 20000}}\n"
	var answer state.Answer
	if err := json.Unmarshal([]byte(ask(priced, "--json")), &answer); err != nil {
		t.Fatal(err)
	}
	m := answer.Metrics
	want := state.MoneyOf(float64(m.InputTokens)*1000/1e6 + float64(m.OutputTokens)*20000/1e6)
	if m.Calls < 3 || m.Cost != want || m.Unpriced != 0 {
		t.Errorf("cost %v and %d unpriced of %+v; want %v", m.Cost, m.Unpriced, m, want)
	}
	if text, end := ask(priced), fmt.Sprintf(" · cost %s\n", want); !strings.HasSuffix(text, end) {
		t.Errorf("it does not end with %q: %s", end, text)
	}
	if text, end := ask("prices: {openai:other: {input: 1, output: 1}}\n"), fmt.Sprintf(" · unpriced calls: %d\n", m.Calls); !strings.HasSuffix(text, end) {
		t.Errorf("it does not end with %q: %s", end, text)
	}
	if text := ask(priced, "--verbose"); !strings.Contains(text, fmt.Sprintf("%d written, cost %s", m.OutputTokens, want)) {
		t.Errorf("the tokens are not told: %s", text)
	}
	if text := ask(""); strings.Contains(text, "cost") || strings.Contains(text, "unpriced") {
		t.Errorf("money is told that nobody counts: %s", text)
	}
}

// A replay costs nothing, and shows what the recording cost, by node, too.
func TestCostOfAReplay(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	tape := filepath.Join(t.TempDir(), "tape")
	conf := writeConfig(t, "model: openai:m\nprices: {openai:m: {input: 1000, output: 20000}}\n")
	ask := func(flags ...string) string {
		t.Helper()
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
		if code := execute(t.Context(), a, append([]string{"ask", clitest.PermitQuestion, "--config", conf}, flags...)); code != cli.ExitDone {
			t.Fatalf("exit code %d: %s%s", code, stderr, stdout)
		}
		return stdout.String()
	}
	var then, now state.Answer
	if err := json.Unmarshal([]byte(ask("--json", "--record", tape)), &then); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(ask("--json", "--replay", tape)), &now); err != nil {
		t.Fatal(err)
	}
	if then.Metrics.Cost == 0 || now.Metrics.Cost != 0 || now.Metrics.RecordedCost != then.Metrics.Cost || now.Metrics.Unpriced != 0 {
		t.Errorf("recorded with %+v, replayed with %+v", then.Metrics.ModelUsage, now.Metrics.ModelUsage)
	}
	for _, answer := range []state.Answer{then, now} {
		var sum state.ModelUsage
		for _, usage := range answer.Metrics.NodeUsage {
			sum = sum.Plus(usage)
		}
		if sum != answer.Metrics.ModelUsage || len(answer.Metrics.NodeUsage) < 3 {
			t.Errorf("nodes %+v, run %+v", answer.Metrics.NodeUsage, answer.Metrics.ModelUsage)
		}
	}
	text := ask("--replay", tape, "-v")
	for _, want := range []string{
		fmt.Sprintf("written, cost 0, recorded cost %s\n", then.Metrics.Cost),
		fmt.Sprintf("  execute/synthesize  1 call, 50 tokens read and 5 written, cost 0, recorded cost %s\n", then.Metrics.NodeUsage["execute/synthesize"].Cost),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %s", want, text)
		}
	}
}

func TestMoneyEndsTheRun(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	a, stdout, stderr := clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	conf := writeConfig(t, "model: openai:m\nmodel_limits: {max_money: 0.01}\nprices: {openai:m: {input: 1000, output: 1000}}\n")
	code := execute(t.Context(), a, []string{"ask", "--config", conf, clitest.PermitQuestion})
	if code != cli.ExitFailed || len(server.asked) != 1 || !strings.Contains(stderr.String(), "max_money") {
		t.Errorf("exit code %d after %q: %s%s", code, server.asked, stderr, stdout)
	}
}

// The session's budget does not belong to a corpus: it goes on when another one is opened.
func TestBudgetOfASession(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	conf := writeConfig(t, "model: openai:m\nmodel_limits: {max_session_calls: 5}\n")
	a, stdout, stderr := clitest.App(home)
	a.Stdin = strings.NewReader(clitest.PermitQuestion + "\n/corpus default\n" + clitest.PermitQuestion + "\n")
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	if code := execute(t.Context(), a, []string{"--no-memory", "--config", conf}); code != cli.ExitFailed || len(server.asked) != 5 || !strings.Contains(stderr.String(), "max_session_calls") {
		t.Errorf("exit code %d after %d calls: %s%s", code, len(server.asked), stderr, stdout)
	}
}

// When the first model fails, another one is called. A model for two skills has one circuit
// breaker, which opens once for both.
func TestFallback(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	var tried atomic.Int32
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tried.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer broken.Close()
	for fallback, wantAsked := range map[string]bool{"openai:m": true, "offline": false} {
		tried.Store(0)
		server.asked = nil
		conf := writeConfig(t, "models: {default: gemini:g, query_rewrite: gemini:g, fallback: "+fallback+"}\nmodel_limits: {max_retries: 0, circuit_failures: 1}\n")
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL, config.EnvGeminiKey, secret, config.EnvGeminiURL, broken.URL)
		if code := execute(t.Context(), a, []string{"ask", "--json", "--config", conf, clitest.PermitQuestion}); code != cli.ExitDone {
			t.Fatalf("exit code %d: %s%s", code, stderr, stdout)
		}
		if want := `"model": "gemini:g, gemini:g for query_rewrite, else ` + fallback + `"`; !strings.Contains(stdout.String(), want) {
			t.Errorf("the answer does not say %s: %s", want, stdout)
		}
		if tried.Load() != 1 || (len(server.asked) >= 3) != wantAsked {
			t.Errorf("the broken server was asked %d times, the other %q", tried.Load(), server.asked)
		}
	}
	// The doctor asks the fallback, too, but only if a model can fall back to it.
	for model, want := range map[string]int{"gemini:g": 1, "offline": 0} {
		server.asked = nil
		a, stdout, _ := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL, config.EnvGeminiKey, secret, config.EnvGeminiURL, broken.URL, "ASSAY_MODELS_FALLBACK", "openai:m")
		if execute(t.Context(), a, []string{"doctor", "--model", model}); len(server.asked) != want {
			t.Errorf("%s: the doctor asked %q: %s", model, server.asked, stdout)
		}
	}
}

// A cassette holds none of the keys that the program knows, used or not. It still answers the
// calls.
func TestCassetteHoldsNoKey(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	server := newChat(t)
	const other, third = "sk-other-0123456789", "sk-third-0123456789"
	file, tape := filepath.Join(t.TempDir(), "key"), filepath.Join(t.TempDir(), "tape")
	if err := os.WriteFile(file, []byte(third+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := writeConfig(t, "model: openai:m\nkey_files: {anthropic: "+file+"}\n")
	question := clitest.PermitQuestion + " " + secret + " " + other + " " + third
	for _, flag := range []string{"--record", "--replay"} {
		a, stdout, stderr := clitest.App(home)
		withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL, config.EnvGeminiKey, other)
		asked := len(server.asked)
		if code := execute(t.Context(), a, []string{"ask", "--config", conf, "--confidence-threshold", "0.1", flag, tape, question}); code != cli.ExitDone || stderr.Len() > 0 {
			t.Fatalf("%s: exit code %d: %s%s", flag, code, stdout, stderr)
		}
		if (len(server.asked) > asked) != (flag == "--record") {
			t.Errorf("%s asked %q", flag, server.asked[asked:])
		}
	}
	data, err := os.ReadFile(tape)
	if err != nil || !strings.Contains(string(data), "lantern permit") {
		t.Fatalf("%v: %s", err, data)
	}
	for _, key := range []string{secret, other, third} {
		if strings.Contains(string(data), key) {
			t.Errorf("%s is in %s", key, data)
		}
	}
}
