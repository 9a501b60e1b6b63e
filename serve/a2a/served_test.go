package a2a_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
	"example.com/assay/serve"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

const annToken, bobToken = "the-token-of-ann", "the-token-of-bob"

// A desk answers a person. Some words make it fail, ask, wait or write.
type desk struct {
	begun chan struct{} // gets one when a turn waits
	open  chan struct{} // gets one for each waiting turn that may end
}

type said struct {
	Text string `json:"text"`
}

func (d *desk) answer(ctx context.Context, text string) (string, error) {
	switch {
	case strings.HasPrefix(text, "fail"):
		return "", errors.New("it fails")
	case strings.HasPrefix(text, "ask"):
		who, err := graph.Interrupt[string](ctx, "who", "Who is it?")
		return "it is " + who, err
	case strings.HasPrefix(text, "approve"):
		decision, err := graph.Interrupt[map[string]any](ctx, "may", map[string]any{"action": "send", "to": text})
		data, failed := json.Marshal(decision)
		return "decided " + string(data), errors.Join(err, failed)
	case strings.HasPrefix(text, "wait"):
		d.begun <- struct{}{}
		select {
		case <-d.open:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	return strings.ToUpper(text), nil
}

// conversation is a graph that asks and cites inside a node.
func (d *desk) conversation(t testing.TB) serve.Graph {
	t.Helper()
	text := graph.LastValue("text", func(s *said) *string { return &s.Text })
	g := graph.NewStateGraph(text)
	g.AddNode("say", func(ctx context.Context, s said) (graph.Update[said], error) {
		answer, err := d.answer(ctx, s.Text)
		return graph.Update[said]{text.Set(answer)}, err
	})
	g.AddEdge(graph.Start, "say")
	chat, err := conversation.Graph("desk", conversation.Pipeline[said]{
		Graph: compiled(t, g, "desk"),
		Ask:   func(heard conversation.Turn) graph.Update[said] { return graph.Update[said]{text.Set(heard.Text)} },
		Reply: func(s said) conversation.Reply {
			return conversation.Reply{
				Text: "They said: " + s.Text, Answer: json.RawMessage(`{"run_id":"","said":12345678901234567890}`),
				Citations: []message.Citation{{Type: "citation", StartIndex: 11, EndIndex: 11 + len(s.Text), CitedText: s.Text, Doc: "d1", Path: "a.md", Start: 7, End: 9}},
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := serve.Register("desk", chat, &serve.GraphOptions{Description: "repeats what it hears"})
	out.Settings = []runs.Setting{{
		Name: "voice", Schema: json.RawMessage(`{"type":"string"}`),
		Values: func(tenant string) ([]string, error) { return []string{"loud", "of-" + tenant}, nil },
		Accepts: func(_ string, value json.RawMessage) error {
			if string(value) != `"loud"` {
				return errors.New("there is no such voice")
			}
			return nil
		},
	}}
	out.Steps = func(ev graph.Event[json.RawMessage]) string {
		if ev.Kind == graph.NodeStart {
			return ev.Node + " → "
		}
		return ""
	}
	return out
}

func compiled[S any](t testing.TB, g *graph.StateGraph[S], name string) *graph.Compiled[S] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

type chat struct {
	Messages []message.Message `json:"messages"`
}

// writer is a graph whose model writes its message piece by piece.
func writer(t testing.TB) serve.Graph {
	messages := graph.Keyed("messages", func(s *chat) *[]message.Message { return &s.Messages }, func(m *message.Message) *string { return &m.ID })
	g := graph.NewStateGraph(messages)
	g.AddNode("write", func(ctx context.Context, s chat) (graph.Update[chat], error) {
		m := message.Message{ID: "w" + s.Messages[len(s.Messages)-1].ID, Type: "ai"}
		for _, word := range []string{"Once ", "upon ", "a time"} {
			graph.EmitToken(ctx, word)
			m.Content.Text += word
		}
		return graph.Update[chat]{messages.Put(m)}, nil
	})
	g.AddEdge(graph.Start, "write")
	return serve.Register("writer", compiled(t, g, "writer"), nil)
}

type votes struct {
	Votes []int `json:"votes"`
}

// both is a graph without messages, with two nodes that ask at the same time.
func both(t testing.TB) serve.Graph {
	list := graph.Append("votes", func(s *votes) *[]int { return &s.Votes })
	g := graph.NewStateGraph(list)
	for _, name := range []string{"left", "right"} {
		g.AddNode(name, func(ctx context.Context, _ votes) (graph.Update[votes], error) {
			vote, err := graph.Interrupt[int](ctx, name, name+"?")
			return graph.Update[votes]{list.Add(vote)}, err
		})
		g.AddEdge(graph.Start, name)
	}
	return serve.Register("both", compiled(t, g, "both"), nil)
}

// A server is one for tests.
type server struct {
	*httptest.Server
	*desk
	t testing.TB
}

func served(t testing.TB, change func(*serve.Options)) *server {
	t.Helper()
	s, stop := keeping(t, t.TempDir(), change)
	t.Cleanup(stop)
	return s
}

// keeping is a server with its files in a folder. The caller stops it.
func keeping(t testing.TB, folder string, change func(*serve.Options)) (s *server, stop func()) {
	t.Helper()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{begun: make(chan struct{}, 10), open: make(chan struct{}, 10)}
	o := serve.Options{
		Graphs: []serve.Graph{d.conversation(t), both(t), writer(t)}, Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Version: "1.2.3",
		Tenants: []serve.Tenant{{Name: "ann", Token: annToken}, {Name: "bob", Token: bobToken}},
		Runs:    runs.Options{Warn: func(err error) { t.Error(err) }},
	}
	if change != nil {
		change(&o)
	}
	all, err := serve.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(all.Handler())
	return &server{h, d, t}, func() {
		h.CloseClientConnections()
		h.Close()
		stop, done := context.WithTimeout(context.Background(), time.Second)
		defer done()
		all.Close(stop)
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A bearer sends a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// client is the protocol's client for Go, as it makes itself from the card below a path.
func (s *server) client(path, token string) *a2aclient.Client {
	s.t.Helper()
	card, err := agentcard.DefaultResolver.Resolve(s.t.Context(), s.URL+path)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := a2aclient.NewFromCard(s.t.Context(), card, a2aclient.WithJSONRPCTransport(&http.Client{Transport: bearer(token)}))
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// post makes a request of JSON-RPC.
func (s *server) post(path, body string, header ...string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest("POST", s.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", annToken)
	r.Header.Set("A2A-Version", "1.0")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

func asking(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// reply is a message to a task.
func reply(t *a2a.Task, parts ...*a2a.Part) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, t, parts...)}
}

// sent is the task of a message.
func sent(t testing.TB, c *a2aclient.Client, in *a2a.SendMessageRequest) *a2a.Task {
	t.Helper()
	got, err := c.SendMessage(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got.(*a2a.Task)
}
