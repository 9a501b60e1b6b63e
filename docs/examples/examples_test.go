// Package examples runs the programs below it. Their outputs stand in
// docs/build-your-own.md, and this test holds them to it.
package examples

import (
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

var update = flag.Bool("update", false, "paste outputs into docs/build-your-own.md")

const page = "../build-your-own.md"

// openAI is a server of OpenAI's chat API that gives these answers in turn.
func openAI(t *testing.T, answers ...string) string {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := int(n.Add(1)) - 1
		if i >= len(answers) {
			http.Error(w, `{"error":{"message":"no answer is left"}}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"x","object":"chat.completion","model":"gpt-4.1-mini","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",%s}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, answers[i])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds programs, and -short was asked for")
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob("*/main.go")
	if err != nil || len(found) == 0 {
		t.Fatal("no examples", err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	doc := string(text)
	for _, file := range found {
		name := filepath.Dir(file)
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(source), "\n"); n > 120 {
			t.Errorf("%s has %d lines; an example has at most 120", file, n)
		}
		run := exec.CommandContext(t.Context(), filepath.Join(bin, name))
		run.Env = append(os.Environ(), "OPENAI_API_KEY=test-key-of-eight", "OPENAI_BASE_URL="+openAI(t,
			`"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"tides","arguments":"{\"harbour\":\"Dover\"}"}}]`,
			`"content":"High water in Dover is at 14:05. It is 3.2 metres high. The harbour master is Mr Penrose."`,
			`"content":"{\"line\":\"HW Dover 14:05, 3.2 m\"}"`))
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
			continue
		}
		begin := fmt.Sprintf("<!-- output of docs/examples/%s -->\n```text\n", name)
		before, rest, ok := strings.Cut(doc, begin)
		was, after, closed := strings.Cut(rest, "```")
		switch {
		case !ok || !closed:
			t.Errorf("%s has no block for the output of %s", page, name)
		case *update:
			doc = before + begin + string(out) + "```" + after
		case was != string(out):
			t.Errorf("%s prints\n%s%s says\n%s", name, out, page, was)
		}
	}
	if *update {
		if err := os.WriteFile(page, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
