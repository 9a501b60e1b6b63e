package a2a_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/go-cmp/cmp"

	"example.com/assay/serve"
)

// The public card needs no token, names every graph, and says how to authenticate.
func TestCard(t *testing.T) {
	s := served(t, nil)
	for path, want := range map[string]string{
		"": `{"supportedInterfaces":[{"url":"URL/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"pushNotifications":true,"streaming":true,"extendedAgentCard":true},` +
			`"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],` +
			`"description":"Runs graphs: both, desk, writer. A request names one in its metadata: {\"graph\": \"both\"}.","name":"Assay",` +
			`"securityRequirements":[{"schemes":{"bearer":[]}},{"schemes":{"apiKey":[]}}],` +
			`"securitySchemes":{"apiKey":{"apiKeySecurityScheme":{"location":"header","name":"X-Api-Key"}},"bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},` +
			`"skills":[{"description":"the graph both","id":"both","inputModes":["application/json"],"name":"both","outputModes":["application/json"],"tags":["graph"]},` +
			`{"description":"repeats what it hears","id":"desk","name":"desk","tags":["graph"]},{"description":"the graph writer","id":"writer","name":"writer","tags":["graph"]}],"version":"1.2.3"}`,
		"/a2a/desk": `{"supportedInterfaces":[{"url":"URL/a2a/desk","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"pushNotifications":true,"streaming":true,"extendedAgentCard":true},` +
			`"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain","application/json"],"description":"repeats what it hears","name":"desk",` +
			`"securityRequirements":[{"schemes":{"bearer":[]}},{"schemes":{"apiKey":[]}}],` +
			`"securitySchemes":{"apiKey":{"apiKeySecurityScheme":{"location":"header","name":"X-Api-Key"}},"bearer":{"httpAuthSecurityScheme":{"scheme":"Bearer"}}},` +
			`"skills":[{"description":"repeats what it hears","id":"desk","name":"desk","tags":["graph"]}],"version":"1.2.3"}`,
	} {
		got, err := http.Get(s.URL + path + "/.well-known/agent-card.json")
		if err != nil {
			t.Fatal(err)
		}
		var card json.RawMessage
		if err := errors.Join(json.NewDecoder(got.Body).Decode(&card), got.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.ReplaceAll(string(card), s.URL, "URL")); diff != "" || got.Header.Get("ETag") == "" {
			t.Errorf("%s: ETag %s, card\n%s", path, got.Header.Get("ETag"), diff)
		}
	}
	for path, want := range map[string]int{"/a2a/none/.well-known/agent-card.json": http.StatusNotFound, "/.well-known/agent-card.json/": http.StatusUnauthorized, "/a2a": http.StatusUnauthorized} {
		r, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Body.Close(); err != nil || r.StatusCode != want {
			t.Errorf("%s: status %d, %v", path, r.StatusCode, err)
		}
	}
	for _, path := range []string{"/.well-known/agent-card.json", "/a2a/desk/.well-known/agent-card.json"} { // only the card is open
		if status, text := s.post(path, `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`, "X-Api-Key", ""); status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d %s", path, status, text)
		}
	}
	open := served(t, func(o *serve.Options) { o.Tenants, o.Open = nil, true })
	if got := sent(t, open.client("", ""), asking("hi")); got.Status.State != a2a.TaskStateCompleted {
		t.Error(shape(got))
	}
	extended, err := s.client("/a2a/desk", bobToken).GetExtendedAgentCard(t.Context(), &a2a.GetExtendedAgentCardRequest{})
	if err != nil || extended.Skills[0].Description != "repeats what it hears\nSetting \"voice\", in the metadata of a request: {\"type\":\"string\"}; it can be loud, of-bob" {
		t.Errorf("the extended card is %+v, %v", extended, err)
	}
}

// shape is a task without what differs between runs.
func shape(t *a2a.Task) string {
	var out []string
	part := func(p *a2a.Part) string {
		data, _ := json.Marshal(p.Data())
		return strings.TrimSuffix(p.Text()+" "+string(data), " null")
	}
	out = append(out, string(t.Status.State))
	if t.Status.Message != nil {
		for _, p := range t.Status.Message.Parts {
			out = append(out, "says "+part(p))
		}
	}
	for _, m := range t.History {
		for _, p := range m.Parts {
			out = append(out, string(m.Role)+" "+part(p))
		}
	}
	for _, a := range t.Artifacts {
		for _, p := range a.Parts {
			out = append(out, a.Name+" "+part(p))
		}
	}
	return strings.Join(out, "\n")
}

// A message is answered by a task, whose artifact has the text with its citations, and data.
// Messages of a context know each other.
func TestAnswer(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	one := sent(t, c, asking("hi"))
	want := `TASK_STATE_COMPLETED
ROLE_USER hi
desk They said: HI
desk  {"run_id":"` + string(one.ID) + `","said":12345678901234567000}`
	if diff := cmp.Diff(want, shape(one)); diff != "" {
		t.Error(diff)
	}
	cited := map[string]any{"type": "citation", "part": 0.0, "start_index": 11.0, "end_index": 13.0, "cited_text": "HI", "doc": "d1", "path": "a.md", "start": 7.0, "end": 9.0}
	if diff := cmp.Diff(map[string]any{"annotations": []any{cited}}, one.Artifacts[0].Metadata); diff != "" {
		t.Error(diff)
	}
	if one.Status.Timestamp == nil || one.History[0].TaskID != one.ID || one.History[0].ContextID != one.ContextID {
		t.Errorf("status %+v, message %+v", one.Status, one.History[0])
	}
	more := asking("and")
	more.Message.ContextID, more.Metadata = one.ContextID, map[string]any{"voice": "loud", "mine": 1}
	two := sent(t, c, more)
	if two.ContextID != one.ContextID || two.ID == one.ID || !strings.Contains(shape(two), "They said: AND") {
		t.Errorf("the second task is %s", shape(two))
	}
	got, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: one.ID})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, got); diff != "" {
		t.Error("the first task was changed by the second:\n", diff)
	}
	data := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewDataPart(map[string]any{"votes": []int{3}})), Metadata: map[string]any{"graph": "both"}}
	if got := shape(sent(t, c, data)); got != "TASK_STATE_INPUT_REQUIRED\nsays left?\nsays right?\nROLE_USER  {\"votes\":[3]}" && got != "TASK_STATE_INPUT_REQUIRED\nsays right?\nsays left?\nROLE_USER  {\"votes\":[3]}" {
		t.Error(got)
	}
	failed := sent(t, c, asking("fail"))
	if got := shape(failed); !strings.Contains(got, "TASK_STATE_FAILED\nsays ") || !strings.Contains(got, "it fails") {
		t.Error(got)
	}
}

// A task that asks keeps its ID over its answer, which a text or data gives.
func TestQuestion(t *testing.T) {
	s := served(t, nil)
	c := s.client("/a2a/desk", annToken)
	asks := sent(t, c, asking("ask"))
	if got := shape(asks); got != "TASK_STATE_INPUT_REQUIRED\nsays Who is it?\nROLE_USER ask" {
		t.Fatal(got)
	}
	answered := sent(t, c, reply(asks, a2a.NewTextPart("ann")))
	if got := shape(answered); answered.ID != asks.ID || !strings.HasPrefix(got, "TASK_STATE_COMPLETED\nROLE_USER ask\nROLE_AGENT Who is it?\nROLE_USER ann\ndesk They said: it is ann\n") {
		t.Errorf("%s is now %s: %s", asks.ID, answered.ID, got)
	}
	if _, err := c.SendMessage(t.Context(), reply(asks, a2a.NewTextPart("bob"))); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("a second answer: %v", err)
	}
	approve := sent(t, c, asking("approve"))
	decided := sent(t, c, reply(approve, a2a.NewTextPart("Yes."), a2a.NewDataPart(map[string]any{"type": "yes"})))
	if got := shape(decided); !strings.Contains(got, `They said: decided {"type":"yes"}`) {
		t.Error(got)
	}

	other := s.client("/a2a/both", annToken)
	two := sent(t, other, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewDataPart(map[string]any{}))})
	if _, err := other.SendMessage(t.Context(), reply(two, a2a.NewDataPart(1))); !errors.Is(err, a2a.ErrInvalidParams) {
		t.Errorf("an answer to neither: %v", err)
	}
	var parts []*a2a.Part
	for i, asked := range two.Status.Message.Parts {
		p := a2a.NewDataPart(i + 1)
		p.SetMeta("interrupt_id", asked.Metadata["interrupt_id"])
		parts = append(parts, p)
	}
	half := sent(t, other, reply(two, parts[0]))
	if got := shape(half); !strings.HasPrefix(got, "TASK_STATE_INPUT_REQUIRED\nsays "+two.Status.Message.Parts[1].Text()+"\n") {
		t.Error(got)
	}
	whole := sent(t, other, reply(half, parts[1]))
	if got := shape(whole); !strings.HasPrefix(got, "TASK_STATE_COMPLETED\n") || !strings.Contains(got, `both  {"votes":[`) || whole.ID != two.ID {
		t.Error(got)
	}
}

// A task whose context went on is canceled, and takes no answer.
func TestLeft(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	asks := sent(t, c, asking("ask"))
	next := asking("hi")
	next.Message.ContextID = asks.ContextID
	if got := sent(t, c, next); got.Status.State != a2a.TaskStateCompleted {
		t.Error(shape(got))
	}
	got, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: asks.ID})
	if err != nil || shape(got) != "TASK_STATE_CANCELED\nsays The context went on without an answer.\nROLE_USER ask" {
		t.Errorf("%v, %v", got, err)
	}
}

// line is an event in a line.
func line(ev a2a.Event) string {
	switch ev := ev.(type) {
	case *a2a.Task:
		return "task " + strings.ReplaceAll(shape(ev), "\n", "; ")
	case *a2a.TaskStatusUpdateEvent:
		return strings.ReplaceAll(shape(&a2a.Task{Status: ev.Status}), "\n", "; ")
	case *a2a.TaskArtifactUpdateEvent:
		return fmt.Sprintf("%s append=%t last=%t %q cites=%d", ev.Artifact.ID, ev.Append, ev.LastChunk, ev.Artifact.Parts[0].Text(), len(ev.Artifact.Metadata))
	}
	return fmt.Sprintf("%T", ev)
}

// events are what a stream tells.
func events(t *testing.T, stream iter.Seq2[a2a.Event, error], more func(a2a.Event)) string {
	t.Helper()
	var out []string
	for ev, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, line(ev))
		if more != nil {
			more(ev)
		}
	}
	return strings.Join(out, "\n")
}

// A stream tells steps, the text that a model writes, the answer and the end.
func TestStream(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	const steps = `task TASK_STATE_SUBMITTED; ROLE_USER hi
TASK_STATE_WORKING
TASK_STATE_WORKING; says say → 
answer append=false last=true "They said: HI" cites=1
TASK_STATE_COMPLETED`
	if diff := cmp.Diff(steps, events(t, c.SendStreamingMessage(t.Context(), asking("hi")), nil)); diff != "" {
		t.Error(diff)
	}
	const text = `task TASK_STATE_SUBMITTED; ROLE_USER hi
TASK_STATE_WORKING
answer append=false last=false "Once " cites=0
answer append=true last=false "upon " cites=0
answer append=true last=false "a time" cites=0
answer append=false last=true "Once upon a time" cites=0
TASK_STATE_COMPLETED`
	if diff := cmp.Diff(text, events(t, s.client("/a2a/writer", annToken).SendStreamingMessage(t.Context(), asking("hi")), nil)); diff != "" {
		t.Error(diff)
	}
	for _, err := range c.SendStreamingMessage(t.Context(), &a2a.SendMessageRequest{Message: &a2a.Message{TaskID: "none", ID: "1", Role: a2a.MessageRoleUser, Parts: a2a.ContentParts{a2a.NewTextPart("x")}}}) {
		if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("a message to no task: %v", err)
		}
	}
}

// A subscriber sees a task from its question over its answer to its end, and what happened before.
func TestSubscribe(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	var asks *a2a.Task
	const asked = `task TASK_STATE_SUBMITTED; ROLE_USER ask
TASK_STATE_WORKING
TASK_STATE_WORKING; says say → 
TASK_STATE_INPUT_REQUIRED; says Who is it?`
	if diff := cmp.Diff(asked, events(t, c.SendStreamingMessage(t.Context(), asking("ask")), func(ev a2a.Event) {
		if one, ok := ev.(*a2a.Task); ok {
			asks = one
		}
	})); diff != "" {
		t.Error(diff)
	}
	got := events(t, c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: asks.ID}), func(ev a2a.Event) {
		if _, ok := ev.(*a2a.Task); ok {
			sent(t, c, reply(asks, a2a.NewTextPart("ann")))
		}
	})
	const told = `task TASK_STATE_INPUT_REQUIRED; says Who is it?; ROLE_USER ask
answer append=false last=true "They said: it is ann" cites=1
TASK_STATE_COMPLETED`
	if diff := cmp.Diff(told, got); diff != "" {
		t.Error(diff)
	}
	now := asking("wait")
	now.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	waits := sent(t, c, now)
	<-s.begun
	got = events(t, c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: waits.ID}), func(ev a2a.Event) {
		if _, ok := ev.(*a2a.Task); ok {
			s.open <- struct{}{}
		}
	})
	const joined = `task TASK_STATE_WORKING; ROLE_USER wait
TASK_STATE_WORKING
TASK_STATE_WORKING; says say → 
answer append=false last=true "They said: WAIT" cites=1
TASK_STATE_COMPLETED`
	if diff := cmp.Diff(joined, got); diff != "" {
		t.Error(diff)
	}
	for _, err := range c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: waits.ID}) {
		if !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("a subscription after the end: %v", err)
		}
	}
}

// A task is canceled while it runs and while it waits for an answer, and once.
func TestCancel(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	now := asking("wait")
	now.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	runs := sent(t, c, now)
	<-s.begun
	asks := sent(t, c, asking("ask"))
	cancel := func(one *a2a.Task) {
		got, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: one.ID})
		if err != nil || got.Status.State != a2a.TaskStateCanceled {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: one.ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
			t.Errorf("canceled again: %v", err)
		}
	}
	cancel(runs)
	told := events(t, c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: asks.ID}), func(ev a2a.Event) {
		if _, ok := ev.(*a2a.Task); ok {
			cancel(asks)
		}
	})
	if told != "task TASK_STATE_INPUT_REQUIRED; says Who is it?; ROLE_USER ask\nTASK_STATE_CANCELED" {
		t.Error(told)
	}
	if _, err := c.SendMessage(t.Context(), reply(asks, a2a.NewTextPart("ann"))); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("an answer after the end: %v", err)
	}
	list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{Status: a2a.TaskStateCanceled})
	if err != nil || list.TotalSize != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}

// What other clients write in metadata changes no task.
func TestForged(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	one := sent(t, c, asking("hi"))
	m := asking("and")
	m.Message.ContextID, m.Metadata = one.ContextID, map[string]any{"a2a_task": one.ID, "wire": "b", "graph_id": "c"}
	if two := sent(t, c, m); two.ID == one.ID || len(two.History) != 1 {
		t.Error(shape(two))
	}
	for _, body := range []string{
		`{"assistant_id":"desk","input":{"messages":[{"role":"user","content":"x"}]},"metadata":{"wire":"a2a"}}`,
		`{"assistant_id":"desk","input":{"messages":[{"role":"user","content":"x"}]},"metadata":{"wire":"a2a","a2a_task":"` + string(one.ID) + `","a2a_canceled":"x"}}`,
		`{"assistant_id":"desk","input":{"messages":[{"role":"user","content":"x"}]},"metadata":{"wire":3}}`,
	} {
		if status, text := s.post("/threads/"+one.ContextID+"/runs/wait", body); status != http.StatusOK {
			t.Errorf("%d %s", status, text)
		}
	}
	list, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{ContextID: one.ContextID, IncludeArtifacts: true})
	if err != nil || list.TotalSize != 3 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Lists are pages of the tasks that match, the newest first, without artifacts unless asked for.
func TestList(t *testing.T) {
	s := served(t, nil)
	c := s.client("", annToken)
	var made []*a2a.Task
	for i := range 5 {
		m := asking(fmt.Sprint("hi ", i))
		if i > 2 {
			m.Message.ContextID = made[1].ContextID
		}
		made = append(made, sent(t, c, m))
	}
	names := func(list *a2a.ListTasksResponse) (out []string) {
		for _, one := range list.Tasks {
			for i, m := range made {
				if m.ID == one.ID {
					out = append(out, fmt.Sprint(i, len(one.Artifacts), len(one.History)))
				}
			}
		}
		return out
	}
	var got [][]string
	none := 0
	for in := (&a2a.ListTasksRequest{PageSize: 2, HistoryLength: &none}); ; {
		list, err := c.ListTasks(t.Context(), in)
		if err != nil || list.TotalSize != 5 || list.PageSize != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		got = append(got, names(list))
		if in.PageToken = list.NextPageToken; in.PageToken == "" {
			break
		}
	}
	if diff := cmp.Diff([][]string{{"4 0 0", "3 0 0"}, {"2 0 0", "1 0 0"}, {"0 0 0"}}, got); diff != "" {
		t.Error(diff)
	}
	for want, in := range map[string]*a2a.ListTasksRequest{
		"[4 1 1 3 1 1 1 1 1]": {ContextID: made[1].ContextID, IncludeArtifacts: true},
		"[4 0 1 3 0 1]":       {StatusTimestampAfter: made[3].Status.Timestamp},
		"[]":                  {Status: a2a.TaskStateWorking},
	} {
		list, err := c.ListTasks(t.Context(), in)
		if err != nil || fmt.Sprint(names(list)) != want {
			t.Errorf("%+v: %v, want %s, %v", in, names(list), want, err)
		}
	}
	if _, text := s.post("/a2a", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"pageSize":1}}`); strings.Contains(text, "artifacts") || !strings.Contains(text, `"nextPageToken":"`) {
		t.Error(text)
	}
}

// Tasks outlive their server: one that runs goes on, and one that asks takes its answer.
func TestRestart(t *testing.T) {
	folder := t.TempDir()
	s, stop := keeping(t, folder, nil)
	c := s.client("", annToken)
	asks := sent(t, c, asking("ask"))
	now := asking("wait")
	now.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	waits := sent(t, c, now)
	<-s.begun
	told, cut := make(chan a2a.Event, 10), make(chan struct{})
	go func() { // a subscriber loses its stream
		defer close(cut)
		for ev, err := range c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: waits.ID}) {
			if err != nil {
				return
			}
			told <- ev
		}
	}()
	<-told
	stop()
	<-cut
	s, stop = keeping(t, folder, nil)
	defer stop()
	c = s.client("", annToken)
	<-s.begun
	got := events(t, c.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: waits.ID}), func(ev a2a.Event) {
		if _, ok := ev.(*a2a.Task); ok {
			s.open <- struct{}{}
		}
	})
	if !strings.HasSuffix(got, "answer append=false last=true \"They said: WAIT\" cites=1\nTASK_STATE_COMPLETED") {
		t.Error(got)
	}
	if got := sent(t, c, reply(asks, a2a.NewTextPart("ann"))); got.ID != asks.ID || !strings.Contains(shape(got), "They said: it is ann") {
		t.Error(shape(got))
	}
}

// Every body is answered by a response of JSON-RPC, or by a stream of them.
func FuzzRPC(f *testing.F) {
	s := served(f, func(o *serve.Options) { o.Graphs = o.Graphs[1:] }) // without what waits
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi","metadata":{"interrupt_id":"x"}}],"contextId":"c"},"metadata":{"graph":"writer"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":{"votes":[1]}}]},"configuration":{"historyLength":1}}}`,
		`{"jsonrpc":"2.0","id":"a","method":"ListTasks","params":{"pageSize":3,"pageToken":"2026-01-02T15:04:05.000 x","statusTimestampAfter":"2026-01-02T15:04:05Z","includeArtifacts":true}}`,
		`{"jsonrpc":"2.0","method":"GetExtendedAgentCard"}`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":null}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		s.t = t
		status, got := s.post("/a2a", body)
		for line := range strings.Lines(got) {
			data, isEvent := strings.CutPrefix(line, "data: ")
			if strings.TrimSpace(line) == "" || strings.HasPrefix(line, ":") {
				continue
			}
			var out struct {
				Version string `json:"jsonrpc"`
				Result  any
				Error   any
			}
			if err := json.Unmarshal([]byte(data), &out); err != nil || status != http.StatusOK || out.Version != "2.0" || (out.Result == nil) == (out.Error == nil) {
				t.Errorf("%q: %d %t %s", body, status, isEvent, line)
			}
		}
	})
}

// Tenants do not see each other's tasks, nor continue each other's contexts; an agent of one graph
// does not see the tasks of others.
func TestApart(t *testing.T) {
	s := served(t, nil)
	ann, bob := s.client("", annToken), s.client("", bobToken)
	asks := sent(t, ann, asking("ask"))
	for name, do := range map[string]func() error{
		"get":    func() error { _, err := bob.GetTask(t.Context(), &a2a.GetTaskRequest{ID: asks.ID}); return err },
		"cancel": func() error { _, err := bob.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: asks.ID}); return err },
		"answer": func() error { _, err := bob.SendMessage(t.Context(), reply(asks, a2a.NewTextPart("bob"))); return err },
		"subscribe": func() (err error) {
			for _, err = range bob.SubscribeToTask(t.Context(), &a2a.SubscribeToTaskRequest{ID: asks.ID}) {
			}
			return err
		},
		"another graph": func() error {
			_, err := s.client("/a2a/writer", annToken).GetTask(t.Context(), &a2a.GetTaskRequest{ID: asks.ID})
			return err
		},
	} {
		if err := do(); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	in := asking("hi")
	in.Message.ContextID = asks.ContextID
	if got := sent(t, bob, in); got.Status.State != a2a.TaskStateCompleted || len(got.History) != 1 {
		t.Error(shape(got))
	}
	list, err := bob.ListTasks(t.Context(), &a2a.ListTasksRequest{})
	if err != nil || list.TotalSize != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if got, err := ann.GetTask(t.Context(), &a2a.GetTaskRequest{ID: asks.ID}); err != nil || got.Status.State != a2a.TaskStateInputRequired {
		t.Errorf("%+v, %v", got, err)
	}
}

// A request that is wrong gets the protocol's code, and begins no run.
func TestRefused(t *testing.T) {
	s := served(t, nil)
	const text = `"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]`
	call := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":"a","method":"` + method + `","params":` + params + `}`
	}
	for _, c := range []struct {
		path, body string
		code       int
		says       string
	}{
		{"", `{"jsonrpc":`, -32700, "parse error"},
		{"", `[]`, -32600, "one object"},
		{"", `{"id":1,"method":"GetTask"}`, -32600, "2.0"},
		{"", `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, -32600, "its id"},
		{"", call("message/send", "{}"), -32601, "message/send"},
		{"", call("GetTask", "[]"), -32602, "array"},
		{"", `{"jsonrpc":"2.0","id":"a","method":"GetTask"}`, -32001, "task not found"},
		{"", call("GetTask", `{"id":"none","historyLength":-1}`), -32602, "historyLength"},
		{"", call("SendMessage", `{}`), -32602, "messageId"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[]}}`), -32602, "parts"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{}]}}`), -32602, "part"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[null]}}`), -32602, "parts"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"a\u0000"}]}}`), -32602, "U+0000"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_AGENT","parts":[{"text":"a"}]}}`), -32602, "ROLE_USER"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"raw":"aGk=","mediaType":"image/png"}]}}`), -32005, "file"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":3}]}}`), -32602, "object"},
		{"", call("SendMessage", `{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"data":{"no":3}}]}}`), -32602, `unknown channel \"no\"`},
		{"", call("SendMessage", `{"message":{`+text+`},"metadata":{"voice":"low"}}`), -32602, "no such voice"},
		{"", call("SendMessage", `{"message":{`+text+`},"metadata":{"graph":"none"}}`), -32602, "none"},
		{"", call("SendMessage", `{"message":{`+text+`,"contextId":"a/b"}}`), -32602, "a/b"},
		{"", call("SendMessage", `{"message":{`+text+`,"taskId":"none"}}`), -32001, "none"},
		{"", call("SendMessage", `{"message":{`+text+`},"configuration":{"historyLength":-2}}`), -32602, "historyLength"},
		{"", call("SendMessage", `{"message":{`+text+`},"configuration":{"taskPushNotificationConfig":{"url":"http://127.0.0.1"}}}`), -32602, "inside the network"},
		{"/both", call("SendMessage", `{"message":{`+text+`}}`), -32005, "data parts"},
		{"", call("ListTasks", `{"pageSize":101}`), -32602, "from 1 to 100"},
		{"", call("ListTasks", `{"pageToken":"%%"}`), -32602, "pageToken"},
		{"", call("CancelTask", `{"id":"none"}`), -32001, "none"},
		{"", call("SubscribeToTask", `{"id":"none"}`), -32001, "none"},
		{"", call("CreateTaskPushNotificationConfig", `{"taskId":"none","url":"https://example.com"}`), -32001, "none"},
		{"", call("GetTaskPushNotificationConfig", `{}`), -32001, "task not found"},
		{"", call("ListTaskPushNotificationConfigs", `{}`), -32001, "task not found"},
		{"", call("DeleteTaskPushNotificationConfig", `{}`), -32001, "task not found"},
	} {
		status, got := s.post("/a2a"+c.path, c.body)
		if status != http.StatusOK || !strings.Contains(got, fmt.Sprintf(`"code":%d,`, c.code)) || !strings.Contains(got, c.says) || !strings.Contains(got, `"domain":"a2a-protocol.org"`) {
			t.Errorf("%s %s: %d %s; want %d, %q", c.path, c.body, status, got, c.code, c.says)
		}
	}
	for version, code := range map[string]string{"": "-32009", "0.3": "-32009", "2.0": "-32009", "1.0.7": "-32001"} {
		if _, got := s.post("/a2a", call("GetTask", `{"id":"none"}`), "A2A-Version", version); !strings.Contains(got, `"code":`+code) {
			t.Errorf("version %q: %s", version, got)
		}
	}
	if _, got := s.post("/a2a?A2A-Version=1.0", call("GetTask", `{"id":"none"}`), "A2A-Version", ""); !strings.Contains(got, `"code":-32001`) {
		t.Errorf("the version as a parameter: %s", got)
	}
	if status, _ := s.post("/a2a/none", call("ListTasks", `{}`)); status != http.StatusNotFound {
		t.Errorf("a graph that does not exist: %d", status)
	}
	if status, _ := s.post("/a2a", call("ListTasks", `{}`), "X-Api-Key", "no"); status != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", status)
	}
	if _, got := s.post("/a2a", call("ListTasks", `{}`)); !strings.Contains(got, `"tasks":[]`) || !strings.Contains(got, `"totalSize":0`) || !strings.Contains(got, `"id":"a"`) {
		t.Errorf("a refused message began a task: %s", got)
	}
}
