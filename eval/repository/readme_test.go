package repository

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
)

// readme returns the README and its fenced blocks by language.
func readme(t *testing.T) (text string, blocks map[string][]string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repositoryRoot(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks = map[string][]string{}
	for _, m := range regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$").FindAllStringSubmatch(string(data), -1) {
		blocks[m[1]] = append(blocks[m[1]], m[2])
	}
	return string(data), blocks
}

func pipeline(t *testing.T, corpus retrieval.Retriever) *research.Pipeline {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type noCorpus struct{}

func (noCorpus) Search(context.Context, retrieval.Query) (retrieval.Result, error) {
	return retrieval.Result{}, nil
}

func TestReadmeDrawsTheRealGraph(t *testing.T) {
	_, blocks := readme(t)
	want := pipeline(t, noCorpus{}).Graph().Drawing().Mermaid()
	if got := blocks["mermaid"]; len(got) != 1 || got[0] != want {
		t.Errorf("the README's graph is not the pipeline's; paste the output of `agent graph research`:\n%s", want)
	}
}

func TestReadmeShowsTheRealExample(t *testing.T) {
	_, blocks := readme(t)
	source, err := os.ReadFile(filepath.Join(repositoryRoot(t), "graph", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, body, found := strings.Cut(string(source), "func Example() {\n")
	body, _, ended := strings.Cut(body, "\n}\n")
	if !found || !ended {
		t.Fatal("graph/example_test.go has no Example")
	}
	want := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(body, "") + "\n"
	if got := blocks["go"]; len(got) != 1 || got[0] != want {
		t.Errorf("the README's snippet is not graph's Example:\n%s", want)
	}
}

// TestReadmeAnswerIsReal asks the README's question and compares every quote
// and source with what stands there.
func TestReadmeAnswerIsReal(t *testing.T) {
	text, blocks := readme(t)
	question := regexp.MustCompile(`agent ask "([^"]+)"`).FindStringSubmatch(text)
	if question == nil || len(blocks["text"]) == 0 {
		t.Fatal("the README shows no question with an answer")
	}
	home := t.TempDir()
	primer := filepath.Join(repositoryRoot(t), "case_studies", "corpora", "us-law-primer")
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "sample", Paths: []string{primer}}); err != nil {
		t.Fatal(err)
	}
	corpus, err := memory.Open(home, "sample")
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	final, err := pipeline(t, corpus).Run(t.Context(), question[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	answer := research.Result(final, nil, corpus)
	shown := strings.Join(strings.Fields(blocks["text"][0]), " ")
	for _, s := range answer.Sources {
		for _, q := range s.Quotes {
			if quote := strings.Join(strings.Fields(strings.ReplaceAll(q.Text, "**", "")), " "); !strings.Contains(shown, "“"+quote+"”") {
				t.Errorf("the README does not show the quote %q", q.Text)
			}
		}
		if !strings.Contains(shown, filepath.ToSlash(s.Doc)) {
			t.Errorf("the README does not show the source %s", s.Doc)
		}
	}
	if len(answer.Sources) == 0 {
		t.Error("the README's question has no answer")
	}
}

// TestReadmeCommands holds the two commands that the README promises, and what
// CI runs, to each other.
func TestReadmeCommands(t *testing.T) {
	text, _ := readme(t)
	ci, err := os.ReadFile(filepath.Join(repositoryRoot(t), ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"go test ./...", "go build", "agent ask"} {
		if !strings.Contains(text, command) || !strings.Contains(string(ci), strings.Replace(command, "agent ask", `agent" ask`, 1)) {
			t.Errorf("%q does not stand in both README.md and .ci/run", command)
		}
	}
	if lines := strings.Count(text, "\n"); lines > 200 {
		t.Errorf("the README has %d lines, more than 200", lines)
	}
}
