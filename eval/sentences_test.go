package eval_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval/jsonl"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
)

// A told is a sentence about a manual, which is true or false by one fact.
type told struct {
	Corpus, Sentence, Kind string
	True                   bool
	Seen                   bool // while the checks were written
}

// TestMeasureSentences verifies sentences about four manuals against the corpora of
// the home ASSAY_SENTENCES (python, policy, git, sqlite, ingested from Debian's
// python3-doc, debian-policy, git-doc, sqlite3-doc), and prints how many false ones
// are refused and true ones pass.
func TestMeasureSentences(t *testing.T) {
	home := os.Getenv("ASSAY_SENTENCES")
	if home == "" {
		t.Skip("ASSAY_SENTENCES names no home with corpora of manuals")
	}
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	pipelines := map[string]*verify.Pipeline{}
	right, all := map[string]int{}, map[string]int{}
	err = jsonl.EachLine(context.Background(), "testdata/manual_sentences.jsonl", nil, func(_ int, line []byte) error {
		var s told
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
		if pipelines[s.Corpus] == nil {
			corpus, err := memory.Open(home, s.Corpus)
			if err != nil {
				return err
			}
			t.Cleanup(func() { corpus.Close() })
			if pipelines[s.Corpus], err = verify.New(verify.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus}, nil); err != nil {
				return err
			}
		}
		final, err := pipelines[s.Corpus].Run(context.Background(), verify.Input{Response: s.Sentence}, nil)
		if err != nil {
			return err
		}
		grounded := verify.Check(final).IsGrounded
		for _, row := range []string{
			fmt.Sprintf("true %-5v", s.True), fmt.Sprintf("true %-5v, seen %v", s.True, s.Seen), fmt.Sprintf("true %-5v, %s", s.True, s.Kind),
		} {
			all[row]++
			if grounded == s.True {
				right[row]++
			}
		}
		if grounded != s.True {
			t.Logf("wrong: true %v, %s: %s", s.True, s.Corpus, s.Sentence)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	rows := make([]string, 0, len(all))
	for row := range all {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	for _, row := range rows {
		fmt.Fprintf(&b, "%-28s %3d of %3d  %.2f\n", row, right[row], all[row], float64(right[row])/float64(all[row]))
	}
	t.Logf("right:\n%s", &b)
	if share := float64(right["true false"]) / float64(all["true false"]); share < .55 {
		t.Errorf("%.2f of the false sentences are refused", share)
	}
}
