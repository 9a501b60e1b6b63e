package langgraph_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// got sends a request and reads its answer, which must be a success.
func got[T any](t *testing.T, s *httptest.Server, method, path, body string) (out T) {
	t.Helper()
	status, answer, _ := send(t, s, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, status, answer)
	}
	if answer != "" {
		if err := json.Unmarshal([]byte(answer), &out); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
	}
	return out
}

type object = map[string]any

// A cron is made, found, changed and deleted as LangGraph's SDKs do it.
func TestCrons(t *testing.T) {
	s := served(t)
	id := thread(t, s)
	made := got[object](t, s, "POST", "/runs/crons", `{"assistant_id":"chain","schedule":"30 9 * * 1-5","timezone":"Europe/Berlin","input":{"lines":["hi"]},"metadata":{"a":1,"b":{"c":2}},
		"end_time":"2100-01-01T00:00:00+01:00","enabled":true,"stream_mode":["values"],"interrupt_before":["b"],"durability":"exit","webhook":"https://example.com/h"}`)
	for name, want := range map[string]any{
		"thread_id": nil, "schedule": "30 9 * * 1-5", "timezone": "Europe/Berlin", "on_run_completed": "delete", "end_time": "2099-12-31T23:00:00.000Z", "enabled": true, "user_id": nil,
	} {
		if made[name] != want {
			t.Errorf("%s is %v, want %v", name, made[name], want)
		}
	}
	next, err := time.Parse(time.RFC3339, fmt.Sprint(made["next_run_date"]))
	if berlin, failed := time.LoadLocation("Europe/Berlin"); err != nil || failed != nil || next.In(berlin).Format("15:04") != "09:30" || !next.After(time.Now()) {
		t.Errorf("next is %v, %v, %v", made["next_run_date"], err, failed)
	}
	if p := made["payload"].(object); p["webhook"] != "https://example.com/h" || p["schedule"] != nil || p["on_completion"] != "delete" {
		t.Errorf("payload %v", p)
	}
	assistants := got[[]object](t, s, "POST", "/assistants/search", `{"graph_id":"chain"}`)
	if made["assistant_id"] != assistants[0]["assistant_id"] {
		t.Errorf("assistant %v, want %v", made["assistant_id"], assistants[0]["assistant_id"])
	}
	on := got[object](t, s, "POST", "/threads/"+id+"/runs/crons", `{"assistant_id":"fan","schedule":"0 0 1 1 *","input":{}}`)
	if on["thread_id"] != id || on["on_run_completed"] != nil || on["payload"].(object)["multitask_strategy"] != "enqueue" || on["end_time"] != nil {
		t.Errorf("on a thread: %v", on)
	}
	for query, want := range map[string]int{
		`{}`: 2, `{"assistant_id":"chain"}`: 1, fmt.Sprintf(`{"assistant_id":%q}`, made["assistant_id"]): 1, `{"thread_id":"` + id + `"}`: 1,
		`{"metadata":{"b":{"c":2}}}`: 1, `{"metadata":{"a":2}}`: 0,
	} {
		if n := got[int](t, s, "POST", "/runs/crons/count", query); n != want {
			t.Errorf("%s: %d, want %d", query, n, want)
		}
		if list := got[[]object](t, s, "POST", "/runs/crons/search", query); len(list) != want {
			t.Errorf("%s: %v, want %d", query, list, want)
		}
	}
	list := got[[]object](t, s, "POST", "/runs/crons/search", `{"sort_by":"next_run_date","sort_order":"asc","select":["cron_id"],"limit":5,"offset":0,"enabled":true}`)
	if len(list) != 2 || list[0]["cron_id"] != made["cron_id"] || len(list[0]) != 1 {
		t.Errorf("sorted: %v", list)
	}
	path := "/runs/crons/" + fmt.Sprint(made["cron_id"])
	changed := got[object](t, s, "PATCH", path, `{"schedule":"0 10 * * *","enabled":false,"end_time":null,"on_run_completed":"keep","metadata":{"d":3},"input":{"lines":["ho"]}}`)
	if p := changed["payload"].(object); changed["enabled"] != false || changed["next_run_date"] != nil || changed["end_time"] != nil || changed["on_run_completed"] != "keep" ||
		p["on_completion"] != "keep" || fmt.Sprint(p["input"]) != "map[lines:[ho]]" || p["durability"] != "exit" || len(changed["metadata"].(object)) != 3 {
		t.Errorf("changed: %v", changed)
	}
	if status, answer, _ := send(t, s, "PATCH", path, `{"input":{"lines":["no"]},"stream_mode":["no"]}`); status != http.StatusUnprocessableEntity {
		t.Errorf("a change that is refused: %d %s", status, answer)
	}
	if list := got[[]object](t, s, "POST", "/runs/crons/search", `{"enabled":false}`); len(list) != 1 || fmt.Sprint(list[0]["payload"].(object)["input"]) != "map[lines:[ho]]" {
		t.Errorf("after it: %v", list)
	}
	if status, _, _ := send(t, s, "DELETE", path, ""); status != http.StatusNoContent {
		t.Errorf("deleting: %d", status)
	}
	if n := got[int](t, s, "POST", "/runs/crons/count", `{}`); n != 1 {
		t.Errorf("%d are left", n)
	}
}

// The time to live is given as the SDKs give it, and shown to who asks.
func TestTTL(t *testing.T) {
	s := served(t)
	for _, c := range []struct{ body, strategy, minutes string }{
		{`{"ttl":30}`, "delete", "30"}, {`{"ttl":{"ttl":0.5,"strategy":"keep_latest"}}`, "keep_latest", "0.5"}, {`{"ttl":{"ttl":7}}`, "delete", "7"}, {`{}`, "", ""},
	} {
		made := got[object](t, s, "POST", "/threads", c.body)
		path := "/threads/" + fmt.Sprint(made["thread_id"])
		if made["ttl"] != nil || got[object](t, s, "GET", path, "")["ttl"] != nil {
			t.Errorf("%s shows it to nobody's question: %v", c.body, made["ttl"])
		}
		ttl, _ := got[object](t, s, "GET", path+"?include=ttl", "")["ttl"].(object)
		if c.strategy == "" {
			if ttl != nil {
				t.Errorf("%s: %v", c.body, ttl)
			}
			continue
		}
		at, err := time.Parse(time.RFC3339, fmt.Sprint(ttl["expires_at"]))
		if fmt.Sprint(ttl["strategy"], ttl["ttl_minutes"]) != c.strategy+c.minutes || err != nil || !at.After(time.Now()) {
			t.Errorf("%s: %v, %v", c.body, ttl, err)
		}
	}
	id := thread(t, s)
	got[object](t, s, "PATCH", "/threads/"+id, `{"metadata":{"a":1},"ttl":{"ttl":9,"strategy":"delete"}}`)
	if th := got[object](t, s, "GET", "/threads/"+id+"?include=ttl", ""); th["ttl"].(object)["ttl_minutes"] != 9.0 || th["metadata"].(object)["a"] != 1.0 {
		t.Errorf("patched: %v", th)
	}
	if status, body, _ := send(t, s, "PATCH", "/threads/"+id, `{"metadata":{}}`, "Prefer", "return=minimal"); status != http.StatusNoContent || body != "" {
		t.Errorf("minimal: %d %s", status, body)
	}
}

// A webhook gets the run with its values when it ends, or its error.
func TestWebhook(t *testing.T) {
	calls := make(chan object, 10)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var body object
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		calls <- body
	}))
	defer hook.Close()
	s := served(t)
	for _, c := range []struct{ path, graph, status, values, error string }{
		{"/runs", "pace", "success", "map[lines:[hi a b c]]", ""},
		{"/threads/" + thread(t, s) + "/runs", "chain", "success", "map[lines:[hi a]]", ""}, // it asks
		{"/runs", "fails", "error", "map[lines:[hi a]]", `running node "fail" in step 2: it fails`},
	} {
		run := got[object](t, s, "POST", c.path, fmt.Sprintf(`{"assistant_id":%q,"input":{"lines":["hi"]},"webhook":%q}`, c.graph, hook.URL+"/h"))
		var body object
		select {
		case body = <-calls:
		case <-time.After(20 * time.Second):
			t.Fatal("no call")
		}
		problem, _ := body["error"].(string)
		if body["run_id"] != run["run_id"] || body["thread_id"] != run["thread_id"] || body["status"] != c.status || fmt.Sprint(body["values"]) != c.values || problem != c.error {
			t.Errorf("%s: %v", c.graph, body)
		}
		for _, name := range []string{"webhook_sent_at", "run_started_at", "run_ended_at", "created_at"} {
			if at, err := time.Parse(time.RFC3339, fmt.Sprint(body[name])); err != nil || time.Since(at) > time.Minute {
				t.Errorf("%s is %v", name, body[name])
			}
		}
		if body["kwargs"].(object)["webhook"] != hook.URL+"/h" {
			t.Errorf("kwargs %v", body["kwargs"])
		}
	}
	select {
	case more := <-calls:
		t.Errorf("one more: %v", more)
	case <-time.After(100 * time.Millisecond):
	}
}

// A batch is taken in both ways of writing, and runs are listed from the oldest.
func TestBatch(t *testing.T) {
	s := served(t)
	list := got[[]object](t, s, "POST", "/runs/batch", `[
		{"assistantId":"chain","assistant_id":"chain","input":{"lines":["a"]},"interruptBefore":["a"],"streamMode":["updates"],"onCompletion":"keep","multitaskStrategy":"enqueue","signal":{},"afterSeconds":0},
		{"assistant_id":"chain","input":{"lines":["b"]},"on_completion":"keep"}]`)
	if len(list) != 2 || list[0]["multitask_strategy"] != "enqueue" || list[0]["kwargs"].(object)["interrupt_before"] == nil {
		t.Fatalf("%v", list)
	}
	id := fmt.Sprint(list[0]["thread_id"])
	got[any](t, s, "GET", fmt.Sprintf("/threads/%s/runs/%v/join", id, list[0]["run_id"]), "")
	if th := got[object](t, s, "GET", "/threads/"+id+"/state", ""); fmt.Sprint(th["next"]) != "[a]" {
		t.Errorf("it stopped before %v", th["next"])
	}
	second := got[object](t, s, "POST", "/threads/"+id+"/runs", `{"assistant_id":"chain","input":{"lines":["c"]}}`)
	if all := got[[]object](t, s, "GET", "/threads/"+id+"/runs", ""); len(all) != 2 || all[0]["run_id"] != list[0]["run_id"] || all[1]["run_id"] != second["run_id"] {
		t.Errorf("listed: %v", all)
	}
}

// A run that is rolled back is gone, for who cancels it, who waits for it, and who reads it.
func TestRollback(t *testing.T) {
	s := served(t)
	for _, how := range []string{"wait", "no wait", "many", "by the next"} {
		id := fmt.Sprint(got[object](t, s, "POST", "/threads", `{"graph_id":"slow","supersteps":[{"updates":[{"values":{"lines":["before"]},"as_node":"wait"}]}]}`)["thread_id"])
		before := got[object](t, s, "GET", "/threads/"+id+"/state", "")
		run := fmt.Sprint(got[object](t, s, "POST", "/threads/"+id+"/runs", `{"assistant_id":"slow","input":{"lines":["no"]}}`)["run_id"])
		path := "/threads/" + id + "/runs/" + run
		streamed := make(chan string)
		go func() {
			_, body, _ := send(t, s, "GET", path+"/stream", "")
			streamed <- body
		}()
		time.Sleep(100 * time.Millisecond)
		want, next := http.StatusNoContent, ""
		var status int
		switch how {
		case "wait":
			status, _, _ = send(t, s, "POST", path+"/cancel?wait=1&action=rollback", "")
		case "no wait":
			status, _, _ = send(t, s, "POST", path+"/cancel?action=rollback", "")
			want = http.StatusAccepted
		case "many":
			status, _, _ = send(t, s, "POST", "/runs/cancel?action=rollback", fmt.Sprintf(`{"thread_id":%q,"run_ids":[%q]}`, id, run))
		default:
			status, want = http.StatusOK, http.StatusOK
			next = fmt.Sprint(got[object](t, s, "POST", "/threads/"+id+"/runs", `{"assistant_id":"slow","input":{"lines":["yes"]},"multitask_strategy":"rollback"}`)["run_id"])
		}
		if status != want {
			t.Errorf("%s: %d", how, status)
		}
		time.Sleep(100 * time.Millisecond) // the next run begins
		if body := <-streamed; strings.Contains(body, "event: error") {
			t.Errorf("%s: its stream ends with %s", how, body)
		}
		if status, body, _ := send(t, s, "GET", path, ""); status != http.StatusNotFound {
			t.Errorf("%s: it is %d %s", how, status, body)
		}
		if next != "" {
			if status, _, _ := send(t, s, "POST", "/threads/"+id+"/runs/"+next+"/cancel?wait=1", ""); status != http.StatusNoContent {
				t.Errorf("%s: cancelling the next: %d", how, status)
			}
		}
		after := got[object](t, s, "GET", "/threads/"+id+"/state", "")
		wanted := "[before]"
		if next != "" {
			wanted = "[before yes]"
		} else if fmt.Sprint(after["checkpoint"]) != fmt.Sprint(before["checkpoint"]) {
			t.Errorf("%s: it is at %v, was at %v", how, after["checkpoint"], before["checkpoint"])
		}
		if lines := after["values"].(object)["lines"]; fmt.Sprint(lines) != wanted {
			t.Errorf("%s: lines %v, want %v", how, lines, wanted)
		}
	}
}

// until reads frames of a stream up to one that has a text.
func until(t *testing.T, r *bufio.Reader, text string) (all string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after %s", err, all)
		}
		if all += line; line == "\n" && strings.Contains(all, text) {
			return all
		}
	}
}

// joined opens the stream of a thread.
func joined(t *testing.T, s *httptest.Server, id, query, last string) *bufio.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/threads/"+id+"/stream"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		data, _ := io.ReadAll(answer.Body)
		t.Fatalf("%d %s", answer.StatusCode, data)
	}
	return bufio.NewReader(answer.Body)
}

// The stream of a thread has the frames of all its runs, and goes on behind any of them.
func TestJoinThread(t *testing.T) {
	s := served(t)
	id := thread(t, s)
	live, life := joined(t, s, id, "", ""), joined(t, s, id, "?stream_mode=lifecycle", "")
	for range 2 {
		got[any](t, s, "POST", "/threads/"+id+"/runs/wait", `{"assistant_id":"chain","input":{"lines":["x"]},"stream_mode":["updates","values"]}`)
	}
	done := regexp.MustCompile(`"status":"run_done"`)
	whole := until(t, live, "run_done")
	whole += until(t, live, "run_done")
	if n := len(done.FindAllString(whole, -1)); n != 2 || strings.Count(whole, "event: updates") < 4 || strings.Count(whole, `"attempt":1`) != 2 {
		t.Fatalf("%d ends: %s", n, whole)
	}
	short := until(t, life, "run_done")
	if short += until(t, life, "run_done"); strings.Count(short, "event: ") != 4 || strings.Count(short, "event: metadata") != 4 {
		t.Errorf("lifecycle: %s", short)
	}
	frames := strings.SplitAfter(whole, "\n\n")
	frames = frames[:len(frames)-1]
	ids := regexp.MustCompile(`(?m)^id: (\S+)$`)
	for i, f := range frames[:len(frames)-1] {
		rest := strings.Join(frames[i+1:], "")
		again := joined(t, s, id, "?stream_mode=run_modes", ids.FindStringSubmatch(f)[1])
		data := make([]byte, len(rest))
		if _, err := io.ReadFull(again, data); err != nil || string(data) != rest {
			t.Fatalf("behind %s: %v, %s", f, err, data)
		}
	}
	all := make([]byte, len(whole))
	if _, err := io.ReadFull(joined(t, s, id, "", "-"), all); err != nil || string(all) != whole {
		t.Errorf("from the beginning: %v, %s", err, all)
	}
	edits := joined(t, s, id, "?stream_mode=state_update&stream_mode=lifecycle", "")
	time.Sleep(100 * time.Millisecond)
	for _, line := range []string{"one", "two"} {
		got[any](t, s, "POST", "/threads/"+id+"/state", `{"values":{"lines":["`+line+`"]},"as_node":"a"}`)
	}
	told := until(t, edits, `"two"`)
	if strings.Count(told, "event: state_update") != 2 || !strings.Contains(told, `"thread_id":"`+id+`"`) || strings.Contains(told, "run_done") {
		t.Errorf("edits: %s", told)
	}
}
