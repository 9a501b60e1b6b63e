package causal_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/causal"
	"example.com/assay/skills"
	"example.com/assay/state"
)

var overturned = skills.DevilsAdvocateOutput{
	AlternativeExplanations: []string{"age explains both"}, Assumptions: []string{"age is accounted for"}, Conditions: []string{"in men"}, Reason: "age was not ruled out",
}

func TestLoop(t *testing.T) {
	stands := overturned
	stands.StillGrounded = true
	for _, c := range []struct {
		name     string
		strength causal.Strength
		verdicts []skills.JudgeEdgeOutput
		devil    *skills.DevilsAdvocateOutput
		options  causal.Options
		status   causal.EdgeStatus
		reason   string
		calls    int
		attacks  int
	}{
		{"accepted at once", causal.Moderate, []skills.JudgeEdgeOutput{direct(.9)}, nil, causal.Options{}, causal.EdgeGrounded, "", 1, 0},
		{"exactly at the threshold", causal.Moderate, []skills.JudgeEdgeOutput{direct(.6)}, nil, causal.Options{}, causal.EdgeGrounded, "", 1, 0},
		{"refined twice", causal.Moderate, []skills.JudgeEdgeOutput{refine("tar in lungs"), refine("randomised trial of quitting"), direct(.9)}, nil, causal.Options{}, causal.EdgeGrounded, "", 3, 0},
		{"refined three times", causal.Moderate, []skills.JudgeEdgeOutput{refine("tar in lungs"), refine("randomised trial of quitting"), refine("mutations of cells"), direct(.9)}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedIrrelevant, 3, 0},
		{"one iteration", causal.Moderate, []skills.JudgeEdgeOutput{refine("tar in lungs"), direct(.9)}, nil, causal.Options{Iterations: 1}, causal.EdgeRejected, causal.RejectedIrrelevant, 1, 0},
		{"a repeat of a refinement", causal.Moderate, []skills.JudgeEdgeOutput{refine("effect of tar on lungs"), refine("The impact of TAR on the lung"), direct(.9)}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedRepeat, 2, 0},
		{"a repeat of the first query", causal.Moderate, []skills.JudgeEdgeOutput{refine("influence of smoking on lung cancers"), direct(.9)}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedRepeat, 1, 0},
		{"just below the threshold", causal.Moderate, []skills.JudgeEdgeOutput{direct(.599)}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedUnsure, 1, 0},
		{"another threshold", causal.Moderate, []skills.JudgeEdgeOutput{direct(.7)}, nil, causal.Options{Threshold: .8}, causal.EdgeRejected, causal.RejectedUnsure, 1, 0},
		{"correlation only", causal.Moderate, []skills.JudgeEdgeOutput{{IsGrounded: true, SupportType: "correlation_only", SupportingQuote: quoteText, Confidence: .9}}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedCorrelation, 1, 0},
		{"an invented quote", causal.Moderate, []skills.JudgeEdgeOutput{{IsGrounded: true, SupportType: "direct_causal", SupportingQuote: "Smoking causes lung cancer in women.", Confidence: .9}}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedQuote, 1, 0},
		{"no quote", causal.Moderate, []skills.JudgeEdgeOutput{{IsGrounded: true, SupportType: "direct_causal", Confidence: .9}}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedQuote, 1, 0},
		{"an invented quote, then a true one", causal.Moderate, []skills.JudgeEdgeOutput{{IsGrounded: true, SupportType: "direct_causal", SupportingQuote: "made up", Confidence: .9, RefinementQuery: "tar"}, direct(.9)}, nil, causal.Options{}, causal.EdgeGrounded, "", 2, 0},
		{"the adversary overturns a strong edge", causal.Strong, []skills.JudgeEdgeOutput{direct(.9)}, &overturned, causal.Options{}, causal.EdgeRejected, causal.RejectedSpurious, 1, 1},
		{"a strong edge stands", causal.Strong, []skills.JudgeEdgeOutput{direct(.9)}, &stands, causal.Options{}, causal.EdgeGrounded, "", 1, 1},
		{"a weak edge is left alone", causal.Weak, []skills.JudgeEdgeOutput{direct(.9)}, &overturned, causal.Options{}, causal.EdgeGrounded, "", 1, 0},
		{"no adversary is wanted", causal.Strong, []skills.JudgeEdgeOutput{direct(.9)}, &overturned, causal.Options{SkipAdversarial: true}, causal.EdgeGrounded, "", 1, 0},
		{"an adversary that fails", causal.Strong, []skills.JudgeEdgeOutput{direct(.9)}, nil, causal.Options{}, causal.EdgeRejected, causal.RejectedUnavailable, 1, 1},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"smoking": c.verdicts}}
			if c.devil != nil {
				m.devil = map[string]skills.DevilsAdvocateOutput{"smoking": *c.devil}
			}
			final := run(t, m, &shelf{}, &c.options, edge("e1", "smoking", "lung cancer", c.strength))
			e := final.Edges[0]
			if e.Status != c.status || e.Rejection.Reason != c.reason {
				t.Errorf("the edge is %s %+v, want %s %q", e.Status, e.Rejection, c.status, c.reason)
			}
			if m.calls["smoking"] != c.calls || m.attacks["smoking"] != c.attacks {
				t.Errorf("judged %d times and attacked %d, want %d and %d", m.calls["smoking"], m.attacks["smoking"], c.calls, c.attacks)
			}
			if n := len(final.Audit); n != c.calls+c.attacks {
				t.Errorf("the audit has %d entries for %d verdicts", n, c.calls+c.attacks)
			}
			last := final.Audit[len(final.Audit)-1]
			if want := map[causal.EdgeStatus]state.EdgeDecision{causal.EdgeGrounded: state.EdgeAccept, causal.EdgeRejected: state.EdgeReject}[c.status]; last.Decision != want {
				t.Errorf("the last entry decides %s, want %s", last.Decision, want)
			}
			if last.Verdict.IsGrounded != (c.status == causal.EdgeGrounded) {
				t.Errorf("the last verdict of a %s edge is grounded: %v", c.status, last.Verdict.IsGrounded)
			}
			if c.reason == causal.RejectedRepeat && (last.Verdict.RejectionReason != causal.RejectedRepeat || last.Counts) {
				t.Errorf("the repeat's verdict is %+v, counts %v", last.Verdict, last.Counts)
			}
			if c.status == causal.EdgeGrounded && (len(e.Evidence.Quotes) != 1 || len(final.DAG.Edges) != 1) {
				t.Errorf("a grounded edge has the quotes %v, and the graph the edges %v", e.Evidence.Quotes, final.DAG.Edges)
			}
			if c.attacks == 1 && c.devil != nil && !reflect.DeepEqual(e.Assumptions, []string{"age is accounted for"}) {
				t.Errorf("the adversary's assumptions are missing: %v", e.Assumptions)
			}
			for _, q := range e.Evidence.Quotes {
				if p := passage(0); p.Text[q.Start-p.Start:q.End-p.Start] != q.Text {
					t.Errorf("the quote %+v is not the bytes it names", q)
				}
			}
		})
	}
}

func TestTraceOfAnEdge(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"smoking": {refine("tar in lungs"), direct(.9)}}}
	e := run(t, m, &shelf{}, &causal.Options{TopK: 2}, edge("e1", "smoking", "lung cancer", causal.Weak)).Edges[0]
	var got []string
	for _, r := range e.Evidence.RetrievalTrace {
		line := fmt.Sprintf("%d %s %q read by %v:", r.Iteration, r.Side, r.Queries[0], r.ReadBy)
		for _, h := range r.Hits {
			line += fmt.Sprintf(" %s%v", h.Passage, h.Quoted)
		}
		got = append(got, line)
	}
	want := []string{
		`1 support "smoking lung cancer" read by [1 2]: p0[2] p1[]`,
		`1 refute "no effect of smoking on lung cancer" read by [1 2]: p2[] p3[]`,
		`2 support "tar in lungs" read by [2]: p4[] p5[]`,
		`2 refute "no effect tar in lungs" read by [2]: p6[] p7[]`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the trace is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(m.asked[1].Sources) != 8 || m.asked[1].Sources[2].Side != "refute" {
		t.Errorf("the second judgement reads %d sources, the third searched to %s", len(m.asked[1].Sources), m.asked[1].Sources[2].Side)
	}
}

// A verdict that repeats itself does not count, though its quote is there.
func TestRepeatQuotesNothing(t *testing.T) {
	again := refine("smoking and lung cancer")
	again.SupportingQuote = " " + quoteText + "\n"
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"smoking": {again}}}
	e := run(t, m, &shelf{}, nil, edge("e1", "smoking", "lung cancer", causal.Weak)).Edges[0]
	if got := e.Evidence.RetrievalTrace[0].Hits[0].Quoted; e.Rejection.Reason != causal.RejectedRepeat || len(got) != 0 {
		t.Errorf("%+v, quoted by %v", e.Rejection, got)
	}
	again.RefinementQuery = ""
	m = &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"smoking": {again}}}
	e = run(t, m, &shelf{}, nil, edge("e1", "smoking", "lung cancer", causal.Weak)).Edges[0]
	if got := e.Evidence.RetrievalTrace[0].Hits[0].Quoted; len(got) != 1 {
		t.Errorf("a verdict that counts quotes a hit, and it is quoted by %v", got)
	}
}

func TestVerifyEdgeTool(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, devil: map[string]skills.DevilsAdvocateOutput{"smoking": overturned}}
	tool, err := causal.VerifyEdge(pipeline(t, m, &shelf{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	out, err := tool.Call(context.Background(), []byte(`{"cause": "smoking", "effect": "lung cancer"}`))
	if err != nil || !strings.Contains(string(out), `"alternative_explanation"`) || !strings.Contains(string(out), quoteText) {
		t.Errorf("the tool answers %s, %v", out, err)
	}
	if out, err := tool.Call(context.Background(), []byte(`{"cause": " ", "effect": "x"}`)); err == nil {
		t.Errorf("a blank cause was verified: %s", out)
	}
}

// Every verdict names the model that gave it; one that could not be had names none.
func TestAuditNamesTheModel(t *testing.T) {
	stands := overturned
	stands.StillGrounded = true
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, devil: map[string]skills.DevilsAdvocateOutput{"smoking": stands}, fails: map[string]bool{"tar": true}}
	final := run(t, m, &shelf{}, nil, edge("e1", "smoking", "lung cancer", causal.Strong), edge("e2", "tar", "lung cancer", causal.Weak))
	var got []string
	for _, a := range final.Audit {
		got = append(got, a.Edge+" "+a.Node+" "+a.Skill+" "+a.Model)
	}
	want := []string{"e1 judge_edge judge_edge scripted", "e1 devils_advocate devils_advocate scripted", "e2 judge_edge judge_edge "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the audit is %q, want %q", got, want)
	}
}

// A sentence that gives orders is read and warned of once, and grounds nothing.
func TestOrdersInPassages(t *testing.T) {
	inspect := func(text string) []retrieval.Order {
		if at := strings.Index(text, quoteText); at >= 0 {
			return []retrieval.Order{{Kind: "override", Start: at, End: at + len(quoteText)}}
		}
		return nil
	}
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}}
	p, err := causal.New(causal.Deps{Model: m, Skills: set(t), Corpus: &shelf{}, Inspect: inspect}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(context.Background(), []causal.Edge{edge("e1", "smoking", "lung cancer", causal.Weak), edge("e2", "tar", "lung cancer", causal.Weak)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range final.Edges {
		if e.Rejection.Reason != causal.RejectedOrder || len(e.Evidence.Quotes) != 0 {
			t.Errorf("%s is %s %+v with the quotes %v", e.ID, e.Status, e.Rejection, e.Evidence.Quotes)
		}
	}
	answer, err := causal.Result(final, nil, &stacks{})
	if err != nil || len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0], "speaks to an assistant") {
		t.Errorf("warned of %q, %v", answer.Warnings, err)
	}
}

// stacks is a library that holds no file.
type stacks struct{ shelf }

func (*stacks) TextPath(string) (string, string, error) { return "", "", nil }

func TestPassagesThatAreGone(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}}
	e := run(t, m, &shelf{lost: true}, nil, edge("e1", "smoking", "lung cancer", causal.Weak)).Edges[0]
	if e.Rejection.Reason != causal.RejectedUnavailable || !strings.Contains(e.Rejection.Detail, `no longer holds passage "p0"`) || len(m.calls) != 0 {
		t.Errorf("the edge is %s %+v after %v", e.Status, e.Rejection, m.calls)
	}
}

func TestUnreadableAnswers(t *testing.T) {
	for _, c := range []struct {
		garbled int
		status  causal.EdgeStatus
		calls   int
	}{{1, causal.EdgeGrounded, 2}, {2, causal.EdgeRejected, 2}} {
		m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, garbles: map[string]int{"smoking": c.garbled}}
		final := run(t, m, &shelf{}, nil, edge("e1", "smoking", "lung cancer", causal.Weak), edge("e2", "tar", "lung cancer", causal.Weak))
		e := final.Edges[0]
		if e.Status != c.status || m.calls["smoking"] != c.calls {
			t.Errorf("%d unreadable answers: %s %+v after %d calls, want %s after %d", c.garbled, e.Status, e.Rejection, m.calls["smoking"], c.status, c.calls)
		}
		if c.status == causal.EdgeRejected && e.Rejection.Reason != causal.RejectedUnavailable {
			t.Errorf("rejected as %+v", e.Rejection)
		}
		if final.Edges[1].Status != causal.EdgeGrounded {
			t.Errorf("the other edge is %s", final.Edges[1].Status)
		}
	}
}

func TestJudgeThatAlwaysFails(t *testing.T) {
	m := &scripted{fails: map[string]bool{"smoking": true, "tar": true}}
	final := run(t, m, &shelf{}, nil, edge("e1", "smoking", "lung cancer", causal.Strong), edge("e2", "tar", "lung cancer", causal.Weak))
	if len(final.Edges) != 2 || len(final.Audit) != 2 {
		t.Fatalf("%d edges and %d audit entries", len(final.Edges), len(final.Audit))
	}
	for i, e := range final.Edges {
		if e.Status != causal.EdgeRejected || e.Rejection.Reason != causal.RejectedUnavailable || len(e.Evidence.RetrievalTrace) == 0 || final.Audit[i].Counts {
			t.Errorf("%s is %s %+v with %d searches", e.ID, e.Status, e.Rejection, len(e.Evidence.RetrievalTrace))
		}
	}
	if len(final.DAG.Edges) != 0 {
		t.Errorf("the graph has %v", final.DAG.Edges)
	}
}

func TestFallbackToSingleTerms(t *testing.T) {
	several := func(q retrieval.Query) bool { return strings.Contains(q.Primary, " ") }
	for name, s := range map[string]*shelf{"finds nothing": {none: several}, "fails": {fails: several}} {
		m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}}
		e := run(t, m, s, nil, edge("e1", "heavy smoking", "cancer of the lung", causal.Weak)).Edges[0]
		if e.Status != causal.EdgeGrounded {
			t.Errorf("%s: %s %+v", name, e.Status, e.Rejection)
		}
		r := e.Evidence.RetrievalTrace[1]
		if want := []string{"heavy", "smoking", "cancer", "lung"}; !r.Fallback || !reflect.DeepEqual(r.Queries, want) || len(r.Hits) == 0 {
			t.Errorf("%s: the fallback is %+v, want the terms %v", name, r, want)
		}
		if first := e.Evidence.RetrievalTrace[0]; (first.Error != "") != (name == "fails") {
			t.Errorf("%s: the primary search has the error %q", name, first.Error)
		}
	}
}

func TestNothingFound(t *testing.T) {
	m := &scripted{}
	all := func(retrieval.Query) bool { return true }
	for name, s := range map[string]*shelf{"nothing": {none: all}, "failing": {fails: all}} {
		final := run(t, m, s, nil, edge("e1", "smoking", "lung cancer", causal.Strong))
		reason, status, cause := causal.RejectedNoEvidence, state.StatusNoEvidence, state.Cause("")
		if name == "failing" {
			reason, status, cause = causal.RejectedSearch, state.StatusUnavailable, state.CauseIndex
		}
		if e := final.Edges[0]; e.Status != causal.EdgeRejected || e.Rejection.Reason != reason || len(final.Audit) != 1 {
			t.Errorf("%s: %s %+v, %d audit entries", name, e.Status, e.Rejection, len(final.Audit))
		} else if name == "failing" && !strings.Contains(e.Rejection.Detail, "the index is gone") {
			t.Errorf("the failure of the index is lost: %q", e.Rejection.Detail)
		}
		end := causal.End(final, nil)
		if end.Status != status || end.Cause != cause {
			t.Errorf("%s: the run ends as %+v", name, end)
		}
		if name == "nothing" && !reflect.DeepEqual(end.Searched.Queries, []string{
			"smoking lung cancer", "smoking causes lung cancer", "smoking", "lung", "cancer", "no effect of smoking on lung cancer",
			"smoking not associated with lung cancer", "smoking lung cancer confounding reverse causation",
		}) {
			t.Errorf("searched %q", end.Searched.Queries)
		}
	}
	if len(m.calls) != 0 {
		t.Errorf("the judge was asked without evidence: %v", m.calls)
	}
}

// A judge that cannot be had is a loss, whatever became of the other edges.
func TestLostVerdicts(t *testing.T) {
	smoking, tar := edge("e1", "smoking", "lung cancer", causal.Strong), edge("e2", "tar", "lung cancer", causal.Weak)
	for name, c := range map[string]struct {
		fails   map[string]bool
		edges   []causal.Edge
		status  state.Status
		missing string
		says    string
	}{
		"of all edges":   {map[string]bool{"tar": true}, []causal.Edge{tar}, state.StatusUnavailable, `the verdict on edge "e2"`, "0 of 1 edges are grounded. Nothing is known of 1, since calls were lost."},
		"of one edge":    {map[string]bool{"tar": true}, []causal.Edge{edge("e3", "smoking", "lung cancer", causal.Weak), tar}, state.StatusUngrounded, `the verdict on edge "e2"`, "1 of 2 edges are grounded. Nothing is known of 1, since calls were lost."},
		"of the attacks": {nil, []causal.Edge{smoking}, state.StatusUnavailable, `the adversarial pass on edge "e1"`, "0 of 1 edges are grounded. Nothing is known of 1, since calls were lost."},
	} {
		t.Run(name, func(t *testing.T) {
			final := run(t, &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, fails: c.fails}, &shelf{}, nil, c.edges...)
			a, err := causal.Result(final, nil, &stacks{})
			if err != nil || a.Status != c.status || a.Answer.Answer != c.says {
				t.Errorf("%s: %s, %v", a.Status, a.Answer.Answer, err)
			}
			if len(a.Losses) != 1 || a.Losses[0].Missing != c.missing || !strings.Contains(a.Words(), errDown.Error()) {
				t.Errorf("losses %+v: %s", a.Losses, a.Words())
			}
		})
	}
	final := run(t, &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}}, &shelf{lost: true}, nil, smoking)
	if end := causal.End(final, nil); end.Status != state.StatusUnavailable || end.Cause != state.CauseIndex {
		t.Errorf("evidence that cannot be read again ends as %+v", end)
	}
}

// A quote that names neither variable grounds nothing, whatever the judge says.
func TestQuoteNamesAVariable(t *testing.T) {
	for variables, want := range map[[2]string]causal.EdgeStatus{
		{"smoking", "lung cancer"}:                   causal.EdgeGrounded,
		{"smoke of cigarettes", "early death"}:       causal.EdgeGrounded,
		{"asbestos", "cancers"}:                      causal.EdgeGrounded,
		{"coffee", "risk of deafness"}:               causal.EdgeRejected,
		{"daily use of men's umbrellas", "wet feet"}: causal.EdgeGrounded, // it names men
		{"use of umbrellas", "wet feet"}:             causal.EdgeRejected,
	} {
		e := run(t, &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}}, &shelf{}, nil, edge("e1", variables[0], variables[1], causal.Weak)).Edges[0]
		if e.Status != want || want == causal.EdgeRejected && (e.Rejection.Reason != causal.RejectedUnnamed || len(e.Evidence.Quotes) != 0) {
			t.Errorf("%q: %s %+v", variables, e.Status, e.Rejection)
		}
	}
}

func TestRefinementFindsNothingNew(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {refine("tar")}}}
	s := &shelf{none: func(q retrieval.Query) bool { return len(q.Exclude) >= 6 }}
	final := run(t, m, s, nil, edge("e1", "smoking", "lung cancer", causal.Weak))
	if e := final.Edges[0]; e.Rejection.Reason != causal.RejectedIrrelevant || !strings.Contains(e.Rejection.Detail, "found nothing new") || m.calls["smoking"] != 1 {
		t.Errorf("%+v after %d calls", e.Rejection, m.calls["smoking"])
	}
}

// An embedder in whose space all queries of one length are one.
type lengths struct{}

func (lengths) Embed(text string) []float32 {
	v := make([]float32, 200)
	v[len(text)] = 1
	return v
}

func TestRepeatsByEmbedding(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {refine("abcde fghij"), refine("vwxyz klmno"), direct(.9)}}}
	p, err := causal.New(causal.Deps{Model: m, Skills: set(t), Corpus: &shelf{}, Embedder: lengths{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(context.Background(), []causal.Edge{edge("e1", "smoking", "lung cancer", causal.Weak)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if e := final.Edges[0]; e.Rejection.Reason != causal.RejectedRepeat {
		t.Errorf("the edge is %s %+v", e.Status, e.Rejection)
	}
}

func TestGraphOfEdges(t *testing.T) {
	sure := func(confidence float64) []skills.JudgeEdgeOutput {
		out := direct(confidence)
		out.SupportingQuote = letters
		return []skills.JudgeEdgeOutput{out}
	}
	verdicts := map[string][]skills.JudgeEdgeOutput{"a": sure(.9), "b": sure(.8), "c": sure(.7), "d": {refine("")}, "*": sure(.9)}
	final := run(t, &scripted{verdicts: verdicts}, &shelf{}, nil,
		edge("ca", "c", "a", causal.Weak), edge("ab", "a", "b", causal.Weak), edge("bc", "b", "c", causal.Weak), edge("ba", "b", "A", causal.Weak),
		edge("ab2", "the a", "B", causal.Weak), edge("loop", "x y", "X  y", causal.Strong), edge("dz", "d", "z", causal.Weak))
	want := causal.DAG{
		Variables: []string{"a", "b", "c"}, Edges: []string{"ab", "bc", "ab2"},
		Cycles:     []causal.Cycle{{Edge: "ba", Path: []string{"b", "a", "b"}}, {Edge: "ca", Path: []string{"c", "a", "b", "c"}}},
		Reversed:   []causal.EdgePair{{First: "ab", Second: "ba"}, {First: "ba", Second: "ab2"}},
		Duplicates: []causal.EdgePair{{First: "ab", Second: "ab2"}},
	}
	if !reflect.DeepEqual(final.DAG, want) {
		t.Errorf("the graph is\n%+v\nwant\n%+v", final.DAG, want)
	}
	var got []string
	for _, e := range final.Edges {
		got = append(got, e.ID+" "+e.Rejection.Reason)
	}
	if w := "ca ,ab ,bc ,ba ,ab2 ,loop self_loop,dz irrelevant"; strings.Join(got, ",") != w {
		t.Errorf("the edges are %q, want %q", strings.Join(got, ","), w)
	}
	mermaid, dot := causal.Mermaid(final.Edges, final.DAG), causal.DOT(final.Edges, final.DAG)
	for _, c := range []struct{ in, want string }{
		{mermaid, `v1 -->|"ab 0.90"| v2`}, {mermaid, `v0 -.->|"ca 0.70 closes a cycle"| v1`}, {mermaid, `-.->|"dz 0.30 irrelevant"|`},
		{dot, `v1 -> v2 [style=solid, label="ab 0.90"];`}, {dot, `v0 -> v1 [style=dashed, label="ca 0.70 closes a cycle"];`},
	} {
		if !strings.Contains(c.in, c.want) {
			t.Errorf("%q is not in\n%s", c.want, c.in)
		}
	}
}

// The passages that a verified edge quotes are given once each.
func TestQuoted(t *testing.T) {
	m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, devil: map[string]skills.DevilsAdvocateOutput{"smoking": overturned}}
	tool, err := causal.VerifyEdge(pipeline(t, m, &shelf{}, nil))
	if err != nil {
		t.Fatal(err)
	}
	result, err := tool.Call(context.Background(), []byte(`{"cause": "smoking", "effect": "lung cancer"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := causal.Quoted(result, &shelf{}); err != nil || len(got) != 1 || got[0].ID != "p0" {
		t.Errorf("quoted are %v, %v", got, err)
	}
	if _, err := causal.Quoted([]byte("{"), &shelf{}); err == nil {
		t.Error("what is no result was read")
	}
}
