package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

func user(skill, text string) llm.Request {
	return llm.Request{
		Skill: skill, Origin: llm.Origin{SkillHash: "h", Vars: json.RawMessage(`{"q": 1, "a":2}`)}, Schema: json.RawMessage(`{"type":"object"}`),
		Messages: []llm.Message{{Role: llm.System, Text: "Answer what stands in <data-0123abcd>."}, {Role: llm.User, Text: text}},
	}
}

// record makes a cassette of what do asks.
func record(t *testing.T, m llm.Model, opts *cassette.RecordOptions, do func(llm.Model)) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.jsonl")
	rec, err := cassette.Record(file, opts)
	if err != nil {
		t.Fatal(err)
	}
	do(rec.Wrap(m))
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func replay(t *testing.T, file string) *cassette.Player {
	t.Helper()
	p, err := cassette.Replay(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func scripted(answers ...llmtest.Answer) *llmtest.Script {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{"s": answers}}
}

func ask(t *testing.T, m llm.Model, req llm.Request) llm.Response {
	t.Helper()
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Error(err)
	}
	return resp
}

// An answer comes back as it was, calls of tools and odd texts included.
func TestRoundTrip(t *testing.T) {
	calls := []llm.ToolCall{{ID: "1", Name: "f", Arguments: json.RawMessage(`{"a": 1}`)}, {ID: "2", Name: "g", Arguments: json.RawMessage(`{not JSON`)}}
	m := scripted(llmtest.Answer{Text: "“é” <b> & \r\n\t\"x\" \u2028"}, llmtest.Answer{Text: "t", Calls: calls})
	second := user("s", "x")
	second.Messages = append(second.Messages, llm.Message{Role: llm.Assistant, Calls: calls}, llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "1", Name: "f", Text: "2"}, {CallID: "2", Name: "g", Text: "no", Failed: true}}})
	second.Tools = []llm.Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{}`)}}
	var want []llm.Response
	file := record(t, m, nil, func(m llm.Model) { want = append(want, ask(t, m, user("s", "x")), ask(t, m, second)) })
	p := replay(t, file)
	if diff := cmp.Diff(want, []llm.Response{ask(t, p, user("s", "x")), ask(t, p, second)}); diff != "" {
		t.Errorf("responses (-want +got):\n%s", diff)
	}
	if left := p.Unused(); len(left) > 0 {
		t.Errorf("unused %q", left)
	}
	data, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(data), `\u003c`) || strings.Count(string(data), "\n") != 4 {
		t.Errorf("the file is not readable, %v:\n%s", err, data)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if _, err := cassette.Record(file, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("a cassette was overwritten: %v", err)
	}
}

// What is asked is the key: all of it, and nothing else.
func TestKey(t *testing.T) {
	base := func() llm.Request {
		r := user("s", "one\r\ntwo")
		r.Tools = []llm.Tool{{Name: "f", Description: "d", Parameters: json.RawMessage(`{"a":1}`)}}
		return r
	}
	file := record(t, scripted(llmtest.Answer{Text: "a"}), nil, func(m llm.Model) { ask(t, m, base()) })
	for name, change := range map[string]func(*llm.Request){
		"line ends": func(r *llm.Request) { r.Messages[1].Text = "one\ntwo" },
		"key order": func(r *llm.Request) { r.Vars = json.RawMessage(`{"a":2,"q":1}`) },
		"spaces":    func(r *llm.Request) { r.Schema = json.RawMessage("{ \"type\" :\n\"object\"}") },
		"streaming": func(r *llm.Request) { r.OnText = func(llm.Chunk) {} },
	} {
		req := base()
		change(&req)
		if _, err := replay(t, file).Generate(t.Context(), req); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, tc := range map[string]struct {
		change func(*llm.Request)
		says   string
	}{
		"skill":   {func(r *llm.Request) { r.Skill = "other" }, "another skill"},
		"shifted": {func(r *llm.Request) { r.Skill, r.SkillHash = "sh", "" }, "another skill"},
		"hash":    {func(r *llm.Request) { r.SkillHash = "i" }, "skill's file has changed"},
		"text":    {func(r *llm.Request) { r.Messages[1].Text = "one three" }, `message 2 (user) from word 2 on is "one two" there and "one three" here`},
		"mark": {func(r *llm.Request) {
			r.Messages[0].Text = strings.ReplaceAll(r.Messages[0].Text, "0123abcd", "ffffffff")
		}, "marks of data"},
		"case":        {func(r *llm.Request) { r.Messages[1].Text = "One\ntwo" }, `"One two" here`},
		"role":        {func(r *llm.Request) { r.Messages[1].Role = llm.Assistant }, "of user there and of assistant here"},
		"more":        {func(r *llm.Request) { r.Messages = append(r.Messages, llm.Message{Role: llm.User}) }, "2 messages there and 3 here"},
		"input":       {func(r *llm.Request) { r.Vars = json.RawMessage(`{"q":1,"a":3}`) }, "input has changed"},
		"number":      {func(r *llm.Request) { r.Vars = json.RawMessage(`{"q":1,"a":2.0}`) }, "input has changed"},
		"schema":      {func(r *llm.Request) { r.Schema = nil }, "schema"},
		"tools":       {func(r *llm.Request) { r.Tools[0].Description = "e" }, "tools have changed"},
		"no tools":    {func(r *llm.Request) { r.Tools = nil }, "tools have changed"},
		"moved words": {func(r *llm.Request) { r.Messages[0].Text, r.Messages[1].Text = r.Messages[0].Text+" one", "two" }, "message 1 (system) from word 6"},
	} {
		req := base()
		tc.change(&req)
		p := replay(t, file)
		_, err := p.Generate(t.Context(), req)
		e, ok := errors.AsType[*cassette.UnknownRequestError](err)
		if !ok || e.Used != 0 || e.Nearest != `call 1, skill "s"` || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.Unused()) != 1 {
			t.Errorf("%s: the recording was used", name)
		}
	}
}

func TestNearest(t *testing.T) {
	words := strings.Repeat("word ", 3000)
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{"s": slices.Repeat([]llmtest.Answer{{Text: "a"}}, 4), "t": {{Text: "a"}}}}
	file := record(t, m, nil, func(m llm.Model) {
		for _, text := range []string{"What is battery?", "What is hearsay and when is it admitted?", words + "x", "a b c d e f g h i j k l"} {
			ask(t, m, user("s", text))
		}
		ask(t, m, user("t", "What is privilege and when is it lost?"))
	})
	for text, want := range map[string]string{
		"What is privilege and when is it lost?":   `call 2, skill "s"`, // the other skill has it word by word
		"What is arson?":                           `call 1, skill "s"`,
		words + "y":                                `call 3, skill "s"`,
		"z b c d e f g h i j k z":                  `call 4, skill "s"`,
		strings.Repeat("other ", 2000) + " things": `call 4, skill "s"`,
	} {
		start := time.Now()
		_, err := replay(t, file).Generate(t.Context(), user("s", text))
		e, ok := errors.AsType[*cassette.UnknownRequestError](err)
		if !ok || text[0] != 'o' && e.Nearest != want || len(e.Difference) > 400 || time.Since(start) > 5*time.Second {
			t.Errorf("%.40q: %v", text, err)
		}
	}
	empty := record(t, m, nil, func(llm.Model) {})
	if _, err := replay(t, empty).Generate(t.Context(), user("s", "x")); err == nil || !strings.Contains(err.Error(), "nor any other") {
		t.Errorf("an empty cassette: %v", err)
	}
}

// Equal requests get their recordings in order, each once.
func TestEachOnce(t *testing.T) {
	m := scripted(llmtest.Answer{Text: "1"}, llmtest.Answer{Text: "2"}, llmtest.Answer{Text: "3"})
	file := record(t, m, nil, func(m llm.Model) {
		ask(t, m, user("s", "x"))
		ask(t, m, user("s", "y"))
		ask(t, m, user("s", "x"))
	})
	p := replay(t, file)
	if got := ask(t, p, user("s", "x")).Text; got != "1" {
		t.Errorf("first %q", got)
	}
	if got, want := p.Unused(), []string{`call 2, skill "s"`, `call 3, skill "s"`}; !slices.Equal(got, want) {
		t.Errorf("unused %q; want %q", got, want)
	}
	if got := ask(t, p, user("s", "x")).Text; got != "3" {
		t.Errorf("second %q", got)
	}
	_, err := p.Generate(t.Context(), user("s", "x"))
	if e, ok := errors.AsType[*cassette.UnknownRequestError](err); !ok || e.Used != 2 || !strings.Contains(err.Error(), "no further") {
		t.Errorf("third: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Generate(ctx, user("s", "y")); !errors.Is(err, context.Canceled) || len(p.Unused()) != 1 {
		t.Errorf("a call with an ended context: %v, unused %q", err, p.Unused())
	}
}

// slowFirst answers with what it was asked, the earlier calls later, so that
// the file's lines are not in the order of the calls.
type slowFirst struct {
	mu    sync.Mutex
	calls int
	last  chan struct{}
}

func (m *slowFirst) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	m.mu.Lock()
	m.calls++
	n, last := m.calls, m.last
	m.mu.Unlock()
	if n == 1 {
		<-last
	} else {
		close(last)
	}
	return llm.Response{Text: fmt.Sprint(n), Model: "m"}, nil
}

// The order is that in which calls began, not that of their ends.
func TestOrderOfRecording(t *testing.T) {
	slow := &slowFirst{last: make(chan struct{})}
	file := record(t, slow, nil, func(m llm.Model) {
		var wg sync.WaitGroup
		wg.Go(func() { ask(t, m, user("s", "x")) })
		for begun := 0; begun == 0; time.Sleep(time.Millisecond) {
			slow.mu.Lock()
			begun = slow.calls
			slow.mu.Unlock()
		}
		ask(t, m, user("s", "x"))
		wg.Wait()
	})
	p := replay(t, file)
	if first, second := ask(t, p, user("s", "x")).Text, ask(t, p, user("s", "x")).Text; first != "1" || second != "2" {
		t.Errorf("replayed %q, %q", first, second)
	}
}

// Recording and replaying side by side: each request has its own answer.
func TestConcurrently(t *testing.T) {
	const n = 64
	echo := llmtest.Script{Answers: map[string][]llmtest.Answer{}}
	for i := range n {
		echo.Answers[fmt.Sprint(i)] = []llmtest.Answer{{Text: fmt.Sprint("answer ", i)}}
	}
	all := func(m llm.Model, order func(int) int) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				who := fmt.Sprint(order(i))
				if resp, err := m.Generate(t.Context(), user(who, "x")); err != nil || resp.Text != "answer "+who {
					t.Errorf("%s: %+v, %v", who, resp, err)
				}
			})
		}
		wg.Wait()
	}
	file := record(t, &echo, nil, func(m llm.Model) { all(m, func(i int) int { return i }) })
	p := replay(t, file)
	all(p, func(i int) int { return n - 1 - i })
	if left := p.Unused(); len(left) > 0 {
		t.Errorf("unused %q", left)
	}
}

func TestStreams(t *testing.T) {
	m := scripted(llmtest.Answer{Chunks: []string{"x"}, Err: &llm.StatusError{Status: 503}}, llmtest.Answer{Text: "ab", Chunks: []string{"a", "b"}}, llmtest.Answer{Text: "cd"})
	req := func(text string, to *[]llm.Chunk) llm.Request {
		r := user("s", text)
		if to != nil {
			r.OnText = func(c llm.Chunk) { *to = append(*to, c) }
		}
		return r
	}
	var recorded, whole []llm.Chunk
	file := record(t, llm.Retry(&llm.RetryOptions{Base: 1, JitterMax: -1})(m), nil, func(m llm.Model) {
		ask(t, m, req("streamed", &recorded))
		ask(t, m, req("whole", nil))
	})
	want := []llm.Chunk{{Text: "x"}, {Text: "a", Again: true}, {Text: "b"}}
	p := replay(t, file)
	var got []llm.Chunk
	ask(t, p, req("streamed", &got))
	ask(t, p, req("whole", &whole))
	if diff := cmp.Diff(want, recorded) + cmp.Diff(want, got) + cmp.Diff([]llm.Chunk{{Text: "cd"}}, whole); diff != "" {
		t.Error(diff)
	}
	if resp := ask(t, replay(t, file), req("streamed", nil)); resp.Text != "ab" {
		t.Errorf("nobody listens: %+v", resp)
	}
}

func TestRecorderIsClosed(t *testing.T) {
	rec, err := cassette.Record(filepath.Join(t.TempDir(), "c"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	}
	m := scripted(llmtest.Answer{Text: "a"})
	if _, err := rec.Wrap(m).Generate(t.Context(), user("s", "x")); err == nil || m.Total() != 0 {
		t.Errorf("a closed recorder let a call through: %v", err)
	}
}

// A call that its caller ended is not the model's answer.
func TestEndedCallsAreNotRecorded(t *testing.T) {
	file := record(t, scripted(llmtest.Answer{Text: "a"}), nil, func(m llm.Model) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Generate(ctx, user("s", "x")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	if left := replay(t, file).Unused(); len(left) > 0 {
		t.Errorf("recorded %q", left)
	}
}

// A player is a model like others.
func TestPlayerIsAModel(t *testing.T) {
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{skills.DetectPromptInjection: slices.Repeat([]llmtest.Answer{{Text: "{}"}}, llmtest.SuiteCalls)}}
	file := record(t, m, nil, func(m llm.Model) { llmtest.TestModel(t, m) })
	p := replay(t, file)
	llmtest.TestModel(t, p)
	if left := p.Unused(); len(left) > 1 { // the empty request, which is an error
		t.Errorf("unused %q", left)
	}
}

// What a call cost, and why another model answered it, are told again; but a
// replay spends nothing.
func TestReceipts(t *testing.T) {
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	classify, err := set.Get(skills.ClassifyAndRoute)
	if err != nil {
		t.Fatal(err)
	}
	const why, key = "openai answered 503 Service Unavailable: token=", "abcdefgh"
	answers := func(answer llmtest.Answer) *llmtest.Script {
		return &llmtest.Script{Answers: map[string][]llmtest.Answer{classify.Name: {answer}}}
	}
	good := llmtest.Answer{Text: `{"query_type":"simple","reason":"r"}`}
	for name, tc := range map[string]struct {
		model    llm.Model
		unpriced int
		fallback string
	}{
		"priced":   {llm.Priced(llm.Prices{"m": {Input: 1000}}, "m")(answers(good)), 0, ""},
		"unpriced": {llm.Priced(llm.Prices{}, "m")(answers(good)), 1, ""},
		"fallback": {llm.Fallback(llm.Priced(llm.Prices{"m": {Input: 1000}}, "m")(answers(good)))(answers(llmtest.Answer{Err: &llm.StatusError{Provider: "openai", Status: 503, Message: "token=" + key}})), 0, why + "[key]"},
		"free":     {answers(good), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ask := func(m llm.Model) (state.ModelUsage, string) {
				var made event.Call
				usage := inNode(t, func(ctx context.Context) state.ModelUsage {
					_, usage, err := llm.Ask[skills.ClassifyOutput](ctx, m, classify, skills.ClassifyInput{Question: "q"})
					if err != nil {
						t.Error(err)
					}
					return usage
				}, &made)
				return usage, made.Fallback
			}
			var then state.ModelUsage
			file := record(t, tc.model, nil, func(m llm.Model) { then, _ = ask(m) })
			now, fallback := ask(replay(t, file))
			if then.Unpriced != tc.unpriced || then.RecordedCost != 0 || (then.Cost == 0) != (name == "unpriced" || name == "free") {
				t.Errorf("recorded as %+v", then)
			}
			if now.Cost != 0 || now.Unpriced != 0 || now.RecordedCost != then.Cost || now.RecordedUnpriced != then.Unpriced || fallback != tc.fallback {
				t.Errorf("replayed as %+v, fallback %q; recorded as %+v", now, fallback, then)
			}
			if data, err := os.ReadFile(file); err != nil || strings.Contains(string(data), key) {
				t.Errorf("%v: the key is in %s", err, data)
			}
		})
	}
}

// inNode calls ask in a node and reads the call that it published.
func inNode(t *testing.T, ask func(context.Context) state.ModelUsage, made *event.Call) (usage state.ModelUsage) {
	t.Helper()
	type nothing struct{ N int }
	n := graph.LastValue("n", func(s *nothing) *int { return &s.N })
	g := graph.NewStateGraph[nothing](n)
	g.AddNode("ask", func(ctx context.Context, _ nothing) (graph.Update[nothing], error) {
		usage = ask(ctx)
		return nil, nil
	})
	g.AddEdge(graph.Start, "ask")
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range app.Stream(t.Context(), graph.Update[nothing]{n.Set(1)}, &graph.RunOptions{Modes: graph.Custom}) {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == graph.NodeCustom && ev.Name == event.ModelCall {
			if err := json.Unmarshal(ev.Data, made); err != nil {
				t.Fatal(err)
			}
		}
	}
	return usage
}
