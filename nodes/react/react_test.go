package react_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	storememory "example.com/assay/graph/store/memory"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// says is a scripted model.
func says(answers ...llmtest.Answer) *llmtest.Script {
	return &llmtest.Script{Answers: map[string][]llmtest.Answer{"agent": answers}}
}

// calls is an answer that calls tools; each call is "name arguments".
func calls(list ...string) llmtest.Answer {
	var out llmtest.Answer
	for i, c := range list {
		name, arguments, _ := strings.Cut(c, " ")
		out.Calls = append(out.Calls, llm.ToolCall{ID: fmt.Sprint("c", i+1), Name: name, Arguments: json.RawMessage(arguments)})
	}
	return out
}

func text(s string) llmtest.Answer { return llmtest.Answer{Text: s} }

type town struct {
	Town string `json:"town"`
}

// tool makes a tool over towns.
func tool(t *testing.T, name string, fn func(context.Context, town) (string, error)) react.Tool {
	t.Helper()
	made, err := llm.NewTool(name, "Looks something up in a town.", fn)
	if err != nil {
		t.Fatal(err)
	}
	return react.Tool{Callable: made}
}

func echo(t *testing.T, name string) react.Tool {
	return tool(t, name, func(_ context.Context, in town) (string, error) { return name + " of " + in.Town, nil })
}

func compile(t *testing.T, m llm.Model, tools []react.Tool, opts *react.Options) *graph.Compiled[react.State] {
	t.Helper()
	g, err := react.New(m, tools, opts)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent", Checkpointer: memory.New()})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

var onThread = &graph.RunOptions{Thread: "t"}

func run(t *testing.T, app *graph.Compiled[react.State], said string) react.State {
	t.Helper()
	out, err := app.Invoke(t.Context(), react.Say(said), onThread)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// shown is a conversation, a line for each message.
func shown(s react.State) string {
	var b strings.Builder
	for _, m := range s.Messages {
		fmt.Fprintf(&b, "%s %s", m.ID, m.Role)
		if m.Text != "" {
			fmt.Fprintf(&b, " %q", m.Text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, " %s=%s(%s)", c.ID, c.Name, c.Arguments)
		}
		for _, r := range m.Results {
			fmt.Fprintf(&b, " %s=%q", r.CallID, r.Text)
			if r.Failed {
				b.WriteString("!")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func expect(t *testing.T, s react.State, want string) {
	t.Helper()
	if got := shown(s); got != strings.TrimLeft(want, "\n") {
		t.Errorf("got\n%swant%s", got, want)
	}
}

func TestAnswerWithoutTools(t *testing.T) {
	m := says(text("Hello."))
	s := run(t, compile(t, m, nil, &react.Options{Prompt: "Be kind."}), "Hi")
	expect(t, s, `
m1 user "Hi"
m2 assistant "Hello."
`)
	if got := m.Requests()[0].Messages; len(got) != 2 || got[0].Role != llm.System || got[0].Text != "Be kind." {
		t.Errorf("asked with %+v", got)
	}
	if react.Answer(s) != "Hello." || s.Usage.Calls != 1 {
		t.Errorf("answer %q, usage %+v", react.Answer(s), s.Usage)
	}
}

func TestResultsStandInTheOrderOfTheCalls(t *testing.T) {
	slow := tool(t, "slow", func(ctx context.Context, in town) (string, error) {
		time.Sleep(20 * time.Millisecond)
		return "slow of " + in.Town, nil
	})
	m := says(calls(`slow {"town":"Oslo"}`, `fast {"town":"Rome"}`, `slow {"town":"Bern"}`), text("Done."))
	s := run(t, compile(t, m, []react.Tool{slow, echo(t, "fast")}, nil), "Go")
	expect(t, s, `
m1 user "Go"
m2 assistant c1=slow({"town":"Oslo"}) c2=fast({"town":"Rome"}) c3=slow({"town":"Bern"})
m2.c1 tool c1="slow of Oslo"
m2.c2 tool c2="fast of Rome"
m2.c3 tool c3="slow of Bern"
m6 assistant "Done."
`)
	second := m.Requests()[1].Messages
	if len(second) != 3 || len(second[2].Results) != 3 || second[2].Results[1].CallID != "c2" {
		t.Errorf("the model was asked again with %+v", second)
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	var now, peak atomic.Int32
	wait := tool(t, "wait", func(ctx context.Context, in town) (string, error) {
		peak.Store(max(peak.Load(), now.Add(1)))
		defer now.Add(-1)
		time.Sleep(10 * time.Millisecond)
		return in.Town, nil
	})
	four := calls(`wait {"town":"a"}`, `wait {"town":"b"}`, `wait {"town":"c"}`, `wait {"town":"d"}`)
	run(t, compile(t, says(four, text("x")), []react.Tool{wait}, nil), "Go")
	if peak.Load() < 2 {
		t.Errorf("%d at once", peak.Load())
	}
	for _, atOnce := range []int{1, 2} {
		peak.Store(0)
		limited := wait
		limited.AtOnce = atOnce
		s := run(t, compile(t, says(four, text("x")), []react.Tool{limited}, nil), "Go")
		if int(peak.Load()) > atOnce || len(s.Messages) != 7 || s.Messages[5].Results[0].Text != "d" {
			t.Errorf("at most %d: %d at once\n%s", atOnce, peak.Load(), shown(s))
		}
	}
	// A limit of all tools together keeps the order of the calls.
	var order []string
	first := tool(t, "first", func(_ context.Context, in town) (string, error) {
		time.Sleep(time.Millisecond)
		order = append(order, in.Town)
		return in.Town, nil
	})
	second := tool(t, "second", func(_ context.Context, in town) (string, error) { order = append(order, in.Town); return in.Town, nil })
	mixed := calls(`first {"town":"a"}`, `second {"town":"b"}`, `none {}`, `first {"town":"c"}`, `second {"town":"d"}`)
	run(t, compile(t, says(mixed, text("x")), []react.Tool{first, second}, &react.Options{AtOnce: 1}), "Go")
	if strings.Join(order, "") != "abcd" {
		t.Errorf("ran in the order %v", order)
	}
}

// What is wrong with a call is its result, for the model to mend.
func TestCallsThatGoWrong(t *testing.T) {
	broken := tool(t, "broken", func(context.Context, town) (string, error) { return "", errors.New("no such town") })
	panics := tool(t, "panics", func(context.Context, town) (string, error) { panic("oh") })
	slow := tool(t, "slow", func(ctx context.Context, _ town) (string, error) { <-ctx.Done(); return "", ctx.Err() })
	slow.Timeout = graph.Timeout{Run: 5 * time.Millisecond}
	m := says(calls(`broken {"town":"x"}`, `panics {"town":"x"}`, `slow {"town":"x"}`, `none {}`, `broken {"city":1}`, `broken not json`), text("Sorry."))
	s := run(t, compile(t, m, []react.Tool{broken, panics, slow}, nil), "Go")
	if react.Answer(s) != "Sorry." || len(s.Messages) != 9 {
		t.Fatal(shown(s))
	}
	for i, want := range []string{"no such town", "the tool panicked: oh", "5ms", `there is no tool "none"; there are: broken, panics, slow`, "do not fit", "not one JSON object"} {
		var r llm.ToolResult
		for _, m := range s.Messages {
			for _, each := range m.Results {
				if each.CallID == fmt.Sprint("c", i+1) {
					r = each
				}
			}
		}
		if !r.Failed || !strings.Contains(r.Text, want) || strings.Contains(r.Text, "node") {
			t.Errorf("call %d: %+v; want %q", i+1, r, want)
		}
	}
}

func TestAToolMayStopTheRun(t *testing.T) {
	broken := tool(t, "broken", func(context.Context, town) (string, error) { return "", errors.New("disk full") })
	broken.Stop = true
	app := compile(t, says(calls(`broken {"town":"x"}`)), []react.Tool{broken}, nil)
	if _, err := app.Invoke(t.Context(), react.Say("Go"), onThread); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("error %v", err)
	}
}

func TestRetry(t *testing.T) {
	var n atomic.Int32
	flaky := tool(t, "flaky", func(_ context.Context, in town) (string, error) {
		if n.Add(1) < 3 {
			return "", errors.New("busy")
		}
		return "ok", nil
	})
	flaky.Retry = []graph.RetryPolicy{{MaxAttempts: 3, InitialInterval: time.Millisecond}}
	s := run(t, compile(t, says(calls(`flaky {"town":"x"}`), text("Done.")), []react.Tool{flaky}, nil), "Go")
	if n.Load() != 3 || s.Messages[2].Results[0].Text != "ok" {
		t.Errorf("%d attempts\n%s", n.Load(), shown(s))
	}
}

func TestMostCallsOfATurn(t *testing.T) {
	limited := echo(t, "look")
	limited.Most = 2
	one := calls(`look {"town":"x"}`)
	app := compile(t, says(one, calls(`look {"town":"y"}`, `look {"town":"z"}`), text("Done."), one, text("Again.")), []react.Tool{limited}, nil)
	s := run(t, app, "Go")
	if r := s.Messages[4].Results[0]; !r.Failed || !strings.Contains(r.Text, "2 times in a turn") {
		t.Error(shown(s))
	}
	if s = run(t, app, "And now?"); s.Messages[len(s.Messages)-2].Results[0].Failed {
		t.Errorf("the limit is that of a turn\n%s", shown(s))
	}
}

// A turn that has no end ends without an answer, and says so.
func TestRounds(t *testing.T) {
	one, looked := calls(`look {"town":"x"}`), 0
	look := tool(t, "look", func(context.Context, town) (string, error) { looked++; return "x", nil })
	m := says(one, one, one, text("At last."))
	app := compile(t, m, []react.Tool{look}, &react.Options{MaxRounds: 3})
	s := run(t, app, "Go")
	if react.Answer(s) != "" || !strings.Contains(s.Ended, "asked 3 times") {
		t.Errorf("answer %q, ended %q", react.Answer(s), s.Ended)
	}
	if looked != 2 {
		t.Errorf("%d calls were made; nobody would have read the result of the third", looked)
	}
	if s = run(t, app, "Go on"); react.Answer(s) != "At last." || s.Ended != "" {
		t.Errorf("the next turn: answer %q, ended %q", react.Answer(s), s.Ended)
	}
	asked := m.Requests()[3].Messages
	if r := asked[len(asked)-2].Results; len(r) != 1 || !r[0].Failed || !strings.Contains(r[0].Text, "not made") {
		t.Errorf("the next turn is asked with %+v", asked)
	}
}

// Ids given twice, or not at all, are told apart.
func TestIdsOfCalls(t *testing.T) {
	same := calls(`look {"town":"a"}`, `look {"town":"b"}`, `look {"town":"c"}`)
	same.Calls[1].ID, same.Calls[2].ID = "c1", ""
	s := run(t, compile(t, says(same, text("x")), []react.Tool{echo(t, "look")}, nil), "Go")
	expect(t, s, `
m1 user "Go"
m2 assistant c1=look({"town":"a"}) m2-call2=look({"town":"b"}) m2-call3=look({"town":"c"})
m2.c1 tool c1="look of a"
m2.m2-call2 tool m2-call2="look of b"
m2.m2-call3 tool m2-call3="look of c"
m6 assistant "x"
`)
}

// A question while calls are open, after an edit or a cancelled run, is asked with a
// result for each call.
func TestOpenCallsAreClosed(t *testing.T) {
	asks := echo(t, "look")
	asks.Approve = react.Always
	m := says(calls(`look {"town":"x"}`), text("Never mind."))
	app := compile(t, m, []react.Tool{asks}, nil)
	if _, err := app.Invoke(t.Context(), react.Say("Go"), onThread); !isInterrupted(err) {
		t.Fatal(err)
	}
	s := run(t, app, "Forget it.")
	if react.Answer(s) != "Never mind." {
		t.Fatal(shown(s))
	}
	second := m.Requests()[1].Messages
	if len(second) != 4 || len(second[2].Results) != 1 || !second[2].Results[0].Failed || second[3].Text != "Forget it." {
		t.Errorf("asked with %+v", second)
	}
}

func isInterrupted(err error) bool {
	_, ok := errors.AsType[*graph.InterruptedError](err)
	return ok
}

// approvals runs until the run asks, and returns what it asks.
func approvals(t *testing.T, app *graph.Compiled[react.State], err error) []graph.PendingInterrupt {
	t.Helper()
	asked, ok := errors.AsType[*graph.InterruptedError](err)
	if !ok {
		t.Fatalf("the run asks nothing: %v", err)
	}
	return asked.Pending
}

func TestApprovals(t *testing.T) {
	ran := map[string]int{}
	var mu atomic.Int32
	counted := func(name string) react.Tool {
		return tool(t, name, func(_ context.Context, in town) (string, error) {
			for !mu.CompareAndSwap(0, 1) {
			}
			defer mu.Store(0)
			ran[name+" "+in.Town]++
			return name + " of " + in.Town, nil
		})
	}
	asks := counted("pay")
	asks.Approve = func(c llm.ToolCall) (bool, string) {
		return !strings.Contains(string(c.Arguments), "free"), "it costs money"
	}
	m := says(calls(`look {"town":"a"}`, `pay {"town":"b"}`, `pay {"town":"c"}`, `pay {"town":"d"}`, `pay {"town":"e"}`, `pay {"town":"free"}`), text("Done."))
	app := compile(t, m, []react.Tool{counted("look"), asks}, nil)
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	pending := approvals(t, app, err)
	if len(pending) != 1 || pending[0].Key != react.KeyApproval {
		t.Fatalf("pending %+v", pending)
	}
	var q react.HITLRequest
	if err := json.Unmarshal(pending[0].Payload, &q); err != nil || len(q.Actions) != 4 || len(q.Reviews) != 1 || q.Actions[0].Name != "pay" || !strings.HasSuffix(q.Actions[0].Description, "it costs money") || string(q.Actions[0].Args) != `{"town":"b"}` {
		t.Errorf("%v: %+v", err, q)
	}
	// What needs no decision has run while the person thinks.
	if fmt.Sprint(ran) != "map[look a:1 pay free:1]" {
		t.Errorf("ran %v", ran)
	}
	answer := json.RawMessage(`{"decisions":[{"type":"approve"},{"type":"edit","edited_action":{"name":"pay","args":{"town":"cc"}}},{"type":"reject","message":"too dear"},{"type":"respond","message":"paid in cash"}]}`)
	if _, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(pending[0].ID, answer)}}); err != nil {
		t.Fatal(err)
	}
	snap, err := app.State(t.Context(), graph.Key{Thread: "t"})
	if err != nil {
		t.Fatal(err)
	}
	s := snap.State
	want := map[string]string{
		"c1": "look of a", "c2": "pay of b", "c3": "A person changed the arguments to {\"town\":\"cc\"}.\npay of cc",
		"c4": "a person rejected this call: too dear", "c5": "paid in cash", "c6": "pay of free",
	}
	for _, m := range s.Messages[2:8] {
		if r := m.Results[0]; want[r.CallID] != r.Text || r.Failed != (r.CallID == "c4") {
			t.Errorf("the result is %+v, want %q", r, want[r.CallID])
		}
	}
	if fmt.Sprint(ran) != "map[look a:1 pay b:1 pay cc:1 pay free:1]" {
		t.Errorf("ran %v", ran)
	}
}

// Approved calls over a limit wait, and are not asked about again.
func TestApprovedOneByOne(t *testing.T) {
	asks := echo(t, "pay")
	asks.Approve, asks.AtOnce = react.Always, 2
	app := compile(t, says(calls(`pay {"town":"a"}`, `pay {"town":"b"}`, `pay {"town":"c"}`), text("Done.")), []react.Tool{asks}, &react.Options{AtOnce: 2})
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	var s react.State
	for _, n := range []int{2, 1} {
		pending := approvals(t, app, err)
		var q react.HITLRequest
		if err := json.Unmarshal(pending[0].Payload, &q); err != nil || len(q.Actions) != n {
			t.Fatalf("%v: %d calls, want %d", err, len(q.Actions), n)
		}
		s, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(pending[0].ID, react.Decide(slices.Repeat([]react.Decision{{Type: react.Approve}}, n)...))}})
	}
	if err != nil || react.Answer(s) != "Done." || len(s.Decided) != 0 {
		t.Errorf("%v\n%s", err, shown(s))
	}
}

func TestAnApprovalThatCannotBeTaken(t *testing.T) {
	asks := echo(t, "pay")
	asks.Approve = react.Always
	app := compile(t, says(calls(`pay {"town":"b"}`), text("Done.")), []react.Tool{asks}, nil)
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	for _, wrong := range []react.HITLResponse{
		react.Decide(), react.Decide(react.Decision{Type: "maybe"}), react.Decide(react.Decision{Type: react.Edit}),
		react.Decide(react.Decision{Type: react.Edit, Edited: &react.EditedAction{Args: json.RawMessage(`{"city":1}`)}}),
		react.Decide(react.Decision{Type: react.Edit, Edited: &react.EditedAction{Name: "look", Args: json.RawMessage(`{"town":"b"}`)}}),
	} {
		id := approvals(t, app, err)[0].ID
		_, err = app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(id, wrong)}})
		var q react.HITLRequest
		if json.Unmarshal(approvals(t, app, err)[0].Payload, &q) != nil || q.Actions[0].Problem == "" {
			t.Errorf("%+v: asked again with %+v", wrong, q)
		}
	}
	id := approvals(t, app, err)[0].ID
	if s, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(id, react.Decide(react.Decision{Type: react.Approve}))}}); err != nil || react.Answer(s) != "Done." {
		t.Errorf("%v\n%s", err, shown(s))
	}
}

func TestAlwaysForThisThread(t *testing.T) {
	asks := echo(t, "pay")
	asks.Approve = react.Always
	one := calls(`pay {"town":"b"}`)
	app := compile(t, says(one, text("Done."), one, text("Again."), one), []react.Tool{asks}, nil)
	_, err := app.Invoke(t.Context(), react.Say("Go"), onThread)
	id := approvals(t, app, err)[0].ID
	if _, err := app.Resume(t.Context(), nil, &graph.RunOptions{Thread: "t", Resume: []graph.Answer{graph.ReplyTo(id, react.Decide(react.Decision{Type: react.Approve, Always: true}))}}); err != nil {
		t.Fatal(err)
	}
	if s := run(t, app, "Once more"); react.Answer(s) != "Again." {
		t.Error(shown(s))
	}
	if _, err := app.Invoke(t.Context(), react.Say("Go"), &graph.RunOptions{Thread: "other"}); !isInterrupted(err) {
		t.Errorf("another thread was not asked: %v", err)
	}
}

func TestLongResults(t *testing.T) {
	long := strings.Repeat("äöü ", 5000)
	big := tool(t, "big", func(context.Context, town) (string, error) { return long, nil })
	big.Limit = 101
	cut := run(t, compile(t, says(calls(`big {"town":"x"}`), text("Done.")), []react.Tool{big}, nil), "Go")
	if r := cut.Messages[2].Results[0].Text; len(r) > 200 || !strings.Contains(r, "cut off: the result has 35000 bytes") {
		t.Errorf("%d bytes: %.300s", len(r), r)
	}
	kept, err := storememory.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := says(calls(`big {"town":"x"}`), text("Done."))
	app := compile(t, m, []react.Tool{big}, &react.Options{Store: kept})
	s := run(t, app, "Go")
	first := s.Messages[2].Results[0].Text
	begin, note, _ := strings.Cut(first, "\n(")
	var key string
	var size, from int
	if n, err := fmt.Sscanf(note, "the result has %d bytes; call read_result with key %q to read on from byte %d)", &size, &key, &from); n != 3 {
		t.Fatalf("%v: %q", err, note)
	}
	whole := begin
	for from < size {
		m := says(calls(fmt.Sprintf(`read_result {"key":%q,"from":%d}`, key, from)), text("Done."))
		s := run(t, compile(t, m, []react.Tool{big}, &react.Options{Store: kept}), "Go")
		piece, _, _ := strings.Cut(s.Messages[2].Results[0].Text, "\n(")
		whole, from = whole+piece, from+len(piece)
	}
	if whole != long {
		t.Errorf("read %d bytes of %d", len(whole), len(long))
	}
}

func TestAFinalTool(t *testing.T) {
	final := echo(t, "report")
	final.Final = true
	for _, opts := range []*react.Options{nil, {MaxRounds: 1}} {
		m := says(calls(`report {"town":"Oslo"}`), text("never"))
		if s := run(t, compile(t, m, []react.Tool{final}, opts), "Go"); react.Answer(s) != "report of Oslo" || m.Total() != 1 {
			t.Errorf("%s\nended %q", shown(s), s.Ended)
		}
	}
}

func TestSteps(t *testing.T) {
	var order []string
	step := func(name string, change react.Change) react.Step {
		return react.Step{Name: name, Run: func(_ context.Context, s react.State) (react.Change, error) {
			order = append(order, name)
			if name == "check" && s.Rounds > 1 {
				return react.Change{}, nil
			}
			return change, nil
		}}
	}
	again := react.Change{Again: true, Put: []react.Message{{Message: llm.Message{Role: llm.User, Text: "Shorter."}}}}
	m := says(text("Long."), text("Short."))
	app := compile(t, m, nil, &react.Options{
		Before: []react.Step{step("one", react.Change{View: &react.View{Note: "Note."}}), step("two", react.Change{})},
		After:  []react.Step{step("check", again), step("last", react.Change{})},
	})
	s := run(t, app, "Go")
	expect(t, s, `
m1 user "Go"
m4 assistant "Long."
m5 user "Shorter."
m8 assistant "Short."
`)
	if got := strings.Join(order, " "); got != "one two check one two check last" {
		t.Error(got)
	}
	if got := m.Requests()[0].Messages[0]; got.Role != llm.System || got.Text != "Note." {
		t.Errorf("%+v", got)
	}
	ends := compile(t, m, nil, &react.Options{Before: []react.Step{step("stop", react.Change{End: "closed"})}})
	if s := run(t, ends, "Go"); s.Ended != "closed" || react.Answer(s) != "" {
		t.Errorf("%+v", s)
	}
}

// A state of the caller holds the conversation, and more.
func TestAStateOfOnesOwn(t *testing.T) {
	type mine struct {
		react.State
		Seen int `json:"seen"`
	}
	own := react.NewChannels(func(s *mine) *react.State { return &s.State })
	seen := graph.LastValue("seen", func(s *mine) *int { return &s.Seen })
	g, err := react.Into(own, says(calls(`look {"town":"a"}`), text("Done.")), []react.Tool{echo(t, "look")}, nil, seen)
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	out, err := app.Invoke(t.Context(), append(own.Say("Go"), seen.Set(3)), nil)
	if err != nil || out.Seen != 3 || react.Answer(out.State) != "Done." {
		t.Errorf("%v: %+v", err, out)
	}
}

func TestMistakesAreToldAtOnce(t *testing.T) {
	a := echo(t, "look")
	a.AtOnce = -1
	_, err := react.New(nil, []react.Tool{a, a, {}}, &react.Options{MaxRounds: -1, AtOnce: -2})
	for _, want := range []string{"no model", "two tools", "may not be negative", "no Callable", "max rounds", "at once is -2"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// Equal runs are equal to the byte.
func TestRunsAreDeterministic(t *testing.T) {
	var first []byte
	for range 5 {
		m := says(calls(`look {"town":"a"}`, `find {"town":"b"}`, `none {}`), calls(`look {"town":"c"}`), text("Done."))
		data, err := json.Marshal(run(t, compile(t, m, []react.Tool{echo(t, "look"), echo(t, "find")}, nil), "Go"))
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !slices.Equal(first, data) {
			t.Errorf("%s\n%s", first, data)
		}
	}
}

// modelFunc is a model of one function.
type modelFunc func(llm.Request) string

func (f modelFunc) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	return llm.Response{Text: f(req)}, nil
}
