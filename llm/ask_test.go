package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

const simple = `{"query_type":"simple","reason":"one rule"}`

func skill(t testing.TB, name string) skills.Skill {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func script(skill string, answers ...llmtest.Answer) *llmtest.Script {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{skill: answers}}
}

func classify(ctx context.Context, t testing.TB, m llm.Model) (skills.ClassifyOutput, state.ModelUsage, error) {
	return llm.Ask[skills.ClassifyOutput](ctx, m, skill(t, skills.ClassifyAndRoute), skills.ClassifyInput{Question: "What is <b> & c?"})
}

func TestAskAnswers(t *testing.T) {
	for name, text := range map[string]string{
		"plain":           simple,
		"space around":    "\n " + simple + "\n",
		"fence":           "```json\n" + simple + "\n```",
		"bare fence":      "```\n" + simple + "\n```",
		"fence in a line": "```json" + simple + "```",
		"fence opens":     "```json" + simple + "\n```",
		"prose around":    "Here it is:\n```json\n" + simple + "\n```\nDone.",
	} {
		t.Run(name, func(t *testing.T) {
			m := script(skills.ClassifyAndRoute, llmtest.Answer{Text: text})
			out, usage, err := classify(t.Context(), t, m)
			if err != nil {
				t.Fatal(err)
			}
			if want := (skills.ClassifyOutput{QueryType: "simple", Reason: "one rule"}); out != want {
				t.Errorf("got %+v; want %+v", out, want)
			}
			if usage.Calls != 1 || usage.ParseFailures != 0 || usage.OutputChars != len(text) || usage.InputChars == 0 || usage.InputTokens == 0 || usage.OutputTokens == 0 {
				t.Errorf("usage %+v", usage)
			}
			req := m.Requests()[0]
			if string(req.Vars) != `{"question":"What is <b> & c?"}` {
				t.Errorf("vars %s", req.Vars)
			}
			if len(req.Messages) != 2 || req.Messages[0].Role != llm.System || req.Messages[1].Role != llm.User || req.SkillHash == "" || req.Schema == nil {
				t.Errorf("request %+v", req)
			}
		})
	}
}

func TestAskRepairs(t *testing.T) {
	for name, c := range map[string]struct{ text, complaint string }{
		"no JSON":       {"it is simple", "not one JSON value"},
		"two values":    {simple + simple, "not one JSON value"},
		"wrong enum":    {`{"query_type":"hard","reason":"r"}`, "simple"},
		"missing field": {`{"query_type":"simple"}`, "reason"},
		"extra field":   {`{"query_type":"simple","reason":"r","x":1}`, "x"},
		"blank":         {" ", "blank"},
	} {
		t.Run(name, func(t *testing.T) {
			m := script(skills.ClassifyAndRoute, llmtest.Answer{Text: c.text}, llmtest.Answer{Text: simple})
			out, usage, err := classify(t.Context(), t, m)
			if err != nil {
				t.Fatal(err)
			}
			if out.QueryType != "simple" || usage.Calls != 2 || usage.ParseFailures != 1 {
				t.Errorf("got %+v, %+v", out, usage)
			}
			msgs := m.Requests()[1].Messages
			if len(msgs) != 4 || msgs[2].Role != llm.Assistant || msgs[2].Text != c.text {
				t.Fatalf("repair messages %+v", msgs)
			}
			if repair := msgs[3].Text; !strings.Contains(repair, c.complaint) || strings.Contains(repair, "assay.invalid") {
				t.Errorf("repair prompt %q; want %q in it, and no internal address", repair, c.complaint)
			}
		})
	}
}

func TestAskGivesUp(t *testing.T) {
	long := strings.Repeat("é", 900)
	m := script(skills.ClassifyAndRoute, llmtest.Answer{Text: "no"}, llmtest.Answer{Text: long})
	out, usage, err := classify(t.Context(), t, m)
	bad, ok := errors.AsType[*llm.ParseError](err)
	if !ok || bad.Skill != skills.ClassifyAndRoute || bad.Err == nil {
		t.Fatalf("error %v; want a ParseError", err)
	}
	if len(bad.Text) > 500 || !strings.HasPrefix(bad.Text, "éé") || !strings.HasSuffix(bad.Text, "…") {
		t.Errorf("text of %d bytes: %q", len(bad.Text), bad.Text)
	}
	if usage.Calls != 2 || usage.ParseFailures != 2 || out != (skills.ClassifyOutput{}) {
		t.Errorf("usage %+v, out %+v", usage, out)
	}
}

func TestAskModelErrors(t *testing.T) {
	broken := errors.New("no route to host")
	for name, answers := range map[string][]llmtest.Answer{
		"first call": {{Err: broken}},
		"repair":     {{Text: "no"}, {Err: broken}},
	} {
		t.Run(name, func(t *testing.T) {
			_, usage, err := classify(t.Context(), t, script(skills.ClassifyAndRoute, answers...))
			if !errors.Is(err, broken) || !strings.Contains(err.Error(), skills.ClassifyAndRoute) {
				t.Errorf("error %v", err)
			}
			if usage.Calls != len(answers) {
				t.Errorf("usage %+v; want %d calls", usage, len(answers))
			}
		})
	}
}

func TestAskRefusesBadSkills(t *testing.T) {
	m := script("x")
	text := skill(t, skills.SynthesizeAndCite)
	if _, _, err := llm.Ask[skills.PlanOutput](t.Context(), m, text, skills.SynthesizeInput{}); err == nil || !strings.Contains(err.Error(), "AskText") {
		t.Errorf("Ask of a text skill: %v", err)
	}
	if _, _, err := llm.AskText(t.Context(), m, skill(t, skills.PlanSynthesis), skills.PlanInput{}); err == nil || !strings.Contains(err.Error(), "use Ask") {
		t.Errorf("AskText of a JSON skill: %v", err)
	}
	broken := skill(t, skills.PlanSynthesis)
	broken.Schema = json.RawMessage(`{"type":"nonsense"}`)
	if _, _, err := llm.Ask[skills.PlanOutput](t.Context(), m, broken, skills.PlanInput{}); err == nil || !strings.Contains(err.Error(), "schema") {
		t.Errorf("Ask with a broken schema: %v", err)
	}
	if _, _, err := llm.Ask[skills.PlanOutput](t.Context(), m, skill(t, skills.QueryRewrite), skills.PlanInput{}); err == nil || !strings.Contains(err.Error(), "input") {
		t.Errorf("Ask with another skill's input: %v", err)
	}
	if m.Total() != 0 {
		t.Errorf("%d calls were made", m.Total())
	}
}

func TestAskText(t *testing.T) {
	s := skill(t, skills.SynthesizeAndCite)
	in := skills.SynthesizeInput{Question: "q", Sources: []skills.Source{}}
	m := script(s.Name, llmtest.Answer{Text: " \n"}, llmtest.Answer{Text: "answer\n"}, llmtest.Answer{}, llmtest.Answer{})
	text, usage, err := llm.AskText(t.Context(), m, s, in)
	if err != nil || text != "answer\n" || usage.Calls != 2 || usage.ParseFailures != 1 {
		t.Errorf("got %q, %+v, %v", text, usage, err)
	}
	_, usage, err = llm.AskText(t.Context(), m, s, in)
	if _, ok := errors.AsType[*llm.ParseError](err); !ok || usage.ParseFailures != 2 {
		t.Errorf("blank twice: %v, %+v", err, usage)
	}
}

// An answer to a request of one's own is a text or calls of the tools that were
// offered. A blank one is asked for once more, and the request stays as it was.
func TestGenerate(t *testing.T) {
	call := llmtest.Answer{Calls: []llm.ToolCall{{ID: "1", Name: "look"}}}
	blank := llmtest.Answer{Text: " "}
	offered := []llm.Tool{{Name: "look"}}
	for name, tc := range map[string]struct {
		answers  []llmtest.Answer
		tools    []llm.Tool
		text     string
		calls    int
		failures int
	}{
		"a text":                 {[]llmtest.Answer{{Text: "a"}}, offered, "a", 0, 0},
		"calls":                  {[]llmtest.Answer{call}, offered, "", 1, 0},
		"blank, then a text":     {[]llmtest.Answer{blank, {Text: "a"}}, nil, "a", 0, 1},
		"blank, then calls":      {[]llmtest.Answer{blank, call}, offered, "", 1, 1},
		"blank twice":            {[]llmtest.Answer{blank, blank}, offered, "", 0, 2},
		"calls without a tool":   {[]llmtest.Answer{call, {Text: "a"}}, nil, "a", 0, 1},
		"calls beside an answer": {[]llmtest.Answer{{Text: "a", Calls: call.Calls}}, nil, "a", 1, 0},
	} {
		m := script("own", tc.answers...)
		messages := make([]llm.Message, 1, 8)
		messages[0] = llm.Message{Role: llm.User, Text: "q"}
		resp, usage, err := llm.Generate(t.Context(), m, llm.Request{Skill: "own", Messages: messages, Tools: tc.tools})
		if resp.Text != tc.text || len(resp.Calls) != tc.calls || usage.Calls != len(tc.answers) || usage.ParseFailures != tc.failures || errors.As(err, new(*llm.ParseError)) != (tc.failures == 2) {
			t.Errorf("%s: %+v, %+v, %v", name, resp, usage, err)
		}
		if behind := messages[:2][1]; behind.Text != "" {
			t.Errorf("%s: %q was written behind the caller's messages", name, behind.Text)
		}
		if last := m.Requests()[m.Total()-1].Messages; len(last) != 2*len(tc.answers)-1 || tc.failures == 0 && len(last) != 1 {
			t.Errorf("%s: asked with %+v", name, last)
		}
	}
}

// inNode runs do in the node of a graph and hands the events of the run to see.
func inNode(t *testing.T, modes graph.Mode, do func(context.Context) error, see func(kind graph.EventKind, name, text string, data json.RawMessage)) {
	t.Helper()
	type counter struct {
		N int `json:"n"`
	}
	n := graph.LastValue("n", func(s *counter) *int { return &s.N })
	g := graph.NewStateGraph[counter](n)
	g.AddNode("ask", func(ctx context.Context, _ counter) (graph.Update[counter], error) {
		return graph.Update[counter]{n.Set(1)}, do(ctx)
	})
	g.AddEdge(graph.Start, "ask")
	g.AddEdge("ask", graph.End)
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range app.Stream(t.Context(), graph.Update[counter]{n.Set(0)}, &graph.RunOptions{Modes: modes}) {
		if err != nil {
			t.Fatal(err)
		}
		see(ev.Kind, ev.Name, ev.Text, ev.Data)
	}
}

// callEvents runs do in a node and returns the model calls that it published.
func callEvents(t *testing.T, do func(context.Context) error) []event.Call {
	t.Helper()
	var events []event.Call
	inNode(t, graph.Custom, do, func(kind graph.EventKind, name, _ string, data json.RawMessage) {
		if kind != graph.NodeCustom || name != event.ModelCall {
			return
		}
		if strings.Contains(string(data), "SECRET") || strings.Contains(string(data), "What is") {
			t.Errorf("the event shows prompt or answer: %s", data)
		}
		var e event.Call
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	})
	return events
}

// TestCallEvents runs Ask in a node and reads the stream.
func TestCallEvents(t *testing.T) {
	m := script(skills.ClassifyAndRoute, llmtest.Answer{Text: "SECRET no"}, llmtest.Answer{Text: simple}, llmtest.Answer{Err: errors.New("down")})
	events := callEvents(t, func(ctx context.Context) error {
		if _, _, err := classify(ctx, t, m); err != nil {
			return err
		}
		if _, _, err := classify(ctx, t, m); err == nil {
			return errors.New("the scripted error did not come")
		}
		return nil
	})
	type seen struct {
		OK, Repaired, Failed bool
		Model                string
	}
	var got []seen
	for _, e := range events {
		got = append(got, seen{e.OK, e.Repaired, e.Error != "", e.Model})
		if e.Skill != skills.ClassifyAndRoute || e.SkillHash == "" || e.Usage.Calls != 1 {
			t.Errorf("event %+v", e)
		}
	}
	want := []seen{{false, false, true, "script"}, {true, true, false, "script"}, {false, false, true, ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// Below Verbatim events hold what was said, with texts that are cut and without pictures.
func TestVerbatim(t *testing.T) {
	long := strings.Repeat("é", 40_000)
	m := script("", llmtest.Answer{Text: long, Calls: []llm.ToolCall{{Name: "f", Arguments: json.RawMessage(`{"x"`)}}})
	var got *event.Said
	inNode(t, graph.Custom, func(ctx context.Context) error {
		_, _, err := llm.Generate(llm.Verbatim(ctx), m, llm.Request{Messages: []llm.Message{{Role: llm.User, Text: long, Images: []llm.Image{{MediaType: "image/png", Data: []byte("SECRET")}}}}})
		return err
	}, func(_ graph.EventKind, _, _ string, data json.RawMessage) {
		var e event.Call
		if err := json.Unmarshal(data, &e); err != nil {
			t.Fatal(err)
		}
		got = e.Said
	})
	if got == nil || len(got.Messages) != 1 || len(got.Calls) != 1 {
		t.Fatalf("said %+v", got)
	}
	const most = 64 << 10
	if n := len(got.Messages[0].Text); n > most || n < most-4 || len(got.Answer) > most || len(got.Messages[0].Images[0].Data) > 0 || string(got.Calls[0].Arguments) != `"{\"x\""` || got.Cassette {
		t.Errorf("%d bytes of prompt, %d of answer, picture %q, arguments %s", n, len(got.Answer), got.Messages[0].Images[0].Data, got.Calls[0].Arguments)
	}
}

func FuzzAsk(f *testing.F) {
	f.Add(simple)
	f.Add("```json\n{}\n```")
	f.Add("``````")
	f.Add("{\"query_type\":")
	s := skill(f, skills.ClassifyAndRoute)
	f.Fuzz(func(t *testing.T, text string) {
		m := script(s.Name, llmtest.Answer{Text: text}, llmtest.Answer{Text: text})
		out, usage, err := llm.Ask[skills.ClassifyOutput](t.Context(), m, s, skills.ClassifyInput{})
		if err == nil && out.QueryType != "simple" && out.QueryType != "multi_hop" {
			t.Errorf("accepted %+v", out)
		}
		if _, ok := errors.AsType[*llm.ParseError](err); err != nil && (!ok || usage.Calls != 2) {
			t.Errorf("error %v after %d calls", err, usage.Calls)
		}
	})
}

func ExampleAsk() {
	set, err := skills.Load(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	route, err := set.Get(skills.ClassifyAndRoute)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
		skills.ClassifyAndRoute: {{Text: "I think it is simple."}, {Text: `{"query_type":"simple","reason":"one rule"}`}},
	}}
	out, usage, err := llm.Ask[skills.ClassifyOutput](context.Background(), m, route, skills.ClassifyInput{Question: "What is hearsay?"})
	fmt.Println(out.QueryType, usage.Calls, usage.ParseFailures, err)
	// Output: simple 2 1 <nil>
}
