package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/cmd/agent/internal/open"
)

// completed runs the completion of a command line and returns what a shell would offer.
func completed(t *testing.T, home string, words ...string) (names []string, directive string) {
	t.Helper()
	a, stdout, _ := clitest.App(home)
	if code := execute(t.Context(), a, append([]string{"__complete"}, words...)); code != 0 {
		t.Fatalf("completing %q: exit code %d", words, code)
	}
	lines := strings.Split(strings.TrimRight(stdout.String(), "\n"), "\n")
	for _, line := range lines[:len(lines)-1] {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names, lines[len(lines)-1]
}

// list lists everything below a folder, with sizes and times.
func list(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Size(), info.ModTime())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestComplete(t *testing.T) {
	home := t.TempDir()
	for i := range 50 {
		if err := os.MkdirAll(filepath.Join(home, "corpora", fmt.Sprintf("corpus-%02d", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	clitest.Ingest(t, home, "A permit costs 40 euros.")
	a, _, stderr := clitest.App(home)
	if code := execute(t.Context(), a, []string{"ask", "--thread", "permit-question", "What does a permit cost?"}); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	settings := filepath.Join(home, "config.yaml")
	if err := os.WriteFile(settings, []byte("models: {judge: openai:gpt-judge}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := list(t, home)
	const none, files, ending, dirs, noSpace = ":4", ":0", ":8", ":16", ":6"
	for _, test := range []struct {
		words     []string
		has       string
		directive string
	}{
		{[]string{"ask", "--corpus", ""}, "corpus-49", none},
		{[]string{"ask", "--corpus", ""}, open.SampleCorpus, none},
		{[]string{"corpus", "show", ""}, "default", none},
		{[]string{"corpus", "show", "sample", ""}, "", none},
		{[]string{"corpus", "export", "sample", ""}, "", dirs},
		{[]string{"ask", "--thread", ""}, "permit-question", none},
		{[]string{"resume", ""}, "permit-question", none},
		{[]string{"ask", "--model", ""}, "openai:", noSpace},
		{[]string{"ask", "--config", settings, "--model", ""}, "openai:gpt-judge", noSpace},
		{[]string{"graph", ""}, "research", none},
		{[]string{"graph", "--format", ""}, "svg", none},
		{[]string{"threads", "runs", "--phase", ""}, "waiting", none},
		{[]string{"train", "rerank", "--format", ""}, "beir", none},
		{[]string{"comply", "--source-type", ""}, "policy", none},
		{[]string{"chat", "--tools", ""}, "corpus", none},
		{[]string{"help", "corpus", ""}, "export", none},
		{[]string{"trace", "show", ""}, "jsonl", ending},
		{[]string{"trace", "replay", "--skill", ""}, "md", ending},
		{[]string{"ingest", ""}, "", files},
		{[]string{"ingest", "one", ""}, "", files},
		{[]string{"ask", "--skills", ""}, "", dirs},
		{[]string{"ask", ""}, "", none},
		{[]string{"ask", "--timeout", ""}, "", none},
		{[]string{"ask", "--config", "/none.yaml", "--thread", ""}, "", none},
	} {
		names, directive := completed(t, home, test.words...)
		// A busy machine may not read the threads within completionTime. The second try does.
		for tries := 0; test.has != "" && len(names) == 0 && tries < 50; tries++ {
			names, directive = completed(t, home, test.words...)
		}
		if directive != test.directive || test.has != "" && !slices.Contains(names, test.has) {
			t.Errorf("%q: %q and %s, want %q and %s", test.words, names, directive, test.has, test.directive)
		}
	}
	if after := list(t, home); after != before {
		t.Errorf("the home changed\n%s\n%s", before, after)
	}
	missing := filepath.Join(home, "none")
	if names, _ := completed(t, missing, "ask", "--thread", ""); len(names) > 0 {
		t.Errorf("a home that is not there has %q", names)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a completion made the home")
	}
}

// The help has a word for each value, and completion knows the word or knows that it completes
// nothing.
func TestCompletionWords(t *testing.T) {
	free := strings.Fields("ADDRESS BYTES CATEGORY CLAIM DATE DURATION FIELD FORMAT HOST:PORT HOW ID ID… JUDGE KEY=VALUE KIND LIST MODES N NAME NODE NUMBER PHASE PLACES QUERY… QUESTION QUESTION… RANKER SECTION SEED SHARE TERM… TEXT TOPIC URL WHAT WORDING")
	known := func(where, word string) {
		trimmed := strings.TrimSuffix(word, "…")
		if completers[trimmed] == nil && !strings.Contains(word, ".") && !slices.Contains(free, word) {
			t.Errorf("%s: %q says neither what to complete nor that there is nothing: name it in complete.go or in this test", where, word)
		}
	}
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if word, _ := pflag.UnquoteUsage(f); f.Value.Type() != "bool" && word != strings.ToLower(word) {
				known(cmd.CommandPath()+" --"+f.Name, word)
			}
		})
		if !cmd.HasSubCommands() {
			for _, word := range argumentWords(cmd.Use) {
				known(cmd.CommandPath(), word)
			}
		}
		for _, c := range cmd.Commands() {
			visit(c)
		}
	}
	a, _, _ := clitest.App(t.TempDir())
	visit(rootCommand(a))
}

// The script works in a shell: bash offers the program's completions and prints nothing else.
func TestCompleteInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, "corpora"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "corpora", "handbook"), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", `
		eval "$(agent completion bash)"
		_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]}; prev=${COMP_WORDS[COMP_CWORD-1]}; words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; }
		__ltrim_colon_completions() { :; }
		compopt() { :; }
		COMP_WORDS=(agent ask --corpus hand) COMP_CWORD=3 COMP_LINE="agent ask --corpus hand" COMP_POINT=23 COMP_TYPE=9
		__start_agent agent hand --corpus
		printf '%s\n' "${COMPREPLY[@]}"`)
	cmd.Env = append(os.Environ(), "ASSAY_HOME="+home) // package testscript puts agent into the path
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || strings.TrimSpace(string(out)) != "handbook" || stderr.Len() > 0 {
		t.Errorf("bash offers %q: %v\n%s", out, err, stderr.String())
	}
}
