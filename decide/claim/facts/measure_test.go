package facts

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/text"
)

// measured is a claim that people have judged against sentences.
type measured struct {
	ID       string   `json:"id"`
	Claim    string   `json:"claim"`
	Label    string   `json:"label"`
	Evidence []string `json:"evidence"`
}

// dataFile reads the lines of a file of a data set, which is no part of this
// repository.
func dataFile(t testing.TB, name string, each func(line []byte) error) {
	t.Helper()
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("ASSAY_DATA names no folder with data sets")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if err := each(lines.Bytes()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// wice are claims of an encyclopaedia with the sentences of the pages that they
// cite.
func wice(t testing.TB) (out []measured) {
	dataFile(t, "wice/claims.jsonl.gz", func(line []byte) error {
		var r measured
		err := json.Unmarshal(line, &r)
		out = append(out, r)
		return err
	})
	return out
}

// scifact are claims of science with the abstract that speaks of them.
func scifact(t testing.TB) (out []measured) {
	abstracts := map[string][]string{}
	dataFile(t, "scifact/corpus.jsonl.gz", func(line []byte) error {
		var r struct {
			ID, Title string
			Sentences []string
		}
		err := json.Unmarshal(line, &r)
		abstracts[r.ID] = append([]string{r.Title}, r.Sentences...)
		return err
	})
	dataFile(t, "scifact/claims.jsonl", func(line []byte) error {
		var r struct {
			ID, Claim, Label string
			Evidence         []struct {
				Doc string `json:"doc_id"`
			}
			Qrels map[string]int
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		doc := ""
		for id := range r.Qrels {
			if doc == "" || id < doc {
				doc = id
			}
		}
		if len(r.Evidence) > 0 {
			doc = r.Evidence[0].Doc
		}
		out = append(out, measured{r.ID, r.Claim, strings.ToLower(r.Label), abstracts[doc]})
		return nil
	})
	return out
}

// summaries are the sentences of summaries that models wrote, with the text that they
// sum up. People found no hallucination in the clean ones.
func summaries(t testing.TB) (out []measured) {
	dataFile(t, "faithbench/samples.jsonl.gz", func(line []byte) error {
		var r struct {
			ID, Source, Response string
			Hallucinated         int
		}
		err := json.Unmarshal(line, &r)
		label := [2]string{"clean", "hallucinated somewhere"}[min(r.Hallucinated, 1)]
		for _, s := range sentencesOf(r.Response) {
			out = append(out, measured{r.ID, s, label, sentencesOf(r.Source)})
		}
		return err
	})
	return out
}

func sentencesOf(s string) (out []string) {
	for _, span := range text.Sentences(s) {
		out = append(out, strings.TrimSpace(s[span.Start:span.End]))
	}
	return out
}

// TestMeasureFalseAlarms counts conflicts of claims by what people said of them.
func TestMeasureFalseAlarms(t *testing.T) {
	for _, set := range []struct {
		name string
		read func(testing.TB) []measured
	}{{"wice", wice}, {"scifact", scifact}, {"faithbench", summaries}} {
		t.Run(set.name, func(t *testing.T) { countConflicts(t, set.read(t)) })
	}
}

func countConflicts(t *testing.T, rows []measured) {
	n, conflicted, opposed := map[string]int{}, map[string]int{}, map[string]int{}
	kinds := map[string]map[string]int{}
	var labels []string
	for _, row := range rows {
		r := Prepare(row.Evidence).Check(row.Claim)
		if n[row.Label]++; n[row.Label] == 1 {
			labels, kinds[row.Label] = append(labels, row.Label), map[string]int{}
		}
		if len(r.Conflicts) > 0 {
			conflicted[row.Label]++
		}
		if isOpposed(r) {
			opposed[row.Label]++
		}
		doubted := map[string]bool{}
		for _, d := range r.Doubts {
			if k := string(d.Kind) + " in doubt"; !doubted[k] {
				doubted[k] = true
				kinds[row.Label][k]++
			}
		}
		for _, c := range r.Conflicts {
			k := string(c.Kind)
			if c.Opposed {
				k += " opposed"
			}
			kinds[row.Label][k]++
			if row.Label == "supported" || row.Label == "support" {
				against := ""
				if c.Sentence >= 0 {
					against = row.Evidence[c.Sentence]
				}
				t.Logf("%s %s: %q in %q\n\tagainst %q in %q", row.ID, k, c.Claim, row.Claim, c.Evidence, against)
			}
		}
	}
	slices.Sort(labels)
	for _, label := range labels {
		of := float64(n[label])
		t.Logf("%s: n %d, any %.3f, opposed %.3f %v", label, n[label], float64(conflicted[label])/of, float64(opposed[label])/of, kinds[label])
	}
}
