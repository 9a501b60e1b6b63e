package langgraph_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// told is an event of a thread's stream.
type told struct {
	Seq    int64
	Method string
	Params struct {
		Namespace []string
		Node      string
		Data      json.RawMessage
	}
}

// short says what an event tells. The IDs of tasks are left out.
func (e told) short() string {
	var around []string
	for _, part := range e.Params.Namespace {
		node, _, _ := strings.Cut(part, ":")
		around = append(around, node)
	}
	var d struct {
		Event, Text string
		Graph       string `json:"graph_name"`
		Name        string
		Content     json.RawMessage
		Delta       json.RawMessage
		Payload     json.RawMessage
		Result      json.RawMessage
		Tool        string `json:"tool_name"`
	}
	what := string(e.Params.Data)
	if json.Unmarshal(e.Params.Data, &d) == nil && e.Method != "values" && e.Method != "updates" {
		what = strings.Join(strings.Fields(strings.Join([]string{d.Event, d.Graph, d.Name, d.Tool, string(d.Delta), string(d.Content), string(d.Payload), string(d.Result)}, " ")), " ")
	}
	return strings.TrimSpace(strings.Join(around, "/") + " " + e.Method + " " + e.Params.Node + " " + what)
}

func shorts(events []told) string {
	var lines []string
	for _, e := range events {
		lines = append(lines, strings.Join(strings.Fields(e.short()), " "))
	}
	return strings.Join(lines, "\n")
}

// A listener reads the stream of a thread.
type listener struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  func()
}

func listen(t *testing.T, s *httptest.Server, thread, filter string) *listener {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/threads/"+thread+"/stream/events", strings.NewReader(filter))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		_ = answer.Body.Close()
	})
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the stream is answered with %s", answer.Status)
	}
	return &listener{t, bufio.NewScanner(answer.Body), stop}
}

// until reads up to the event of which last says that it is the last.
func (l *listener) until(last func(told) bool) (out []told) {
	l.t.Helper()
	for l.lines.Scan() {
		data, ok := strings.CutPrefix(l.lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e told
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			l.t.Fatal(err)
		}
		if out = append(out, e); last(e) {
			return out
		}
	}
	l.t.Fatalf("the stream ends: %v, after\n%s", l.lines.Err(), shorts(out))
	return nil
}

// runEnd is the end of a run.
func runEnd(e told) bool {
	return e.Method == "lifecycle" && len(e.Params.Namespace) == 0 && !strings.Contains(string(e.Params.Data), `"running"`)
}

// order sends a command, and returns the answer.
func order(t *testing.T, s *httptest.Server, thread, method, params string) string {
	t.Helper()
	status, body, _ := send(t, s, "POST", "/threads/"+thread+"/commands", fmt.Sprintf(`{"id":7,"method":%q,"params":%s}`, method, params))
	if status != http.StatusOK {
		t.Fatalf("%s %s: %d %s", method, params, status, body)
	}
	return body
}

const everything = `"channels":["lifecycle","values","updates","messages","tools","input","checkpoints","tasks","custom"]`

// questions are the IDs of what was asked.
func questions(events []told) (ids []string) {
	for _, e := range events {
		if e.Method == "input.requested" {
			ids = append(ids, text(e.Params.Data, "interrupt_id"))
		}
	}
	return ids
}

func text(object json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	var out string
	if json.Unmarshal(object, &all) == nil {
		_ = json.Unmarshal(all[name], &out) // else it is empty
	}
	return out
}

// A stream that is there before the first run tells a question, stays open, and tells what
// follows the answer. A stream that begins behind any event tells all events behind it.
func TestTold(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30001"
	l := listen(t, s, id, "{"+everything+"}")
	if got := order(t, s, id, "run.start", `{"assistant_id":"approve","input":{"messages":[{"id":"1","role":"user","content":"hi"}]}}`); !strings.Contains(got, `"success"`) {
		t.Fatal(got)
	}
	asked := l.until(runEnd)
	const first = `lifecycle running approve
checkpoints
values {"messages":[{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}}]}
tasks ask
input.requested {"text":"may I?"}
tasks ask {}
lifecycle interrupted approve`
	if got := shorts(asked); got != first {
		t.Fatalf("told\n%s\nwant\n%s", got, first)
	}
	order(t, s, id, "input.respond", `{"namespace":[],"interrupt_id":"`+questions(asked)[0]+`","response":"ann"}`)
	answered := l.until(runEnd)
	const block = `{"type":"text","text":"They said: hi","annotations":[{"type":"citation","url":"https://example.com/d","title":"D","start_index":0,"end_index":4,"cited_text":"They","doc":"d","start":7,"end":11}]}`
	const reply = `{"id":"reply-1","type":"ai","content":[` + block + `],"additional_kwargs":{},"response_metadata":{},"tool_calls":[],"invalid_tool_calls":[]}`
	const second = `lifecycle running approve
input.answered
checkpoints
values {"messages":[{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}}]}
tasks ask
updates ask {"who":"ann"}
tasks ask {"who":"ann"}
checkpoints
values {"messages":[{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}}],"who":"ann"}
tasks reply
custom progress {"step":"reply"}
reply lifecycle started reply
reply messages message-start
reply messages content-block-start {"text":"","type":"text"}
reply messages content-block-delta {"text":"They said: hi","type":"text-delta"}
reply messages content-block-finish ` + block + `
reply messages message-finish
updates reply {"messages":[` + reply + `]}
tasks reply {"messages":[` + reply + `]}
reply lifecycle completed reply
checkpoints
values {"messages":[{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}},` + reply + `],"who":"ann"}
lifecycle completed approve`
	if got := shorts(answered); got != second {
		t.Errorf("told\n%s\nwant\n%s", got, second)
	}
	all := append(asked, answered...)
	for i, e := range all[:len(all)-1] {
		if i > 0 && e.Seq <= all[i-1].Seq {
			t.Errorf("event %d follows event %d", e.Seq, all[i-1].Seq)
		}
		l := listen(t, s, id, fmt.Sprintf(`{%s,"since":%d}`, everything, e.Seq))
		rest := l.until(func(e told) bool { return e.Seq == all[len(all)-1].Seq })
		if l.stop(); !slices.EqualFunc(rest, all[i+1:], func(a, b told) bool { return a.Seq == b.Seq && a.short() == b.short() }) {
			t.Errorf("behind %d:\n%s", e.Seq, shorts(rest))
		}
	}
}

// Steps of a graph inside a node are text of the node while it runs, which is taken back when
// it ends or asks. To clients that cannot take back messages they are none.
func TestSteps(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30004"
	other := thread(t, s)
	const modes = `"assistant_id":"steps","stream_mode":["messages-tuple","messages"]}`
	_, asked, _ := send(t, s, "POST", "/threads/"+other+"/runs/stream", `{"input":{"lines":["hi"]},`+modes)
	_, answered, _ := send(t, s, "POST", "/threads/"+other+"/runs/stream", `{"command":{"resume":"ann"},`+modes)
	for said, wants := range map[string]string{asked: "node_start.first ", answered: "node_update.question "} {
		text, gone, ok := strings.Cut(said, `{"content":"","id":"run-`)
		if !ok || !strings.Contains(text, `"content":"`+wants) || !strings.Contains(text, `"langgraph_node":"inside"`) || !strings.Contains(text, "messages/partial") {
			t.Errorf("the stream is\n%s", said)
		}
		if strings.Contains(gone, wants) || strings.Count(said, `"type":"remove"`) != 2 || !strings.Contains(gone, "messages/complete") {
			t.Errorf("behind it is\n%s", gone)
		}
	}
	l := listen(t, s, id, "{"+everything+"}")
	order(t, s, id, "run.start", `{"assistant_id":"steps","input":{"lines":["hi"]}}`)
	if got := shorts(l.until(runEnd)); strings.Contains(got, "node_start.first") || !strings.Contains(got, "lifecycle interrupted") {
		t.Errorf("told\n%s", got)
	}
}

// A stream tells what its filter wants: channels, and graphs down to a depth.
func TestFilter(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30002"
	order(t, s, id, "run.start", `{"assistant_id":"nested","input":{"lines":["hi"]}}`)
	listen(t, s, id, `{"channels":["lifecycle"]}`).until(runEnd)
	for filter, want := range map[string]string{
		`"channels":["lifecycle","input"]`: `lifecycle running nested
inside lifecycle started inside
inside input.requested {"text":"who?"}
inside lifecycle completed inside
lifecycle interrupted nested`,
		`"channels":["lifecycle","updates"],"namespaces":[[]],"depth":0`: `lifecycle running nested
updates before {"lines":["before"]}
lifecycle interrupted nested`,
		`"channels":["updates","lifecycle"],"namespaces":[["inside"],[]],"depth":0`: `lifecycle running nested
updates before {"lines":["before"]}
inside lifecycle started inside
inside updates first {"said":["first"]}
inside lifecycle completed inside
lifecycle interrupted nested`,
	} {
		if got := shorts(listen(t, s, id, "{"+filter+"}").until(runEnd)); got != want {
			t.Errorf("%s: told\n%s\nwant\n%s", filter, got, want)
		}
	}
	if got := shorts(listen(t, s, id, `{"channels":["values","lifecycle"]}`).until(runEnd)); !strings.Contains(got, "inside values {\"said\":[]}\n") {
		t.Errorf("an empty list inside is told as\n%s", got)
	}
	if got, want := order(t, s, id, "agent.getTree", "{}"), `"status":"interrupted","graph_name":"nested","children":[{"namespace":["inside:`; !strings.Contains(got, want) {
		t.Errorf("the tree is %s", got)
	}
	if got := order(t, s, id, "state.get", `{"namespace":[],"keys":["lines"]}`); !strings.Contains(got, `"values":{"lines":["hi","before"]}`) {
		t.Errorf("the state is %s", got)
	}
}

// Several questions are answered at once; an input is the answer to what a thread asks.
func TestAnswers(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30003"
	l := listen(t, s, id, `{"channels":["lifecycle","input","values"]}`)
	order(t, s, id, "run.start", `{"assistant_id":"both","input":{}}`)
	ids := questions(l.until(runEnd))
	if len(ids) != 2 {
		t.Fatalf("it asks %v", ids)
	}
	order(t, s, id, "input.respond", fmt.Sprintf(`{"responses":[{"namespace":[],"interrupt_id":%q,"response":"l"},{"namespace":[],"interrupt_id":%q,"response":"r"}]}`, ids[0], ids[1]))
	if got := shorts(l.until(runEnd)); !strings.Contains(got, `{"lines":["l","r"]}`) || !strings.Contains(got, "input.answered") {
		t.Errorf("told\n%s", got)
	}
	other := "01a20a0c-430c-732c-b891-9255cad30004"
	l = listen(t, s, other, `{"channels":["lifecycle","values"]}`)
	order(t, s, other, "run.start", `{"assistant_id":"chain","input":{"lines":["hi"]}}`)
	l.until(runEnd)
	order(t, s, other, "run.start", `{"assistant_id":"chain","input":"ann"}`)
	if got := shorts(l.until(runEnd)); !strings.HasSuffix(got, "values {\"lines\":[\"hi\",\"a\",\"b\"],\"who\":\"ann\"}\nlifecycle completed chain") {
		t.Errorf("told\n%s", got)
	}
}

// An input at a checkpoint is an input, also when the thread asks something.
func TestForked(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30008"
	l := listen(t, s, id, `{"channels":["lifecycle","checkpoints","values"]}`)
	order(t, s, id, "run.start", `{"assistant_id":"chain","input":{"lines":["hi"]}}`)
	var first string
	for _, e := range l.until(runEnd) {
		if e.Method == "checkpoints" && first == "" {
			first = text(e.Params.Data, "id")
		}
	}
	order(t, s, id, "run.start", `{"assistant_id":"chain","input":{"lines":["you"]},"config":{"configurable":{"checkpoint_id":"`+first+`"}}}`)
	if got := shorts(l.until(runEnd)); !strings.HasSuffix(got, "values {\"lines\":[\"hi\",\"you\",\"a\"]}\nlifecycle interrupted chain") {
		t.Errorf("told\n%s", got)
	}
}

// Calls of tools are told when a message has them, and when their results come.
func TestToldTools(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30009"
	l := listen(t, s, id, `{"channels":["tools","lifecycle"],"namespaces":[[]],"depth":1}`)
	order(t, s, id, "run.start", `{"assistant_id":"tools","input":{}}`)
	var got []string
	for _, e := range l.until(runEnd) {
		if e.Method == "tools" {
			got = append(got, string(e.Params.Data))
		}
	}
	want := []string{
		`{"event":"tool-started","input":{"q":"x"},"tool_call_id":"1","tool_name":"search"}`,
		`{"event":"tool-started","input":{},"tool_call_id":"2","tool_name":"clock"}`,
		`{"event":"tool-finished","output":"found","tool_call_id":"1"}`,
		`{"event":"tool-error","message":"it stands still","tool_call_id":"2"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A question is answered once, also while its answer is worked on.
func TestAnsweredTwice(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30007"
	l := listen(t, s, id, `{"channels":["lifecycle","input"]}`)
	order(t, s, id, "run.start", `{"assistant_id":"ponders","input":{}}`)
	answer := fmt.Sprintf(`{"interrupt_id":%q,"response":"ann"}`, questions(l.until(runEnd))[0])
	if got := order(t, s, id, "input.respond", answer); !strings.Contains(got, `"success"`) {
		t.Fatal(got)
	}
	if got := order(t, s, id, "input.respond", answer); !strings.Contains(got, "only be used while the run is interrupted") {
		t.Errorf("the same again: %s", got)
	}
	if got := order(t, s, id, "run.start", `{"assistant_id":"ponders","input":{"lines":["more"]}}`); !strings.Contains(got, `"success"`) {
		t.Errorf("an input behind the answer: %s", got)
	}
	if got := shorts(l.until(runEnd)) + shorts(l.until(runEnd)); strings.Contains(got, "failed") {
		t.Errorf("told\n%s", got)
	}
}

// Commands that are not understood are refused by what they name, and nothing is done.
func TestCommandsRefused(t *testing.T) {
	s, id := strictly(t), "01a20a0c-430c-732c-b891-9255cad30005"
	for _, c := range []struct{ method, params, says string }{
		{"agent.getTree", `{}`, "no_such_run"},
		{"input.respond", `{"interrupt_id":"a","response":1}`, "no_such_run"},
		{"state.fork", `{}`, "no_such_run"},
		{"run.start", `{"input":{}}`, "assistant_id"},
		{"run.start", `{"assistant_id":"chain","input":{},"colour":"red"}`, `\"colour\"`},
		{"run.start", `{"assistant_id":"chain","input":{"no":1}}`, `no channel \"no\"`},
		{"run.start", `{"assistant_id":"chain","input":{},"config":{"configurable":{"corpus":"x"}}}`, `\"corpus\"`},
		{"run.start", `{"assistant_id":"chain","input":{},"multitaskStrategy":"push"}`, "push"},
	} {
		if got := order(t, s, id, c.method, c.params); !strings.Contains(got, `"type":"error","id":7`) || !strings.Contains(got, c.says) {
			t.Errorf("%s %s: %s; want %q", c.method, c.params, got, c.says)
		}
	}
	if status, body, _ := send(t, s, "GET", "/threads/"+id, ""); status != http.StatusNotFound {
		t.Errorf("the thread was made: %s", body)
	}
	l := listen(t, s, id, `{"channels":["lifecycle"]}`)
	order(t, s, id, "run.start", `{"assistant_id":"chain","input":{}}`)
	l.until(runEnd)
	for _, c := range []struct{ method, params, says string }{
		{"state.fork", `{}`, `unknown_command","message":"Unknown protocol command: state.fork`},
		{"input.respond", `{"interrupt_id":"a","response":1}`, "no_such_interrupt"},
		{"input.respond", `{"responses":[]}`, "at least one"},
		{"input.respond", `{"response":1}`, "requires an interrupt_id"},
		{"input.respond", `{"interrupt_id":"a","colour":1}`, `\"colour\"`},
	} {
		if got := order(t, s, id, c.method, c.params); !strings.Contains(got, `"type":"error","id":7`) || !strings.Contains(got, c.says) {
			t.Errorf("%s %s: %s; want %q", c.method, c.params, got, c.says)
		}
	}
	for path, bodies := range map[string][]string{
		"/commands":      {`{}`, `{"id":"a","method":"state.get"}`, `{"id":1,"method":"state.get","more":1}`},
		"/stream/events": {`{}`, `{"channels":["values"],"colour":1}`, `{"channels":["values","colour"]}`, `{"channels":["values"],"since":-1}`, `{"channels":["values"],"depth":-1}`},
	} {
		for _, body := range bodies {
			if status, answer, _ := send(t, s, "POST", "/threads/"+id+path, body); status != http.StatusUnprocessableEntity {
				t.Errorf("%s %s: %d %s", path, body, status, answer)
			}
		}
	}
	if status, _, _ := send(t, s, "POST", "/threads/"+id+"/commands", `{"id":1,"method":"run.start","params":{"assistant_id":"none","input":{}}}`); status != http.StatusNotFound {
		t.Errorf("an assistant that does not exist: %d", status)
	}
}

// A message without an ID gets one, and keeps another.
func TestMessageIDs(t *testing.T) {
	s := served(t)
	_, body, _ := send(t, s, "POST", "/runs/wait", `{"assistant_id":"chat","input":{"messages":[{"role":"user","content":"a","id":"1"},{"role":"user","content":"b"},{"role":"user","content":"c","id":null}]}}`)
	var state struct{ Messages []struct{ ID, Type string } }
	if err := json.Unmarshal([]byte(body), &state); err != nil || len(state.Messages) != 4 {
		t.Fatalf("%s: %v", body, err)
	}
	m := state.Messages
	if m[0].ID != "1" || m[1].ID == "" || m[2].ID == "" || m[1].ID == m[2].ID || m[3].Type != "ai" {
		t.Errorf("the messages are %+v", m)
	}
}

// What a node's model writes is told piece by piece. Then a state has it, and the state
// behind that the node's own message instead, which is not told again.
func TestToldTokens(t *testing.T) {
	s, id := served(t), "01a20a0c-430c-732c-b891-9255cad30006"
	l := listen(t, s, id, `{"channels":["messages","values","lifecycle"],"namespaces":[[]],"depth":1}`)
	order(t, s, id, "run.start", `{"assistant_id":"writes","input":{"messages":[{"id":"1","role":"user","content":"hi"}]}}`)
	got := regexp.MustCompile(`"run-[^"]*"`).ReplaceAllString(shorts(l.until(runEnd)), `"run"`)
	const human = `{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}}`
	const want = `lifecycle running writes
values {"messages":[` + human + `]}
write lifecycle started write
write messages message-start
write messages content-block-start {"text":"","type":"text"}
write messages content-block-delta {"text":"Once ","type":"text-delta"}
write messages content-block-delta {"text":"upon ","type":"text-delta"}
write messages content-block-delta {"text":"a time","type":"text-delta"}
write messages content-block-finish {"text":"Once upon a time","type":"text"}
write messages message-finish
values {"messages":[` + human + `,{"content":"Once upon a time","id":"run","type":"ai"}]}
write lifecycle completed write
values {"messages":[` + human + `,{"id":"run","type":"ai","content":"Once upon a time","additional_kwargs":{},"response_metadata":{},"tool_calls":[],"invalid_tool_calls":[]}]}
lifecycle completed writes`
	if got != want {
		t.Errorf("told\n%s\nwant\n%s", got, want)
	}
}
