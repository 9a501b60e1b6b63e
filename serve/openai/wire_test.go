package openai_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// A graph that holds a conversation is a model, others are not.
func TestModels(t *testing.T) {
	s := served(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/v1/models", 200, `{"data":[{"id":"parrot","object":"model","created":0,"owned_by":"assay"}],"object":"list"}`},
		{"GET", "/v1/models/parrot", 200, `{"id":"parrot","object":"model","created":0,"owned_by":"assay"}`},
		{"GET", "/v1/models/counter", 404, `{"error":{"code":"model_not_found","message":"there is no model \"counter\"; there are: parrot","param":"model","type":"invalid_request_error"}}`},
		{"POST", "/v1/embeddings", 404, `{"error":{"code":"unknown_url","message":"there is no POST /v1/embeddings here: see docs/serving.md","param":null,"type":"invalid_request_error"}}`},
	} {
		if status, body, _ := s.call(c.method, c.path, ""); status != c.status || body != c.body {
			t.Errorf("%s %s: %d %s; want %d %s", c.method, c.path, status, body, c.status, c.body)
		}
	}
}

// An answer has the text, and citations that count characters of it.
func TestAnswer(t *testing.T) {
	s := served(t, nil)
	got, text := s.ask(talk{}.user("grüß Gott"))
	if text != "“Über” 1: GRÜß GOTT" {
		t.Errorf("the answer is %q", text)
	}
	message := got.Choices[0].Message
	if got.Object != "chat.completion" || got.Model != "parrot" || !strings.HasPrefix(got.ID, "chatcmpl-") || message.Role != "assistant" || got.Choices[0].FinishReason != "stop" {
		t.Errorf("%+v", got)
	}
	if len(message.Annotations) != 1 {
		t.Fatalf("%d annotations", len(message.Annotations))
	}
	a := message.Annotations[0]
	if cited := string([]rune(text)[a.URL.Start:a.URL.End]); a.Type != "url_citation" || cited != a.Assay.CitedText || a.URL.URL != "d1" || a.URL.Title != "d1" {
		t.Errorf("%+v cites %q", a, cited)
	}
	if a.Assay.Doc != "d1" || a.Assay.Start != 7 || a.Assay.End != 9 {
		t.Errorf("%+v", a.Assay)
	}
	if got.Usage.Total != 0 {
		t.Errorf("an answer without a model costs %+v", got.Usage)
	}
	spent, _ := s.ask(talk{}.user("spend"))
	if u := spent.Usage; u.Prompt != 6 || u.Completion != 8 || u.Total != 14 {
		t.Errorf("two calls of a model cost %+v", u)
	}
}

// events reads the data of a stream.
func events(t *testing.T, body string) (out []map[string]any, done bool) {
	t.Helper()
	for _, part := range strings.Split(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(part, "data: ")
		if !ok {
			continue // a comment
		}
		if data == "[DONE]" {
			return out, true
		}
		var one map[string]any
		if err := json.Unmarshal([]byte(data), &one); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		out = append(out, one)
	}
	return out, false
}

// at returns a value inside of an event.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

// A stream gives the same text, in pieces that keep characters whole.
func TestStream(t *testing.T) {
	s := served(t, nil)
	_, whole := s.ask(talk{}.user("long"))
	status, body, header := s.call("POST", "/v1/chat/completions", `{"model":"parrot","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"long"}]}`)
	if status != http.StatusOK || header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %s", status, body)
	}
	list, done := events(t, body)
	if !done || len(list) < 6 {
		t.Fatalf("%d events, done: %v", len(list), done)
	}
	var text strings.Builder
	var ends []any
	for i, ev := range list {
		if ev["object"] != "chat.completion.chunk" || ev["id"] != list[0]["id"] {
			t.Errorf("event %d is %v", i, ev)
		}
		piece, _ := at(ev, "choices", 0, "delta", "content").(string)
		if strings.Contains(piece, "\uFFFD") {
			t.Errorf("event %d cuts a character", i)
		}
		text.WriteString(piece)
		if end := at(ev, "choices", 0, "finish_reason"); end != nil {
			ends = append(ends, end)
		}
	}
	if text.String() != whole || len(ends) != 1 || ends[0] != "stop" {
		t.Errorf("the stream gives %d bytes of %d, and ends %v", text.Len(), len(whole), ends)
	}
	n := len(list)
	if at(list[0], "choices", 0, "delta", "role") != "assistant" || at(list[n-3], "choices", 0, "delta", "annotations", 0, "url_citation", "url") != "d1" {
		t.Errorf("it begins with %v, and cites %v", list[0], list[n-3])
	}
	if at(list[n-2], "assay", "thread_id") == nil || len(at(list[n-1], "choices").([]any)) != 0 || at(list[n-1], "usage", "total_tokens") != 0.0 {
		t.Errorf("it ends with %v, %v", list[n-2], list[n-1])
	}
}

// A turn knows of those before it, whatever the client does with white space.
func TestTurns(t *testing.T) {
	s := served(t, nil)
	first := talk{}.user("one")
	a, text := s.ask(first)
	second := first.assistant(" " + text + "\n").user("two")
	b, text := s.ask(second)
	if text != "“Über” 2: TWO" || a.Assay.Thread != b.Assay.Thread {
		t.Errorf("%q on %q after %q", text, b.Assay.Thread, a.Assay.Thread)
	}
	third := append(talk{{"role": "system", "content": "it is noon"}}, second.assistant(text).user("three")...)
	if c, text := s.ask(third); text != "“Über” 3: THREE" || c.Assay.Thread != a.Assay.Thread {
		t.Errorf("%q", text)
	}
	// A system message replaces that of the turn before.
	later := append(talk{{"role": "system", "content": "it is one"}}, third[1:].assistant("“Über” 3: THREE").user("four")...)
	c, text := s.ask(later)
	state, _, err := s.runs.Space("ann").State(t.Context(), c.Assay.Thread, "")
	if err != nil || text != "“Über” 4: FOUR" || !strings.Contains(string(state.State), "it is one") || strings.Contains(string(state.State), "it is noon") {
		t.Errorf("%q of %s, %v", text, state.State, err)
	}
	// The same again is a fork, which has the same turns before it.
	if c, text := s.ask(third); text != "“Über” 3: THREE" || c.Assay.Thread != a.Assay.Thread {
		t.Errorf("once more: %q", text)
	}
	// So is an edited one, and the other goes on where it was.
	if _, text := s.ask(first.assistant("“Über” 1: ONE").user("2")); text != "“Über” 2: 2" {
		t.Errorf("edited: %q", text)
	}
	if _, text := s.ask(third.assistant("“Über” 3: THREE").user("four")); text != "“Über” 4: FOUR" {
		t.Errorf("the one that was edited: %q", text)
	}
	// What is not known is a new conversation with all its messages.
	c, text = s.ask(first.assistant("never said").user("two"))
	if text != "“Über” 1: TWO" || c.Assay.Thread == a.Assay.Thread {
		t.Errorf("not known: %q", text)
	}
	state, _, err = s.runs.Space("ann").State(t.Context(), c.Assay.Thread, "")
	if err != nil || strings.Count(string(state.State), `"type":`) < 4 || !strings.Contains(string(state.State), "never said") {
		t.Errorf("its thread is %s, %v", state.State, err)
	}
	// Another tenant knows nothing of it.
	if _, text := s.ask(second, "Authorization", "Bearer the-token-of-bob"); text != "“Über” 1: TWO" {
		t.Errorf("another tenant: %q", text)
	}
}

// Conversations that read the same each have a thread of their own.
func TestSameBeginnings(t *testing.T) {
	s := served(t, nil)
	begin := talk{}.user("one")
	_, text := s.ask(begin)
	s.ask(begin)
	next := begin.assistant(text)
	a, _ := s.ask(next.user("two"))
	b, _ := s.ask(next.user("2"))
	if a.Assay.Thread == b.Assay.Thread {
		t.Errorf("both go on on thread %s", a.Assay.Thread)
	}
	// A removed thread is not missed.
	if err := s.runs.Space("ann").DeleteThread(t.Context(), a.Assay.Thread); err != nil {
		t.Fatal(err)
	}
	if c, text := s.ask(next.assistant("“Über” 2: TWO").user("three")); text != "“Über” 1: THREE" || c.Assay.Thread == a.Assay.Thread {
		t.Errorf("%q on %s", text, c.Assay.Thread)
	}
	// The other wire sees the threads, and where they are from.
	_, body, _ := s.call("POST", "/threads/search", `{"metadata":{"wire":"openai","graph_id":"parrot"}}`)
	var found []struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(body), &found); err != nil || !slices.ContainsFunc(found, func(f struct {
		ID string `json:"thread_id"`
	}) bool {
		return f.ID == b.Assay.Thread
	}) {
		t.Errorf("%s, %v", body, err)
	}
}

// A field of this server chooses the graph's settings.
func TestSettings(t *testing.T) {
	s := served(t, nil)
	const ask = `{"model":"parrot","messages":[{"role":"user","content":"hi"}]%s}`
	for more, want := range map[string]string{``: "", `,"assay":null`: "", `,"assay":{"voice":"loud"}`: `"loud"`} {
		if status, body, _ := s.call("POST", "/v1/chat/completions", fmt.Sprintf(ask, more)); status != 200 || s.voice.Load() != want {
			t.Errorf("%s: %d %s; the voice is %v", more, status, body, s.voice.Load())
		}
	}
}

// What a run asks is its answer. The next message is the answer to that.
func TestInterrupt(t *testing.T) {
	s := served(t, nil)
	begin := talk{}.user("ask")
	asked, text := s.ask(begin)
	if q := asked.Assay.Interrupts; text != "Who is it?" || len(q) != 1 || len(q[0].ID) != 32 || q[0].Value != "Who is it?" {
		t.Fatalf("%q, %+v", text, asked.Assay)
	}
	answered := begin.assistant(text).user("ann")
	if got, text := s.ask(answered); text != "“Über” 1: it is ann" || got.Assay.Thread != asked.Assay.Thread {
		t.Errorf("%q", text)
	}
	// It is answered once. Another answer begins a conversation.
	if got, text := s.ask(answered); text != "“Über” 1: ANN" || got.Assay.Thread == asked.Assay.Thread {
		t.Errorf("once more: %q", text)
	}
}

// A run that fails is an error, in the stream, too, and not to be repeated.
func TestFailingRun(t *testing.T) {
	s := served(t, nil)
	status, body, header := s.call("POST", "/v1/chat/completions", `{"model":"parrot","messages":[{"role":"user","content":"fail"}]}`)
	if status != 500 || header.Get("X-Should-Retry") != "false" || !strings.Contains(body, "it fails") || !strings.Contains(body, `"type":"server_error"`) {
		t.Errorf("%d %v %s", status, header, body)
	}
	status, body, _ = s.call("POST", "/v1/chat/completions", `{"model":"parrot","stream":true,"messages":[{"role":"user","content":"fail"}]}`)
	list, done := events(t, body)
	if status != 200 || done || len(list) != 2 || !strings.Contains(body, `data: {"error":{`) || !strings.Contains(body, "it fails") {
		t.Errorf("%d %s", status, body)
	}
}

// A caller that leaves cancels its run. A silent stream shows that it lives.
func TestLeaving(t *testing.T) {
	s := served(t, nil)
	for _, c := range [][]string{
		{"chat/completions", `"stream":true,"messages":[{"role":"user","content":"wait"}]`},
		{"chat/completions", `"messages":[{"role":"user","content":"wait here"}]`},
		{"responses", `"stream":true,"input":"wait"`},
		{"responses", `"input":"wait","store":true`},
	} {
		ctx, leave := contextOf(t)
		r, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/v1/"+c[0], strings.NewReader(`{"model":"parrot",`+c[1]+`}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		left := make(chan error, 1)
		go func() {
			answer, err := http.DefaultClient.Do(r)
			if err == nil {
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
			}
			left <- err
		}()
		<-s.begun
		leave()
		<-left
		s.await(runs.Cancelled)
	}
}

// await waits until the only thread that has a run has one with a status.
func (s *server) await(status runs.Status) {
	s.t.Helper()
	space := s.runs.Space("ann")
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		threads, err := space.Find(s.t.Context(), runs.ThreadQuery{})
		if err != nil {
			s.t.Fatal(err)
		}
		all := 0
		for _, th := range threads {
			list, err := space.Runs(s.t.Context(), th.ID)
			if err != nil {
				s.t.Fatal(err)
			}
			for _, r := range list {
				if r.Status == status {
					all++
				}
			}
		}
		if all == len(threads) {
			return
		}
	}
	s.t.Fatalf("no run is %s", status)
}

// Too many runs, and a guard that refuses, answer in the form that clients read.
func TestRefusals(t *testing.T) {
	s := served(t, func(o *serve.Options) { o.Runs.AtOnce, o.Runs.Waiting, o.MaxBody = 1, 1, 1000 })
	const slow = `{"model":"parrot","stream":true,"messages":[{"role":"user","content":"wait"}]}`
	for range 2 { // one runs, one waits
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/chat/completions", strings.NewReader(slow))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if line, err := bufio.NewReader(answer.Body).ReadString('\n'); err != nil || !strings.Contains(line, `"role":"assistant"`) {
			t.Fatalf("%q, %v", line, err)
		}
		if running, waiting := s.runs.Counts(); running+waiting == 1 {
			<-s.begun
		}
	}
	for _, c := range []struct {
		body, header, value string
		status              int
		kind, code          string
	}{
		{slow, "", "", 429, "rate_limit_error", "rate_limit_exceeded"},
		{slow, "Authorization", "Bearer wrong", 401, "authentication_error", "invalid_api_key"},
		{slow, "Origin", "https://evil.example", 403, "permission_error", ""},
		{strings.Repeat(" ", 2000), "", "", 413, "invalid_request_error", ""},
		{`{"model":"gpt","messages":[{"role":"user","content":"hi"}]}`, "", "", 404, "invalid_request_error", "model_not_found"},
		{`{"model":"parrot","messages":[{"role":"ghost"}]}`, "", "", 400, "invalid_request_error", "unsupported_value"},
	} {
		header := []string{"X-Test", "1"}
		if c.header != "" {
			header = []string{c.header, c.value}
		}
		status, body, got := s.call("POST", "/v1/chat/completions", c.body, header...)
		var e struct {
			Error struct{ Message, Type, Code string }
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || e.Error.Type != c.kind || e.Error.Code != c.code || e.Error.Message == "" {
			t.Errorf("%d %s, %v; want %d %s %s", status, body, err, c.status, c.kind, c.code)
		}
		if (got.Get("Retry-After") != "") != (c.status == 429) {
			t.Errorf("%d says: retry after %q", status, got.Get("Retry-After"))
		}
	}
}
