// Package evaltest runs cases as a test: their expectations must be met, and the trace of each must
// equal its golden trace, event by event.
//
//	var update = flag.Bool("update", false, "rewrite the golden traces")
//
//	func TestCases(t *testing.T) {
//		evaltest.Run(t, bench(t), "testdata/cases", &evaltest.Options{Update: *update})
//	}
//
// A golden trace is a trace that a person has read and found right. If a prompt, a tool, a route or
// a default changes the events of a run, the test names the first event that differs.
//
// Only deterministic runs can have one: those of a scripted model, of a recording or of the offline
// model. The package does not measure: eval.RunCases and eval.Summarise do, also for runs that
// vary.
package evaltest

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/graph"
	"example.com/assay/graph/trace"
)

// Options adjust Run. Nil is the zero value.
type Options struct {
	// Filter runs only the cases with this text in their name. Default: all.
	Filter string
	// Update writes the golden traces instead of comparing with them. Read the difference
	// before it is committed.
	Update bool
	// Each is called with the run of each case. Optional.
	Each func(t *testing.T, c eval.Case, got eval.Run)
}

// atOnce is how many nodes may run at the same time, in one run after the other.
var atOnce = []int{1, 8}

// Run runs the cases of a folder as subtests. Each case is run twice, with one node at a
// time and with eight, and both runs must give the same trace to the byte.
func Run(t *testing.T, bench *eval.Bench, dir string, opts *Options) {
	t.Helper()
	var o Options
	if opts != nil {
		o = *opts
	}
	cases, err := eval.FindCases(dir, o.Filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { o.check(t, bench, c) })
	}
}

// check runs one case.
func (o Options) check(t *testing.T, bench *eval.Bench, c eval.Case) {
	ready, err := bench.Prepare(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var first []trace.Record
	var misses []string
	for i, concurrency := range atOnce {
		got, err := ready.Run(t.Context(), &graph.RunOptions{Concurrency: concurrency})
		if err != nil {
			t.Fatal(err)
		}
		for _, miss := range got.Check(c.Want) {
			if !slices.Contains(misses, miss) {
				misses = append(misses, miss)
				t.Error(miss)
			}
		}
		records := trace.Normalise(got.Trace)
		if i > 0 {
			same(t, first, records)
			continue
		}
		first = records
		o.golden(t, c, records)
		if o.Each != nil {
			o.Each(t, c, got)
		}
	}
}

// same compares two runs of a case byte by byte.
func same(t *testing.T, first, second []trace.Record) {
	if bytes.Equal(text(t, first), text(t, second)) {
		return
	}
	diff, _ := trace.First(first, second)
	t.Errorf("a second run gives another trace: the model or a node does not do the same each time, or nodes that run at the same time share something\n%s", diff)
}

// golden compares a trace with the case's golden one, or writes it.
func (o Options) golden(t *testing.T, c eval.Case, records []trace.Record) {
	if o.Update {
		if err := os.WriteFile(c.Golden(), append(preface(t, c), text(t, records)...), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := c.ReadGolden()
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v: Options.Update writes it; read it then", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff, differ := trace.First(want, records); differ {
		t.Errorf("the trace is not the golden one; if it should be, Options.Update writes it to %s\n%s", c.Golden(), diff)
	}
}

// text is a trace as its file has it.
func text(t *testing.T, records []trace.Record) []byte {
	var b bytes.Buffer
	if err := trace.Write(&b, records); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// preface returns, as comment lines, the behaviour that a golden trace protects: the first
// paragraph of the README in the case's folder, or the case's notes.
func preface(t *testing.T, c eval.Case) []byte {
	says := c.Notes
	if filepath.Base(c.Golden()) == "golden.jsonl" { // the case is the folder, and has its README
		readme, err := os.ReadFile(filepath.Join(c.Dir, "README.md"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if _, body, ok := strings.Cut(string(readme), "\n\n"); ok {
			says, _, _ = strings.Cut(body, "\n\n")
		}
	}
	var b bytes.Buffer
	for line := range strings.Lines(strings.TrimSpace(says)) {
		b.WriteString("# " + strings.TrimSpace(line) + "\n")
	}
	return b.Bytes()
}
