package react_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// Text that a model writes before it calls a tool is streamed, and so is its answer.
func TestTokens(t *testing.T) {
	first := calls(`look {"town":"a"}`)
	first.Text, first.Chunks = "Let me look.", []string{"Let me ", "look."}
	app := compile(t, says(first, llmtest.Answer{Text: "It is there.", Chunks: []string{"It is ", "there."}}), []react.Tool{echo(t, "look")}, nil)
	var got []string
	for ev, err := range app.Stream(t.Context(), react.Say("Where?"), &graph.RunOptions{Thread: "t", Modes: graph.Tokens}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == graph.NodeToken {
			got = append(got, ev.Text)
		}
	}
	if want := "Let me |look.|It is |there."; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

// The drawing shows each tool and each step.
func TestDrawing(t *testing.T) {
	app := compile(t, says(), []react.Tool{echo(t, "look"), echo(t, "find")}, &react.Options{Before: []react.Step{react.Trim(1)}, After: []react.Step{{Name: "check"}}})
	drawn := app.Drawing().Mermaid()
	for _, node := range []string{"begin", "trim", "model", "dispatch", "tool_look", "tool_find", "check"} {
		if !strings.Contains(drawn, node) {
			t.Errorf("no %q in\n%s", node, drawn)
		}
	}
}

// Threads do not see each other, also when they run at the same time.
func TestThreads(t *testing.T) {
	m := modelFunc(func(req llm.Request) string { return "You said: " + req.Messages[len(req.Messages)-1].Text })
	app := compile(t, m, nil, nil)
	done := make(chan string)
	for _, name := range []string{"a", "b", "c"} {
		go func() {
			var last string
			for range 3 {
				s, err := app.Invoke(t.Context(), react.Say("I am "+name), &graph.RunOptions{Thread: name})
				if err != nil {
					last = err.Error()
					break
				}
				if last = react.Answer(s); last != "You said: I am "+name {
					break
				}
			}
			done <- strings.TrimPrefix(last, "You said: I am ")
		}()
	}
	got := map[string]bool{<-done: true, <-done: true, <-done: true}
	if !got["a"] || !got["b"] || !got["c"] {
		t.Errorf("%v", got)
	}
}

// The page of behaviours names tests that there are.
func TestBehavioursHaveTests(t *testing.T) {
	page, err := os.ReadFile("../../docs/agent-behaviour.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tests.Write(data)
	}
	lines := 0
	for _, row := range regexp.MustCompile("(?m)^\\| \\d+ \\|.*\\| `(Test\\w+)` \\|$").FindAllStringSubmatch(string(page), -1) {
		lines++
		if !strings.Contains(tests.String(), "func "+row[1]+"(t *testing.T)") {
			t.Errorf("the page names %s, and there is no such test", row[1])
		}
	}
	if lines < 40 {
		t.Errorf("the page has %d behaviours", lines)
	}
}
