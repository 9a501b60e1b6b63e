package eval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/eval"
	"example.com/assay/eval/task"
	"example.com/assay/nodes/follow"
	"example.com/assay/state"
)

func names(cases []eval.Case) string {
	var out []string
	for _, c := range cases {
		out = append(out, c.Name)
	}
	return strings.Join(out, " ")
}

func TestFindCases(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const good = "pipeline: research\ncorpus: d\nquestion: q\n"
	write("b/case.yaml", good)
	write("a/case.yaml", good)
	write("docs/x.md", "no case")
	write("case.md", "no case")
	if cases, err := eval.FindCases(dir, ""); err != nil || names(cases) != "a b" {
		t.Errorf("%s, %v", names(cases), err)
	}
	if cases, err := eval.FindCases(dir, "b"); err != nil || names(cases) != "b" {
		t.Errorf("%s, %v", names(cases), err)
	}
	if cases, err := eval.FindCases(filepath.Join(dir, "a"), ""); err != nil || names(cases) != "a" {
		t.Errorf("%s, %v", names(cases), err)
	}
	t.Chdir(filepath.Join(dir, "b"))
	if cases, err := eval.FindCases(".", ""); err != nil || names(cases) != "b" {
		t.Errorf("the working directory: %s, %v", names(cases), err)
	}
	write("b/one.case.yaml", good)
	write("b/two.case.json", `{"pipeline": "research", "corpus": "d", "question": "q"}`)
	if c, err := eval.LoadCase(filepath.Join(dir, "b", "two.case.json")); err != nil || c.Name != "two" || c.Question != "q" || filepath.Base(c.Golden()) != "two.golden.jsonl" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.Remove(filepath.Join(dir, "b", "case.yaml")); err != nil {
		t.Fatal(err)
	}
	if cases, err := eval.FindCases(filepath.Join(dir, "b"), ""); err != nil || names(cases) != "one two" {
		t.Errorf("%s, %v", names(cases), err)
	}
	write("b/one/case.yaml", good)
	if _, err := eval.FindCases(filepath.Join(dir, "b"), ""); err == nil || !strings.Contains(err.Error(), "have the same name") {
		t.Errorf("two cases of one name: %v", err)
	}
	write("b/case.yaml", good)
	write("c/case.yaml", "x: 1\n")
	write("d/case.yaml", "y: 1\n")
	for filter, want := range map[string]string{"": "d/case.yaml:1", "c": "c/case.yaml:1", "zz": `none of the 4 in`} {
		if _, err := eval.FindCases(dir, filter); err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("%q: %v", filter, err)
		}
	}
	if _, err := eval.FindCases(filepath.Join(dir, "docs"), ""); err == nil {
		t.Error("a folder without cases has some")
	}
}

func TestOverspent(t *testing.T) {
	cost, code := .5, 3
	run := func(u state.ModelUsage) eval.Run {
		return eval.Run{
			Answer: state.Answer{End: state.End{Status: state.StatusNoEvidence}},
			Times:  follow.Took{Total: time.Second, Usage: map[string]state.ModelUsage{"a": u, "b": {Calls: 1}}},
		}
	}
	for name, tc := range map[string]struct {
		usage state.ModelUsage
		want  eval.Want
		miss  string
	}{
		"calls":            {state.ModelUsage{Calls: 2}, eval.Want{MaxCalls: 2}, "called 3 times, expected at most 2"},
		"enough calls":     {state.ModelUsage{Calls: 2}, eval.Want{MaxCalls: 3}, ""},
		"cost":             {state.ModelUsage{Cost: state.MoneyOf(.6)}, eval.Want{MaxCost: &cost}, "the cost is 0.6, expected at most 0.5"},
		"exact cost":       {state.ModelUsage{Cost: state.MoneyOf(.5)}, eval.Want{MaxCost: &cost}, ""},
		"recorded cost":    {state.ModelUsage{RecordedCost: state.MoneyOf(.6)}, eval.Want{MaxCost: &cost}, "the cost is 0.6"},
		"unknown cost":     {state.ModelUsage{Unpriced: 4}, eval.Want{MaxCost: &cost}, "of 4 model calls it is unknown"},
		"unknown recorded": {state.ModelUsage{RecordedUnpriced: 4}, eval.Want{MaxCost: &cost}, "of 4 model calls it is unknown"},
		"time":             {state.ModelUsage{}, eval.Want{MaxLatency: time.Millisecond}, "the run took 1s, expected at most 1ms"},
		"enough time":      {state.ModelUsage{}, eval.Want{MaxLatency: time.Second}, ""},
		"exit code":        {state.ModelUsage{}, eval.Want{ExitCode: new(int)}, `the exit code is "3", expected "0"`},
		"right exit code":  {state.ModelUsage{}, eval.Want{ExitCode: &code}, ""},
	} {
		misses := run(tc.usage).Check(tc.want)
		if tc.miss == "" && misses != nil || tc.miss != "" && (len(misses) != 1 || !strings.Contains(misses[0], tc.miss)) {
			t.Errorf("%s: %q", name, misses)
		}
	}
	failed := eval.Run{Answer: state.Answer{End: state.End{Status: state.StatusFailed, Error: "out of order"}}, Faults: []string{"a fault"}}
	if misses := strings.Join(failed.Check(eval.Want{}), "; "); misses != "the run failed: out of order; a fault" {
		t.Errorf("a failed run misses %q", misses)
	}
	failed.Faults = nil
	if misses := failed.Check(eval.Want{Status: state.StatusFailed}); misses != nil {
		t.Errorf("one that should fail misses %q", misses)
	}
}

// prepared are cases that nothing was read for.
func prepared(cases []eval.Case) []*eval.Prepared {
	out := make([]*eval.Prepared, len(cases))
	for i, c := range cases {
		out[i] = &eval.Prepared{Case: c}
	}
	return out
}

// Items are in the order of the cases, whatever ends first, and sums do not
// depend on how many run at once.
func TestRunCases(t *testing.T) {
	var cases []eval.Case
	for i := range 20 {
		cases = append(cases, eval.Case{Name: fmt.Sprintf("c%02d", i), Want: eval.Want{MaxCalls: 15}})
	}
	errRun := errors.New("cannot be run")
	var first eval.Results
	for _, concurrency := range []int{0, 1, 8, 99} {
		var inside, most, told atomic.Int32
		run := func(_ context.Context, p *eval.Prepared) (eval.Run, error) {
			for n, old := inside.Add(1), most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
			}
			defer inside.Add(-1)
			var n int
			if _, err := fmt.Sscanf(p.Case.Name, "c%d", &n); err != nil {
				return eval.Run{}, err
			}
			time.Sleep(time.Duration(20-n) * 200 * time.Microsecond)
			if n == 7 {
				return eval.Run{}, errRun
			}
			usage := state.ModelUsage{Calls: n, InputTokens: n * n, Cost: state.Money(n)}
			return eval.Run{Times: follow.Took{Total: time.Duration(n) * time.Millisecond, Usage: map[string]state.ModelUsage{"plan": usage, "execute/rewrite": {Calls: 1}}}}, nil
		}
		items, err := eval.RunCases(t.Context(), prepared(cases), run, &eval.SuiteOptions{Concurrency: concurrency, Done: func(_ eval.Item, done, total int) error {
			if told.Add(1) != int32(done) || total != len(cases) {
				t.Errorf("%d of %d after %d", done, total, told.Load())
			}
			return nil
		}})
		if err != nil || int(most.Load()) > max(concurrency, 1) || told.Load() != 20 {
			t.Fatalf("%d at once: %v, %d at the peak, %d told", concurrency, err, most.Load(), told.Load())
		}
		for i, item := range items {
			if item.ID != cases[i].Name || item.Pass != (i < 15 && i != 7) || (item.Error != "") != (i == 7) {
				t.Errorf("item %d: %+v", i, item)
			}
		}
		r, err := eval.Summarise(items, eval.Made{})
		if err != nil {
			t.Fatal(err)
		}
		if r.N != 20 || r.Passed != 14 || r.Usage.Calls != 190-7+19 || r.NodeUsage["plan"].Calls != 183 || r.NodeUsage["execute/rewrite"].Calls != 19 || r.Latency != (task.Latency{P50: 10, P95: 19}) {
			t.Errorf("results %+v", r)
		}
		if m := r.Metrics; len(m) != 5 || m["pass_rate"].Value != .7 || m["calls"].Value != 10.631579 || m["cost"].Value <= 0 {
			t.Errorf("metrics %+v", m)
		}
		if first.N == 0 {
			first = r
		} else if !reflect.DeepEqual(r, first) {
			t.Errorf("%d at once: %+v, one at a time: %+v", concurrency, r, first)
		}
	}
	// What is unknown has no mean.
	unknown := []eval.Item{eval.ItemOf(eval.Outcome{Run: eval.Run{Times: follow.Took{Usage: map[string]state.ModelUsage{"a": {Calls: 1, Unpriced: 1}}}}})}
	if r, err := eval.Summarise(unknown, eval.Made{}); err != nil || len(r.Metrics) != 4 || r.Usage.Unpriced != 1 || r.Usage.Cost != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := eval.Summarise(nil, eval.Made{}); err == nil {
		t.Error("nothing was summed up")
	}
}

func TestRunCasesEnds(t *testing.T) {
	errStop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	var begun atomic.Int32
	run := func(context.Context, *eval.Prepared) (eval.Run, error) {
		if begun.Add(1) >= 3 { // each, so that no worker takes a further one
			cancel(errStop)
		}
		return eval.Run{}, nil
	}
	if _, err := eval.RunCases(ctx, prepared(make([]eval.Case, 100)), run, &eval.SuiteOptions{Concurrency: 2}); !errors.Is(err, errStop) || begun.Load() > 4 {
		t.Errorf("%v after %d cases", err, begun.Load())
	}
	// What cannot be kept stops the suite, too.
	begun.Store(10)
	full := func(eval.Item, int, int) error { return errStop }
	if _, err := eval.RunCases(t.Context(), prepared(make([]eval.Case, 100)), run, &eval.SuiteOptions{Done: full}); !errors.Is(err, errStop) || begun.Load() > 13 {
		t.Errorf("%v after %d cases", err, begun.Load()-10)
	}
}

// Runs of one case stand together, count as one case, and how they differ is told.
// What an earlier suite has finished is not run again.
func TestRepeats(t *testing.T) {
	cases := prepared([]eval.Case{{Name: "even", Want: eval.Want{MaxCalls: 2}}, {Name: "steady", Want: eval.Want{MaxCalls: 9}}})
	var ran atomic.Int32
	calls := map[string]*atomic.Int32{"even": {}, "steady": {}}
	run := func(_ context.Context, p *eval.Prepared) (eval.Run, error) {
		ran.Add(1)
		n := int(calls[p.Case.Name].Add(1))
		return eval.Run{Times: follow.Took{Usage: map[string]state.ModelUsage{"a": {Calls: 1 + n%2*2}}}}, nil
	}
	items, err := eval.RunCases(t.Context(), cases, run, &eval.SuiteOptions{Repeat: 4})
	if err != nil || len(items) != 8 || items[0].Repeat != 1 || items[3].Repeat != 4 || items[4].ID != "steady" {
		t.Fatalf("%+v, %v", items, err)
	}
	r, err := eval.Summarise(items, eval.Made{})
	if err != nil || r.N != 2 || r.Passed != 1 || r.Repeats != 4 || fmt.Sprint(r.Flaky) != "[even]" || r.Metrics["pass_rate"].Value != .75 || r.Metrics["calls"].Value != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	// Half of the runs pass: the deviation of 0, 1, 0, 1 is the root of a third.
	if v := r.Variation; v["pass_rate"] != .288675 || v["calls"] != 1.154701 {
		t.Errorf("variation %v", v)
	}
	kept := map[string]eval.Item{}
	for _, item := range items {
		kept[fmt.Sprint(item.Key, item.Repeat)] = item
	}
	delete(kept, fmt.Sprint(items[2].Key, items[2].Repeat))
	ran.Store(0)
	again, err := eval.RunCases(t.Context(), cases, run, &eval.SuiteOptions{Repeat: 4, Kept: func(key string, n int) (eval.Item, bool) {
		item, ok := kept[fmt.Sprint(key, n)]
		return item, ok
	}})
	if err != nil || ran.Load() != 1 || !reflect.DeepEqual(again[0], items[0]) {
		t.Errorf("%d were run again: %v", ran.Load(), err)
	}
}

// Folders with the same files are ingested once, and any difference is another
// corpus.
func TestCorporaByContent(t *testing.T) {
	dir := t.TempDir()
	docs := func(name string, files ...string) string {
		t.Helper()
		for i := 0; i+1 < len(files); i += 2 {
			file := filepath.Join(dir, name, filepath.FromSlash(files[i]))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(files[i+1]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return filepath.Join(dir, name)
	}
	const text = "# Boats\n\nEvery boat has an owner.\n"
	ingested := 0
	corpora := eval.NewCorpora(filepath.Join(dir, "home"), &eval.CorporaOptions{Progress: func(phase string, done, total int) {
		if phase == "training the embedder" && done == total {
			ingested++
		}
	}})
	open := func(path string) string {
		t.Helper()
		corpus, err := corpora.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		return corpus.Name()
	}
	a, b := docs("a", "x.md", text, "sub/y.md", text), docs("b", "x.md", text, "sub/y.md", text)
	if first := open(a); first != open(b) || first != open(a) || ingested != 1 {
		t.Errorf("equal folders were ingested %d times", ingested)
	}
	seen := map[string]bool{open(a): true}
	for _, other := range []string{
		docs("c", "x.md", text+"More.\n", "sub/y.md", text), docs("d", "x.md", text, "sub/z.md", text), docs("e", "x.md", text), filepath.Join(a, "x.md"),
	} {
		name := open(other)
		if seen[name] {
			t.Errorf("%s is taken for another corpus", other)
		}
		seen[name] = true
	}
	if err := os.Symlink(a, filepath.Join(dir, "e", "link")); err != nil {
		t.Fatal(err)
	}
	if seen[open(filepath.Join(dir, "e"))] {
		t.Error("a link makes no difference")
	}
	if _, err := corpora.Open(t.Context(), filepath.Join(dir, "nowhere")); err == nil {
		t.Error("what is not there was opened")
	}
	if err := corpora.Close(); err != nil {
		t.Error(err)
	}
}

// Whatever a case's file holds, it is a case or an error that names the file.
func FuzzParseCase(f *testing.F) {
	f.Add("pipeline: research\ncorpus: d\nquestion: q\nwant: {status: answered, path: [a], exit_code: 3, max_cost: 0.5, max_latency: 2s}\n")
	f.Add("a: &x [*x]\n")
	f.Add("want: *nothing\n")
	f.Add("? [a]\n: b\n")
	f.Add("<<: {corpus: d}\n")
	f.Add("pipeline: own\ninput: {a: [1, 2026-11-23], b: &x {c: null}, d: *x}\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := eval.ParseCase("dir/case.yaml", []byte(text))
		switch {
		case err != nil && !strings.Contains(err.Error(), "case.yaml"):
			t.Errorf("%v does not name the file", err)
		case err == nil && c.Pipeline == eval.Research && (c.Corpus == "" || strings.TrimSpace(c.Question) == ""):
			t.Errorf("accepted %+v", c)
		}
	})
}

func stateUsage(calls int) state.ModelUsage { return state.ModelUsage{Calls: calls} }

// Confidence is compared with what passes; answers of one confidence are taken
// together, and a run without an answer lowers the coverage.
func TestCalibration(t *testing.T) {
	item := func(id string, confidence float64, pass bool) eval.Item {
		return eval.Item{ID: id, Status: state.StatusAnswered, Confidence: confidence, Pass: pass}
	}
	silent := eval.Item{ID: "silent", Status: state.StatusNoEvidence, Pass: true}
	r, err := eval.Summarise([]eval.Item{item("a", .9, true), item("b", .5, false), item("c", .9, true), item("d", .5, true), silent}, eval.Made{})
	if err != nil {
		t.Fatal(err)
	}
	// Two of .9 that pass and two of .5 of which one does: (2·.1 + 2·0) / 4.
	if c := r.Calibration; c.N != 4 || c.ECE != .05 || c.Bins[9].N != 2 || c.Bins[5].Passed != .5 {
		t.Errorf("%+v", c)
	}
	if want := []eval.CoveragePoint{{Confidence: .9, Coverage: .4, Precision: 1}, {Confidence: .5, Coverage: .8, Precision: .75}}; !reflect.DeepEqual(r.Coverage, want) {
		t.Errorf("%+v", r.Coverage)
	}
}
