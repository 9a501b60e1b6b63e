package verify_test

import (
	"context"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

func TestScore(t *testing.T) {
	const s, p, u = state.Supported, state.PartiallySupported, state.Unsupported
	for _, c := range []struct {
		claims []state.ClaimStatus
		want   float64
		level  verify.Level
	}{
		{nil, 0, verify.VeryLow},                              // nothing is known
		{[]state.ClaimStatus{s}, 1, verify.High},              // 1 + .1, clamped
		{[]state.ClaimStatus{s, s, s, p}, .89, verify.Medium}, // 3.5/4 + .1 is high, and not every claim is supported
		{[]state.ClaimStatus{p}, .6, verify.Low},              // .5 + .1
		{[]state.ClaimStatus{s, s, s, u}, .65, verify.Low},    // .75 − .1
		{[]state.ClaimStatus{s, s, p, u}, .525, verify.Low},   // 2.5/4 − .1
		{[]state.ClaimStatus{s, u, u}, .1333, verify.VeryLow}, // 1/3 − .2
		{[]state.ClaimStatus{u}, 0, verify.VeryLow},           // −.1, clamped
		{[]state.ClaimStatus{s, s, s, s, s, s, s, s, s, u}, .8, verify.Medium},
	} {
		var verdicts []state.Verdict
		for _, status := range c.claims {
			verdicts = append(verdicts, state.Verdict{Status: status, Confidence: 1})
		}
		if got := verify.Score(verdicts); math.Abs(got-c.want) > 1e-4 || verify.LevelOf(got) != c.level {
			t.Errorf("%v: %v, %s; want %v, %s", c.claims, got, verify.LevelOf(got), c.want, c.level)
		}
	}
}

// A response is no surer than its claims are on average.
func TestScoreIsThatOfTheClaims(t *testing.T) {
	verdict := func(confidence float64) state.Verdict {
		return state.Verdict{Status: state.Supported, Confidence: confidence}
	}
	if got := verify.Score([]state.Verdict{verdict(1), verdict(.6), verdict(.5)}); math.Abs(got-.7) > 1e-9 {
		t.Errorf("claims of 1, .6 and .5: %v, want .7", got)
	}
	if got := verify.Share([]state.Verdict{verdict(.6)}); got != 1 {
		t.Errorf("all claims are supported, and the share is %v", got)
	}
}

// A claim with a doubt is supported, and the response is never of level high.
func TestADoubtIsNeverHigh(t *testing.T) {
	sure := state.Verdict{Claim: state.Claim{Text: "a"}, Status: state.Supported, Confidence: 1}
	doubted := sure
	doubted.Doubts = []state.Doubt{{Kind: state.ConflictDirection, Claim: "before"}}
	verdicts := make([]state.Verdict, 20)
	for i := range verdicts {
		verdicts[i] = sure
	}
	verdicts[7] = doubted
	check := verify.CheckOf(verify.Attempt{Verdicts: verdicts, Confidence: verify.Score(verdicts), Grounded: true})
	if check.Level != string(verify.Medium) || check.ClaimsSupported != 20 || check.ClaimsInDoubt != 1 || len(check.Claims[7].Doubts) != 1 {
		t.Errorf("%+v", check)
	}
}

// What is a whole sentence of the evidence needs no model; a clause does.
func TestVerbatimClaimsAreNotAsked(t *testing.T) {
	m := &reader{judge: literal}
	text := "It is false that records are kept for seven years. Every owner keeps a log.\n\n- The log is bound in leather.\n\nThe log is shown to guests, if the owner agrees."
	final := run(t, verify.Deps{Model: m}, nil, verify.Input{
		Response: "“Every owner keeps a log.” [Source 1]\n\n- The log is bound in leather.", Evidence: evidence(text),
	})
	if got := verify.Check(final); !got.IsGrounded || got.Confidence != 1 || got.ClaimsSupported != 2 || m.calls[skills.JudgeClaim] != 0 {
		t.Errorf("%+v after %d calls", got, m.calls[skills.JudgeClaim])
	}
	for _, v := range final.Verdicts {
		if q := v.For[0]; text[q.Start:q.End] != q.Text || !strings.HasPrefix(q.Text, strings.TrimSuffix(v.Text, ".")) {
			t.Errorf("quote %+v of claim %q", q, v.Text)
		}
	}
	for i, clause := range []string{"Records are kept for seven years.", "The log is shown to guests."} {
		run(t, verify.Deps{Model: m}, nil, verify.Input{Response: clause, Evidence: evidence(text)})
		if m.calls[skills.JudgeClaim] != i+1 {
			t.Errorf("a clause was taken for a sentence: %s", clause)
		}
	}
}

// The sentences of a quotation need not end where those of its source do: its lines
// are joined.
func TestQuotationOfLines(t *testing.T) {
	lines := "21. Winding the lamp in a storm\n22. Where the oil of a lamp is kept dry\n23. Command of the watch"
	m := &reader{judge: func(skills.JudgeInput) skills.JudgeOutput { return verdict("unsupported", .1) }}
	for quoted, supported := range map[string]bool{
		strings.ReplaceAll(lines, "\n", " "):                true,
		"storm 22. Where the oil of a lamp is kept dry 23.": false, // begins in the middle of one
	} {
		final := run(t, verify.Deps{Model: m}, nil, verify.Input{Response: "- “" + quoted + "” [Source 1]", Evidence: evidence(lines)})
		if got := verify.Check(final); got.IsGrounded != supported || len(got.Claims) == 0 {
			t.Errorf("%q: %+v", quoted, got)
		}
	}
}

func TestJudge(t *testing.T) {
	records := "Records of the clinic are kept for seven years in a locked room."
	for name, c := range map[string]struct {
		response string
		evidence []string
		judge    func(skills.JudgeInput) skills.JudgeOutput
		status   state.ClaimStatus
		miscited bool
		calls    int
		says     string
	}{
		"supported": {"The clinic keeps its records in a locked room.", []string{records}, literal, state.Supported, false, 1, "as it stands"},
		"made-up quote": {"The clinic keeps its records in a locked room.", []string{records}, func(skills.JudgeInput) skills.JudgeOutput {
			return verdict("supported", .95, skills.SourceQuote{Source: 1, Text: "kept under lock and key"})
		}, state.Unsupported, false, 1, "the quote that was given is in no passage"},
		"no quote": {"The clinic keeps its records in a locked room.", []string{records}, func(skills.JudgeInput) skills.JudgeOutput {
			return verdict("partially_supported", .6)
		}, state.Unsupported, false, 1, "no quote shows it"},
		"quote of another passage than named": {"The clinic keeps its records in a locked room.", []string{records}, func(skills.JudgeInput) skills.JudgeOutput {
			return verdict("supported", .95, skills.SourceQuote{Source: 9, Text: "in a locked room"})
		}, state.Supported, false, 1, "as it stands"},
		"number overrules": {"The clinic keeps its records for nine years in a locked room.", []string{records}, literal, state.Unsupported, false, 1, "seven years"},
		"cited first":      {"The clinic keeps its records in a locked room. [Source 2]", []string{"Nothing of the kind.", records}, literal, state.Supported, false, 1, "as it stands"},
		"miscited":         {"The clinic keeps its records in a locked room. [Source 1]", []string{"Nothing of the kind.", records}, literal, state.Supported, true, 2, "what it cites (Source 1) does not support it"},
		"cites nothing":    {"The clinic keeps its records in a locked room. [Source 7]", []string{records}, literal, state.Supported, true, 1, "what it cites (Source 7) does not support it"},
		"misread": {"The clinic keeps its records in a locked room.", []string{records}, func(skills.JudgeInput) skills.JudgeOutput {
			return verdict("perhaps", .5)
		}, state.Unsupported, false, 2, "the claim could not be judged"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &reader{judge: c.judge}
			final := run(t, verify.Deps{Model: m}, nil, verify.Input{Response: c.response, Evidence: evidence(c.evidence...)})
			if len(final.Verdicts) != 1 {
				t.Fatalf("%d verdicts", len(final.Verdicts))
			}
			v := final.Verdicts[0]
			if v.Status != c.status || v.Miscited != c.miscited || !strings.Contains(v.Reason, c.says) || m.calls[skills.JudgeClaim] != c.calls {
				t.Errorf("%d calls, verdict %+v", m.calls[skills.JudgeClaim], v)
			}
			if v.Status == state.Supported && len(v.For) == 0 || v.Status == state.Unsupported && len(v.For) > 0 {
				t.Errorf("%s with quotes %+v", v.Status, v.For)
			}
		})
	}
}

func TestModelThatFailsLeavesTheResponseUnverified(t *testing.T) {
	m := &reader{}
	final := run(t, verify.Deps{Model: m, Corpus: &shelf{}}, nil, verify.Input{
		Response: "Every owner keeps a log. The log is bound in leather by the clerk.", Evidence: evidence("Every owner keeps a log."),
	})
	check := verify.Check(final)
	if check.IsGrounded || check.CRAGAttempts != 0 || !strings.Contains(check.Unverified, "1 of 2 claims could not be judged") || !strings.Contains(check.Unverified, errDown.Error()) {
		t.Errorf("%+v", check)
	}
	if final.Final != "Every owner keeps a log. The log is bound in leather by the clerk. [not verified]" {
		t.Errorf("final %q", final.Final)
	}
}

func TestNothingToJudge(t *testing.T) {
	for name, c := range map[string]struct {
		in         verify.Input
		confidence float64
		grounded   bool
		claims     int
	}{
		"opinion":     {verify.Input{Response: "I think this is great! What do you think?", Evidence: evidence("Every owner keeps a log.")}, 0, false, 0},
		"empty":       {verify.Input{Response: " \n", Evidence: evidence("Every owner keeps a log.")}, 0, false, 0},
		"no evidence": {verify.Input{Response: "Every owner keeps a log."}, 0, false, 1},
	} {
		m := &reader{}
		final := run(t, verify.Deps{Model: m}, nil, c.in)
		check := verify.Check(final)
		if end := verify.Result(final, nil, nowhere{}).End; end.Status != state.StatusUngrounded || (c.claims == 0) != (end.Why == verify.NothingChecked) {
			t.Errorf("%s: ends as %+v", name, end)
		}
		if check.Confidence != c.confidence || check.IsGrounded != c.grounded || check.ClaimsChecked != c.claims || len(m.calls) > 0 {
			t.Errorf("%s: %+v after calls %v", name, check, m.calls)
		}
	}
}

const (
	asked  = "Every owner keeps a log. The fee for a late entry is ten crowns."
	answer = "Every owner keeps a log. The fee for a late entry is twelve crowns. [P-1]"
)

// corrected is what a model writes once it has read the tariff.
func corrected(in skills.RegenerateInput) string {
	for _, s := range in.Sources {
		if strings.Contains(s.Text, "twelve crowns") {
			return "Every owner keeps a log. The fee for a late entry is twelve crowns. " + s.Cite
		}
	}
	return in.Response + " That is all."
}

// alone judges by the evidence given, as research does.
var alone = &verify.Options{Search: -1}

// A correction stands beside the response, and changes no verdict on it.
func TestGapThatTheCorpusFills(t *testing.T) {
	m := &reader{judge: literal, gaps: byClaim, regenerate: corrected}
	corpus := &shelf{passages: []state.Passage{passage("c1", "Every owner keeps a log."), passage("tariff", "By the tariff the fee for a late entry is twelve crowns.")}}
	final := run(t, verify.Deps{Model: m, Corpus: corpus}, alone, verify.Input{Query: "What does an owner owe?", Response: asked, Evidence: evidence("Every owner keeps a log.")})
	check := verify.Check(final)
	if check.IsGrounded || !check.Corrected || check.CRAGAttempts != 1 || check.ClaimsSupported != 1 || final.Final != asked+" [unsupported]" || final.Corrected != answer {
		t.Errorf("%+v\nfinal %q, corrected %q", check, final.Final, final.Corrected)
	}
	a := verify.Result(final, nil, nowhere{})
	if a.Status != state.StatusUngrounded || a.Status.ExitCode() != 3 || a.Confidence != check.Confidence || a.FinalResponse != final.Final || a.Answer.Answer != final.Final {
		t.Errorf("the answer is %+v", a)
	}
	if c := a.Correction; c == nil || c.Response != answer || !c.IsGrounded || c.Supported != 2 || c.Confidence <= check.Confidence || len(c.Sources) != 2 || len(c.Sources[1].Quotes) != 1 {
		t.Errorf("the correction is %+v", c)
	}
	if best := verify.CheckBest(final); !best.IsGrounded || best.ClaimsSupported != 2 || best.Rewritten != 1 {
		t.Errorf("of its own answer: %+v", best)
	}
	if got := final.Attempts[1]; !reflect.DeepEqual(got.Added, []string{"tariff"}) || len(got.Queries) != 1 || got.Queries[0].Claim != 2 {
		t.Errorf("attempt %+v", got)
	}
	if q := corpus.queries; len(q) != 1 || !reflect.DeepEqual(q[0].Exclude, []string{"c1"}) {
		t.Errorf("searches %+v", q)
	}
	if in := m.gapIn[0]; len(in.Claims) != 1 || in.Claims[0].ID != 2 || in.Question != "What does an owner owe?" {
		t.Errorf("gaps asked for %+v", in)
	}
}

func TestGapThatNothingFillsStops(t *testing.T) {
	m := &reader{judge: literal, gaps: byClaim, regenerate: func(in skills.RegenerateInput) string { return in.Response + " The moon is made of cheese." }}
	corpus := &shelf{}
	for _, id := range strings.Fields("a b c d e f g h i j k l") {
		corpus.passages = append(corpus.passages, passage(id, "Nothing of the kind."))
	}
	final := run(t, verify.Deps{Model: m, Corpus: corpus}, alone, verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")})
	check := verify.Check(final)
	if check.IsGrounded || check.Corrected || final.Corrected != "" || check.CRAGAttempts != 2 || len(final.Attempts) != 3 || m.calls[skills.RegenerateResponse] != 2 {
		t.Errorf("%+v", check)
	}
	// The best attempt is the first one, not the last.
	if want := asked + " [unsupported]"; final.Final != want {
		t.Errorf("final %q; want %q", final.Final, want)
	}
	seen := map[string]bool{}
	for _, q := range final.Asked {
		if seen[q] {
			t.Errorf("%q was asked twice", q)
		}
		seen[q] = true
	}
	read := map[string]bool{"c1": true}
	for _, e := range final.Evidence[1:] {
		if read[e.Passage.ID] {
			t.Errorf("passage %s was added twice", e.Passage.ID)
		}
		read[e.Passage.ID] = true
	}
}

// A pipeline's own answer that nobody had evidence for is judged by what is found,
// word for word as it was. A response that stands alone keeps its verdict.
func TestMoreEvidenceIsJudgedAlsoWithoutAChange(t *testing.T) {
	m := &reader{judge: literal, gaps: byClaim, regenerate: func(in skills.RegenerateInput) string { return in.Response }}
	corpus := &shelf{passages: []state.Passage{passage("a", "Every owner keeps a log."), passage("b", "The fee for a late entry is ten crowns.")}}
	final := run(t, verify.Deps{Model: m, Corpus: corpus}, alone, verify.Input{Response: asked})
	if a := verify.Result(final, nil, nowhere{}); a.Status != state.StatusUngrounded || a.Verification.ClaimsSupported != 0 || a.Correction != nil {
		t.Errorf("the response as given: %+v", a)
	}
	check := verify.CheckBest(final)
	if final.Corrected != asked || check.Rewritten != 0 {
		t.Errorf("of its own answer: %q, %+v", final.Corrected, check)
	}
	if !check.IsGrounded || check.ClaimsSupported != 2 || check.CRAGAttempts != 1 {
		t.Errorf("%+v", check)
	}
}

// A query in other words of the same stems is the same query.
func TestNoQueryIsRepeated(t *testing.T) {
	queries := []string{"fees for late entries", "Late entry: the FEE", "entry fee, late"}
	m := &reader{judge: literal, regenerate: func(in skills.RegenerateInput) string { return in.Response + " So it is." }}
	m.gaps = func(in skills.GapInput) skills.GapOutput {
		return skills.GapOutput{Queries: []skills.GapQuery{{ClaimID: 2, Query: queries[len(m.gapIn)-1]}, {ClaimID: 99, Query: "of no claim"}}}
	}
	corpus := &shelf{passages: []state.Passage{passage("a", "Nothing."), passage("b", "Nothing."), passage("c", "Nothing."), passage("d", "Nothing.")}}
	final := run(t, verify.Deps{Model: m, Corpus: corpus}, alone, verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")})
	if len(corpus.queries) != 1 || !reflect.DeepEqual(final.Asked, queries[:1]) || len(final.Attempts) != 2 {
		t.Errorf("asked %q, %d attempts", final.Asked, len(final.Attempts))
	}
}

// Whatever fails in the loop, the response is judged, and the correction is lost.
func TestFailuresInTheLoop(t *testing.T) {
	more := []state.Passage{passage("a", "Nothing.")}
	for name, c := range map[string]struct {
		m      *reader
		corpus *shelf
		says   string
	}{
		"gap queries": {&reader{judge: literal}, &shelf{passages: more}, errDown.Error()},
		"search":      {&reader{judge: literal, gaps: byClaim}, &shelf{passages: more, failAt: 1}, "searching for claim 2: the index is gone"},
		"regenerate":  {&reader{judge: literal, gaps: byClaim}, &shelf{passages: more}, errDown.Error()},
		"spent":       {&reader{judge: literal, down: &llm.BudgetError{}}, &shelf{passages: more}, (&llm.BudgetError{}).Error()},
	} {
		final := run(t, verify.Deps{Model: c.m, Corpus: c.corpus}, alone, verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")})
		check := verify.Check(final)
		if check.IsGrounded || check.Unverified != "" || len(final.Attempts) != 1 || final.Final != asked+" [unsupported]" {
			t.Errorf("%s: %+v, final %q", name, check, final.Final)
		}
		end := verify.Result(final, nil, nowhere{}).End
		if end.Status != state.StatusUngrounded || len(end.Losses) != 1 || end.Losses[0].Missing != "the suggested correction" || !strings.Contains(end.Losses[0].Error, c.says) {
			t.Errorf("%s: ends as %+v", name, end)
		}
	}
}

func TestTreatments(t *testing.T) {
	response := "# Rules\n\nEvery owner keeps a log. The fee is ten crowns [Source 1]. It is due at once.\n\n- The log is bound in iron. [Source 1]\n- Every owner keeps a log."
	for treatment, want := range map[verify.Treatment]string{
		verify.MarkUnsupported:   "# Rules\n\nEvery owner keeps a log. The fee is ten crowns [Source 1]. [unsupported] It is due at once. [partially supported]\n\n- The log is bound in iron. [Source 1] [unsupported]\n- Every owner keeps a log.",
		verify.StrikeUnsupported: "# Rules\n\nEvery owner keeps a log. It is due at once. [partially supported]\n\n- Every owner keeps a log.",
		verify.KeepUnsupported:   response,
	} {
		m := &reader{judge: func(in skills.JudgeInput) skills.JudgeOutput {
			if strings.Contains(in.Claim, "due") {
				return verdict("partially_supported", .5, skills.SourceQuote{Source: 1, Text: "log"})
			}
			return verdict("unsupported", .1)
		}}
		final := run(t, verify.Deps{Model: m}, &verify.Options{Treatment: treatment}, verify.Input{Response: response, Evidence: evidence("Every owner keeps a log.")})
		if final.Final != want {
			t.Errorf("%s:\n%s\nwant\n%s", treatment, final.Final, want)
		}
	}
	m := &reader{judge: literal}
	final := run(t, verify.Deps{Model: m}, &verify.Options{Treatment: verify.StrikeUnsupported}, verify.Input{Response: "The moon is made of cheese.", Evidence: evidence("Every owner keeps a log.")})
	if final.Final != verify.NothingLeft {
		t.Errorf("final %q", final.Final)
	}
}

// TestEveryRouteIsTaken walks every edge that the pipeline draws.
func TestEveryRouteIsTaken(t *testing.T) {
	more := func() *shelf {
		return &shelf{passages: []state.Passage{passage("a", "Nothing."), passage("b", "Nothing."), passage("c", "Nothing."), passage("d", "Nothing.")}}
	}
	taken := map[string]bool{}
	var drawing string
	for _, c := range []struct {
		m      *reader
		corpus *shelf
		in     verify.Input
	}{
		{&reader{}, more(), verify.Input{Response: "Is it?", Evidence: evidence("Every owner keeps a log.")}},
		{&reader{}, &shelf{}, verify.Input{Response: asked}},
		{&reader{judge: literal, gaps: byClaim, regenerate: corrected}, more(), verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")}},
		{&reader{judge: literal, gaps: byClaim}, more(), verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")}},
		{&reader{judge: literal, gaps: byClaim, regenerate: corrected}, &shelf{passages: more().passages[:1]}, verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")}},
		{&reader{judge: literal, regenerate: corrected}, more(), verify.Input{Response: asked, Evidence: evidence("Every owner keeps a log.")}},
	} {
		p, err := verify.New(verify.Deps{Model: c.m, Skills: set(t), Corpus: c.corpus}, &verify.Options{Search: 1})
		if err != nil {
			t.Fatal(err)
		}
		drawing = p.Graph().Drawing().DOT()
		last := graph.Start
		for ev, err := range p.Graph().Stream(context.Background(), c.in.Update(), &graph.RunOptions{Modes: graph.Debug}) {
			switch {
			case err != nil:
				t.Fatal(err)
			case ev.Kind == graph.NodeStart && ev.Node != last:
				taken[last+" "+ev.Node], last = true, ev.Node
			case ev.Kind == graph.RunEnd:
				taken[last+" "+graph.End] = true
			}
		}
	}
	edges := regexp.MustCompile(`(?m)^ *"([^"]+)" -> "([^"]+)"`).FindAllStringSubmatch(drawing, -1)
	if len(edges) < 14 {
		t.Fatalf("only %d edges are drawn:\n%s", len(edges), drawing)
	}
	for _, e := range edges {
		if !taken[e[1]+" "+e[2]] {
			t.Errorf("no run goes from %s to %s", e[1], e[2])
		}
	}
}

func TestEqualWithAnyConcurrency(t *testing.T) {
	var want verify.State
	for i, n := range []int{1, 2, 8} {
		m := &reader{judge: literal, gaps: byClaim, regenerate: corrected}
		p, err := verify.New(verify.Deps{Model: m, Skills: set(t), Corpus: &shelf{passages: []state.Passage{passage("tariff", "By the tariff the fee for a late entry is twelve crowns.")}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		in := verify.Input{Response: strings.Repeat(asked+" ", 5), Evidence: evidence("Every owner keeps a log.", "Nothing.")}
		got, err := p.Run(context.Background(), in, &graph.RunOptions{Concurrency: n})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Errorf("with %d at once\n%+v\nand with one\n%+v", n, got, want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	m := &llmtest.Script{}
	for _, c := range []struct {
		deps verify.Deps
		opts verify.Options
		says string
	}{
		{verify.Deps{}, verify.Options{}, "a model and skills are needed"},
		{verify.Deps{Model: m, Skills: set(t)}, verify.Options{Threshold: 1.5}, "confidence threshold is 1.5"},
		{verify.Deps{Model: m, Skills: set(t)}, verify.Options{Passages: -1}, "passages is -1"},
		{verify.Deps{Model: m, Skills: set(t)}, verify.Options{Treatment: "hide"}, `"hide": it must be mark, strike or keep`},
	} {
		if _, err := verify.New(c.deps, &c.opts); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("error %v; want %q", err, c.says)
		}
	}
}
