package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
)

// TestEvaluateYourOwn follows docs/evaluate-your-own.md. It writes the files that are named
// after ```, and runs the commands of the sh blocks, which must succeed. The page must show what
// the first command prints.
func TestEvaluateYourOwn(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "evaluate-your-own.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	home := t.TempDir()
	t.Chdir(dir)
	var printed string
	ran := 0
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*) ?([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		kind, name, text := m[1], m[2], m[3]
		switch {
		case name != "":
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		case kind == "sh":
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				a, stdout, stderr := clitest.App(home)
				if code := execute(t.Context(), a, arguments(t, line)); code != cli.ExitDone {
					t.Errorf("%s: exit code %d\n%s%s", line, code, stdout, stderr)
				}
				printed += stdout.String()
				ran++
			}
		case kind == "output":
			for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
				if !strings.Contains(printed, line) {
					t.Errorf("no command printed %q", line)
				}
			}
		}
	}
	if ran < 8 {
		t.Errorf("the page has %d commands", ran)
	}
	for _, file := range []string{"results.json", "junit.xml", "summary.md", "report.html", "traces/manager.jsonl"} {
		if info, err := os.Stat(filepath.Join(dir, "results", file)); err != nil || info.Size() == 0 {
			t.Errorf("--out wrote no %s: %v", file, err)
		}
	}
}

// arguments splits a command line of a page at blanks outside quotes.
func arguments(t *testing.T, line string) []string {
	t.Helper()
	rest, ok := strings.CutPrefix(line, "agent ")
	if !ok {
		t.Fatalf("%q is no command of agent", line)
	}
	var out []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|(\S+)`).FindAllStringSubmatch(rest, -1) {
		out = append(out, m[1]+m[2])
	}
	return out
}
