package retrieval

import (
	"bytes"
	"compress/gzip"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func writeFile(t testing.TB, content string, packed bool) string {
	t.Helper()
	data := []byte(content)
	if packed {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		data = b.Bytes()
	}
	path := filepath.Join(t.TempDir(), "run.trec")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A run that was written reads back in the same order, ties included.
func TestRunRoundTrip(t *testing.T) {
	d := fixture(t, "legalbench")
	d.Queries[0].ID = "s 1"
	item := Item{Query: d.Queries[0], Ranked: []Scored{{"f/c.txt#0-6", .5}, {"x", .5}, {"f/a b.txt#0-41", .49999999999}, {"y", 0}, {"z", 0}}}
	var b strings.Builder
	if err := writeRun(&b, d, Evaluation{Items: []Item{item}}, "assay"); err != nil {
		t.Fatal(err)
	}
	if want := "s%201 Q0 f/c.txt#0-6 1 0.5 assay\ns%201 Q0 x 2 0.49999997 assay\ns%201 Q0 f/a%20b.txt#0-41 3 0.49999994 assay\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("run:\n%swant:\n%s", b.String(), want)
	}
	for _, packed := range []bool{false, true} {
		run, err := readRun(t.Context(), writeFile(t, b.String(), packed))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Run{"s%201": {"f/c.txt#0-6", "x", "f/a%20b.txt#0-41", "y", "z"}}, run); diff != "" {
			t.Error(diff)
		}
	}
}

func TestReadRun(t *testing.T) {
	run, err := readRun(t.Context(), writeFile(t, "q Q0 a 1 1.5 t\nq\tQ0 b 9 1.5 t\nq Q0 c 2 7e0 t\n\nr Q0 a 1 -1 t\n", false))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Run{"q": {"c", "b", "a"}, "r": {"a"}}, run); diff != "" {
		t.Errorf("by score, then by the higher id: %s", diff)
	}
	for content, want := range map[string]string{
		"q Q0 a 1 1.5\n":                  "run.trec:1: it has 5 columns",
		"q Q0 a 1 1 t\nq Q0 a 2 .5 t\n":   `run.trec:2: field "passage": "a" was ranked for query "q" in line 1, too`,
		"q Q0 a 1 1 t\nq Q0 b 2 high t\n": `run.trec:2: field "score": "high" is not a number`,
		"q Q0 a 1 NaN t\n":                `run.trec:1: field "score": "NaN" is not a number`,
	} {
		if _, err := readRun(t.Context(), writeFile(t, content, false)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
	if _, err := readRun(t.Context(), "nowhere.trec"); err == nil || !strings.Contains(err.Error(), "nowhere.trec") {
		t.Errorf("no file: %v", err)
	}
}

// Whatever a run file holds, it is refused or its lists have no id twice.
func FuzzReadRun(f *testing.F) {
	f.Add("q Q0 a 1 1.5 t\nq Q0 b 2 inf t\n")
	f.Fuzz(func(t *testing.T, content string) {
		run, err := readRun(t.Context(), writeFile(t, content, false))
		if err != nil {
			return
		}
		for query, list := range run {
			if sorted := slices.Sorted(slices.Values(list)); len(slices.Compact(sorted)) != len(list) || query == "" {
				t.Errorf("%q: %q", query, list)
			}
		}
	})
}

func TestIdsThatCollide(t *testing.T) {
	d := passagesFor([]string{"x", "y"})
	d.Passages[0].ID, d.Passages[1].ID = "a b", "a%20b"
	if err := writeRun(&strings.Builder{}, d, Evaluation{}, "t"); err == nil || !strings.Contains(err.Error(), `"a b" and "a%20b"`) {
		t.Errorf("%v", err)
	}
	if _, err := compare(d, Evaluation{}, nil); err == nil {
		t.Error("they can be compared")
	}
}

// A full disk is an error of writing the run.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWriteRunFails(t *testing.T) {
	d := fixture(t, "beir")
	e := Evaluation{Items: []Item{{Query: d.Queries[0], Ranked: []Scored{{"p1", 1}}}}}
	if err := writeRun(full{}, d, e, "t"); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
}

func TestCompare(t *testing.T) {
	d := fixture(t, "beir")
	r := scripted{"How long does a lantern permit last?": {{"p2", 3}, {"p1", 2}}, "When are bollards painted?": {{"p2", 1}}}
	e, err := Evaluate(t.Context(), d, r, &EvaluateOptions{K: 2})
	if err != nil {
		t.Fatal(err)
	}
	c, err := compare(d, e, Run{"q1": {"p1"}, "q7": {"p2"}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Absent != 1 || len(c.Metrics) != len(e.Metrics) {
		t.Errorf("%+v", c)
	}
	for i, m := range c.Metrics {
		if m.Name != e.Metrics[i].Name || math.Abs(m.Value-(e.Metrics[i].Value-m.Other)) > 1e-9 {
			t.Errorf("%+v is not %+v less the other", m, e.Metrics[i])
		}
		if m.Name == "MRR@2" && (m.Other != .5 || m.Value != .25) {
			t.Errorf("%+v, want .75 against .5", m)
		}
	}
	if _, err := compare(d, e, Run{"q7": {"p2"}}); err == nil || !strings.Contains(err.Error(), "none of the 2 queries") {
		t.Errorf("another run's queries: %v", err)
	}
	// Against itself nothing differs, white space in ids or not.
	d = fixture(t, "legalbench")
	if e, err = Evaluate(t.Context(), d, scripted{"Are secrets kept?": {{"f/a b.txt#0-41", 1}}}, nil); err != nil {
		t.Fatal(err)
	}
	if c, err = compare(d, e, Run{"s-1": {"f/a%20b.txt#0-41"}}); err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Metrics {
		if m.Value != 0 || m.P != 1 {
			t.Errorf("against itself: %+v", m)
		}
	}
}
