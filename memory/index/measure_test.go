package index

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/assay/state"
)

// The tests of this file measure on public collections that are not part of
// the project. They need ASSAY_DATA, the folder that holds them.

// dataFile opens a file below ASSAY_DATA, unpacking .gz, or skips the test.
func dataFile(t testing.TB, name string) io.Reader {
	t.Helper()
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure retrieval")
	}
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("no data to measure on: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func readLines[T any](t testing.TB, name string) []T {
	t.Helper()
	scan := bufio.NewScanner(dataFile(t, name))
	scan.Buffer(nil, 1<<24)
	var out []T
	for scan.Scan() {
		var v T
		if err := json.Unmarshal(scan.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type record struct {
	ID    string `json:"id"`
	DocID int    `json:"doc_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// passagesOf makes passages of records; group names the document of each.
func passagesOf(records []record, group func(record) string) []state.Passage {
	var out []state.Passage
	for _, r := range records {
		if strings.TrimSpace(r.Text) != "" {
			out = append(out, state.Passage{ID: r.ID, Doc: group(r), Title: r.Title, Text: r.Text, End: len(r.Text), Source: r.ID})
		}
	}
	return out
}

func buildMeasured(t testing.TB, passages []state.Passage) *Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gen")
	start, phase := time.Now(), ""
	var phases []string
	last := start
	stats, err := Update(t.Context(), UpdateOptions{Dir: dir, Add: passages, Progress: func(p string, _, _ int) {
		if p != phase {
			if phase != "" {
				phases = append(phases, fmt.Sprintf("%s %.1fs", phase, time.Since(last).Seconds()))
			}
			phase, last = p, time.Now()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	built := time.Since(start)
	start = time.Now()
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	t.Logf("%d passages, %d documents, %d terms: built in %v (%s), opened in %v, peak RSS %d MiB",
		stats.Passages, stats.Documents, stats.Terms, built.Round(time.Millisecond), strings.Join(phases, ", "), time.Since(start).Round(time.Millisecond), peakRSS())
	return x
}

// peakRSS is the process's largest resident size in MiB, where Linux says it.
func peakRSS() int {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb / 1024
}

// Adding one document to an index of 5,000 passages and more.
func TestMeasureIncrement(t *testing.T) {
	passages := passagesOf(readLines[record](t, "scifact/corpus.jsonl.gz"), func(r record) string { return r.ID })
	from := build(t, passages[1:])
	start := time.Now()
	stats, err := Update(t.Context(), UpdateOptions{Dir: filepath.Join(t.TempDir(), "new"), From: from, Add: passages[:1]})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	t.Logf("adding one document to %d passages took %v", stats.Passages-1, took.Round(time.Millisecond))
	if stats.Refit || took > 3*time.Second {
		t.Errorf("it took %v, trained anew: %v", took, stats.Refit)
	}
}

// chunks cuts a text after punctuation or a line break into passages of at
// most 500 code points; their offsets count code points too.
func chunks(doc string, s []rune) []state.Passage {
	const size = 500
	var out []state.Passage
	for start := 0; start < len(s); {
		end := min(start+size, len(s))
		for i := end - 1; end < len(s) && i > start; i-- {
			if s[i] == '\n' || i+1 < len(s) && s[i+1] == ' ' && strings.ContainsRune(".;:!?", s[i]) {
				end = i + 1
				break
			}
		}
		out = append(out, state.Passage{
			ID: fmt.Sprintf("%s#%06d", doc, start), Doc: doc, Text: string(s[start:end]), Start: start, End: end, Source: doc,
		})
		start = end
	}
	return out
}
