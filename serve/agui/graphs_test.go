package agui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	saver "example.com/assay/graph/checkpoint/memory"
	"example.com/assay/graph/eventlog"
	rows "example.com/assay/graph/store/memory"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
	"example.com/assay/state/message"
)

type talk struct {
	Messages []message.Message `json:"messages"`
	Topic    string            `json:"topic"`
	Notes    []string          `json:"notes"`
}

var (
	messages = graph.Keyed("messages", func(s *talk) *[]message.Message { return &s.Messages }, func(m *message.Message) *string { return &m.ID })
	topic    = graph.LastValue("topic", func(s *talk) *string { return &s.Topic })
	notes    = graph.Append("notes", func(s *talk) *[]string { return &s.Notes })
)

// last is the text of the person's last message.
func (s *talk) last() (id, text string) {
	for _, m := range s.Messages {
		if m.Type == "human" {
			id, text = m.ID, m.Content.String()
		}
	}
	return id, text
}

type approval struct {
	Decisions []struct {
		Type   string `json:"type"`
		Edited struct {
			Args json.RawMessage `json:"args"`
		} `json:"edited_action"`
		Message string `json:"message"`
	} `json:"decisions"`
}

// approvals is what an agent asks for a call, in LangChain's format.
func approvals(call string) json.RawMessage {
	return json.RawMessage(`{"action_requests":[{"name":"look","args":{"q":1},"description":"look it up","call_id":"` + call + `"}],` +
		`"review_configs":[{"action_name":"look","allowed_decisions":["approve","edit","reject"]}]}`)
}

// chat is an agent whose person's words make it call a tool, ask, fail or wait.
func chat(t testing.TB, begun chan<- struct{}) serve.Graph {
	t.Helper()
	g := graph.NewStateGraph(messages, topic, notes)
	g.AddNode("model", func(ctx context.Context, s talk) (graph.Update[talk], error) {
		id, text := s.last()
		if s.Messages[len(s.Messages)-1].Type == "tool" {
			return nil, nil
		}
		switch text {
		case "paint": // a tool of the client
			call := message.NewCall("p-"+id, "paint", nil)
			return graph.Update[talk]{messages.Put(message.Message{ID: "a-" + id, Type: message.AI, Calls: []message.ToolCall{call}})}, nil
		case "fail":
			graph.EmitToken(ctx, "I ")
			return nil, errors.New("it fails")
		case "wait":
			graph.EmitToken(ctx, "wai")
			begun <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		case "who":
			who, err := graph.Interrupt[string](ctx, "who", "Who is it?")
			return graph.Update[talk]{topic.Set(who)}, err
		case "tool", "approve":
			out := message.Message{ID: "a-" + id, Type: message.AI, Calls: []message.ToolCall{message.NewCall("c-"+id, "look", json.RawMessage(`{"q":1}`))}}
			out.Content.Blocks = []message.Block{
				{Type: "thinking", Whole: json.RawMessage(`{"type":"thinking","thinking":"I must look.","signature":"sig"}`)},
				{Type: "text", Text: "I look.", Annotations: []message.Citation{{Type: "citation", StartIndex: 2, EndIndex: 6, CitedText: "look"}}},
			}
			return graph.Update[talk]{messages.Put(out)}, nil
		}
		return nil, nil
	})
	g.AddNode("tools", func(ctx context.Context, s talk) (graph.Update[talk], error) {
		id, text := s.last()
		result := message.Message{ID: "t-" + id, Type: message.Tool, CallID: "c-" + id, Content: message.Content{Text: "found"}, Status: message.Success}
		switch text {
		case "approve":
			answer, err := graph.Interrupt[approval](ctx, "approval", approvals("c-"+id))
			if err != nil {
				return nil, err
			}
			if d := answer.Decisions[0]; d.Type != "approve" {
				result.Status, result.Content.Text = message.Failed, d.Type+" "+d.Message+string(d.Edited.Args)
			}
		case "tool":
		default:
			return nil, nil
		}
		if err := graph.Emit(ctx, "progress", map[string]int{"percent": 50}); err != nil {
			return nil, err
		}
		return graph.Update[talk]{messages.Put(result), notes.Add("a note, which is long enough")}, nil
	})
	g.AddNode("answer", func(ctx context.Context, s talk) (graph.Update[talk], error) {
		id, text := s.last()
		if last := s.Messages[len(s.Messages)-1]; text == "paint" && last.Type == "ai" {
			return nil, nil
		}
		pieces := []string{"You said ", text, "."}
		switch text {
		case "named", "again":
			if err := graph.Emit(ctx, event.ModelText, event.Text{Message: "b-" + id}); err != nil {
				return nil, err
			}
			if pieces = pieces[:2]; text == "again" { // another model begins again, with a text of its own
				graph.EmitToken(ctx, "I ")
				if err := graph.Emit(ctx, "model_text_again", map[string]string{}); err != nil {
					return nil, err
				}
			}
		}
		for _, piece := range pieces {
			graph.EmitToken(ctx, piece)
		}
		return graph.Update[talk]{messages.Put(message.Message{ID: "b-" + id, Type: message.AI, Content: message.Content{Text: "You said " + text + "."}}), notes.Add(text)}, nil
	})
	g.AddEdge(graph.Start, "model")
	g.AddEdge("model", "tools")
	g.AddEdge("tools", "answer")
	app, err := g.Compile(&graph.CompileOptions{Name: "chat"})
	if err != nil {
		t.Fatal(err)
	}
	out := serve.Register("chat", app, nil)
	out.Settings = []runs.Setting{{Name: "voice"}}
	return out
}

type count struct {
	Topic string   `json:"topic"`
	Notes []string `json:"notes"`
}

// counter is a graph that holds no conversation.
func counter(t testing.TB) serve.Graph {
	topic := graph.LastValue("topic", func(s *count) *string { return &s.Topic })
	notes := graph.Append("notes", func(s *count) *[]string { return &s.Notes })
	g := graph.NewStateGraph(topic, notes)
	g.AddNode("add", func(_ context.Context, s count) (graph.Update[count], error) {
		return graph.Update[count]{notes.Add(s.Topic)}, nil
	})
	g.AddEdge(graph.Start, "add")
	app, err := g.Compile(&graph.CompileOptions{Name: "counter"})
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("counter", app, nil)
}

const token = "the-token-of-ann"

// A server is one for tests.
type server struct {
	*httptest.Server
	t     testing.TB
	runs  *runs.Space
	begun chan struct{} // gets one when a turn waits
}

func served(t testing.TB) *server {
	t.Helper()
	ctx := context.Background()
	s := &server{t: t, begun: make(chan struct{}, 10)}
	kept, err := rows.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.OpenFile(ctx, filepath.Join(t.TempDir(), "events.db"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := serve.New(ctx, serve.Options{
		Graphs: []serve.Graph{counter(t), chat(t, s.begun), agent(t)}, Checkpointer: saver.New(), Store: kept, Log: log,
		Tenants: []serve.Tenant{{Name: "ann", Token: token}}, Runs: runs.Options{Warn: func(err error) { t.Error(err) }},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Server, s.runs = httptest.NewServer(own.Handler()), own.Runs().Space("ann")
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		stop, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		own.Close(stop)
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *server) open(ctx context.Context, path, body string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer
}

// refused is the status and the body of an answer that is no stream.
func (s *server) refused(path, body string) (int, string) {
	s.t.Helper()
	answer := s.open(s.t.Context(), path, body)
	defer func() { _ = answer.Body.Close() }()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

// A frame is an event of the protocol.
type frame map[string]any

// next reads an event of a stream; nil at its end.
func next(t testing.TB, from *bufio.Reader) frame {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return nil
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var ev frame
			if err := json.Unmarshal([]byte(data), &ev); err != nil {
				t.Fatal(err)
			}
			return ev
		}
	}
}

// run is the events of a run.
func (s *server) run(path, body string) (out []frame) {
	s.t.Helper()
	answer := s.open(s.t.Context(), path, body)
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		data, _ := io.ReadAll(answer.Body)
		s.t.Fatalf("%s: %d %s", body, answer.StatusCode, data)
	}
	from := bufio.NewReader(answer.Body)
	for {
		ev := next(s.t, from)
		if ev == nil {
			return out
		}
		out = append(out, ev)
	}
}
