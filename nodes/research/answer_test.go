package research_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

const rulebook = "A preface.\n\nEvery owner keeps a log. An owner without a log pays a fine."

// oneFile is a corpus of one file, and its retriever and locator.
type oneFile struct{ path string }

func (f oneFile) Search(context.Context, retrieval.Query) (retrieval.Result, error) {
	start := strings.Index(rulebook, "Every")
	p := state.Passage{ID: "rules.md#12", Doc: "rules.md", Title: "Rules", Section: "Rules > Logs", Text: rulebook[start:], Start: start, End: len(rulebook), Source: "rules.md"}
	return retrieval.Result{Hits: []state.Hit{{Passage: p, Rank: 1}}, Confidence: .9}, nil
}

func (f oneFile) TextPath(string) (string, string, error) { return f.path, "", nil }

func ruleFile(t *testing.T) oneFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.md")
	if err := os.WriteFile(path, []byte(rulebook), 0o600); err != nil {
		t.Fatal(err)
	}
	return oneFile{path}
}

func TestResultChecksTheBytesOfItsSources(t *testing.T) {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: "### Rule\n\n“Every owner keeps a log.” [Source 1] More in [Source 4].\n\n## Sources\n- [Source 1] Rules"}}
	file := ruleFile(t)
	final := mustRun(t, research.Deps{Model: m, Corpus: file}, &research.Options{SkipVerification: true}, "Who keeps a log?")
	got := research.Result(final, nil, file)
	if len(got.Sources) != 1 || got.Status != state.StatusAnswered {
		t.Fatalf("answer %+v", got)
	}
	s := got.Sources[0]
	if rulebook[s.Start:s.End] != s.Text || len(s.Quotes) != 1 || rulebook[s.Quotes[0].Start:s.Quotes[0].End] != "Every owner keeps a log." || s.Stale != "" {
		t.Errorf("source %+v", s)
	}
	if got.Verification != (state.Verification{QuotesChecked: 1, QuotesExact: 1}) {
		t.Errorf("verification %+v", got.Verification)
	}
	if final.Metrics.ParseFailures != 1 {
		t.Errorf("a citation of source 4 of 1 is not counted: %+v", final.Metrics)
	}
	want := "#### Rule\n\n“Every owner keeps a log.” [Query 1][Source 1] More in [no source 4].\n\n" +
		"## Sources\n\n- [Query 1][Source 1] Rules, Logs (rules.md, bytes 12–72)"
	if got.Answer != want {
		t.Errorf("answer\n%s\nwant\n%s", got.Answer, want)
	}

	if err := os.WriteFile(file.path, []byte(strings.ToUpper(rulebook)), 0o600); err != nil {
		t.Fatal(err)
	}
	got = research.Result(final, nil, file)
	if got.Verification.QuotesExact != 0 || !strings.Contains(got.Sources[0].Stale, "ingest it again") {
		t.Errorf("a changed file: %+v, stale %q", got.Verification, got.Sources[0].Stale)
	}
	for _, text := range []string{"", rulebook[:20]} {
		if err := os.WriteFile(file.path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got = research.Result(final, nil, file); got.Sources[0].Stale == "" {
			t.Errorf("a file cut to %d bytes is not stale", len(text))
		}
	}
}

func TestAnswerWithoutCitationCompletesNothing(t *testing.T) {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: "Owners pay, trust me."}}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, "Who pays?")
	if final.Metrics.HasAnswer || !strings.Contains(final.Plan[0].Verdict, "it cites no passage") || research.Result(final, nil, texts{}).Status != state.StatusUnavailable {
		t.Errorf("plan %+v", final.Plan)
	}
}

func TestBreakdownIsNotMissingEvidence(t *testing.T) {
	final := mustRun(t, research.Deps{Model: script(simple), Corpus: &shelf{failAt: 1}}, nil, "Who pays?")
	got := research.Result(final, nil, texts{})
	if got.Status != state.StatusUnavailable || got.Cause != state.CauseIndex || got.Error != errIndex.Error() {
		t.Errorf("status %q, error %q", got.Status, got.Error)
	}
}

func TestContextHoldsTheFirstRunesOfAnAnswer(t *testing.T) {
	m := script(simple)
	m.Answers[skills.SynthesizeAndCite] = []llmtest.Answer{{Text: strings.Repeat("ü", 400) + " [Source 1]"}}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, "Who pays?")
	if got := final.Context[0].Answer; got != strings.Repeat("ü", 300) {
		t.Errorf("context holds %d runes", len([]rune(got)))
	}
}

func TestQueriesAreAskedOnce(t *testing.T) {
	m := script(simple)
	m.Answers[skills.QueryRewrite] = []llmtest.Answer{answer(skills.RewriteOutput{Primary: "a", Alternatives: []string{"A", "b"}})}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, "Who pays?")
	if got := final.Plan[0].Queries; !slices.Equal(got, []string{"a", "b", "What binds an owner?"}) {
		t.Errorf("queries %q: each once, and the question itself", got)
	}
}

// A step may be completed with less than memory asks for.
func TestMemoryHasAThresholdOfItsOwn(t *testing.T) {
	memory := &notebook{}
	opts := &research.Options{SkipInjectionCheck: true, ConfidenceThreshold: .3}
	final := mustRun(t, research.Deps{Model: script(simple), Corpus: &shelf{confidences: []float64{.5}}, Memory: memory}, opts, "Who pays?")
	if !final.Metrics.HasAnswer || len(memory.stored) != 0 {
		t.Errorf("answer %v, stored %d", final.Metrics.HasAnswer, len(memory.stored))
	}
}

func TestChoiceReasonsCiteTheAnswersSources(t *testing.T) {
	m := script(multi)
	m.Answers[skills.SelectChoice] = []llmtest.Answer{answer(skills.SelectOutput{Elements: []string{"e [Source 2]"}, Answer: "B", Reason: "r [Source 3]", Choices: []skills.ChoiceReason{{Letter: "B", Reason: "fits [Source 2]"}}})}
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, &research.Options{SkipInjectionCheck: true}, withChoices)
	if final.Choice.Letter != "B" || final.Choice.Reason != "r [Query 3][Source 1]" || final.Choice.Elements[0] != "e [Query 2][Source 1]" {
		t.Errorf("choice %+v", final.Choice)
	}
	if want := "#### (A) kept, no reason was given\n\n#### (B) selected\n\n- fits [Query 2][Source 1]"; !strings.Contains(final.Answer, want) {
		t.Errorf("answer %q", final.Answer)
	}
}

func TestAskFollowsTheRun(t *testing.T) {
	p, err := research.New(research.Deps{Model: script(simple), Skills: set(t), Corpus: &shelf{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	events := 0
	final, times, err := p.Ask(context.Background(), "Who pays?", &research.AskOptions{
		Trace: trace.NewWriter(&lines, trace.Header{RunID: "r"}), Observe: func(graph.Event[state.Agent]) { events++ },
	})
	if err != nil || !final.Metrics.HasAnswer {
		t.Fatalf("metrics %+v, %v", final.Metrics, err)
	}
	for _, node := range []string{"classify", "execute", "execute/rewrite", "execute/retrieve", "execute/synthesize", "observe"} {
		if times.Node[node] <= 0 {
			t.Errorf("no time for node %q: %v", node, times.Node)
		}
	}
	records, err := trace.Read(&lines)
	if err != nil || events == 0 || times.Total <= 0 {
		t.Fatalf("%d events, total %v, %v", events, times.Total, err)
	}
	kinds := map[string]int{}
	for _, rec := range records {
		kinds[rec.Kind]++
	}
	if kinds["model_call"] != 6 || kinds["retrieval"] != 1 || kinds["run_end"] != 3 || records[0].Header == nil {
		t.Errorf("kinds %v", kinds)
	}
}

// Cancelled in the middle, a run stops as cancelled and not with a step that
// an error is said to have stopped.
func TestCancellationInsideAStep(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p, err := research.New(research.Deps{Model: script(simple), Skills: set(t), Corpus: cancelling{cancel}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, _, err := p.Ask(ctx, "Who pays?", nil)
	if got := research.Result(final, err, nil); got.Status != state.StatusCancelled {
		t.Errorf("status %q, error %v", got.Status, err)
	}
	if len(final.Plan) != 1 || final.Plan[0].Error != "" {
		t.Errorf("plan %+v", final.Plan)
	}
}

type cancelling struct{ cancel context.CancelFunc }

func (c cancelling) Search(ctx context.Context, _ retrieval.Query) (retrieval.Result, error) {
	c.cancel()
	return retrieval.Result{}, ctx.Err()
}
