package research_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/research"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// TestEveryRouteIsTaken runs the pipeline until each edge that it draws has
// been walked: a branch that no run can reach is a branch too many.
func TestEveryRouteIsTaken(t *testing.T) {
	hit := &notebook{recall: &research.Recall{Question: "Who pays?", Similarity: 1, Answer: "Owners.", Steps: []state.Step{
		{ID: 1, Status: state.StepCompleted, Hits: []state.Hit{{Passage: passage(0)}}, Citations: []state.Citation{{N: 1}}},
	}}}
	adversarial := script(simple)
	adversarial.Answers[skills.DetectPromptInjection] = []llmtest.Answer{answer(skills.DetectOutput{Verdict: "adversarial", Category: "override", Reason: "r"})}
	long := script(simple)
	long.Answers[skills.PlanSynthesis] = []llmtest.Answer{plan3}
	finished := script(multi)
	finished.Answers[skills.AdaptiveReplan] = []llmtest.Answer{done}
	hopeless := script(multi)
	hopeless.Answers[skills.AdaptiveReplan] = []llmtest.Answer{done}
	broken := errors.New("down")
	taken := map[string]bool{}
	var drawing string
	for _, deps := range []research.Deps{
		{Model: script(simple), Corpus: &shelf{}},
		{Model: script(multi), Corpus: &shelf{}},
		{Model: long, Corpus: &shelf{}},
		{Model: finished, Corpus: &shelf{}},
		{Model: hopeless, Corpus: &shelf{confidences: []float64{.5}}},
		{Model: adversarial, Corpus: &shelf{}},
		{Model: script(simple), Corpus: &shelf{}, Memory: hit},
		{Model: script(simple), Corpus: &shelf{failAt: 1}},
		{Model: &failing{Model: script(simple), n: 4, err: broken}, Corpus: &shelf{}}, // the rewrite
	} {
		deps.Skills = set(t)
		p, err := research.New(deps, nil)
		if err != nil {
			t.Fatal(err)
		}
		drawing = p.Graph().Drawing().Expanded().DOT()
		walk(t, p, "Who pays?", taken)
	}
	p, err := research.New(research.Deps{Model: script(simple), Skills: set(t), Corpus: &shelf{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	walk(t, p, withChoices, taken)
	if p, err = research.New(research.Deps{Model: script(simple), Skills: set(t), Corpus: &shelf{}}, nil); err != nil {
		t.Fatal(err)
	}
	walk(t, p, withChoices, taken, talk...)
	edges := regexp.MustCompile(`(?m)^ *"([^"]+)" -> "([^"]+)"`).FindAllStringSubmatch(drawing, -1)
	if len(edges) < 20 {
		t.Fatalf("only %d edges are drawn:\n%s", len(edges), drawing)
	}
	for _, e := range edges {
		if strings.HasPrefix(e[1], research.NodeVerify+"/") || strings.HasPrefix(e[1], research.NodeVerifyChoice+"/") {
			continue // that pipeline has a test of its own
		}
		from, to := strings.TrimSuffix(e[1], "/"+graph.End), strings.TrimSuffix(e[2], "/"+graph.Start)
		if !taken[from+" "+to] && !taken[e[1]+" "+e[2]] {
			t.Errorf("no run goes from %s to %s", e[1], e[2])
		}
	}
}

// walk notes every pair of nodes that one run passes, named as drawings do.
func walk(t *testing.T, p *research.Pipeline, question string, taken map[string]bool, earlier ...state.Exchange) {
	t.Helper()
	last := map[string]string{} // by namespace
	step := func(ns, node string) {
		name := node
		if ns != "" {
			name = ns + "/" + node
		}
		taken[last[ns]+" "+name] = true
		last[ns] = name
	}
	for ev, err := range p.Graph().Stream(context.Background(), research.Input(question, earlier...), &graph.RunOptions{Modes: graph.Debug}) {
		if err != nil {
			t.Fatal(err)
		}
		switch ev.Kind {
		case graph.RunStart:
			step(ev.Namespace, graph.Start)
		case graph.NodeStart:
			step(ev.Namespace, ev.Node)
		case graph.RunEnd:
			step(ev.Namespace, graph.End)
		}
	}
}

// In the system that this pipeline descends from the graph was built anew for
// every question. Here any number of runs share one, at the same time.
func TestOneGraphServesAllRuns(t *testing.T) {
	m := &sameAnswers{script(simple)}
	p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: fixedShelf{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := p.Graph()
	answers := make([]string, 8)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			final, err := p.Run(context.Background(), "Who pays?", nil)
			if err != nil {
				t.Error(err)
			}
			answers[i] = final.Answer
		})
	}
	wg.Wait()
	if p.Graph() != g || len(slices.Compact(answers)) != 1 || answers[0] == "" {
		t.Errorf("answers of runs side by side: %q", answers)
	}
}

// There, ids of steps were floats. A plan with such an id does not fit its
// schema, and the rows of the table are numbered here.
func TestStepIdsAreIntegers(t *testing.T) {
	m := script(simple)
	m.Answers[skills.PlanSynthesis] = repeat(2, llmtest.Answer{Text: `{"steps":[{"step_id":1.5,"phase":"P","question":"q?"}]}`})
	final := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, "Who pays?")
	if final.Metrics.ParseFailures == 0 || len(final.Plan) != 1 || final.Plan[0].ID != 1 || final.Plan[0].Question != "Who pays?" {
		t.Errorf("plan %+v, metrics %+v", final.Plan, final.Metrics)
	}
}

// sameAnswers gives the first answer of its script to every call of a skill.
type sameAnswers struct{ *llmtest.Script }

func (m *sameAnswers) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	return llm.Response{Text: m.Answers[req.Skill][0].Text, Model: "same"}, nil
}

// fixedShelf is a shelf without a memory of what it was asked.
type fixedShelf struct{}

func (fixedShelf) Search(ctx context.Context, q retrieval.Query) (retrieval.Result, error) {
	return (&shelf{}).Search(ctx, q)
}
