package agui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/serve/runs"
)

// brief is an event in a line: its type, and its other fields as JSON in the order of their names.
// IDs of runs and interrupts, times and snapshots are left out.
func brief(ev frame) string {
	rest := map[string]any{}
	for name, v := range ev {
		switch name {
		case "type", "timestamp", "threadId", "runId", "protocolVersion":
		default:
			rest[name] = v
		}
	}
	if ev["type"] == "MESSAGES_SNAPSHOT" {
		return "MESSAGES_SNAPSHOT " + strings.Join(shownIn(ev), " ")
	}
	if len(rest) == 0 {
		return fmt.Sprint(ev["type"])
	}
	data, _ := json.Marshal(rest) // it was JSON
	return fmt.Sprintf("%s %s", ev["type"], data)
}

// shownIn are the messages of a snapshot, by role and ID.
func shownIn(ev frame) (out []string) {
	list, _ := ev["messages"].([]any)
	for _, one := range list {
		m := one.(map[string]any)
		out = append(out, fmt.Sprintf("%s:%s", m["role"], m["id"]))
	}
	return out
}

func briefs(list []frame) (out []string) {
	for _, ev := range list {
		out = append(out, brief(ev))
	}
	return out
}

// of are the events of a type.
func of(list []frame, kind string) []frame {
	return slices.DeleteFunc(slices.Clone(list), func(ev frame) bool { return ev["type"] != kind })
}

// outcome is how a run ended.
func outcome(t testing.TB, list []frame) map[string]any {
	t.Helper()
	if len(list) == 0 || list[len(list)-1]["type"] != "RUN_FINISHED" {
		t.Fatalf("the run ended with %v", briefs(list))
	}
	out, _ := list[len(list)-1]["outcome"].(map[string]any)
	return out
}

// said is an input with a person's message.
func said(thread, run, id, text string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[{"id":%q,"role":"user","content":%q}]}`, thread, run, id, text)
}

// A run has the events of its steps, reasoning, texts, calls, results and states.
func TestEvents(t *testing.T) {
	s := served(t)
	got := s.run("/agui", `{"threadId":"t","runId":"r","parentRunId":"p","protocolVersion":"1.0","state":{},"messages":[{"id":"u1","role":"user","content":"tool"}],"unknown":1}`)
	want := []string{
		`RUN_STARTED {"parentRunId":"p"}`,
		`STATE_SNAPSHOT {"snapshot":{"notes":[],"topic":""}}`,
		`STEP_STARTED {"stepName":"model"}`,
		`REASONING_START {"messageId":"a-u1-reasoning-0"}`,
		`REASONING_MESSAGE_START {"messageId":"a-u1-reasoning-0","role":"reasoning"}`,
		`REASONING_MESSAGE_CONTENT {"delta":"I must look.","messageId":"a-u1-reasoning-0"}`,
		`REASONING_MESSAGE_END {"messageId":"a-u1-reasoning-0"}`,
		`REASONING_ENCRYPTED_VALUE {"encryptedValue":"sig","entityId":"a-u1-reasoning-0","subtype":"message"}`,
		`REASONING_END {"messageId":"a-u1-reasoning-0"}`,
		`TEXT_MESSAGE_START {"messageId":"a-u1","role":"assistant"}`,
		`TEXT_MESSAGE_CONTENT {"delta":"I look.","messageId":"a-u1"}`,
		`TEXT_MESSAGE_END {"messageId":"a-u1","metadata":{"annotations":[{"cited_text":"look","end":0,"end_index":6,"start":0,"start_index":2,"type":"citation"}]}}`,
		`TOOL_CALL_START {"parentMessageId":"a-u1","toolCallId":"c-u1","toolCallName":"look"}`,
		`TOOL_CALL_ARGS {"delta":"{\"q\":1}","toolCallId":"c-u1"}`,
		`TOOL_CALL_END {"toolCallId":"c-u1"}`,
		`STEP_FINISHED {"stepName":"model"}`,
		`STEP_STARTED {"stepName":"tools"}`,
		`CUSTOM {"name":"progress","value":{"percent":50}}`,
		`TOOL_CALL_RESULT {"content":"found","messageId":"t-u1","role":"tool","toolCallId":"c-u1"}`,
		`STEP_FINISHED {"stepName":"tools"}`,
		`STATE_SNAPSHOT {"snapshot":{"notes":["a note, which is long enough"],"topic":""}}`,
		`STEP_STARTED {"stepName":"answer"}`,
		`TEXT_MESSAGE_START {"messageId":"draft-r-1","role":"assistant"}`,
		`TEXT_MESSAGE_CONTENT {"delta":"You said ","messageId":"draft-r-1"}`,
		`TEXT_MESSAGE_CONTENT {"delta":"tool","messageId":"draft-r-1"}`,
		`TEXT_MESSAGE_CONTENT {"delta":".","messageId":"draft-r-1"}`,
		`TEXT_MESSAGE_END {"messageId":"draft-r-1"}`,
		`STEP_FINISHED {"stepName":"answer"}`,
		`STATE_DELTA {"delta":[{"op":"add","path":"/notes/-","value":"tool"}]}`,
		`MESSAGES_SNAPSHOT user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1 tool:t-u1 assistant:b-u1`,
		`RUN_FINISHED {"outcome":{"type":"success"}}`,
	}
	if diff := cmp.Diff(want, briefs(got)); diff != "" {
		t.Error(diff)
	}
	if got[0]["protocolVersion"] != "1.0" || got[0]["runId"] != "r" || got[0]["threadId"] != "t" || got[len(got)-1]["runId"] != "r" {
		t.Errorf("it begins with %v and ends with %v", got[0], got[len(got)-1])
	}
	// The second turn knows the first one, also when the client sends it again.
	list := of(got, "MESSAGES_SNAPSHOT")[0]["messages"].([]any)
	list = append(list, map[string]any{"id": "draft-r-1", "role": "assistant", "content": "You s"}, map[string]any{"id": "u2", "role": "user", "content": "hello"})
	body, err := json.Marshal(map[string]any{"threadId": "t", "runId": "r2", "state": map[string]any{"notes": []string{"a note, which is long enough", "tool"}, "topic": "x", "own": 1}, "messages": list})
	if err != nil {
		t.Fatal(err)
	}
	got = s.run("/agui", string(body))
	ends := of(got, "MESSAGES_SNAPSHOT")
	if want := "[user:u1 reasoning:a-u1-reasoning-0 assistant:a-u1 tool:t-u1 assistant:b-u1 user:u2 assistant:b-u2]"; len(ends) != 1 || fmt.Sprint(shownIn(ends[0])) != want {
		t.Errorf("snapshots %v; want %s", briefs(ends), want)
	}
	if state := brief(of(got, "STATE_SNAPSHOT")[0]); state != `STATE_SNAPSHOT {"snapshot":{"notes":["a note, which is long enough","tool"],"topic":"x"}}` {
		t.Errorf("the state is %s", state)
	}
}

// Streams of a graph without messages have a state alone. The state of the client replaces the
// thread's where it differs.
func TestState(t *testing.T) {
	s := served(t)
	for i, c := range []struct{ state, begins, ends string }{
		{`{"topic":"a long topic for a short change"}`, `{"notes":[],"topic":"a long topic for a short change"}`, `["a long topic for a short change"]`},
		{`{"notes":["a long topic for a short change"],"topic":"b"}`, `{"notes":["a long topic for a short change"],"topic":"b"}`, `["a long topic for a short change","b"]`},
		{`{"notes":["mine"],"topic":"c"}`, `{"notes":["mine"],"topic":"c"}`, `["mine","c"]`},
		{`null`, `{"notes":["mine","c"],"topic":"c"}`, `["mine","c","c"]`},
	} {
		got := s.run("/agui/counter", fmt.Sprintf(`{"threadId":"n","runId":"r%d","state":%s}`, i, c.state))
		if begins := brief(of(got, "STATE_SNAPSHOT")[0]); begins != `STATE_SNAPSHOT {"snapshot":`+c.begins+`}` || outcome(t, got)["type"] != "success" {
			t.Errorf("it begins with %s, and ends with %v", begins, got[len(got)-1])
		}
		th, err := s.runs.Thread(t.Context(), "n")
		if err != nil || !strings.Contains(string(th.Values), c.ends) {
			t.Errorf("state %d is %s (%v); want %s", i, th.Values, err, c.ends)
		}
	}
}

// A run that asks ends with its interrupt. Its answer is a run that continues.
func TestInterrupt(t *testing.T) {
	for name, c := range map[string]struct{ resume, result string }{
		"approved":  {`"status":"resolved","payload":{"approved":true}`, `found`},
		"edited":    {`"status":"resolved","payload":{"approved":true,"editedArgs":{"q":2}}`, `edit {"q":2}`},
		"rejected":  {`"status":"resolved","payload":{"approved":false,"message":"no!"}`, `reject no!`},
		"cancelled": {`"status":"cancelled"`, `reject `},
		"decisions": {`"status":"resolved","payload":{"decisions":[{"type":"reject","message":"never"}]}`, `reject never`},
	} {
		t.Run(name, func(t *testing.T) {
			s := served(t)
			first := s.run("/agui", said("t", "r1", "u1", "approve"))
			asked, _ := outcome(t, first)["interrupts"].([]any)
			if len(asked) != 1 {
				t.Fatalf("it asks %v", asked)
			}
			q := asked[0].(map[string]any)
			schema, _ := json.Marshal(q["responseSchema"])
			if q["reason"] != "tool_call" || q["toolCallId"] != "c-u1" || q["message"] != "look it up" || !strings.Contains(string(schema), `"editedArgs"`) || q["metadata"] == nil {
				t.Errorf("it asks %v", q)
			}
			if n := len(first); first[n-3]["type"] != "STATE_SNAPSHOT" || first[n-2]["type"] != "MESSAGES_SNAPSHOT" {
				t.Errorf("before the interrupt are %s and %s", brief(first[n-3]), brief(first[n-2]))
			}
			// CopilotKit answers with the ID of the run that asked, and adds the answer as a result.
			answer := fmt.Sprintf(`{"threadId":"t","runId":"r1","messages":[{"id":"x","role":"tool","toolCallId":"c-u1","content":"yes"}],"resume":[{"interruptId":%q,%s}]}`, q["id"], c.resume)
			second := s.run("/agui", answer)
			if outcome(t, second)["type"] != "success" || len(of(second, "TOOL_CALL_START")) != 0 {
				t.Errorf("after the answer: %v", briefs(second))
			}
			results := of(second, "TOOL_CALL_RESULT")
			if len(results) != 1 || results[0]["content"] != c.result || results[0]["toolCallId"] != "c-u1" {
				t.Errorf("the results are %v; want %s", results, c.result)
			}
			if again := s.run("/agui", answer); cmp.Diff(briefs(second), briefs(again)) != "" {
				t.Errorf("the same answer again: %s", cmp.Diff(briefs(second), briefs(again)))
			}
			all, err := s.runs.Runs(t.Context(), "t")
			if err != nil || len(all) != 2 {
				t.Errorf("%d runs, error %v", len(all), err)
			}
		})
	}
}

// An open interrupt must be answered, and nothing else can be. Without an answer the thread is
// shown with its interrupt.
func TestOpenInterrupt(t *testing.T) {
	s := served(t)
	first := outcome(t, s.run("/agui", said("t", "r1", "u1", "who")))
	if again := outcome(t, s.run("/agui", `{"threadId":"t","runId":"r2","messages":[]}`)); cmp.Diff(first, again) != "" {
		t.Errorf("shown again: %s", cmp.Diff(first, again))
	}
	q := first["interrupts"].([]any)[0].(map[string]any)
	if q["message"] != "Who is it?" || q["reason"] != "input_required" || q["toolCallId"] != nil || q["responseSchema"] != nil {
		t.Errorf("it asks %v", q)
	}
	for body, code := range map[string]string{
		said("t", "r3", "u2", "hello"): "interrupt_open",
		`{"threadId":"t","resume":[{"interruptId":"x","status":"resolved","payload":"ann"}]}`:                                                               "interrupt_open",
		fmt.Sprintf(`{"threadId":"t","resume":[{"interruptId":%q,"status":"resolved","payload":"ann"},{"interruptId":"x","status":"cancelled"}]}`, q["id"]): "interrupt_unknown",
		`{"threadId":"new","resume":[{"interruptId":"x","status":"cancelled"}]}`:                                                                            "interrupt_unknown",
	} {
		if got := s.run("/agui", body); len(got) != 1 || got[0]["type"] != "RUN_ERROR" || got[0]["code"] != code || got[0]["message"] == "" {
			t.Errorf("%s: %v", body, briefs(got))
		}
	}
	got := s.run("/agui", fmt.Sprintf(`{"threadId":"t","runId":"r4","resume":[{"interruptId":%q,"status":"resolved","payload":"ann"}]}`, q["id"]))
	if outcome(t, got)["type"] != "success" {
		t.Errorf("after the answer: %v", briefs(got))
	}
	if th, err := s.runs.Thread(t.Context(), "t"); err != nil || !strings.Contains(string(th.Values), `"topic":"ann"`) {
		t.Errorf("the thread is %s (%v)", th.Values, err)
	}
}

// A node may announce the ID of the message that its model writes.
func TestNamed(t *testing.T) {
	s := served(t)
	for text, want := range map[string][]string{
		"named": {
			`TEXT_MESSAGE_START {"messageId":"b-named","role":"assistant"}`, `TEXT_MESSAGE_CONTENT {"delta":"You said ","messageId":"b-named"}`,
			`TEXT_MESSAGE_CONTENT {"delta":"named","messageId":"b-named"}`, `TEXT_MESSAGE_CONTENT {"delta":".","messageId":"b-named"}`, `TEXT_MESSAGE_END {"messageId":"b-named"}`,
		},
		"again": {
			`TEXT_MESSAGE_START {"messageId":"b-again","role":"assistant"}`, `TEXT_MESSAGE_CONTENT {"delta":"I ","messageId":"b-again"}`, `TEXT_MESSAGE_END {"messageId":"b-again"}`,
			`TEXT_MESSAGE_START {"messageId":"draft-again-2","role":"assistant"}`, `TEXT_MESSAGE_CONTENT {"delta":"You said ","messageId":"draft-again-2"}`,
			`TEXT_MESSAGE_CONTENT {"delta":"again","messageId":"draft-again-2"}`, `TEXT_MESSAGE_END {"messageId":"draft-again-2"}`,
		},
	} {
		got := s.run("/agui", said(text, text, text, text))
		texts := slices.DeleteFunc(briefs(got), func(line string) bool { return !strings.HasPrefix(line, "TEXT_") })
		if diff := cmp.Diff(want, texts); diff != "" || len(of(got, "CUSTOM")) != 0 {
			t.Errorf("%s: %s", text, diff)
		}
		ends := of(got, "MESSAGES_SNAPSHOT")
		if data, _ := json.Marshal(ends[len(ends)-1]["messages"]); !strings.Contains(string(data), `"You said `+text+`."`) {
			t.Errorf("%s: the client has %s", text, data)
		}
	}
}

// A turn may end with a call of the client's tool, and the next one brings its result.
func TestClientTool(t *testing.T) {
	s := served(t)
	got := s.run("/agui", said("t", "r1", "u1", "paint"))
	if last := brief(got[len(got)-1]); last != `RUN_FINISHED {"outcome":{"pendingToolCallIds":["p-u1"],"type":"success"}}` {
		t.Errorf("it ended with %s", last)
	}
	got = s.run("/agui", `{"threadId":"t","runId":"r2","messages":[{"id":"x","role":"tool","toolCallId":"p-u1","content":"painted"}]}`)
	if ends := of(got, "MESSAGES_SNAPSHOT"); outcome(t, got)["pendingToolCallIds"] != nil || brief(ends[len(ends)-1]) != "MESSAGES_SNAPSHOT user:u1 assistant:a-u1 tool:x assistant:b-u1" {
		t.Errorf("with the result: %v", briefs(got))
	}
}

// A failed run ends with an error, and everything that it opened is closed before.
func TestFailure(t *testing.T) {
	s := served(t)
	want := []string{
		`RUN_STARTED`, `STATE_SNAPSHOT {"snapshot":{"notes":[],"topic":""}}`, `STEP_STARTED {"stepName":"model"}`,
		`TEXT_MESSAGE_START {"messageId":"draft-r1-1","role":"assistant"}`, `TEXT_MESSAGE_CONTENT {"delta":"I ","messageId":"draft-r1-1"}`,
		`TEXT_MESSAGE_END {"messageId":"draft-r1-1"}`, `STEP_FINISHED {"stepName":"model"}`, `MESSAGES_SNAPSHOT user:u1`,
		`RUN_ERROR {"code":"run_error","message":"running node \"model\" in step 1: it fails"}`,
	}
	if diff := cmp.Diff(want, briefs(s.run("/agui", said("t", "r1", "u1", "fail")))); diff != "" {
		t.Error(diff)
	}
	// The same question again tries what failed again.
	if got := s.run("/agui", said("t", "r2", "u1", "fail")); got[len(got)-1]["code"] != "run_error" {
		t.Errorf("again: %v", briefs(got))
	}
	if got := s.run("/agui", said("t", "r3", "u2", "hello")); outcome(t, got)["type"] != "success" {
		t.Errorf("after a failure: %v", briefs(got))
	}
}

// A client that comes back gets its thread, its run, or another answer.
func TestRejoin(t *testing.T) {
	s := served(t)
	first := s.run("/agui", said("t", "r1", "u1", "one"))
	second := s.run("/agui", said("t", "r2", "u2", "two"))
	if begins := of(second, "MESSAGES_SNAPSHOT")[0]; fmt.Sprint(shownIn(begins)) != "[user:u1 assistant:b-u1 user:u2]" {
		t.Errorf("a client without the history gets %v", brief(begins))
	}
	if again := s.run("/agui", said("t", "r1", "u1", "one")); cmp.Diff(briefs(first), briefs(again)) != "" {
		t.Errorf("a run again: %s", cmp.Diff(briefs(first), briefs(again)))
	}
	want := []string{
		`RUN_STARTED`, `STATE_SNAPSHOT {"snapshot":{"notes":["one","two"],"topic":""}}`,
		`MESSAGES_SNAPSHOT user:u1 assistant:b-u1 user:u2 assistant:b-u2`, `RUN_FINISHED {"outcome":{"type":"success"}}`,
	}
	for _, body := range []string{`{"threadId":"t","runId":"r3"}`, `{"threadId":"t","runId":"r4","messages":[{"id":"b-u2","role":"assistant","content":"You said two."}]}`} {
		if diff := cmp.Diff(want, briefs(s.run("/agui", body))); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
	if got := s.run("/agui", `{"threadId":"other","runId":"r","messages":[]}`); cmp.Diff([]string{"RUN_STARTED", "MESSAGES_SNAPSHOT ", `RUN_FINISHED {"outcome":{"type":"success"}}`}, briefs(got)) != "" {
		t.Errorf("a thread that does not exist: %v", briefs(got))
	}
	// The first question again is answered again, without the second one.
	for _, run := range []string{"r5", "r6"} {
		got := s.run("/agui", said("t", run, "u1", "one"))
		if ends := of(got, "MESSAGES_SNAPSHOT"); fmt.Sprint(shownIn(ends[len(ends)-1])) != "[user:u1 assistant:b-u1]" || len(of(got, "TEXT_MESSAGE_CONTENT")) != 3 || len(of(got, "STEP_STARTED")) != 3 {
			t.Errorf("again: %v", briefs(got))
		}
	}
	if all, err := s.runs.Runs(t.Context(), "t"); err != nil || len(all) != 4 {
		t.Errorf("%d runs, error %v", len(all), err)
	}
}

// A run ends with its client, unless the client wants it to continue. Then the client may come back.
func TestDisconnect(t *testing.T) {
	s := served(t)
	leave := func(thread, props string) {
		ctx, stop := context.WithCancel(t.Context())
		answer := s.open(ctx, "/agui", fmt.Sprintf(`{"threadId":%q,"runId":"r","forwardedProps":%s,"messages":[{"id":"u","role":"user","content":"wait"}]}`, thread, props))
		select {
		case <-s.begun:
		case <-time.After(10 * time.Second):
			t.Fatal("the run does not begin")
		}
		stop()
		_ = answer.Body.Close()
	}
	only := func(thread string) runs.Run {
		all, err := s.runs.Runs(t.Context(), thread)
		if err != nil || len(all) != 1 {
			t.Fatalf("%d runs, error %v", len(all), err)
		}
		return all[0]
	}
	leave("t", `{}`)
	if r, err := s.runs.Wait(t.Context(), only("t").ID); err != nil || r.Status != runs.Cancelled {
		t.Errorf("the run is %v, error %v", r.Status, err)
	}
	leave("stays", `{"onDisconnect":"continue"}`)
	time.Sleep(50 * time.Millisecond)
	r := only("stays")
	if r.Status != runs.Running {
		t.Fatalf("the run is %v", r.Status)
	}
	if status, body := s.refused("/agui", said("stays", "other", "u2", "hello")); status != 409 {
		t.Errorf("another question: %d %s", status, body)
	}
	answer := s.open(t.Context(), "/agui", `{"threadId":"stays","runId":"new","protocolVersion":"1.0"}`)
	defer func() { _ = answer.Body.Close() }()
	from, last := bufio.NewReader(answer.Body), frame(nil)
	for ev := next(t, from); ev != nil; ev = next(t, from) {
		if last = ev; ev["type"] == "TEXT_MESSAGE_CONTENT" {
			if err := s.runs.Cancel(t.Context(), r.ID); err != nil {
				t.Error(err)
			}
		}
	}
	if brief(last) != `RUN_FINISHED {"outcome":{"type":"cancelled"}}` {
		t.Errorf("it ended with %s", brief(last))
	}
	// Clients before 1.0 know no outcome for it.
	if got := s.run("/agui", `{"threadId":"stays","runId":"r"}`); brief(got[len(got)-1]) != `RUN_ERROR {"code":"run_interrupted","message":"the run was cancelled"}` {
		t.Errorf("it ended with %v", briefs(got))
	}
}

// What a graph can know of its input is in the run.
func TestMetadata(t *testing.T) {
	s := served(t)
	s.run("/agui", `{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"x"}],"tools":[{"name":"paint"}],"context":[{"description":"d","value":"v"}],"forwardedProps":{"voice":"low","colour":"red"}}`)
	all, err := s.runs.Runs(t.Context(), "t")
	if err != nil || len(all) != 1 {
		t.Fatalf("%d runs, error %v", len(all), err)
	}
	want := `{"agui":{"run_id":"r","tools":[{"name":"paint"}],"context":[{"description":"d","value":"v"}],"forwarded_props":{"voice":"low","colour":"red"}},"graph_id":"chat","wire":"agui"}`
	if got := string(all[0].Metadata); got != want || string(all[0].Settings["voice"]) != `"low"` || len(all[0].Settings) != 1 {
		t.Errorf("the run has %s, and the settings %s", got, all[0].Settings)
	}
	if th, err := s.runs.Thread(t.Context(), "t"); err != nil || string(th.Metadata) != `{"graph_id":"chat","wire":"agui"}` {
		t.Errorf("the thread has %s (%v)", th.Metadata, err)
	}
}

// Messages keep their role, parts and calls on the way to the thread.
func TestMessages(t *testing.T) {
	s := served(t)
	got := s.run("/agui/chat", `{"threadId":"t","runId":"r","messages":[
		{"id":"d","role":"developer","content":"Be kind."},
		{"id":"x","role":"activity","activityType":"plan","content":{}},
		{"id":"a","role":"assistant","content":null,"toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}}]},
		{"id":"r","role":"tool","toolCallId":"c","content":"bad","error":"bad"},
		{"id":"u","role":"user","name":"ann","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"data","mimeType":"image/png","value":"AA=="}}]}]}`)
	th, err := s.runs.Thread(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"id":"d","type":"system","content":"Be kind.",`,
		`{"id":"a","type":"ai","content":"","additional_kwargs":{},"response_metadata":{},"tool_calls":[{"id":"c","name":"f","args":{"n":1},"type":"tool_call"}],`,
		`{"id":"r","type":"tool","content":"bad","additional_kwargs":{},"response_metadata":{},"tool_call_id":"c","status":"error"}`,
		`{"id":"u","type":"human","content":[{"type":"text","text":"see"},{"data":"AA==","mime_type":"image/png","type":"image"}],"name":"ann",`,
	} {
		if !strings.Contains(string(th.Values), want) {
			t.Errorf("the thread has no %s: %s", want, th.Values)
		}
	}
	ends := of(got, "MESSAGES_SNAPSHOT")
	data, _ := json.Marshal(ends[len(ends)-1]["messages"]) // it was JSON
	for _, want := range []string{
		`{"content":"Be kind.","id":"d","role":"system"}`, `"toolCalls":[{"function":{"arguments":"{\"n\":1}","name":"f"},"id":"c","type":"function"}]`,
		`{"content":"bad","error":"bad","id":"r","role":"tool","toolCallId":"c"}`, `{"source":{"mimeType":"image/png","type":"data","value":"AA=="},"type":"image"}`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the client gets no %s: %s", want, data)
		}
	}
}

// An input that cannot be understood is refused.
func TestBadInput(t *testing.T) {
	s := served(t)
	for _, c := range []struct {
		path, body, says string
		status           int
	}{
		{"/agui", `{`, "not a RunAgentInput", 400},
		{"/agui", `[]`, "not a RunAgentInput", 400},
		{"/agui", `{"messages":"hello"}`, "messages", 400},
		{"/agui", said("a/b", "r", "u", "x"), "cannot be the ID of a thread", 400},
		{"/agui", `{"threadId":"t","state":{"topic":7},"messages":[{"id":"u","role":"user","content":"x"}]}`, "topic", 400},
		{"/agui/nobody", said("t", "r", "u", "x"), "nobody", 404},
		{"/agui", `{"threadId":"t","forwardedProps":{"assistant":"nobody"}}`, "nobody", 404},
	} {
		if status, body := s.refused(c.path, c.body); status != c.status || !strings.Contains(body, c.says) || !strings.Contains(body, `"detail"`) {
			t.Errorf("%s %s: %d %s; want %d with %q", c.path, c.body, status, body, c.status, c.says)
		}
	}
	if got := s.run("/agui", `{"messages":[{"role":"user","content":"x"}],"forwardedProps":"any","state":7}`); outcome(t, got)["type"] != "success" || got[0]["threadId"] == "" || got[0]["runId"] == "" {
		t.Errorf("an input without IDs: %v", briefs(got))
	}
}
