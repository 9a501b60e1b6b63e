package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/eval/retrieval"
	"example.com/assay/eval/task"
)

// evalFixture writes a small collection in the format scifact and returns the
// command line that measures it.
func evalFixture(t *testing.T, more ...string) []string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"eval", "retrieval", "--format", "scifact"}
	for _, file := range []struct{ flag, name, text string }{
		{"--corpus", "corpus.jsonl", `{"id":"s1","title":"Tides","text":"High water follows the moon."}` + "\n" + `{"id":"s2","title":"Moss","text":"Moss prefers the northern side."}`},
		{"--queries", "claims.jsonl", `{"id":1,"claim":"High water follows the moon.","qrels":{"s1":1}}`},
	} {
		path := filepath.Join(dir, file.name)
		if err := os.WriteFile(path, []byte(file.text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, file.flag, path)
	}
	return append(args, more...)
}

// The keys that other programs read are there, with the expected types.
func TestEvalRetrievalJSON(t *testing.T) {
	a, stdout, stderr := clitest.App(t.TempDir())
	if code := execute(t.Context(), a, evalFixture(t, "--json")); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var got struct {
		Schema  int
		Task    string
		N       int
		Metrics map[string]struct{ Value, Lo, Hi *float64 }
		Latency struct{ P50, P95 *float64 } `json:"latency_ms"`
		Items   []struct {
			ID         string
			Gold, Pred []string
		}
	}
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schema != 1 || got.Task != "retrieval" || got.N != 1 || got.Latency.P50 == nil || got.Latency.P95 == nil {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"nDCG@10", "MAP@10", "MRR@10", "R@1", "R@2", "R@5", "R@10", "doc_hit@1", "doc_hit@10"} {
		if m := got.Metrics[name]; m.Value == nil || *m.Value != 1 || m.Lo == nil || m.Hi == nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if len(got.Items) != 1 || got.Items[0].ID != "1" || len(got.Items[0].Gold) != 1 || got.Items[0].Gold[0] != "s1" || len(got.Items[0].Pred) == 0 || got.Items[0].Pred[0] != "s1" {
		t.Errorf("items: %+v", got.Items)
	}
	if stderr.Len() > 0 {
		t.Errorf("stderr: %s", stderr)
	}
}

// An interrupted evaluation ends with 130 and leaves no index behind.
func TestEvalInterrupted(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, ranker := range []string{"assay", "bm25"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		args := evalFixture(t, "--ranker", ranker)
		a, _, stderr := clitest.App(t.TempDir())
		cancel(cli.ErrInterrupted)
		if code := execute(ctx, a, args); code != cli.ExitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%s: exit code %d: %s", ranker, code, stderr)
		}
	}
	// The interrupt may come in the middle of the work, too.
	ctx, cancel := context.WithCancelCause(t.Context())
	options := task.NewOptions("retrieval")
	measure := retrieval.Task().New(options)
	if err := options.Parse(evalFixture(t)[2:]); err != nil {
		t.Fatal(err)
	}
	_, err := measure(ctx, func(phase string, _, _ int) {
		if phase == "training the embedder" {
			cancel(cli.ErrInterrupted)
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while it indexes: %v", err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if strings.HasPrefix(entry.Name(), "agent-eval-") {
			t.Errorf("%s was left behind", entry.Name())
		}
	}
}

// Progress goes only to standard error.
func TestEvalProgress(t *testing.T) {
	a, stdout, stderr := clitest.App(t.TempDir())
	now := a.Now()
	a.Now = func() time.Time { now = now.Add(time.Second); return now }
	if code := execute(t.Context(), a, evalFixture(t)); code != cli.ExitDone {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "indexing") || !strings.Contains(stderr.String(), "searching 1/1") || strings.Contains(stdout.String(), "searching") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
}
