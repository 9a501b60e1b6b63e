package extract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/extract"
	"example.com/assay/skills"
	"example.com/assay/state"
)

const invoice = `{
  "type": "object",
  "required": ["total", "date"],
  "x-check": "total == sum(items.amount) + tax",
  "properties": {
    "date": {"type": "string", "format": "date"},
    "items": {"type": "array", "items": {"type": "object", "required": ["amount"], "properties": {
      "name": {"type": "string"}, "amount": {"type": "number", "format": "currency"}}}},
    "tax": {"type": "number"},
    "total": {"type": "number", "x-anchor": "TOTAL", "maximum": 1000},
    "currency": {"enum": ["EUR", "USD"]}
  }
}`

const paper = `Lantern shop
Date: 19/10/2018
Wick 2.50
Oil 10.00
Tax 1.25
TOTAL EUR 13.75
`

func schema(t testing.TB, text string) *extract.Schema {
	t.Helper()
	s, err := extract.ParseSchema([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// answer is what a model says: triples of path, value and quote.
func answer(triples ...string) llmtest.Answer {
	out := skills.ExtractOutput{Fields: []skills.ExtractedField{}}
	for i := 0; i+2 < len(triples); i += 3 {
		out.Fields = append(out.Fields, skills.ExtractedField{Path: triples[i], Value: triples[i+1], Quote: triples[i+2], Confidence: .9})
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return llmtest.Answer{Text: string(text)}
}

var (
	whole = []string{
		"date", "2018-10-19", "19/10/2018", "items[0].name", "Wick", "Wick", "items[0].amount", "2.50", "2.50",
		"items[1].name", "Oil", "Oil", "items[1].amount", "10.00", "10.00", "tax", "1.25", "Tax 1.25", "total", "13.75", "TOTAL EUR 13.75", "currency", "EUR", "EUR"}
	right  = answer(whole...)
	noDate = answer(whole[3:]...)
	made   = answer(append(slices.Clone(whole[3:]), "date", "2031-01-01", "01/01/2031")...)                             // hallucinated
	adds   = answer(append(slices.Clone(whole[:len(whole)-6]), "total", "10.00", "10.00", "currency", "EUR", "EUR")...) // read from another place
	less   = answer("total", "13.75", "13.75")
	down   = llmtest.Answer{Err: &llm.StatusError{Provider: "openai", Status: 500}}
)

func run(t testing.TB, text, document string, opts *extract.Options, first, again []llmtest.Answer) (*extract.Schema, extract.State, *llmtest.Script, error) {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{skills.ExtractFields: first, skills.RefineExtraction: again}}
	s := schema(t, text)
	p, err := extract.New(extract.Deps{Model: m, Skills: set, Schema: s}, opts)
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(context.Background(), extract.FieldDocument{Source: "paper", Text: document}, &graph.RunOptions{})
	for _, v := range final.Values {
		if p := v.Place; p != nil && document[p.Start:p.End] != p.Text {
			t.Errorf("%s: the place says %q and the document %q", v.Field, p.Text, document[p.Start:p.End])
		}
	}
	return s, final, m, err
}

func kinds(r extract.Report) string {
	var out []string
	for _, i := range r.Issues {
		out = append(out, string(i.Kind)+" "+i.Field)
	}
	return strings.Join(out, ", ")
}

func TestLoop(t *testing.T) {
	for _, c := range []struct {
		name         string
		first, again []llmtest.Answer
		calls, best  int
		stopped      string
		date         string
	}{
		{"one pass", []llmtest.Answer{right}, nil, 1, 1, "the verification passed", "2018-10-19"},
		{"refined until it passes", []llmtest.Answer{noDate}, []llmtest.Answer{made, right}, 3, 3, "the verification passed", "2018-10-19"},
		{"an amount that does not add up", []llmtest.Answer{adds}, []llmtest.Answer{right}, 2, 2, "the verification passed", "2018-10-19"},
		{"the maximum", []llmtest.Answer{less}, []llmtest.Answer{noDate, made}, 3, 2, "the maximum of iterations is reached", ""}, // a date that was made up is worth no more than none
		{"a later one is worse", []llmtest.Answer{noDate}, []llmtest.Answer{less, answer()}, 3, 1, "the maximum of iterations is reached", ""},
		{"nothing changes", []llmtest.Answer{noDate}, []llmtest.Answer{noDate}, 2, 1, "the iteration changed nothing", ""},
		{"a call fails", []llmtest.Answer{noDate}, []llmtest.Answer{down}, 2, 1, "a model call failed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, final, m, err := run(t, invoice, paper, nil, c.first, c.again)
			if err != nil {
				t.Fatal(err)
			}
			if left := m.Unused(); len(left) > 0 {
				t.Errorf("not asked: %q", left)
			}
			a := s.Answer(final, nil)
			if m.Total() != c.calls || a.Loop.Best != c.best || a.Loop.Stopped != c.stopped || (a.Loop.Failure != "") != (c.stopped == "a model call failed") {
				t.Errorf("%d calls, %+v; want %d, best %d, %s", m.Total(), a.Loop, c.calls, c.best, c.stopped)
			}
			var got struct{ Date string }
			if err := json.Unmarshal(a.Result, &got); err != nil || got.Date != c.date {
				t.Errorf("date %q, %v in %s", got.Date, err, a.Result)
			}
			best := a.History[c.best-1].Score
			for _, it := range a.History {
				if it.Score > best || it.N < c.best && it.Score == best {
					t.Errorf("iteration %d has %.2f, the best %.2f", it.N, it.Score, best)
				}
			}
			if len(a.History) == 0 || len(a.History[0].ChangedFields) == 0 || a.Loop.AgentType != "tool_agent_with_verification" {
				t.Errorf("history %+v", a.History)
			}
		})
	}
}

// A first call that fails leaves nothing to return.
func TestFirstCallFails(t *testing.T) {
	s, final, _, err := run(t, invoice, paper, nil, []llmtest.Answer{down}, nil)
	if a := s.Answer(final, err); err == nil || a.Status != state.StatusUnavailable || a.Cause != state.CauseModel || a.Result != nil || len(a.Fields) != 0 {
		t.Errorf("%v, %+v", err, a)
	}
}

// A value that the document does not hold is reported and not in the result, and the
// extraction is not grounded.
func TestMadeUpValue(t *testing.T) {
	s, final, _, err := run(t, invoice, paper, &extract.Options{MaxIterations: 1}, []llmtest.Answer{made}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := s.Answer(final, nil)
	if a.Status != state.StatusUngrounded || !strings.Contains(kinds(a.Report), "not_in_document date") || a.Report.Passed || a.Report.RequiredCoverage == 1 {
		t.Errorf("%s, issues %s, coverage %v", a.Status, kinds(a.Report), a.Report.RequiredCoverage)
	}
	if strings.Contains(string(a.Result), "2031") || strings.Contains(string(a.Result), "date") || !strings.Contains(string(a.Result), "13.75") {
		t.Errorf("the result is %s", a.Result)
	}
	if !slices.ContainsFunc(a.Fields, func(v extract.FieldValue) bool { return v.Field == "date" && v.Place == nil }) {
		t.Errorf("the fields are %+v", a.Fields)
	}
}

// TestPartOfANumber: a quote states a number only as a whole. Its digits within a longer number are
// not its place.
func TestPartOfANumber(t *testing.T) {
	_, final, _, err := run(t, invoice, paper, &extract.Options{MaxIterations: 1}, []llmtest.Answer{
		answer("total", "3.75", "TOTAL EUR 13.75", "tax", "0.00", "Oil 10.00"),
	}, nil)
	if err != nil || len(final.Values) != 2 {
		t.Fatal(final.Values, err)
	}
	for _, v := range final.Values {
		if v.Place != nil {
			t.Errorf("%s is %q, found in %q", v.Field, v.Value, v.Place.Text)
		}
	}
}

// A call that fails while the run goes on is a loss.
func TestLostCalls(t *testing.T) {
	for name, c := range map[string]struct {
		first, again llmtest.Answer
		review       bool
		want         state.Status
		missing      string
	}{
		"refine":            {noDate, down, false, state.StatusUngrounded, "the correction of iteration 1"},
		"nothing to refine": {answer(), down, false, state.StatusUnavailable, "the correction of iteration 1"},
		"review":            {right, right, true, state.StatusUngrounded, fmt.Sprintf("the model's opinion on bytes 0–%d", len(paper))},
	} {
		t.Run(name, func(t *testing.T) {
			s, final, _, err := run(t, invoice, paper, &extract.Options{Review: c.review}, []llmtest.Answer{c.first}, []llmtest.Answer{c.again})
			if err != nil {
				t.Fatal(err)
			}
			end := s.End(final, nil)
			if end.Status != c.want || len(end.Losses) != 1 || end.Losses[0].Missing != c.missing {
				t.Errorf("%+v", end)
			}
		})
	}
}

func TestResult(t *testing.T) {
	s, final, _, err := run(t, invoice, paper, nil, []llmtest.Answer{right}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"date":"2018-10-19","items":[{"name":"Wick","amount":2.50},{"name":"Oil","amount":10.00}],"tax":1.25,"total":13.75,"currency":"EUR"}`
	if got := s.Answer(final, nil); string(got.Result) != want || math.Abs(got.Report.Score-1.07) > 1e-9 || !got.Report.Passed {
		t.Errorf("%s, %.4f; want %s", got.Result, got.Report.Score, want)
	}
	for _, v := range final.Values {
		if v.Field == "date" && (v.Verbatim != "19/10/2018" || !slices.Equal(v.Normalised, []string{"date"}) || v.Place == nil) {
			t.Errorf("%+v", v)
		}
		if v.Field == "total" && v.Place.Text != "EUR 13.75" {
			t.Errorf("the quote was not narrowed to the value: %+v", v.Place)
		}
	}
}

func TestRules(t *testing.T) {
	with := func(field, value, quote string) llmtest.Answer {
		list := slices.Clone(whole)
		for i := 0; i < len(list); i += 3 {
			if list[i] == field {
				list[i+1], list[i+2] = value, quote
			}
		}
		return answer(list...)
	}
	for _, c := range []struct {
		name   string
		answer llmtest.Answer
		want   string
	}{
		{"hallucinated", made, "not_in_document date"},
		{"real quote, other value", with("date", "2018-10-20", "19/10/2018"), "not_in_document date"},
		{"arithmetic", with("total", "10.00", "TOTAL EUR 13.75"), "arithmetic total"},
		{"same place", with("tax", "13.75", "TOTAL EUR 13.75"), "duplicate total"},
		{"enum", with("currency", "Oil", "Oil"), "enum currency"},
		{"type", with("tax", "Tax", "Tax"), "type tax"},
		{"format", with("date", "Date", "Date"), "format date"},
		{"bound", with("total", "2018", "2018"), "constraint total"},
		{"missing", noDate, "missing date"},
		{"missing in an element", answer(slices.Concat(whole[:12], whole[15:])...), "missing items[1].amount"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, final, _, err := run(t, invoice, paper, &extract.Options{MaxIterations: 1}, []llmtest.Answer{c.answer}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := kinds(final.Iterations[0].Report); !strings.Contains(got, c.want) {
				t.Errorf("issues %s; want %s", got, c.want)
			}
		})
	}
	_, final, _, err := run(t, invoice, paper, nil, []llmtest.Answer{right}, nil)
	if got := kinds(final.Iterations[0].Report); err != nil || got != "" {
		t.Errorf("a right extraction has the issues %s", got)
	}
}

func TestScore(t *testing.T) {
	critical := extract.Issue{Severity: extract.SeverityCritical}
	high := extract.Issue{Severity: extract.SeverityHigh}
	for _, c := range []struct {
		confidence, coverage, completeness, consistency float64
		issues                                          []extract.Issue
		passed                                          bool
		want                                            float64
	}{
		{0, 0, 0, 0, nil, false, 0},
		{1, 1, 1, 1, nil, false, 1},
		{1, 1, 1, 1, nil, true, 1.1},
		{.5, 1, .5, 1, nil, true, .15 + .4 + .1 + .1 + .1},
		{.8, .5, .25, 0, []extract.Issue{critical, high, critical}, false, .24 + .2 + .05 - .4},
	} {
		r := extract.Report{Passed: c.passed, Confidence: c.confidence, RequiredCoverage: c.coverage, Completeness: c.completeness, Consistency: c.consistency, Issues: c.issues}
		if got := extract.Score(r); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v, want %v", c, got, c.want)
		}
	}
}

// wide is a schema of n required fields.
func wide(n int) string {
	var names, fields []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"f%03d"`, i))
		fields = append(fields, fmt.Sprintf(`"f%03d": {"type": "string"}`, i))
	}
	return `{"type":"object","required":[` + strings.Join(names, ",") + `],"properties":{` + strings.Join(fields, ",") + `}}`
}

// A correction is asked with the ten most severe issues, in order, the previous
// values and the document.
func TestRefinementPrompt(t *testing.T) {
	text := strings.Replace(wide(200), `"f000": {"type": "string"}`, `"f000": {"type": "number"}, "optional": {"type": "string"}`, 1)
	_, _, m, err := run(t, text, paper, &extract.Options{MaxIterations: 2}, []llmtest.Answer{answer("f000", "Oil", "Oil", "nonsense", "1", "1")}, []llmtest.Answer{right})
	if err != nil {
		t.Fatal(err)
	}
	var in skills.RefineInput
	if err := json.Unmarshal(m.Requests()[1].Vars, &in); err != nil {
		t.Fatal(err)
	}
	if len(in.Issues) != 10 || len(in.Previous) != 1 || in.Text != paper || len(in.Fields) != 201 {
		t.Fatalf("%d issues, %d values, %d fields", len(in.Issues), len(in.Previous), len(in.Fields))
	}
	if in.Issues[0].Severity != "CRITICAL" || in.Issues[0].Field != "f001" || in.Issues[9].Field != "f010" {
		t.Errorf("issues %+v", in.Issues)
	}
	if prompt := m.Requests()[1].Messages[1].Text; !strings.Contains(prompt, "f010") || strings.Contains(prompt[:strings.Index(prompt, "as they stand")], "f011") {
		t.Error("the prompt does not show the first ten issues")
	}
}

func TestIssueOrder(t *testing.T) {
	_, final, _, err := run(t, invoice, paper, &extract.Options{MaxIterations: 1}, []llmtest.Answer{answer("tax", "9.99", "", "total", "Oil", "Oil")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, i := range final.Iterations[0].Report.Issues {
		if i.Severity.Rank() < last || i.Message == "" || i.Suggestion == "" {
			t.Errorf("%+v", i)
		}
		last = i.Severity.Rank()
	}
	if got := kinds(final.Iterations[0].Report); !strings.HasPrefix(got, "missing date, not_in_document tax, type total") {
		t.Errorf("issues %s", got)
	}
}

func TestEmptyDocument(t *testing.T) {
	if _, _, m, err := run(t, invoice, " \n", nil, nil, nil); err == nil || m.Total() != 0 || !strings.Contains(err.Error(), "no text") {
		t.Errorf("%v after %d calls", err, m.Total())
	}
}

// Every window of a long document is asked; what they say is merged, and what
// they say differently is reported.
func TestWindows(t *testing.T) {
	const n = 5 << 20
	filler := strings.Repeat("nothing to see here, and nothing there\n", n/39)
	document := "Date: 19/10/2018\n" + filler + "Date: 20/10/2018\nWick 2.50\n"
	answers := slices.Repeat([]llmtest.Answer{answer()}, 26)
	answers[0] = answer("date", "2018-10-19", "19/10/2018")
	answers = append(answers, answer("date", "2018-10-20", "20/10/2018", "items[0].amount", "2.50", "2.50"))
	_, final, m, err := run(t, invoice, document, &extract.Options{MaxIterations: 1}, answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	if left := m.Unused(); len(left) > 0 || m.Total() != 27 {
		t.Fatalf("%d calls, not asked: %q", m.Total(), left)
	}
	if got := kinds(final.Iterations[0].Report); !strings.Contains(got, "conflict date") || final.Values[0].Value != "2018-10-19" || len(final.Values) != 2 {
		t.Errorf("values %+v, issues %s", final.Values, got)
	}
	if p := final.Values[1].Place; p == nil || p.Start < n-1000 {
		t.Errorf("the amount's place is %+v", p)
	}
}

func TestRightToLeft(t *testing.T) {
	const text = "חנות הפנסים\nתאריך: 19/10/2018\nסך הכל ₪ 13.75\n"
	s, final, _, err := run(t, `{"type":"object","required":["name","total"],"properties":{"name":{"type":"string"},"total":{"type":"number","x-anchor":["סך הכל"]}}}`,
		text, nil, []llmtest.Answer{answer("name", "חנות הפנסים", "חנות  הפנסים", "total", "13.75", "סך הכל ₪ 13.75")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := s.Answer(final, nil); !a.Report.Passed || string(a.Result) != `{"name":"חנות הפנסים","total":13.75}` {
		t.Errorf("%s %+v", a.Result, a.Report)
	}
}

func TestReview(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		skills.ExtractFields:    {right},
		skills.VerifyExtraction: {{Text: `{"issues":[{"severity":"HIGH","field":"tax","message":"it is of another shop","suggestion":"leave it out"}]}`}, {Err: errors.New("gone")}},
		skills.RefineExtraction: {right},
	}}
	p, err := extract.New(extract.Deps{Model: m, Skills: set, Schema: schema(t, invoice)}, &extract.Options{Review: true})
	if err != nil {
		t.Fatal(err)
	}
	final, err := p.Run(t.Context(), extract.FieldDocument{Text: paper}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(final.Iterations) != 2 || kinds(final.Iterations[0].Report) != "opinion tax" || len(m.Unused()) > 0 || len(final.Losses) != 1 {
		t.Errorf("%d iterations, %s, %q, %q", len(final.Iterations), kinds(final.Iterations[0].Report), m.Unused(), final.Losses)
	}
}

func TestSchemaFaults(t *testing.T) {
	for _, c := range []struct{ text, pointer, msg string }{
		{`{`, "", "not JSON"},
		{`{"type":"object","properties":{"a":{"type":"nmber"}}}`, "/properties/a/type", ""},
		{`{"type":"object","properties":{"a":{"pattern":"("}}}`, "/properties/a/pattern", ""},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}`, "/$defs/x", ""},
		{`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "", ""},
		{`{"type":"array","items":{"type":"string"}}`, "", "object"},
		{`{"type":"object"}`, "/properties", "no fields"},
		{`{"type":"object","properties":{"a":{"type":"array"}}}`, "/properties/a", "items"},
		{`{"type":"object","properties":{"a.b":{"type":"string"}}}`, "/properties/a.b", "name"},
		{`{"type":"object","properties":{"a":{"type":"string","x-normalise":["up"]}}}`, "/properties/a/x-normalise/0", "known are"},
		{`{"type":"object","x-check":"a = b","properties":{"a":{"type":"number"}}}`, "/x-check", "want =="},
		{`{"type":"object","x-check":5,"properties":{"a":{"type":"number"}}}`, "", "kind of value"},
		{`{"type":"object","x-check":"1 == 1","properties":{"a":{"type":"number"}}}`, "/x-check", "names no field"},
	} {
		_, err := extract.ParseSchema([]byte(c.text))
		bad, ok := errors.AsType[*extract.SchemaError](err)
		if !ok || bad.Pointer != c.pointer || !strings.Contains(bad.Msg, c.msg) {
			t.Errorf("%s: %v (%+v); want %s, %s", c.text, err, bad, c.pointer, c.msg)
		}
	}
}

// A schema that refers to itself ends with an error.
func TestSchemaRecursion(t *testing.T) {
	_, err := extract.ParseSchema([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","properties":{"b":{"$ref":"#/$defs/x"}}}}}`))
	if err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("%v", err)
	}
}

// Whatever a model answers, values have a place that holds them or an issue, and
// the result is JSON.
func FuzzAnswers(f *testing.F) {
	f.Add("total", "13.75", "TOTAL EUR 13.75", paper)
	f.Add("items[0].name", "Wick", "wick", paper)
	f.Add("items[99999999].name", "", "\xff", "x")
	s := schema(f, invoice)
	set, err := skills.Load(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path, value, quote, document string) {
		m := &llmtest.Script{Answers: map[string][]llmtest.Answer{skills.ExtractFields: {answer(path, value, quote)}}}
		p, err := extract.New(extract.Deps{Model: m, Skills: set, Schema: s}, &extract.Options{MaxIterations: 1, Window: 200})
		if err != nil {
			t.Fatal(err)
		}
		final, err := p.Run(t.Context(), extract.FieldDocument{Text: document}, nil)
		if err != nil {
			return
		}
		for _, v := range final.Values {
			if v.Place != nil && document[v.Place.Start:v.Place.End] != v.Place.Text {
				t.Errorf("%+v", v)
			}
			if v.Place == nil && !strings.Contains(kinds(final.Iterations[0].Report), "not_in_document "+v.Field) {
				t.Errorf("%+v without an issue", v)
			}
		}
		if raw := s.Result(final.Values); !json.Valid(raw) {
			t.Errorf("%s", raw)
		}
	})
}

func FuzzSchema(f *testing.F) {
	f.Add(invoice)
	f.Add(`{"type":"object","x-check":"a*(b-1)/2 >= max(c)","properties":{"a":{"type":"number"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := extract.ParseSchema([]byte(text)); err == nil && !json.Valid(s.Result(nil)) {
			t.Errorf("%s", s.Result(nil))
		}
	})
}
