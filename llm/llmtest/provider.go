package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/llm"
)

// TestProvider checks a provider's model against a loopback server of its format. It runs TestModel
// and checks that:
//
//   - streamed answers arrive in pieces and equal whole ones, also in their usage
//   - a caller can stop in the middle of an answer
//   - tools, parallel calls, results and errors travel both ways unchanged
//   - settings and images arrive, or are refused by a *llm.UnsupportedError before anything is sent
//   - a cut stream is never an answer
//
// connect returns a model that asks the server at url, without wrappers.
func TestProvider(t *testing.T, format Format, connect func(t *testing.T, url string) llm.Model) {
	t.Helper()
	start := func(t *testing.T) (*Server, llm.Model) {
		s := NewServer(t, format, echo{})
		return s, connect(t, s.URL)
	}
	t.Run("model", func(t *testing.T) {
		_, m := start(t)
		TestModel(t, m)
	})
	t.Run("stream", func(t *testing.T) {
		_, m := start(t)
		checkStream(t, m)
	})
	t.Run("caller leaves", func(t *testing.T) {
		_, m := start(t)
		checkLeaving(t, m)
	})
	t.Run("tools", func(t *testing.T) {
		s, m := start(t)
		checkTools(t, m, false)
		checkTools(t, s.Wrap(m), true)
	})
	t.Run("settings", func(t *testing.T) { checkSettings(t, format, connect) })
	t.Run("every cut of a stream", func(t *testing.T) {
		s, m := start(t)
		checkCuts(t, s, m)
	})
}

var errLeft = errors.New("the caller left")

func checkStream(t *testing.T, m llm.Model) {
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Say what I said: battery – “touching” 触れる."}}}
	whole, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	text, chunks, streamed, err := streamOnce(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	if chunks < 3 || text != whole.Text {
		t.Errorf("streamed %q in %d chunks; want %q in more", text, chunks, whole.Text)
	}
	if !reflect.DeepEqual(whole, streamed) || whole.Usage == (llm.Usage{}) {
		t.Errorf("a streamed answer is %+v; a whole one %+v", streamed, whole)
	}
}

func checkLeaving(t *testing.T, m llm.Model) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: strings.Repeat("A long story. ", 5000)}}}
	returned, chunks := false, 0
	req.OnText = func(llm.Chunk) {
		if returned {
			t.Error("told of text after the call returned")
		}
		chunks++
		cancel(errLeft)
	}
	resp, err := m.Generate(ctx, req)
	returned = true
	if !errors.Is(err, errLeft) || resp.Text != "" || chunks == 0 {
		t.Errorf("got %q, %v after %d chunks; want the cause of the context", llm.Cut(resp.Text, 50), err, chunks)
	}
}

// lookUp is a tool for the checks.
func lookUp() llm.Tool {
	return llm.Tool{Name: "look_up", Description: "Looks a word up.", Parameters: json.RawMessage(`{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]}`)}
}

// checkTools runs two rounds: the model calls tools, and gets their results.
func checkTools(t *testing.T, m llm.Model, stream bool) {
	generate := func(req llm.Request) llm.Response {
		t.Helper()
		if stream {
			req.OnText = func(llm.Chunk) {}
		}
		resp, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	req := llm.Request{
		Tools: []llm.Tool{lookUp(), {Name: "now", Description: "Tells the time.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}},
		Messages: []llm.Message{
			{Role: llm.System, Text: "Be brief."}, {Role: llm.User, Text: "What are tort and battery?"},
		},
	}
	first := generate(req)
	want := echoCalls()
	if len(first.Calls) != len(want) || first.Text != echoed(req.Messages) {
		t.Fatalf("got %q and calls %+v; want %d", first.Text, first.Calls, len(want))
	}
	ids := map[string]bool{"": true}
	var results []llm.ToolResult
	for i, c := range first.Calls {
		if c.Name != want[i].Name || canonical(c.Arguments) != canonical(want[i].Arguments) || ids[c.ID] {
			t.Errorf("call %d is %+v with arguments %s; want %s%s and an id of its own", i+1, c, c.Arguments, want[i].Name, want[i].Arguments)
		}
		ids[c.ID] = true
		results = append(results, llm.ToolResult{CallID: c.ID, Name: c.Name, Text: `{"meaning":"a <wrong> & more"}`})
	}
	results[1].Text, results[1].Failed = "no such word", true
	req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Text: first.Text, Calls: first.Calls}, llm.Message{Role: llm.ToolRole, Results: results})
	before, err := json.Marshal(req.Messages)
	if err != nil {
		t.Fatal(err)
	}
	last := generate(req)
	if len(last.Calls) != 0 {
		t.Errorf("the model calls again: %+v", last.Calls)
	}
	if want := echoed(req.Messages); last.Text != want {
		t.Errorf("the server read\n%s; want\n%s", last.Text, want)
	}
	if after, err := json.Marshal(req.Messages); err != nil || !reflect.DeepEqual(before, after) {
		t.Errorf("the model changed the messages, %v", err)
	}
}

// checkCuts cuts a stream after each of its events. A stream cut before its last few events must
// not be an answer.
func checkCuts(t *testing.T, s *Server, m llm.Model) {
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "One two."}}}
	_, _, whole, err := streamOnce(t.Context(), m, req)
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	s.Fail(func(w http.ResponseWriter, reply Reply) { events = len(reply.Pieces); Cut(w, reply) })
	_, _, _, err = streamOnce(t.Context(), m, req)
	checkCut(t, err)
	if events < 4 {
		t.Fatalf("the stream has %d events", events)
	}
	answers := 0
	for n := range events {
		s.Fail(after(n))
		_, _, resp, err := streamOnce(t.Context(), m, req)
		switch {
		case err != nil:
			checkCut(t, err)
			if resp.Text != "" {
				t.Errorf("after %d events of %d: text %q beside an error", n, events, resp.Text)
			}
		case resp.Text != whole.Text:
			t.Errorf("after %d events of %d: %q was taken for the whole answer", n, events, resp.Text)
		default:
			answers++
		}
	}
	if answers > 2 { // markers and token counts may follow the answer
		t.Errorf("%d cuts of %d went unseen", answers, events)
	}
}

func checkCut(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*llm.ConnectionError](err); !ok || !llm.Retryable(err) {
		t.Errorf("a cut stream gave %v; want a *llm.ConnectionError", err)
	}
}

// echo answers with its own request. Given tools, it calls them first.
type echo struct{}

func (echo) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	resp := llm.Response{Text: echoed(req.Messages), Usage: llm.Usage{InputTokens: 7, OutputTokens: 5}}
	if n := len(req.Messages); len(req.Tools) > 0 && n > 0 && req.Messages[n-1].Role != llm.ToolRole {
		resp.Calls = echoCalls()
	}
	return resp, nil
}

func echoCalls() []llm.ToolCall {
	return []llm.ToolCall{
		{ID: "id_a", Name: "look_up", Arguments: json.RawMessage(`{"word":"tort"}`)},
		{ID: "id_b", Name: "look_up", Arguments: json.RawMessage(`{"word":"battery \"<é>\""}`)},
		{ID: "id_c", Name: "now", Arguments: json.RawMessage(`{}`)},
	}
}

// echoed returns a conversation as JSON without the parts that providers may change: system
// messages, and the IDs of calls. It keeps which call a result belongs to.
func echoed(messages []llm.Message) string {
	type call struct{ Name, Arguments string }
	type outcome struct {
		Of     string // the call
		Text   string
		Failed bool
	}
	type said struct {
		Role    llm.Role
		Text    string
		Calls   []call    `json:",omitempty"`
		Results []outcome `json:",omitempty"`
	}
	var out []said
	of := map[string]string{} // arguments by ID
	for _, m := range messages {
		if m.Role == llm.System {
			continue
		}
		s := said{Role: m.Role, Text: m.Text}
		for _, c := range m.Calls {
			of[c.ID] = canonical(c.Arguments)
			s.Calls = append(s.Calls, call{c.Name, canonical(c.Arguments)})
		}
		for _, r := range m.Results {
			s.Results = append(s.Results, outcome{of[r.CallID], canonical([]byte(r.Text)), r.Failed})
		}
		out = append(out, s)
	}
	text, _ := json.Marshal(out) // texts can always be encoded
	return string(text)
}
