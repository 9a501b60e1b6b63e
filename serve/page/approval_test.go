package page_test

import (
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/internal/browsertest"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// A letter is what the tool "send" takes.
type letter struct {
	To     string   `json:"to"`
	Body   string   `json:"body"`
	Copies int      `json:"copies"`
	Urgent bool     `json:"urgent"`
	Tags   []string `json:"tags"`
}

const aLetter = `{"to":"ann","body":"Dear Ann,\nthe lantern fee is due.","copies":2,"urgent":false,"tags":["fees"]}`

// approving serves an agent that writes letters and removes folders, each with a person's approval,
// and a graph that asks with a payload in its input. heard returns what was called, sorted.
func approving(t *testing.T) (s *site, heard func() []string) {
	t.Helper()
	var mu sync.Mutex
	var calls []string
	tool := func(name, about string) react.Tool {
		made, err := llm.NewTool(name, about, func(_ context.Context, in letter) (string, error) {
			data, err := json.Marshal(in)
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, name+" "+string(data))
			slices.Sort(calls)
			return name + " is done", err
		})
		if err != nil {
			t.Fatal(err)
		}
		return react.Tool{Callable: made, Approve: react.Always}
	}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{}}
	for range 20 {
		m.Answers["agent"] = append(m.Answers["agent"],
			llmtest.Answer{Calls: []llm.ToolCall{{ID: "c1", Name: "send", Arguments: json.RawMessage(aLetter)}, {ID: "c2", Name: "drop", Arguments: json.RawMessage(`{"to":"old","body":"","copies":0,"urgent":true,"tags":[]}`)}}},
			llmtest.Answer{Text: "It is done."})
	}
	g, err := react.New(m, []react.Tool{tool("send", "Sends a letter."), tool("drop", "Removes a folder <b>for good</b>.")}, &react.Options{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	app, err := g.Compile(&graph.CompileOptions{Name: "agent"})
	if err != nil {
		t.Fatal(err)
	}
	asks := chain("payload", "ask", node(func(ctx context.Context, s work) (graph.Update[work], error) {
		answer, err := graph.Interrupt[json.RawMessage](ctx, "q", json.RawMessage(s.Text))
		return graph.Update[work]{lines.Add(string(answer))}, err
	}))
	s = served(t, func(o *serve.Options) {
		o.Graphs = append(o.Graphs, serve.Register("agent", app, nil), serve.Register("payload", compiled("payload", asks), nil))
	})
	return s, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(calls)
	}
}

var decisionOf = regexp.MustCompile(`name="decision-([0-9a-f]{32})-1"`)

// asked asks the agent, and returns the thread and the form's fields by the names of the test: the
// number of the call stands for its ID.
func (s *site) asked(say string) (thread string, fields func(map[string]string) url.Values) {
	s.Helper()
	_, _, answer := s.post("/ui/ask", url.Values{"graph": {"agent"}, "question": {say}})
	thread = strings.TrimPrefix(answer.Request.URL.Path, "/ui/ask/")
	s.ended(thread)
	id := decisionOf.FindStringSubmatch(s.get("/ui/ask/" + thread))
	if id == nil {
		s.Fatalf("no decision in\n%s", s.get("/ui/ask/"+thread))
	}
	return thread, func(m map[string]string) url.Values {
		out := url.Values{"id": {id[1]}}
		for name, value := range m {
			out.Set(strings.Replace(name, "-", "-"+id[1]+"-", 1), value)
		}
		return out
	}
}

// ended waits for the last run of a thread.
func (s *site) ended(thread string) {
	s.Helper()
	all, err := s.space().Runs(s.Context(), thread)
	if err != nil || len(all) == 0 {
		s.Fatalf("%v, %v", all, err)
	}
	s.wait(all[0].ID)
}

// Each call is decided by itself, in the conversation, which goes on there.
func TestApprovals(t *testing.T) {
	s, heard := approving(t)
	thread, fields := s.asked("Write to Ann.")
	page := s.get("/ui/ask/" + thread)
	for _, want := range []string{"<legend dir=\"auto\">send</legend>", "Sends a letter.", "&lt;b&gt;for good&lt;/b&gt;", "the lantern fee is due.", `inputmode="decimal"`, "<option selected>false</option>", "Approve all"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	for name, c := range map[string]struct {
		form, want map[string]string
	}{
		"nothing chosen":  {map[string]string{"decision-1": "approve"}, map[string]string{"choose what becomes": "drop"}},
		"another word":    {map[string]string{"decision-1": "approve", "decision-2": "burn"}, map[string]string{"choose what becomes": "drop"}},
		"no number":       {map[string]string{"decision-1": "edit", "arg-1-3": "two", "arg-1-1": "Bo \"the\" <b>", "decision-2": "reject", "reason-2": "keep <it>"}, map[string]string{"it must be a number": `value="two"`, `aria-invalid="true"`: html.EscapeString("Bo \"the\" <b>"), "keep &lt;it&gt;": ""}},
		"no JSON":         {map[string]string{"decision-1": "edit", "arg-1-5": "fees", "decision-2": "approve"}, map[string]string{"it must be JSON": "\nfees</textarea>"}},
		"an empty answer": {map[string]string{"decision-1": "respond", "decision-2": "approve"}, map[string]string{"write what the agent gets": ""}},
	} {
		for _, in := range []string{"", "ask"} {
			form := fields(c.form)
			form.Set("in", in)
			status, page, _ := s.post("/ui/threads/"+thread+"/answer", form)
			for want, also := range c.want {
				if status != http.StatusUnprocessableEntity || !strings.Contains(page, want) || !strings.Contains(page, also) || strings.Contains(page, "Ask further</label>") != (in == "ask") {
					t.Errorf("%s, in %q: %d, no %q or %q in\n%s", name, in, status, want, also, page)
				}
			}
		}
	}
	if len(heard()) > 0 {
		t.Fatalf("a call was made: %q", heard())
	}
	form := fields(map[string]string{"decision-1": "edit", "arg-1-1": "bo", "arg-1-2": "Dear Bo,\r\nit is due.", "arg-1-3": " 3 ", "arg-1-4": "true", "arg-1-5": `["a", "b"]`, "decision-2": "reject", "reason-2": "it is needed"})
	form.Set("in", "ask")
	_, _, answer := s.post("/ui/threads/"+thread+"/answer", form)
	if got := answer.Request.URL.Path; got != "/ui/ask/"+thread {
		t.Fatalf("a decision leads to %s", got)
	}
	s.ended(thread)
	if want := `send {"to":"bo","body":"Dear Bo,\nit is due.","copies":3,"urgent":true,"tags":["a","b"]}`; len(heard()) != 1 || heard()[0] != want {
		t.Errorf("called %q, want %q", heard(), want)
	}
	page = s.get("/ui/ask/" + thread)
	for _, want := range []string{`<h2 class="asked" dir="auto">You changed send; rejected drop: it is needed</h2>`, "a person rejected this call: it is needed", "It asked, and went on with the answer."} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in\n%s", want, page)
		}
	}
	if status, _, _ := s.post("/ui/threads/"+thread+"/answer", form); status != http.StatusConflict {
		t.Errorf("a second decision: %d", status)
	}
}

// All calls are approved by one button, from the run's page, too, and one is answered in its place.
func TestApproveAll(t *testing.T) {
	s, heard := approving(t)
	thread, fields := s.asked("Write to Ann.")
	form := fields(map[string]string{"decision-1": "reject"})
	form.Set("all", "1")
	_, _, answer := s.post("/ui/threads/"+thread+"/answer", form)
	if r := s.arrived(answer); r.Status != runs.Success || len(heard()) != 2 || heard()[1] != "send "+aLetter || r.Asked != "You approved send; approved drop" {
		t.Errorf("%+v: %q", r, heard())
	}
	thread, fields = s.asked("Write to Ann.")
	_, _, answer = s.post("/ui/threads/"+thread+"/answer", fields(map[string]string{"decision-1": "respond", "reply-1": "It was sent.", "decision-2": "reject"}))
	if r := s.arrived(answer); len(heard()) != 2 || !strings.Contains(s.get("/ui/runs/"+r.ID), "It was sent.") {
		t.Errorf("%+v: %q", r, heard())
	}
}

// The form offers what the payload allows, in the request's form and in the older one, and sends it
// in that form. What it cannot decide has a field for any answer.
func TestApprovalForms(t *testing.T) {
	const approve, edit, reject, respond = "approve", "edit", "reject", "respond"
	s, _ := approving(t)
	for name, c := range map[string]struct {
		payload string
		allowed []string // none for a payload that has no such form
		form    map[string]string
		want    string
	}{
		"approve only":   {`{"action_requests":[{"name":"n","args":{"a":1}}],"review_configs":[{"action_name":"n","allowed_decisions":["approve"]}]}`, []string{approve}, map[string]string{"decision-1": approve}, `{"decisions":[{"type":"approve"}]}`},
		"not approve":    {`{"action_requests":[{"name":"n","args":{"a":1}}],"review_configs":[{"action_name":"n","allowed_decisions":["reject","respond"]}]}`, []string{reject, respond}, map[string]string{"decision-1": reject, "reason-1": "no"}, `{"decisions":[{"message":"no","type":"reject"}]}`},
		"no config":      {`{"action_requests":[{"name":"n","args":{"a":null}}]}`, []string{approve, edit, reject}, map[string]string{"decision-1": edit, "arg-1-1": `"x"`}, `{"decisions":[{"edited_action":{"args":{"a":"x"},"name":"n"},"type":"edit"}]}`},
		"no arguments":   {`{"action_requests":[{"name":"n","args":{}}]}`, []string{approve, reject}, map[string]string{"decision-1": approve}, `{"decisions":[{"type":"approve"}]}`},
		"a list as args": {`{"action_requests":[{"name":"n","args":[1,2]}]}`, []string{approve, edit, reject}, map[string]string{"decision-1": edit, "arg-1-1": "[3]"}, `{"decisions":[{"edited_action":{"args":[3],"name":"n"},"type":"edit"}]}`},
		"long number":    {`{"action_requests":[{"name":"n","args":{"a":12345678901234567890}}]}`, []string{approve, edit, reject}, map[string]string{"decision-1": edit}, `{"decisions":[{"edited_action":{"args":{"a":12345678901234567890},"name":"n"},"type":"edit"}]}`},
		"unknown word":   {`{"action_requests":[{"name":"n","args":{}}],"review_configs":[{"action_name":"n","allowed_decisions":["escalate"]}]}`, nil, map[string]string{"answer": "7"}, `7`},
		"older":          {`{"action_request":{"action":"n","args":{"a":"x"}},"config":{"allow_accept":true,"allow_edit":true,"allow_ignore":true,"allow_respond":true},"description":"Why it asks."}`, []string{approve, edit, reject, respond}, map[string]string{"decision-1": edit, "arg-1-1": "y"}, `[{"args":{"action":"n","args":{"a":"y"}},"type":"edit"}]`},
		"older, accept":  {`[{"action_request":{"action":"n","args":{}},"config":{"allow_accept":true,"allow_edit":false,"allow_ignore":true}}]`, []string{approve, reject}, map[string]string{"decision-1": approve}, `[{"args":null,"type":"accept"}]`},
		"older, ignore":  {`{"action_request":{"action":"n","args":{}}}`, []string{approve, reject}, map[string]string{"decision-1": reject}, `[{"args":null,"type":"ignore"}]`},
		"older, respond": {`{"action_request":{"action":"n","args":{}},"config":{"allow_respond":true}}`, []string{respond}, map[string]string{"decision-1": respond, "reply-1": "so"}, `[{"args":"so","type":"response"}]`},
	} {
		input, err := json.Marshal(map[string]string{"text": c.payload})
		if err != nil {
			t.Fatal(err)
		}
		r := s.run("payload", string(input))
		page := s.get("/ui/runs/" + r.ID)
		var offered []string
		for _, m := range regexp.MustCompile(`name="decision-[^"]+" value="(\w+)"`).FindAllStringSubmatch(page, -1) {
			offered = append(offered, m[1])
		}
		if strings.Join(offered, " ") != strings.Join(c.allowed, " ") || strings.Contains(page, `name="all"`) != (len(c.allowed) > 0 && c.allowed[0] == approve) || strings.Contains(page, `name="answer"`) != (c.allowed == nil) {
			t.Errorf("%s: offered %v in\n%s", name, offered, page)
		}
		id := questionID.FindStringSubmatch(page)[1]
		form := url.Values{"id": {id}}
		for field, value := range c.form {
			form.Set(strings.Replace(field, "-", "-"+id+"-", 1), value)
		}
		_, _, answer := s.post("/ui/threads/"+r.Thread+"/answer", form)
		at, _, err := s.space().State(t.Context(), s.arrived(answer).Thread, "")
		if err != nil {
			t.Fatal(err)
		}
		var end work
		if err := json.Unmarshal(at.State, &end); err != nil || len(end.Lines) != 1 || end.Lines[0] != c.want {
			t.Errorf("%s: answered %q, %v, want %s", name, end.Lines, err, c.want)
		}
	}
}

// A person changes an argument by keyboard and rejects another call with a reason, in the
// conversation, without scripts; then approves all.
func TestBrowserApprovals(t *testing.T) {
	s, heard := approving(t)
	p := s.enter()
	for _, view := range []browsertest.View{{Width: 1280}, {Width: 390, NoScript: true}} {
		p.Look(view)
		thread, _ := s.asked("Write to Ann.")
		path := s.url + "/ui/ask/" + thread
		p.Inspect(t, "approvals", path, nil)
		p.Look(view)
		p.Goto(path)
		p.Wait(`!document.querySelector('.call .way input').checkVisibility()`)
		p.Focus(`.call input[value=approve]`)
		p.Press("ArrowDown", "Tab")
		p.Wait(`document.activeElement.name.startsWith('arg-') && document.activeElement.checkVisibility()`)
		p.Press("Control+a")
		p.Type("bo")
		p.Click(`.call:nth-of-type(2) input[value=reject]`)
		p.Press("Tab")
		p.Type("it is needed")
		p.Picture("approvals")
		p.Loads(func() { p.Click(`.call ~ p button:not([name])`) })
		s.ended(thread)
		p.Goto(path)
		p.Sees("You changed send; rejected drop: it is needed")
		sound(t, p)
		thread, _ = s.asked("Write again.")
		p.Goto(s.url + "/ui/ask/" + thread)
		p.Loads(func() { p.Click("button[name=all]") })
		p.Sees("You approved send; approved drop")
		s.ended(thread)
	}
	if len(heard()) != 6 || !strings.HasPrefix(heard()[5], `send {"to":"bo"`) {
		t.Errorf("called %q", heard())
	}
}
