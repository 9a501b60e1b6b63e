package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/nodes/causal"
)

// A writer is a server whose model has an edge verified before it writes, and then cites the
// source of the edge's quote.
type writer struct {
	*httptest.Server
	mu    sync.Mutex
	tools []string // the tools that it was offered
	found struct {
		Result  causal.Verified
		Sources []struct{ N int }
	}
}

func newWriter(t *testing.T) *writer {
	t.Helper()
	w := &writer{}
	w.Server = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		var in struct {
			Tools []struct {
				Function struct{ Name string }
			}
			Messages []struct{ Role, Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		message := `{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"verify_edge","arguments":"{\"cause\":\"mosquito bites\",\"effect\":\"malaria\"}"}}]}`
		if last := in.Messages[len(in.Messages)-1]; last.Role == "tool" {
			if err := json.Unmarshal([]byte(last.Content), &w.found); err != nil || len(w.found.Sources) == 0 {
				t.Errorf("the tool answers %s, %v", last.Content, err)
				http.Error(out, "no", http.StatusBadRequest)
				return
			}
			message = fmt.Sprintf(`{"role":"assistant","content":"Malaria is spread by the bites of mosquitoes. [Source %d]"}`, w.found.Sources[0].N)
		} else {
			for _, tool := range in.Tools {
				w.tools = append(w.tools, tool.Function.Name)
			}
			if !slices.Contains(w.tools, causal.ToolVerifyEdge) {
				message = `{"role":"assistant","content":"Malaria is spread. [Source 1]"}`
			}
		}
		fmt.Fprintf(out, `{"model":"m","choices":[{"message":%s,"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":5}}`, message)
	}))
	t.Cleanup(w.Close)
	return w
}

// In a session, a model that may call tools has an edge verified. The loop is shown as it runs,
// and its quotes can be cited. Outside a session the tool is not offered.
func TestModelVerifiesAnEdge(t *testing.T) {
	home := t.TempDir()
	setUp, _, stderr := clitest.App(home)
	for _, args := range [][]string{{"edges", "sample", filepath.Join(home, "s")}, {"ingest", filepath.Join(home, "s", "docs")}} {
		if code := execute(t.Context(), setUp, args); code != cli.ExitDone {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	server := newWriter(t)
	file := filepath.Join(home, "c.yaml")
	conf := "models:\n  default: offline\n  synthesize_and_cite: openai:m\nresearch:\n  search_tool: true\nverification:\n  enabled: false\n"
	if err := os.WriteFile(file, []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	const question = "Do mosquito bites cause malaria where the parasite is common?"
	a, stdout, stderr := clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	a.Stdin = strings.NewReader(question + "\n")
	if code := execute(t.Context(), a, []string{"--config", file, "--no-memory"}); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s%s", code, stderr, stdout)
	}
	if got := strings.Join(server.tools, " "); got != "search_corpus verify_edge" {
		t.Errorf("the model was offered %q", got)
	}
	if e := server.found.Result.Edge; e.Status != "grounded" || len(server.found.Result.Audit) != 2 {
		t.Errorf("the edge came back %s, with %d verdicts", e.Status, len(server.found.Result.Audit))
	}
	at := 0
	for _, want := range []string{"1 support: mosquito bites malaria", "1 refute: no effect of mosquito bites", "1 judge_edge: direct_causal", "    “", "1 devils_advocate: direct_causal", "Malaria is spread by the bites of mosquitoes. [Source 1]"} {
		i := strings.Index(stdout.String()[at:], want)
		if i < 0 {
			t.Fatalf("%q is not where it should be in\n%s", want, stdout)
		}
		at += i
	}

	server.tools = nil
	a, stdout, stderr = clitest.App(home)
	withEnv(a, config.EnvOpenAIKey, secret, config.EnvOpenAIURL, server.URL)
	if code := execute(t.Context(), a, []string{"ask", "--config", file, "--no-memory", question}); code != cli.ExitDone || strings.Join(server.tools, " ") != "search_corpus" {
		t.Errorf("outside of a session, exit code %d, the model was offered %q: %s%s", code, server.tools, stdout, stderr)
	}
}
