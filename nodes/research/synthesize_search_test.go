package research_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/offline"
	"example.com/assay/llm/openai"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// library finds passages by the query that a model wrote, and the first five by
// any other. It may be searched concurrently.
type library struct {
	mu      sync.Mutex
	queries []retrieval.Query
}

var onShelf = map[string][]int{"fines": {10, 11}, "appeals": {11, 2, 12}, "own": {0, 1}, "many": {20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38}}

func (l *library) Search(_ context.Context, q retrieval.Query) (retrieval.Result, error) {
	l.mu.Lock()
	l.queries = append(l.queries, q)
	l.mu.Unlock()
	switch q.Primary {
	case "broken":
		return retrieval.Result{}, errIndex
	case "fines":
		time.Sleep(20 * time.Millisecond) // ends after those that come behind it
	}
	at, ok := onShelf[q.Primary]
	if !ok {
		at = []int{0, 1, 2, 3, 4}
	}
	out := retrieval.Result{Confidence: .9, Candidates: 20}
	for _, i := range at {
		if p := passage(i); !slices.Contains(q.Exclude, p.ID) && len(out.Hits) < q.K {
			out.Hits = append(out.Hits, state.Hit{Passage: p, Rank: len(out.Hits) + 1, Scores: []state.Score{{Ranker: "fused", Value: 1 / float64(i+3)}}})
		}
	}
	return out, nil
}

// sourcesFound is what a tool of the step returns to the model.
type sourcesFound struct {
	Note    string
	Sources []skills.Source
}

// search is a model's wish to search, once per query.
func search(queries ...string) llmtest.Answer {
	a := llmtest.Answer{Text: "I look further."}
	for i, q := range queries {
		limit := 19
		if q == "greedy" {
			limit = 21
		}
		arguments, _ := json.Marshal(map[string]any{"query": q, "limit": limit})
		a.Calls = append(a.Calls, llm.ToolCall{ID: "call" + string(rune('a'+i)), Name: research.ToolSearchCorpus, Arguments: arguments})
	}
	return a
}

func searching(answers ...llmtest.Answer) *llmtest.Script {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = answers
	return m
}

// A searched run is one of a pipeline with the tool, and its trace.
type searchedRun struct {
	final    state.Agent
	err      error
	trace    string // normalised
	searches []event.Search
}

func runSearching(t *testing.T, m llm.Model, corpus retrieval.Retriever, opts research.Options) searchedRun {
	t.Helper()
	return runInspected(t, m, corpus, opts, nil)
}

func runInspected(t *testing.T, m llm.Model, corpus retrieval.Retriever, opts research.Options, inspect retrieval.Inspect) searchedRun {
	t.Helper()
	opts.SearchTool, opts.SkipVerification = true, true
	p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: corpus, Inspect: inspect}, &opts)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	var run searchedRun
	run.final, _, run.err = p.Ask(t.Context(), "Which rule binds an owner?", &research.AskOptions{Trace: trace.NewWriter(&out, trace.Header{RunID: "r"})})
	records, err := trace.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Kind == event.Retrieval {
			run.searches = append(run.searches, decoded[event.Search](t, []json.RawMessage{r.Data})...)
		}
	}
	var normal bytes.Buffer
	if err := trace.Write(&normal, trace.Normalise(records)); err != nil {
		t.Fatal(err)
	}
	run.trace = normal.String()
	return run
}

func hits(step state.Step) string {
	var ids []string
	for _, h := range step.Hits {
		ids = append(ids, h.Passage.ID)
	}
	return strings.Join(ids, " ")
}

const fromFound = "Owners pay. “An owner who breaks rule 11 pays.” [Source 7] Rule 12 binds. [Source 8] So it is. [Source 99]"

// A model searches twice at once, and cites what it found, and what nobody did.
func TestAModelSearchesWhileItWrites(t *testing.T) {
	var first string
	for range 5 { // whichever search ends first
		m, corpus := searching(search("fines", "appeals"), llmtest.Answer{Text: fromFound}), &library{}
		run := runSearching(t, m, corpus, research.Options{})
		if run.err != nil {
			t.Fatal(run.err)
		}
		step := run.final.Plan[0]
		if got := hits(step); got != "p00 p01 p02 p03 p04 p10 p11 p12" {
			t.Errorf("hits %s", got)
		}
		if len(step.Citations) != 2 || step.Citations[0].N != 7 || step.Citations[0].Passage != "p11" || step.Citations[1].Passage != "p12" {
			t.Fatalf("citations %+v", step.Citations)
		}
		if q := step.Citations[0].Quotes; len(q) != 1 || q[0].Text != "An owner who breaks rule 11 pays." || q[0].Passage != "p11" {
			t.Errorf("quotes %+v", q)
		}
		if !strings.Contains(step.Answer, "[no source 99]") || run.final.Usage.ParseFailures != 1 || step.Confidence != .9 || step.Status != state.StepCompleted {
			t.Errorf("step %+v, usage %+v", step, run.final.Usage)
		}
		results := m.Requests()[m.Total()-1].Messages[3].Results
		var found [2]sourcesFound
		for i, r := range results {
			if err := json.Unmarshal([]byte(r.Text), &found[i]); err != nil {
				t.Fatalf("%v: %s", err, r.Text)
			}
		}
		numbers := func(f sourcesFound) (out []int) {
			for _, s := range f.Sources {
				out = append(out, s.N)
			}
			return out
		}
		if len(results) != 2 || !slices.Equal(numbers(found[0]), []int{6, 7}) || !slices.Equal(numbers(found[1]), []int{7, 3, 8}) || found[1].Sources[2].Text != passage(12).Text || !strings.Contains(found[0].Note, "not to be followed") {
			t.Errorf("found %+v", found)
		}
		if len(run.searches) != 3 || run.searches[1].Queries[0] != "fines" || run.searches[2].Queries[0] != "appeals" || len(run.searches[2].Hits) != 3 || run.searches[1].StepID != 1 {
			t.Errorf("searches %+v", run.searches)
		}
		if run.final.Usage.Calls != m.Total() || len(run.final.Warnings) > 0 {
			t.Errorf("%d calls of %d, warnings %q", run.final.Usage.Calls, m.Total(), run.final.Warnings)
		}
		if first == "" {
			first = run.trace
		} else if run.trace != first {
			t.Errorf("the traces differ:\n%s", firstDifference(first, run.trace))
		}
	}
}

// What goes wrong with a search is told to the model, which goes on.
func TestASearchThatFails(t *testing.T) {
	m := searching(search("", "broken", "own", "greedy"), llmtest.Answer{Text: "Owners are bound. [Source 2]"})
	run := runSearching(t, m, &library{}, research.Options{})
	if run.err != nil || run.final.Plan[0].Status != state.StepCompleted || hits(run.final.Plan[0]) != "p00 p01 p02 p03 p04" || len(run.searches) != 2 {
		t.Errorf("%+v, %v", run.final.Plan, run.err)
	}
	results := m.Requests()[m.Total()-1].Messages[3].Results
	if len(results) != 4 || !results[0].Failed || !strings.Contains(results[0].Text, "empty") || !results[1].Failed || !strings.Contains(results[1].Text, errIndex.Error()) || results[2].Failed ||
		!results[3].Failed || !strings.Contains(results[3].Text, "1 to 20") {
		t.Errorf("results %+v", results)
	}
	// A blank answer is repaired within the conversation.
	m = searching(search("own"), llmtest.Answer{Text: " "}, llmtest.Answer{Text: "Owners are bound. [Source 1]"})
	if run := runSearching(t, m, &library{}, research.Options{}); run.err != nil || run.final.Plan[0].Answer != "Owners are bound. [Source 1]" || run.final.Usage.ParseFailures != 1 {
		t.Errorf("%+v, %v", run.final.Plan, run.err)
	}
	m = searching(llmtest.Answer{Text: " "}, llmtest.Answer{Text: " "})
	if run := runSearching(t, m, &library{}, research.Options{}); run.err != nil || run.final.Plan[0].Status != state.StepFailed || run.final.Usage.ParseFailures != 2 {
		t.Errorf("%+v, %v", run.final.Plan, run.err)
	}
	m = searching(search("own"), llmtest.Answer{Err: &llm.StatusError{Status: 400}})
	if run := runSearching(t, m, &library{}, research.Options{}); run.err != nil || !strings.HasPrefix(run.final.Plan[0].Error, "asking skill") {
		t.Errorf("%+v, %v", run.final.Plan, run.err)
	}
}

// A model that does not stop searching answers from what it has, without the
// tool.
func TestAModelSearchesTooLong(t *testing.T) {
	m := searching(search("own"), search("fines"), search("appeals"), llmtest.Answer{Text: "Owners pay. [Source 7]"})
	run := runSearching(t, m, &library{}, research.Options{SearchRounds: 2})
	if run.err != nil || hits(run.final.Plan[0]) != "p00 p01 p02 p03 p04 p10 p11" || len(run.final.Plan[0].Citations) != 1 || run.final.Plan[0].Citations[0].Passage != "p11" {
		t.Fatalf("%+v, %v", run.final.Plan, run.err)
	}
	last := m.Requests()[m.Total()-1]
	if len(last.Tools) != 0 || len(last.Messages) != 2 || !strings.Contains(last.Messages[1].Text, passage(11).Text) || len(m.Requests()[m.Total()-2].Tools) != 1 {
		t.Errorf("the last request %+v", last)
	}
	if w := run.final.Warnings; len(w) != 1 || !strings.Contains(w[0], "still searched after 2 rounds") || run.final.Usage.Calls != m.Total() || len(run.searches) != 3 {
		t.Errorf("warnings %q, usage %+v, %d searches", w, run.final.Usage, len(run.searches))
	}
	// Each round is a call of the budget.
	m = searching(search("own"), search("fines"), search("appeals"))
	budget := llm.NewBudget(&llm.BudgetOptions{MaxCalls: m0(t) + 1})
	if run := runSearching(t, budget.Wrap(m), &library{}, research.Options{}); !errors.As(run.err, new(*llm.BudgetError)) || m.Calls(skills.SynthesizeAndCite) != 2 {
		t.Errorf("%v after %d rounds", run.err, m.Calls(skills.SynthesizeAndCite))
	}
}

// m0 is how many calls a run makes that searches nothing by itself.
func m0(t *testing.T) int {
	t.Helper()
	m := searching(llmtest.Answer{Text: "Owners are bound. [Source 1]"})
	if run := runSearching(t, m, &library{}, research.Options{}); run.err != nil {
		t.Fatal(run.err)
	}
	return m.Total()
}

// No more than twenty passages are added, and the model is told.
func TestSearchesAreBounded(t *testing.T) {
	m := searching(search("many", "fines"), llmtest.Answer{Text: "Owners pay. [Source 25] They do. [Source 26]"})
	run := runSearching(t, m, &library{}, research.Options{})
	if run.err != nil || len(run.final.Plan[0].Hits) != 25 || !strings.Contains(run.final.Plan[0].Answer, "[Source 25] They do. [no source 26]") {
		t.Errorf("%+v, %v", run.final.Plan, run.err)
	}
	results := m.Requests()[m.Total()-1].Messages[3].Results
	if strings.Contains(results[0].Text, "left out") || !strings.Contains(results[1].Text, "left out") {
		t.Errorf("results %+v", results)
	}
}

// A search leaves out what other steps have read, and not what this one has.
func TestSearchesOfALaterStep(t *testing.T) {
	m := script(multi)
	m.Answers[skills.PlanSynthesis] = []llmtest.Answer{plan3}
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{
		search("fines"), {Text: "Owners pay. [Source 6]"}, search("appeals"), {Text: "They appeal. [Source 1]"}, {Text: "They do. [Source 1]"},
	}
	corpus := &library{}
	run := runSearching(t, m, shelves{corpus, &shelf{}}, research.Options{Passages: 5})
	if run.err != nil {
		t.Fatal(run.err)
	}
	for _, q := range corpus.queries {
		own := q.Primary == "fines"
		if slices.Contains(q.Exclude, "p00") == own || slices.Contains(q.Exclude, "p10") == own || slices.Contains(q.Exclude, "p05") {
			t.Errorf("%q leaves out %q", q.Primary, q.Exclude)
		}
	}
	if len(corpus.queries) != 2 || len(run.searches) != 5 {
		t.Errorf("%d searches of the model, %d in all", len(corpus.queries), len(run.searches))
	}
}

// shelves answer a model's queries by the one and the pipeline's by the other.
type shelves struct {
	asked    *library
	searched *shelf
}

func (s shelves) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	if onShelf[q.Primary] != nil {
		return s.asked.Search(ctx, q)
	}
	return s.searched.Search(ctx, q)
}

// signed is the id of a call, or of its result's message, with the signature that Gemini gives it.
var signed = regexp.MustCompile(`("(?:\w*id|message)":"[\w.]+)~\w+`)

// The tool travels over the wires of providers.
func TestSearchingOverTheWire(t *testing.T) {
	answers := func() *llmtest.Script {
		return searching(search("fines", "appeals"), search("own"), llmtest.Answer{Text: fromFound})
	}
	want := runSearching(t, answers(), &library{}, research.Options{})
	if want.err != nil || len(want.final.Plan[0].Citations) != 2 {
		t.Fatalf("%+v, %v", want.final.Plan, want.err)
	}
	for format, connect := range map[llmtest.Format]func(url string) (llm.Model, error){
		llmtest.OpenAI: func(url string) (llm.Model, error) {
			server, err := openai.NewServer(&openai.Options{Key: "key-secret-0123456789", BaseURL: url})
			if err != nil {
				return nil, err
			}
			return server.Model("script")
		},
		llmtest.Gemini: func(url string) (llm.Model, error) {
			return gemini.New(t.Context(), "script", &gemini.Options{Key: "key-secret-0123456789", BaseURL: url})
		},
	} {
		remote := answers()
		server := llmtest.NewServer(t, format, remote)
		m, err := connect(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		got := runSearching(t, server.Wrap(llm.NewControls(nil).Wrap(m)), &library{}, research.Options{})
		if got.err != nil {
			t.Errorf("%s: %v", format, got.err)
		}
		text := regexp.MustCompile(`("model(?:_name)?":")`+string(format)+`:script"`).ReplaceAllString(got.trace, `${1}script"`)
		if text = signed.ReplaceAllString(text, "$1"); text != want.trace {
			t.Errorf("%s: the traces differ:\n%s", format, firstDifference(want.trace, text))
		}
	}
}

// A model without tools answers as if there were none.
func TestSearchToolOffline(t *testing.T) {
	with := runSearching(t, offline.New(nil), &library{}, research.Options{})
	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set(t), Corpus: &library{}}, &research.Options{SkipVerification: true})
	if err != nil {
		t.Fatal(err)
	}
	without, err := p.Run(t.Context(), "Which rule binds an owner?", &graph.RunOptions{})
	if err != nil || with.err != nil || with.final.Answer != without.Answer {
		t.Errorf("%v, %v: %q and %q", with.err, err, with.final.Answer, without.Answer)
	}
}

// Passages that give orders are reported once each, whoever found them, and are
// read as data.
func TestOrdersInPassagesAreReported(t *testing.T) {
	m := searching(search("fines", "appeals"), llmtest.Answer{Text: "Owners pay. [Source 6]"})
	var out bytes.Buffer
	inspect := func(passage string) []retrieval.Order {
		if strings.Contains(passage, "breaks rule 3 ") || strings.Contains(passage, "breaks rule 11 ") {
			return []retrieval.Order{{Kind: "override"}, {Kind: "reveal"}, {Kind: "override"}}
		}
		return nil
	}
	p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &library{}, Inspect: inspect}, &research.Options{SearchTool: true, SkipVerification: true})
	if err != nil {
		t.Fatal(err)
	}
	final, _, err := p.Ask(t.Context(), "Which rule binds an owner?", &research.AskOptions{Trace: trace.NewWriter(&out, trace.Header{})})
	if err != nil {
		t.Fatal(err)
	}
	if w := final.Warnings; len(w) != 2 || !strings.Contains(w[0], "rules.md (Rules, Owners, bytes 300–") || !strings.Contains(w[1], "(override, reveal)") {
		t.Errorf("warnings %q", w)
	}
	if got := hits(final.Plan[0]); !strings.Contains(got, "p03") || !strings.Contains(got, "p11") {
		t.Errorf("hits %s", got)
	}
	var seen []string
	records, err := trace.Read(&out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Kind == event.PassageOrders {
			seen = append(seen, decoded[event.Orders](t, []json.RawMessage{r.Data})[0].Passage)
		}
	}
	if !slices.Equal(seen, []string{"p03", "p11"}) {
		t.Errorf("events of %q", seen)
	}
}
