package retrieval

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/learn"
)

// write makes a file of lines.
func writeLines(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Judgments are read for passages that are there already; those of a record
// that was cut count for its parts.
func TestReadHeld(t *testing.T) {
	held := []string{"a", "b~1", "b~2", "c~x", "d"}
	queries := writeLines(t, "q.jsonl", `{"_id":"1","text":"first"}`, `{"_id":"2","text":"second"}`, `{"_id":"3","text":"third"}`)
	qrels := writeLines(t, "q.tsv", "1\ta\t2", "1\tb\t1", "2\tgone\t1", "2\tc\t1", "3\td\t0")
	d, err := Read(t.Context(), Files{Format: "beir", Queries: queries, Qrels: qrels}, &ReadOptions{Held: held})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Passages) != len(held) || len(d.Queries) != 2 || d.Unjudged != 1 || d.Missing != 2 || d.NotHeld != "c" {
		t.Errorf("%d passages, %d queries, %d unjudged, %d missing, first %q", len(d.Passages), len(d.Queries), d.Unjudged, d.Missing, d.NotHeld)
	}
	if got := fmt.Sprint(d.Queries[0].Judged); got != "map[a:2 b~1:1 b~2:1]" {
		t.Errorf("judged %s", got)
	}
	found := d.Found()
	if len(found.Queries) != 1 || found.Queries[0].ID != "1" || found.Unjudged != 2 {
		t.Errorf("found %d, unjudged %d", len(found.Queries), found.Unjudged)
	}
	questions := found.Judged()
	if len(questions) != 1 || questions[0].Text != "first" || questions[0].Grades["b~2"] != 1 {
		t.Errorf("questions %+v", questions)
	}
	for _, tt := range []struct {
		files Files
		want  string
	}{
		{Files{Format: "beir", Corpus: "c.jsonl", Queries: queries, Qrels: qrels}, "there already"},
		{Files{Format: "legalbench", Queries: queries}, "spans of documents"},
		{Files{Format: "beir", Queries: writeLines(t, "bad.jsonl", `{"_id":"1","text":"x"}`, `{"_id":`), Qrels: qrels}, "bad.jsonl:2"},
	} {
		if _, err := Read(t.Context(), tt.files, &ReadOptions{Held: held}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.files, err, tt.want)
		}
	}
}

// cranes is a collection in which the index likes a catalogue line better
// than the rule that answers.
func cranes(t *testing.T, n int) *Dataset {
	t.Helper()
	var corpus, queries []string
	for i := range n {
		corpus = append(corpus,
			fmt.Sprintf(`{"id":"c%d","text":"Crane %d, oiled crane:"}`, i, i),
			fmt.Sprintf(`{"id":"r%d","text":"On the first day of a month whoever works crane %d sees to it that it is oiled by a fitter before noon, and notes the day."}`, i, i))
		queries = append(queries, fmt.Sprintf(`{"id":"%d","question":"When is crane %d oiled?","qrels":{"r%d":1}}`, i, i, i))
	}
	d, err := Read(t.Context(), Files{Format: "obliqa", Corpus: writeLines(t, "c.jsonl", corpus...), Queries: writeLines(t, "q.jsonl", queries...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTrainFolds(t *testing.T) {
	d := cranes(t, 200)
	dir := filepath.Join(t.TempDir(), "index")
	own, err := NewIndex(t.Context(), dir, d, index.BM25{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	before, err := Evaluate(t.Context(), d, own, nil)
	if err != nil {
		t.Fatal(err)
	}
	trained, err := TrainFolds(t.Context(), dir, d, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer trained.Close()
	after, err := Evaluate(t.Context(), d, trained, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s %.3f, trained %.3f", before.Metrics[0].Name, before.Metrics[0].Value, after.Metrics[0].Value)
	if after.Metrics[0].Value < before.Metrics[0].Value+.2 {
		t.Errorf("%s went from %.3f to %.3f", before.Metrics[0].Name, before.Metrics[0].Value, after.Metrics[0].Value)
	}
	for _, item := range after.Items {
		if !slices.IsSortedFunc(item.Ranked, func(a, b Scored) int { return int(b.Score - a.Score) }) {
			t.Errorf("query %s: the scores of the run do not fall: %v", item.Query.ID, item.Ranked)
		}
	}
	// Equal questions train equal rankers, on one processor, too.
	old := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(old)
	again, err := TrainFolds(t.Context(), dir, d, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if one, err := Evaluate(t.Context(), d, again, nil); err != nil || !reflect.DeepEqual(one.Items, after.Items) {
		t.Errorf("trained on one processor it ranks otherwise (%v)", err)
	}
	// Each fold is ranked by the ranker of that fold alone.
	folds := learn.Folds(d.Judged(), 2, 0)
	for i, q := range d.Queries {
		if trained.folds[q.Texts[0]] != folds[i] {
			t.Errorf("query %s is of fold %d, ranked by that of %d", q.ID, folds[i], trained.folds[q.Texts[0]])
		}
	}
	if _, err := trained.Rank(t.Context(), "When is dinner?", 5); err == nil || !strings.Contains(err.Error(), "no query of the collection") {
		t.Errorf("a query that is not of the collection: %v", err)
	}
	if _, err := TrainFolds(t.Context(), dir, d, 1, nil); err == nil {
		t.Error("one fold is taken")
	}
	twice := *d
	twice.Queries = slices.Clone(d.Queries)
	twice.Queries[3].Texts = []string{"a", "b"}
	if _, err := TrainFolds(t.Context(), dir, &twice, 2, nil); err == nil || !strings.Contains(err.Error(), "several wordings") {
		t.Errorf("several wordings: %v", err)
	}
}
