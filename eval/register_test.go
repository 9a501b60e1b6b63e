package eval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/show"
	"example.com/assay/graph"
	checkpoints "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/memory"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/react"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A sum is the state of a toy graph, and the input of its cases.
type sum struct {
	A     int    `json:"a"`
	B     int    `json:"b"`
	When  string `json:"when"`
	Total string `json:"-"`
}

// toy registers a graph that adds two numbers and fails above 100.
func toy(t *testing.T, b *eval.Bench) {
	t.Helper()
	in := graph.LastValue("in", func(s *sum) *sum { return s })
	total := graph.LastValue("total", func(s *sum) *string { return &s.Total })
	err := eval.Register(b, "toy", func(_ context.Context, c eval.Case, _ *memory.Corpus) (eval.Job[sum], error) {
		var x sum
		if err := c.DecodeInput(&x); err != nil {
			return eval.Job[sum]{}, err
		}
		return eval.Job[sum]{
			Graph: func() (*graph.Compiled[sum], error) {
				g := graph.NewStateGraph[sum](in, total)
				g.AddNode("add", func(_ context.Context, s sum) (graph.Update[sum], error) {
					if s.A+s.B > 100 {
						return nil, errors.New("too large")
					}
					return graph.Update[sum]{total.Set(strings.TrimSpace(fmt.Sprintf("%d %s", s.A+s.B, s.When)))}, nil
				})
				g.AddEdge(graph.Start, "add")
				return g.Compile(nil)
			},
			Input: graph.Update[sum]{in.Set(x)},
			Result: func(final sum, err error) (eval.Result, error) {
				out, err := eval.TextOf(func(s sum) string { return s.Total })(final, err)
				out.Scores = map[string]float64{"small": 1 / float64(1+x.A)}
				return out, err
			},
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// caseOf is a case with this text.
func caseOf(t *testing.T, name, text string) eval.Case {
	t.Helper()
	c, err := eval.ParseCase(name+".case.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// suite runs cases and sums them up.
func suite(t *testing.T, b *eval.Bench, opts *eval.SuiteOptions, cases ...eval.Case) eval.Results {
	t.Helper()
	ready, err := b.PrepareAll(t.Context(), cases)
	if err != nil {
		t.Fatal(err)
	}
	items, err := eval.RunCases(t.Context(), ready, func(ctx context.Context, p *eval.Prepared) (eval.Run, error) { return p.Run(ctx, nil) }, opts)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Summarise(items, eval.Made{Deterministic: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A graph of one's own has cases like a pipeline: an input that is not a question, the
// expectations, scores of its own, results, and a comparison with earlier ones.
func TestCasesOfAGraph(t *testing.T) {
	bench, err := eval.NewBench(eval.Deps{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	toy(t, bench)
	cases := []eval.Case{
		caseOf(t, "right", "pipeline: toy\ninput: {a: 1, b: 2, when: 2026-11-23}\nwant: {status: answered, contains: [\"3 2026-11-23\"], path: [add], exit_code: 0, metrics: {small: 0.5}}\n"),
		caseOf(t, "wrong", "pipeline: toy\ninput: {a: 3, b: 2}\nwant: {contains: [\"6\"], metrics: {small: 0.5, large: 1}}\n"),
		caseOf(t, "fails", "pipeline: toy\ninput: {a: 99, b: 2}\nwant: {status: failed, exit_code: 1}\n"),
	}
	r := suite(t, bench, nil, cases...)
	right, wrong, fails := r.Items[0], r.Items[1], r.Items[2]
	if !right.Pass || right.Answer != "3 2026-11-23" || right.Metrics["small"] != .5 || right.Question != `{"a":1,"b":2,"when":"2026-11-23"}` {
		t.Errorf("%+v", right)
	}
	want := `the answer does not hold "6"; large was not measured, expected at least 1: it needs its gold, or the claims checked; small is 0.25, expected at least 0.5`
	if got := strings.Join(wrong.Misses, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if !fails.Pass || !strings.Contains(fails.Error, "too large") {
		t.Errorf("%+v", fails)
	}
	if r.N != 3 || r.Passed != 2 || r.Metrics["pass_rate"].Value != .666667 {
		t.Errorf("%d of %d, %+v", r.Passed, r.N, r.Metrics)
	}
	var whole state.Answer
	if err := json.Unmarshal(right.Result, &whole); err != nil || whole.Pipeline != "toy" || whole.Answer != right.Answer {
		t.Errorf("%s, %v", right.Result, err)
	}
	var page, suites strings.Builder
	if err := errors.Join(show.HTML(&page, r, nil, nil), show.JUnit(&suites, r)); err != nil || !strings.Contains(page.String(), "3 2026-11-23") || !strings.Contains(suites.String(), "toy") {
		t.Errorf("%v\n%s\n%s", err, page.String(), suites.String())
	}
	worse := r
	worse.Items = append([]eval.Item{}, r.Items...)
	worse.Items[0].Pass = false
	if c, err := eval.Compare(r, worse); err != nil || len(c.Regressions) != 1 || c.Regressions[0] != "pass_rate got worse in right" {
		t.Errorf("%+v, %v", c, err)
	}
}

// agent registers an agent whose scripted model calls a tool and reads its result.
func agent(t *testing.T, b *eval.Bench, name string, approve bool) {
	t.Helper()
	type numbers struct{ A, B int }
	add, err := llm.NewTool("add", "Adds two numbers.", func(_ context.Context, n numbers) (int, error) { return n.A + n.B, nil })
	if err != nil {
		t.Fatal(err)
	}
	tool := react.Tool{Callable: add}
	opts := &graph.CompileOptions{}
	thread := ""
	if approve {
		tool.Approve, thread = react.Always, "t"
	}
	err = eval.Register(b, name, func(_ context.Context, c eval.Case, _ *memory.Corpus) (eval.Job[react.State], error) {
		return eval.Job[react.State]{
			Graph: func() (*graph.Compiled[react.State], error) {
				model := &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": {
					{Calls: []llm.ToolCall{{ID: "1", Name: "add", Arguments: json.RawMessage(`{"A":2,"B":3}`)}}}, {Text: "It is 5."},
				}}}
				g, err := react.New(model, []react.Tool{tool}, nil)
				if err != nil {
					return nil, err
				}
				opts := *opts
				if approve {
					opts.Checkpointer = checkpoints.New()
				}
				return g.Compile(&opts)
			},
			Input: react.Say(c.Question), Result: eval.TextOf(react.Answer), Thread: thread,
		}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Each run has a model of its own, so a script serves repeats and runs at the same time.
func TestCasesOfAnAgent(t *testing.T) {
	bench, err := eval.NewBench(eval.Deps{}, &eval.BenchOptions{Label: "script"})
	if err != nil {
		t.Fatal(err)
	}
	agent(t, bench, "adder", false)
	agent(t, bench, "careful", true)
	r := suite(t, bench, &eval.SuiteOptions{Repeat: 3, Concurrency: 3},
		caseOf(t, "sum", "pipeline: adder\nquestion: What is 2 + 3?\nwant: {status: answered, contains: [\"5\"], calls: 2, max_calls: 2, path: [begin, model, dispatch, tool_add, dispatch, model]}\n"),
		caseOf(t, "asks", "pipeline: careful\nquestion: What is 2 + 3?\nwant: {status: interrupted, exit_code: 4, calls: 1}\n"),
	)
	for _, item := range r.Items {
		if !item.Pass {
			t.Errorf("%s: %s, %q", item.Name(), item.Error, item.Misses)
		}
	}
	if r.N != 2 || r.Passed != 2 || r.Usage.Calls != 9 {
		t.Errorf("%d of %d passed, %d calls", r.Passed, r.N, r.Usage.Calls)
	}
}

// A case's corpus is opened for a registered graph as for a pipeline.
func TestCorpusOfAGraph(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "keys.md"), []byte("# Keys\n\nThe key of the workshop hangs in the office.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	corpora := eval.NewCorpora(t.TempDir(), nil)
	defer corpora.Close()
	for _, with := range []*eval.Corpora{corpora, nil} {
		bench, err := eval.NewBench(eval.Deps{Corpora: with}, nil)
		if err != nil {
			t.Fatal(err)
		}
		type found struct{ Text string }
		text := graph.LastValue("text", func(f *found) *string { return &f.Text })
		err = eval.Register(bench, "finder", func(_ context.Context, c eval.Case, corpus *memory.Corpus) (eval.Job[found], error) {
			g := graph.NewStateGraph[found](text)
			g.AddNode("find", func(ctx context.Context, f found) (graph.Update[found], error) {
				got, err := corpus.Search(ctx, retrieval.Query{Primary: f.Text, K: 1})
				if err != nil || len(got.Hits) == 0 {
					return nil, errors.Join(err, errors.New("nothing was found"))
				}
				return graph.Update[found]{text.Set(got.Hits[0].Passage.Text)}, nil
			})
			g.AddEdge(graph.Start, "find")
			app, err := g.Compile(nil)
			return eval.Job[found]{
				Graph: func() (*graph.Compiled[found], error) { return app, nil }, Input: graph.Update[found]{text.Set(c.Question)},
				Result: eval.TextOf(func(f found) string { return f.Text }),
			}, err
		})
		if err != nil {
			t.Fatal(err)
		}
		c := caseOf(t, "keys", "pipeline: finder\ncorpus: "+dir+"\nquestion: Where is the key of the workshop?\n")
		c.Dir = "/"
		ready, err := bench.Prepare(t.Context(), c)
		if with == nil {
			if err == nil || !strings.Contains(err.Error(), "made without Corpora") {
				t.Errorf("without Corpora: %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := ready.Run(t.Context(), nil)
		if err != nil || !strings.Contains(got.Answer.Answer, "hangs in the office") || ready.Corpus == "" {
			t.Errorf("%+v, %v", got.Answer, err)
		}
	}
}

// The keys of a registered graph are checked, and unknown names once the bench is known.
func TestRegisterRefuses(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := eval.NewBench(eval.Deps{Skills: set}, nil); err == nil {
		t.Error("a bench has skills and no model")
	}
	full, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set}, nil)
	if err != nil {
		t.Fatal(err)
	}
	toy(t, full)
	empty, err := eval.NewBench(eval.Deps{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	nothing := func(context.Context, eval.Case, *memory.Corpus) (eval.Job[sum], error) { return eval.Job[sum]{}, nil }
	for name, want := range map[string]string{"": "its name is empty", "toy": `there is a pipeline "toy" already`, eval.Verify: `there is a pipeline "verify" already`} {
		if err := eval.Register(full, name, nothing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("registering %q: %v", name, err)
		}
	}
	if err := eval.Register(empty, eval.Verify, nothing); err == nil {
		t.Error("a graph is called as a pipeline, whose keys its cases would have")
	}
	if err := eval.Register(full, "nothing", nothing); err != nil {
		t.Fatal(err)
	}
	poem := caseOf(t, "poem", "pipeline: poetry\nquestion: q\n")
	research := caseOf(t, "research", "pipeline: research\ncorpus: d\nquestion: q\n")
	for _, tc := range []struct {
		bench *eval.Bench
		c     eval.Case
		want  string
	}{
		{full, poem, `preparing case "poem": poem.case.yaml: pipeline is "poetry"; known are research, comply, edges, extract, verify, toy, nothing`},
		{empty, poem, `pipeline is "poetry"; none is registered`},
		{empty, research, `pipeline is "research"; it needs a bench with a model and skills`},
		{full, caseOf(t, "none", "pipeline: toy\n"), "none.case.yaml: input is empty: toy needs it"},
		{full, caseOf(t, "odd", "pipeline: toy\ninput: {c: 1}\n"), `odd.case.yaml: reading input: json: unknown field "c"`},
		{full, caseOf(t, "jobless", "pipeline: nothing\n"), `the job of pipeline "nothing" needs a Graph and a Result`},
	} {
		if _, err := tc.bench.Prepare(t.Context(), tc.c); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v, want %s", err, tc.want)
		}
	}
	// All unknown ones are named, before anything is prepared.
	_, err = full.PrepareAll(t.Context(), []eval.Case{research, poem, caseOf(t, "song", "pipeline: song\n")})
	if err == nil || !strings.Contains(err.Error(), `"poetry"`) || !strings.Contains(err.Error(), `"song"`) || strings.Contains(err.Error(), "corpus") {
		t.Errorf("%v", err)
	}
}
