package react_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// counted is the size of a request as Trim counts it.
func counted(req llm.Request) int {
	sum := 0
	for _, m := range req.Messages {
		n := len(m.Text)
		for _, c := range m.Calls {
			n += len(c.Name) + len(c.Arguments)
		}
		for _, r := range m.Results {
			n += len(r.Text)
		}
		sum += n/4 + 4
	}
	return sum
}

// checkRequests checks what every request of a long turn has: few enough tokens, the prompt, the
// question, calls with their results, and the newest ones.
func checkRequests(t *testing.T, requests []llm.Request, limit int, question string) {
	t.Helper()
	for n, req := range requests {
		if got := counted(req); got > limit {
			t.Errorf("request %d has %d tokens; the limit is %d", n, got, limit)
		}
		if first := req.Messages[0]; first.Role != llm.System || !strings.HasPrefix(first.Text, "Be brief.") {
			t.Errorf("request %d begins with %+v", n, first)
		}
		if !slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role == llm.User && m.Text == question }) {
			t.Errorf("request %d has no question", n)
		}
		for i, m := range req.Messages {
			var results []llm.ToolResult
			if len(m.Calls) > 0 && i+1 < len(req.Messages) {
				results = req.Messages[i+1].Results
			}
			if len(m.Calls) != len(results) || m.Role == llm.ToolRole && len(req.Messages[i-1].Calls) == 0 {
				t.Fatalf("request %d, message %d: %d calls, %d results", n, i, len(m.Calls), len(results))
			}
			for j, c := range m.Calls {
				if results[j].CallID != c.ID || results[j].Failed {
					t.Errorf("request %d: call %s has %+v", n, c.ID, results[j])
				}
			}
		}
		if last := req.Messages[len(req.Messages)-1]; n > 0 && (last.Role != llm.ToolRole || !strings.Contains(last.Results[0].Text, fmt.Sprintf("of %d.", n))) {
			t.Errorf("request %d ends with %.60q", n, seen(llm.Request{Messages: []llm.Message{last}}))
		}
	}
}

// long is a turn of some rounds with some calls each, whose results have 2,000 bytes.
func long(t *testing.T, rounds, each int, opts *react.Options) (*llmtest.Script, react.State) {
	t.Helper()
	look := tool(t, "look", func(_ context.Context, in town) (string, error) {
		return "look of " + in.Town + "." + strings.Repeat("x", 2000), nil
	})
	var answers []llmtest.Answer
	for n := range rounds {
		var list []string
		for range each {
			list = append(list, fmt.Sprintf(`look {"town":"%d"}`, n+1))
		}
		answers = append(answers, calls(list...))
	}
	m := says(append(answers, text("Done."))...)
	opts.Prompt, opts.MaxRounds = "Be brief.", rounds+1
	s := run(t, compile(t, m, []react.Tool{look}, opts), "Where?")
	if react.Answer(s) != "Done." || m.Total() != rounds+1 {
		t.Fatalf("%q after %d requests: %q", react.Answer(s), m.Total(), s.Ended)
	}
	return m, s
}

// Requests of one turn with 40 calls stay within the limit, and the thread keeps all.
func TestTrimWithinATurn(t *testing.T) {
	for _, each := range []int{1, 3} {
		m, s := long(t, 40, each, &react.Options{Before: []react.Step{react.Trim(4000)}})
		checkRequests(t, m.Requests(), 4000, "Where?")
		if len(s.Messages) != 2+40*(1+each) {
			t.Errorf("the thread has %d messages", len(s.Messages))
		}
		if full := m.Requests()[30]; counted(full) < 4000-1600 {
			t.Errorf("a request has %d tokens, and room for more", counted(full))
		}
	}
}

// Results that alone exceed the limit are shortened, and say so.
func TestTrimShortensResults(t *testing.T) {
	m, s := long(t, 3, 4, &react.Options{Before: []react.Step{react.Trim(500)}})
	checkRequests(t, m.Requests(), 500, "Where?")
	r := m.Requests()[2].Messages[3].Results
	if len(r) != 4 || !strings.HasSuffix(r[3].Text, "x\n(shortened: the result has 2010 bytes)") || counted(m.Requests()[2]) < 480 {
		t.Errorf("%d tokens, %+v", counted(m.Requests()[2]), r)
	}
	if len(s.Messages[2].Results[0].Text) != 2010 {
		t.Errorf("the thread has %d bytes", len(s.Messages[2].Results[0].Text))
	}
}

// A limit below what a request must have is an error that says what to do.
func TestTrimToTooLittle(t *testing.T) {
	m := says(text("never"))
	app := compile(t, m, nil, &react.Options{Prompt: strings.Repeat("Be brief. ", 20), Before: []react.Step{react.Trim(50)}})
	_, err := app.Invoke(t.Context(), react.Say("Where?"), onThread)
	if err == nil || !strings.Contains(err.Error(), "into 50 tokens: the system prompt, the question and the last calls need 59: raise the limit, or shorten them") || m.Total() != 0 {
		t.Errorf("%v after %d requests", err, m.Total())
	}
}

// A step behind the model that asks it keeps to the limit, too.
func TestTrimForAnAnswerInASchema(t *testing.T) {
	writes := &llmtest.Script{Answers: map[string][]llmtest.Answer{"answer_in_schema": {text(`{"town":"Oslo"}`)}}}
	look := tool(t, "look", func(context.Context, town) (string, error) { return strings.Repeat("x", 4000), nil })
	one := calls(`look {"town":"a"}`)
	run(t, compile(t, says(one, one, one, text("Oslo.")), []react.Tool{look}, &react.Options{Before: []react.Step{react.Trim(2000)}, After: []react.Step{react.AnswerIn[town](writes)}}), "Where?")
	if req := writes.Requests()[0]; counted(req) > 2000 || counted(req) < 1000 {
		t.Errorf("asked with %d tokens", counted(req))
	}
}

// Within a turn, old calls are summed up once: the summary stays in later requests, and the next
// one is made of it and what came since.
func TestSummariseWithinATurn(t *testing.T) {
	sums := &llmtest.Script{Answers: map[string][]llmtest.Answer{}}
	for n := range 30 {
		sums.Answers["summarise"] = append(sums.Answers["summarise"], text(fmt.Sprintf("Sum %d.", n+1)))
	}
	for _, each := range []int{1, 3} {
		made := sums.Total()
		m, s := long(t, 20, each, &react.Options{Before: []react.Step{react.Summarise(sums, 4000, 4)}})
		checkRequests(t, m.Requests(), 4000, "Where?")
		if made = sums.Total() - made; made < 2 || made > 5*each {
			t.Errorf("%d summaries", made)
		}
		if len(s.Messages) != 2+20*(1+each)+made {
			t.Errorf("the thread has %d messages, with %d summaries", len(s.Messages), made)
		}
		if last := m.Requests()[20]; strings.Count(seen(last), "Summary of the conversation") != 1 {
			t.Errorf("the last request is %.300s", seen(last))
		}
	}
	for n, req := range sums.Requests() {
		if got := counted(req); got > 4000 || strings.Contains(seen(req), "Where?") {
			t.Errorf("summary %d is made of %d tokens: %.100s", n, got, seen(req))
		}
	}
	if second := seen(sums.Requests()[1]); !strings.Contains(second, "Sum 1.") || strings.Contains(second, "look of 1.") {
		t.Errorf("the second summary is made of %.300s", second)
	}
}

// A later turn has the summary in the place of what it sums up, and results keep supporting answers.
func TestASummaryStands(t *testing.T) {
	sums := &llmtest.Script{Answers: map[string][]llmtest.Answer{"summarise": {text("Old.")}}}
	m := says(text(strings.Repeat("One. ", 30)), text("Two."), text("Three."), text("Four."))
	app := compile(t, m, nil, &react.Options{Before: []react.Step{react.Summarise(sums, 60, 1)}})
	for _, said := range []string{"First?", "Second?", "Third?", "Fourth?"} {
		run(t, app, said)
	}
	if got, want := seen(m.Requests()[3]), "user Summary of the conversation so far:\nOld.\nuser Third?\nassistant Three.\nuser Fourth?\n"; got != want || sums.Total() != 1 {
		t.Errorf("after %d summaries %q", sums.Total(), got)
	}
	snap, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(snap.State.Messages, func(m react.Message) bool { return m.Sum != nil })
	if got := fmt.Sprint(snap.State.Messages[at].Sum.For); got != "[m1 m3 m6 m8]" || len(snap.State.Messages) != 9 {
		t.Errorf("the summary is for %s\n%s", got, shown(snap.State))
	}
}

// A model may keep a request: later rounds and other runs of the agent do not change it.
func TestRequestsAreNotChanged(t *testing.T) {
	type held struct {
		req llm.Request
		was string
	}
	var all []held
	m := keeps(func(req llm.Request) llm.Response {
		data, err := json.Marshal(req.Messages)
		if err != nil {
			t.Error(err)
		}
		all = append(all, held{req, string(data)})
		if n := len(req.Messages); n%11 != 10 {
			return llm.Response{Calls: []llm.ToolCall{{ID: fmt.Sprint("c", n), Name: "look", Arguments: json.RawMessage(fmt.Sprintf(`{"town":"%d"}`, n))}}}
		}
		return llm.Response{Text: "Done."}
	})
	app := compile(t, m, []react.Tool{echo(t, "look")}, &react.Options{Prompt: "P.", MaxRounds: 40})
	for n := range 4 { // two threads in turn
		if _, err := app.Invoke(t.Context(), react.Say(fmt.Sprint("Go ", n)), &graph.RunOptions{Thread: fmt.Sprint(n % 2)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, h := range all {
		if data, err := json.Marshal(h.req.Messages); err != nil || string(data) != h.was {
			t.Errorf("request %d was\n%s, and is\n%s", i, h.was, data)
		}
	}
}

type keeps func(llm.Request) llm.Response

func (f keeps) Generate(_ context.Context, req llm.Request) (llm.Response, error) { return f(req), nil }
