package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/memory"
)

// cranes ingests a corpus in which the index prefers catalogue lines to the rules that answer,
// and writes judged questions about it. In a hopeless corpus the answering passage is random, so
// nothing can be learnt.
func cranes(t *testing.T, n int, hopeless bool) (home, queries, qrels string) {
	t.Helper()
	home = t.TempDir()
	dir := t.TempDir()
	var corpus, asked, judged strings.Builder
	judged.WriteString("query-id\tcorpus-id\tscore\n")
	for i := range n {
		answer := fmt.Sprintf("r%d", i)
		texts := [2]string{fmt.Sprintf("Crane %d, oiled crane:", i), fmt.Sprintf("On the first day of a month whoever works crane %d sees to it that it is oiled by a fitter before noon.", i)}
		if hopeless {
			texts = [2]string{fmt.Sprintf("Crane %d is oiled.", i), fmt.Sprintf("Oiled is crane %d.", i)}
			answer = fmt.Sprintf("%c%d", "cr"[i*i*7%11%2], i)
		}
		fmt.Fprintf(&corpus, `{"id":"c%d","text":%q}`+"\n"+`{"id":"r%d","text":%q}`+"\n", i, texts[0], i, texts[1])
		fmt.Fprintf(&asked, `{"_id":"%d","text":"When is crane %d oiled?"}`+"\n", i, i)
		fmt.Fprintf(&judged, "%d\t%s\t1\n", i, answer)
	}
	for _, f := range []struct{ name, text string }{{"corpus.jsonl", corpus.String()}, {"queries.jsonl", asked.String()}, {"qrels.tsv", judged.String()}} {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: "yard", Paths: []string{filepath.Join(dir, "corpus.jsonl")}}); err != nil {
		t.Fatal(err)
	}
	return home, filepath.Join(dir, "queries.jsonl"), filepath.Join(dir, "qrels.tsv")
}

func agentRun(t *testing.T, home string, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	a, out, log := clitest.App(home)
	if code := execute(t.Context(), a, args); code != want {
		t.Fatalf("agent %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, log)
	}
	return out.String(), log.String()
}

type trainedDocument struct {
	N       int
	Kept    bool
	Metrics map[string]struct{ Before, After, Lo, Hi, P float64 }
	Ranker  *memory.RankerInfo
}

func TestTrainRerankThatWins(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	home, queries, qrels := cranes(t, 300, false)
	args := []string{"train", "rerank", "--corpus", "yard", "--queries", queries, "--qrels", qrels}
	stdout, stderr := agentRun(t, home, cli.ExitDone, append(args, "--json")...)
	var got trainedDocument
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	m := got.Metrics["nDCG@10"]
	if got.N != 300 || !got.Kept || m.After < m.Before+.2 || m.Lo <= 0 || got.Ranker == nil || got.Ranker.Questions != 300 || got.Ranker.After != m.After {
		t.Errorf("%s", stdout)
	}
	if stderr != "" {
		t.Errorf("with --json there is %q on standard error", stderr)
	}
	first, err := os.ReadFile(filepath.Join(home, "corpora", "yard", "ranker"))
	if err != nil {
		t.Fatal(err)
	}

	// The ranker orders the searches, and the output shows it.
	stdout, _ = agentRun(t, home, cli.ExitDone, "search", "--corpus", "yard", "--explain", "--k", "2", "When is crane 7 oiled?")
	if !strings.Contains(strings.Split(stdout, "\n")[2], "first day") || !strings.Contains(stdout, "· trained ") || !strings.Contains(stdout, "ordered by "+got.Ranker.ID) {
		t.Errorf("search:\n%s", stdout)
	}
	stdout, _ = agentRun(t, home, cli.ExitDone, "corpus", "show", "yard")
	if !strings.Contains(stdout, "ranker: "+got.Ranker.ID+", trained on 300 judged questions") || !strings.Contains(stdout, "; in use\n") {
		t.Errorf("corpus show:\n%s", stdout)
	}
	stdout, _ = agentRun(t, home, cli.ExitDone, "doctor")
	if !strings.Contains(stdout, `ranker         corpus "yard": `+got.Ranker.ID) {
		t.Errorf("doctor:\n%s", stdout)
	}

	// The evaluation in folds uses the same collection.
	run := filepath.Join(t.TempDir(), "run.trec")
	stdout, _ = agentRun(t, home, cli.ExitDone, "eval", "retrieval", "--format", "beir", "--corpus", filepath.Join(filepath.Dir(queries), "corpus.jsonl"),
		"--queries", queries, "--qrels", qrels, "--limit", "60", "--train-rerank", "--folds", "3", "--run", run)
	if lines, err := os.ReadFile(run); err != nil || !strings.Contains(stdout, "ranker words-trained-3-folds: n 60") || !strings.Contains(string(lines), " words-trained-3-folds\n") {
		t.Errorf("eval (%v):\n%s", err, stdout)
	}

	// The same training again gives the same file.
	stdout, _ = agentRun(t, home, cli.ExitDone, args...)
	if !strings.Contains(stdout, "kept: "+got.Ranker.ID) {
		t.Errorf("again:\n%s", stdout)
	}
	if again, err := os.ReadFile(filepath.Join(home, "corpora", "yard", "ranker")); err != nil || string(again) != string(first) {
		t.Errorf("the same training wrote another file (%v)", err)
	}

	stdout, _ = agentRun(t, home, cli.ExitDone, "train", "rerank", "--corpus", "yard", "--remove")
	if !strings.Contains(stdout, "the trained ranker is removed") {
		t.Errorf("remove: %s", stdout)
	}
	stdout, _ = agentRun(t, home, cli.ExitDone, "train", "rerank", "--corpus", "yard", "--remove", "--json")
	if !strings.Contains(stdout, `"removed": false`) {
		t.Errorf("remove again: %s", stdout)
	}
	if stdout, _ = agentRun(t, home, cli.ExitDone, "search", "--corpus", "yard", "When is crane 7 oiled?"); strings.Contains(stdout, "ordered by") {
		t.Errorf("removed, it orders:\n%s", stdout)
	}
}

func TestTrainRerankThatDoesNotWin(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	home, queries, qrels := cranes(t, 40, true)
	args := []string{"train", "rerank", "--corpus", "yard", "--queries", queries, "--qrels", qrels}
	_, stderr := agentRun(t, home, cli.ExitFailed, args...)
	if !strings.Contains(stderr, "40 judged questions") || !strings.Contains(stderr, "at least 300") || !strings.Contains(stderr, "--force") {
		t.Errorf("too few: %s", stderr)
	}
	for _, tt := range []struct{ folds, want string }{
		{"2", "not kept: nothing could be learnt"},
		{"20", "not kept: "},
	} {
		stdout, stderr := agentRun(t, home, cli.ExitDone, append(args, "--force", "--folds", tt.folds)...)
		if !strings.Contains(stdout, tt.want) || !strings.Contains(stderr, "only 40 judged questions") {
			t.Errorf("%s folds: %s\n%s", tt.folds, stdout, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "corpora", "yard", "ranker")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a ranker that does not win was kept: %v", err)
	}

	// With more questions, trees grow on chance alone and win nothing.
	home, queries, qrels = cranes(t, 150, true)
	stdout, _ := agentRun(t, home, cli.ExitDone, "train", "rerank", "--corpus", "yard", "--queries", queries, "--qrels", qrels, "--force", "--json")
	var got trainedDocument
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if m, ok := got.Metrics["nDCG@10"]; got.Kept || got.Ranker != nil || !ok || m.Lo > 0 {
		t.Errorf("%s", stdout)
	}
}
