// Package examples runs the programs below it. Pages of docs show their outputs and parts
// of their code, and this test holds them to it.
package examples

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

var update = flag.Bool("update", false, "paste outputs and code into the pages")

// pages show what the examples print, and parts of their code.
var pages = []string{"../build-your-own.md", "../test-your-own.md"}

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
	found, err := filepath.Glob("*/main.go")
	if err != nil || len(found) == 0 {
		t.Fatal("no examples", err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./...")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	printed := map[string]string{} // by folder
	for _, file := range found {
		name := filepath.Dir(file)
		if n := strings.Count(read(t, file), "\n"); n > 120 {
			t.Errorf("%s has %d lines; an example has at most 120", file, n)
		}
		run := exec.CommandContext(t.Context(), filepath.Join(bin, name))
		run.Dir = name
		run.Env = append(os.Environ(), "OPENAI_API_KEY=test-key-of-eight", "OPENAI_BASE_URL="+openAI(t,
			`"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"tides","arguments":"{\"harbour\":\"Dover\"}"}}]`,
			`"content":"High water in Dover is at 14:05. It is 3.2 metres high. The harbour master is Mr Penrose."`,
			`"content":"{\"line\":\"HW Dover 14:05, 3.2 m\"}"`))
		out, err := run.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
			continue
		}
		printed["docs/examples/"+name] = string(out)
	}
	shown := map[string]bool{}
	for _, page := range pages {
		paste(t, page, printed, shown)
	}
	for name := range printed {
		if !shown[name] {
			t.Errorf("no page shows the output of %s", name)
		}
	}
}

// block is a block of a page that shows the output of an example, or the code of a
// file or of a declaration in it.
var block = regexp.MustCompile("(?ms)^<!-- (output|code) of (\\S+?)(?:, (\\w+))? -->\n```\\w+\n(.*?)^```$")

// paste compares the blocks of a page with what they show, or rewrites them, and notes
// which outputs it shows.
func paste(t *testing.T, page string, printed map[string]string, shown map[string]bool) {
	t.Helper()
	doc := read(t, page)
	marks := strings.Count(doc, "<!-- output of ") + strings.Count(doc, "<!-- code of ")
	if found := len(block.FindAllString(doc, -1)); found != marks || found == 0 {
		t.Fatalf("%s: %d marks, and %d blocks behind them", page, marks, found)
	}
	pasted := block.ReplaceAllStringFunc(doc, func(old string) string {
		m := block.FindStringSubmatch(old)
		want := ""
		if m[1] == "output" {
			want, shown[m[2]] = printed[m[2]], true
		} else {
			want = code(t, filepath.Join("..", "..", filepath.FromSlash(m[2])), m[3])
		}
		if want != m[4] && !*update {
			t.Errorf("%s shows as %s of %s\n%s\nit is\n%s", page, m[1], m[2], m[4], want)
		}
		return strings.TrimSuffix(old, m[4]+"```") + want + "```"
	})
	if *update {
		if err := os.WriteFile(page, []byte(pasted), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// code is a file, or a function in it.
func code(t *testing.T, file, function string) string {
	t.Helper()
	text := read(t, file)
	if function == "" {
		return text
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == function {
			return text[set.Position(f.Pos()).Offset:set.Position(f.End()).Offset] + "\n"
		}
	}
	t.Fatalf("%s has no function %s", file, function)
	return ""
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
