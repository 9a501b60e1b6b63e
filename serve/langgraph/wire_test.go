package langgraph_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
)

// send makes a request and returns the answer's status and body.
func send(t *testing.T, s *httptest.Server, method, path, body string, header ...string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data), answer.Header
}

// thread makes a thread and returns its ID.
func thread(t *testing.T, s *httptest.Server) string {
	t.Helper()
	_, body, _ := send(t, s, "POST", "/threads", "{}")
	var made struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(body), &made); err != nil || made.ID == "" {
		t.Fatalf("a new thread is %s, %v", body, err)
	}
	return made.ID
}

// Events that cannot be read end a stream, with an error that is not that of a run.
func TestUnreadable(t *testing.T) {
	folder := t.TempDir()
	s := keeping(t, folder, graph.Tasks|graph.Custom, true)
	_, whole, header := send(t, s, "POST", "/threads/"+thread(t, s)+"/runs/stream", `{"assistant_id":"fails","input":{"lines":["hi"]}}`)
	if !strings.Contains(whole, `{"error":"Error","message":`) {
		t.Errorf("a run that fails: %s", whole)
	}
	db, err := sql.Open("sqlite", filepath.Join(folder, "events.db"))
	if err == nil {
		_, err = db.Exec("UPDATE events SET data = '{' WHERE seq = 3")
	}
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	_, again, _ := send(t, s, "GET", header.Get("Content-Location")+"/stream", "")
	if !strings.Contains(again, `{"error":"StreamUnreadable","message":`) || strings.Contains(again, `{"error":"Error"`) {
		t.Errorf("events that cannot be read: %s", again)
	}
}

// A stream that breaks anywhere goes on behind the last frame that the client has seen.
func TestLastEventID(t *testing.T) {
	s := served(t)
	id := thread(t, s)
	status, whole, header := send(t, s, "POST", "/threads/"+id+"/runs/stream", `{"assistant_id":"chain","input":{"lines":["hi"]},"stream_mode":["values","updates","tasks","debug"]}`)
	if status != http.StatusOK || header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d: %s", status, whole)
	}
	place := header.Get("Content-Location")
	if place+"/stream" != header.Get("Location") || !strings.HasPrefix(place, "/threads/"+id+"/runs/") {
		t.Errorf("the run is at %q, its stream at %q", place, header.Get("Location"))
	}
	frames := strings.SplitAfter(whole, "\n\n")
	frames = frames[:len(frames)-1]
	if len(frames) < 15 {
		t.Fatalf("only %d frames: %s", len(frames), whole)
	}
	seen := regexp.MustCompile(`(?m)^id: (\S+)$`)
	for i, f := range frames {
		at := seen.FindStringSubmatch(f)
		if at == nil {
			t.Fatalf("a frame without an ID: %s", f)
		}
		if _, rest, _ := send(t, s, "GET", place+"/stream", "", "Last-Event-ID", at[1]); rest != strings.Join(frames[i+1:], "") {
			t.Errorf("behind %s: %s", at[1], rest)
		}
	}
	for _, last := range []string{"", "-1", "nonsense", "0"} {
		if _, again, _ := send(t, s, "GET", place+"/stream", "", "Last-Event-ID", last); again != whole {
			t.Errorf("from the beginning, by %q: %s", last, again)
		}
	}
}

// What is not understood is refused by its name, and nothing is done.
func TestRefused(t *testing.T) {
	s := strictly(t)
	id := thread(t, s)
	for _, c := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"colour":"red"}`, 422, `\"colour\"`},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"webhook":"http://10.0.0.1"}`, 422, "inside the network"},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"webhook":"/threads"}`, 422, "/threads"},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"context":{"a":1}}`, 422, `no setting \"a\"`},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"config":{"configurable":{"corpus":"x"}}}`, 422, `\"corpus\"`},
		{"POST", "/runs", `{"assistant_id":"chain","input":{"no":1}}`, 422, `no channel \"no\"`},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"multitask_strategy":"push"}`, 422, "push"},
		{"POST", "/threads", `{"ttl":0}`, 422, "ttl"},
		{"POST", "/threads", `{"ttl":{"ttl":5,"strategy":"hide"}}`, 422, "hide"},
		{"POST", "/threads", `{"ttl":"long"}`, 422, "ttl"},
		{"GET", "/threads/none/stream", ``, 404, "none"},
		{"GET", "/threads/" + id + "/stream?stream_mode=values", ``, 422, "values"},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"often"}`, 422, "five fields"},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","timezone":"Mars"}`, 422, "Mars"},
		{"POST", "/runs/crons", `{"assistant_id":"none","schedule":"* * * * *"}`, 404, "none"},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","input":{"no":1}}`, 422, `no channel \"no\"`},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","webhook":"http://[::1]"}`, 422, "inside"},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","end_time":"soon"}`, 422, "soon"},
		{"POST", "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","thread_id":"a"}`, 422, "thread_id"},
		{"POST", "/runs/crons", `null`, 404, "assistant"},
		{"POST", "/threads/none/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","input":{}}`, 404, "none"},
		{"POST", "/threads/" + id + "/runs/crons", `{"assistant_id":"chain","schedule":"* * * * *","on_run_completed":"keep"}`, 422, "on_run_completed"},
		{"POST", "/runs/crons/search", `{"sort_by":"colour"}`, 422, "colour"},
		{"PATCH", "/runs/crons/none", `{}`, 404, "none"},
		{"DELETE", "/runs/crons/none", ``, 404, "none"},
		{"POST", "/runs", `{"assistant_id":"chain","input":{"lines":["x"]},"command":{"goto":"b"}}`, 422, "not both"},
		{"POST", "/runs", `{"assistant_id":"chain","input":[],"command":{"goto":"b"}}`, 422, "not both"},
		{"POST", "/runs", `{"assistant_id":"chain","input":{},"interrupt_before":["z"]}`, 422, `\"z\"`},
		{"POST", "/runs", `{"assistant_id":"chain"`, 422, "JSON"},
		{"POST", "/runs", `[]`, 422, "JSON"},
		{"POST", "/runs", `{"assistant_id":"chain","input":{}}{}`, 422, "more than one"},
		{"POST", "/runs", `{"assistant_id":"none"}`, 404, "none"},
		{"POST", "/threads/none/runs", `{"assistant_id":"chain"}`, 404, "none"},
		{"POST", "/threads/a.b/runs", `{"assistant_id":"chain","if_not_exists":"create","input":{}}`, 422, "a.b"},
		{"GET", "/threads/none/state", ``, 404, "none"},
		{"GET", "/threads/" + id + "/runs/none", ``, 404, "none"},
		{"POST", "/threads/" + id + "/state", `{"values":{"lines":["x"]}}`, 400, "no run yet"},
		{"POST", "/threads/search", `{"limit":-1}`, 422, "limit"},
		{"POST", "/threads/search", `{"sort_by":"colour"}`, 422, "colour"},
		{"PATCH", "/assistants/chain", `{"name":"x"}`, 409, "cannot be changed"},
		{"PUT", "/store/items", `{"namespace":[],"key":"k","value":{}}`, 422, "namespace"},
		{"GET", "/nowhere", ``, 404, ""},
	} {
		status, body, _ := send(t, s, c.method, c.path, c.body)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s %s %s: %d %s; want %d and %q", c.method, c.path, c.body, status, body, c.status, c.says)
		}
	}
	if _, body, _ := send(t, s, "POST", "/threads/count", "{}"); body != "1" {
		t.Errorf("%s threads; want that of the test", body)
	}
}

// What a server does not know is kept with the run, and changes nothing else.
func TestLenient(t *testing.T) {
	s := served(t)
	_, body, _ := send(t, s, "POST", "/runs/wait", `{"assistant_id":"settled","input":{"ui":[1],"lines":["x"]},"colour":"red","context":{"a":1},"feedback_keys":["f"],
		"langsmith_tracer":{"project_name":"p"},"config":{"configurable":{"user_id":"ann","run_id":"r","corpus":"c"},"run_name":"n"},"on_completion":"keep"}`)
	if !strings.Contains(body, `{\"a\":1,\"corpus\":\"c\",\"run_id\":\"r\",\"user_id\":\"ann\"}`) {
		t.Errorf("the run ended with %s", body)
	}
	_, body, _ = send(t, s, "POST", "/threads/search", `{"shape":1}`)
	var threads []struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(body), &threads); err != nil || len(threads) != 1 {
		t.Fatal(body)
	}
	_, body, _ = send(t, s, "GET", "/threads/"+threads[0].ID+"/runs?page=2", "")
	for _, wants := range []string{`"unknown":{"context":["a","run_id","user_id"],"input":["ui"]}`, `"colour":"red"`, `"ui":[1]`, `"user_id":"ann"`} {
		if !strings.Contains(body, wants) {
			t.Errorf("the run's record has no %s: %s", wants, body)
		}
	}
}

// A run is carried out with what its assistant chooses, and with what it chooses itself,
// which wins.
func TestSettings(t *testing.T) {
	s := served(t)
	status, body, _ := send(t, s, "POST", "/assistants", `{"graph_id":"settled","assistant_id":"mine","context":{"corpus":"handbook"},"config":{"configurable":{"depth":1}}}`)
	if status != 200 {
		t.Fatal(body)
	}
	for request, want := range map[string]string{
		`"assistant_id":"settled"`:                                      `{}`,
		`"assistant_id":"mine"`:                                         `{"corpus":"handbook","depth":1}`,
		`"assistant_id":"mine","context":{"depth":2}`:                   `{"corpus":"handbook","depth":2}`,
		`"assistant_id":"mine","config":{"configurable":{"corpus":""}}`: `{"corpus":"","depth":1}`,
	} {
		_, body, _ := send(t, s, "POST", "/runs/wait", `{"input":{},`+request+`}`)
		var got struct{ Lines []string }
		if err := json.Unmarshal([]byte(body), &got); err != nil || len(got.Lines) != 1 || got.Lines[0] != want {
			t.Errorf("%s: %s; want %s", request, body, want)
		}
	}
	if _, body, _ := send(t, strictly(t), "POST", "/assistants", `{"graph_id":"settled","context":{"colour":"red"}}`); !strings.Contains(body, `no setting \"colour\": it has corpus, depth`) {
		t.Errorf("an assistant with another setting: %s", body)
	}
	if _, body, _ := send(t, s, "GET", "/assistants/mine/schemas", ""); !strings.Contains(body, `"context_schema":{"additionalProperties":true,"properties":{"corpus":{"type":"string"},"depth":{}},"type":"object"}`) {
		t.Errorf("schemas: %s", body)
	}
	// Clients offer a chat for a graph whose messages are a list.
	for graph, list := range map[string]string{"chat": "messages", "fan": "done"} {
		if _, body, _ := send(t, s, "GET", "/assistants/"+graph+"/schemas", ""); !strings.Contains(body, `"`+list+`":{"type":"array"}`) {
			t.Errorf("%s of %s is not a list: %s", list, graph, body)
		}
	}
}

// Pruned threads are gone, or have their newest state alone.
func TestPrune(t *testing.T) {
	s := served(t)
	kept, gone := thread(t, s), thread(t, s)
	send(t, s, "POST", "/threads/"+kept+"/runs/wait", `{"assistant_id":"fan","input":{"items":[1,2]}}`)
	_, before, _ := send(t, s, "GET", "/threads/"+kept+"/state", "")
	if _, body, _ := send(t, s, "POST", "/threads/prune", `{"thread_ids":["`+kept+`","none"],"strategy":"keep_latest"}`); body != `{"pruned_count":1}` {
		t.Errorf("%s", body)
	}
	if _, after, _ := send(t, s, "GET", "/threads/"+kept+"/state", ""); !strings.Contains(after, `"done":[10,20]`) || !strings.Contains(before, `"done":[10,20]`) {
		t.Errorf("before %s, after %s", before, after)
	}
	var history []any
	if _, body, _ := send(t, s, "GET", "/threads/"+kept+"/history", ""); json.Unmarshal([]byte(body), &history) != nil || len(history) != 1 {
		t.Errorf("the history is %s", body)
	}
	if _, body, _ := send(t, s, "POST", "/threads/prune", `{"thread_ids":["`+gone+`"]}`); body != `{"pruned_count":1}` {
		t.Errorf("%s", body)
	}
	if status, body, _ := send(t, s, "GET", "/threads/"+gone, ""); status != 404 {
		t.Errorf("%d %s", status, body)
	}
}

// A caller that leaves cancels its run if it said so; and silence is filled.
func TestLeaving(t *testing.T) {
	s := served(t)
	id := thread(t, s)
	r, err := http.NewRequest("POST", s.URL+"/threads/"+id+"/runs/stream", strings.NewReader(`{"assistant_id":"slow","input":{},"on_disconnect":"cancel"}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	place := answer.Header.Get("Content-Location")
	if status, body, _ := send(t, s, "POST", "/threads/"+id+"/runs", `{"assistant_id":"slow","input":{}}`); status != 422 || !strings.Contains(body, "has a run already") {
		t.Errorf("a second run: %d %s", status, body)
	}
	if err := answer.Body.Close(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		_, body, _ := send(t, s, "GET", place, "")
		if strings.Contains(body, `"status":"interrupted"`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the run goes on: %s", body)
		}
	}
	status, body, _ := send(t, s, "POST", "/runs/wait", `{"assistant_id":"fails","input":{}}`)
	if status != http.StatusOK || !strings.Contains(body, `"__error__"`) || !strings.Contains(body, "it fails") {
		t.Errorf("a run that fails: %d %s", status, body)
	}
}

// Who waits for a run gets all that it asks.
func TestWaitAsked(t *testing.T) {
	s := served(t)
	_, body, _ := send(t, s, "POST", "/runs/wait", `{"assistant_id":"both","input":{}}`)
	if !strings.Contains(body, `"left?"`) || !strings.Contains(body, `"right?"`) {
		t.Errorf("it asks %s", body)
	}
}

// agent-chat-ui answers from the newest checkpoint, with an empty input beside the command.
func TestAnswerOfAgentChatUI(t *testing.T) {
	s := served(t)
	id := thread(t, s)
	send(t, s, "POST", "/threads/"+id+"/runs/wait", `{"assistant_id":"chain","input":{}}`)
	_, body, _ := send(t, s, "GET", "/threads/"+id+"/state", "")
	var at struct {
		Checkpoint struct {
			ID string `json:"checkpoint_id"`
		} `json:"checkpoint"`
	}
	if err := json.Unmarshal([]byte(body), &at); err != nil {
		t.Fatal(err)
	}
	const request = `{"assistant_id":"chain","input":{},"command":{"resume":"me"},"checkpoint":{"checkpoint_id":%q,"checkpoint_ns":"","checkpoint_map":null}}`
	status, body, _ := send(t, s, "POST", "/threads/"+id+"/runs/wait", fmt.Sprintf(request, at.Checkpoint.ID))
	if body != `{"lines":["a","b"],"who":"me"}` {
		t.Errorf("%d: %s", status, body)
	}
}
