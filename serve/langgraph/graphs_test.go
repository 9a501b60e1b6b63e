package langgraph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
	"example.com/assay/nodes/react"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/langgraph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/message"
)

type talk struct {
	Lines []string `json:"lines"`
	Who   string   `json:"who,omitempty"`
}

var (
	talkLines = graph.Append("lines", func(s *talk) *[]string { return &s.Lines })
	talkWho   = graph.LastValue("who", func(s *talk) *string { return &s.Who })
)

func say(line string) graph.Node[talk] {
	return func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add(line)}, nil
	}
}

func ask[P any](question P) graph.Node[talk] {
	return func(ctx context.Context, _ talk) (graph.Update[talk], error) {
		who, err := graph.Interrupt[string](ctx, "who", question)
		return graph.Update[talk]{talkWho.Set(who)}, err
	}
}

type step struct {
	name string
	node graph.Node[talk]
}

func line(t testing.TB, name string, steps ...step) *graph.Compiled[talk] {
	t.Helper()
	g := graph.NewStateGraph(talkLines, talkWho)
	before := graph.Start
	for _, s := range steps {
		g.AddNode(s.name, s.node)
		g.AddEdge(before, s.name)
		before = s.name
	}
	return compiled(t, g, name)
}

func compiled[S any](t testing.TB, g *graph.StateGraph[S], name string) *graph.Compiled[S] {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

type fanned struct {
	Items []int `json:"items,omitempty"`
	Item  int   `json:"item,omitempty"`
	Done  []int `json:"done"`
}

func fan(t testing.TB) *graph.Compiled[fanned] {
	items := graph.LastValue("items", func(s *fanned) *[]int { return &s.Items })
	item := graph.LastValue("item", func(s *fanned) *int { return &s.Item })
	done := graph.Append("done", func(s *fanned) *[]int { return &s.Done })
	g := graph.NewStateGraph(items, item, done)
	g.AddNode("plan", func(context.Context, fanned) (graph.Update[fanned], error) { return nil, nil })
	g.AddNode("work", func(ctx context.Context, s fanned) (graph.Update[fanned], error) {
		if s.Item < 0 {
			_, err := graph.Interrupt[int](ctx, "item", s.Item)
			return nil, err
		}
		return graph.Update[fanned]{done.Add(s.Item * 10)}, nil
	})
	g.AddNode("sum", func(_ context.Context, s fanned) (graph.Update[fanned], error) {
		return graph.Update[fanned]{item.Set(len(s.Done))}, nil
	})
	g.AddEdge(graph.Start, "plan")
	g.AddConditionalEdges("plan", func(_ context.Context, s fanned) (graph.Route, error) {
		var out []graph.Send[fanned]
		for _, i := range s.Items {
			out = append(out, graph.Send[fanned]{Node: "work", State: fanned{Item: i}})
		}
		return graph.Sends(out...), nil
	}, "work")
	g.AddEdge("work", "sum")
	return compiled(t, g, "fan")
}

// quiz is the state of the graph inside a node of nested.
type quiz struct {
	Said []string `json:"said"`
	Who  string   `json:"who,omitempty"`
}

func nested(t testing.TB) *graph.Compiled[talk] {
	said := graph.Append("said", func(s *quiz) *[]string { return &s.Said })
	who := graph.LastValue("who", func(s *quiz) *string { return &s.Who })
	q := graph.NewStateGraph(said, who)
	q.AddNode("first", func(context.Context, quiz) (graph.Update[quiz], error) {
		return graph.Update[quiz]{said.Add("first")}, nil
	})
	q.AddNode("question", func(ctx context.Context, _ quiz) (graph.Update[quiz], error) {
		answer, err := graph.Interrupt[string](ctx, "who", map[string]string{"text": "who?"})
		return graph.Update[quiz]{who.Set(answer)}, err
	})
	q.AddEdge(graph.Start, "first")
	q.AddEdge("first", "question")
	g := graph.NewStateGraph(talkLines, talkWho)
	g.AddNode("before", say("before"))
	graph.AddMappedSubgraph(g, "inside", compiled(t, q, "quiz"),
		func(s talk) graph.Update[quiz] { return graph.Update[quiz]{who.Set(s.Who)} },
		func(s quiz) graph.Update[talk] { return graph.Update[talk]{talkWho.Set(s.Who)} })
	g.AddNode("after", say("after"))
	g.AddEdge(graph.Start, "before")
	g.AddEdge("before", "inside")
	g.AddEdge("inside", "after")
	return compiled(t, g, "nested")
}

// settled says what was chosen for a run.
func settled(t testing.TB) runs.Graph {
	var chosen string
	g := runs.Graph{Name: "settled", Settings: []runs.Setting{{Name: "corpus", Schema: json.RawMessage(`{"type":"string"}`)}, {Name: "depth"}}}
	g.App = line(t, "settled", step{"say", func(context.Context, talk) (graph.Update[talk], error) {
		return graph.Update[talk]{talkLines.Add(chosen)}, nil
	}}).App()
	g.Open = func(_ context.Context, _ string, r runs.Run) (runs.Opening, error) {
		data, err := json.Marshal(r.Spec.Settings)
		chosen = string(data)
		return runs.Opening{App: g.App}, err
	}
	return g
}

// chat is what chats hold: messages as conversations have them.
type chat struct {
	Messages []message.Message `json:"messages"`
	Who      string            `json:"who,omitempty"`
}

var (
	chatMessages = graph.Keyed("messages", func(s *chat) *[]message.Message { return &s.Messages }, func(m *message.Message) *string { return &m.ID })
	chatWho      = graph.LastValue("who", func(s *chat) *string { return &s.Who })
)

// reply says what the last message said, with a citation.
func reply(ctx context.Context, s chat) (graph.Update[chat], error) {
	said := s.Messages[len(s.Messages)-1].Content.String()
	if err := graph.Emit(ctx, "progress", map[string]string{"step": "reply"}); err != nil {
		return nil, err
	}
	cited := message.Citation{Type: "citation", URL: "https://example.com/d", Title: "D", EndIndex: 4, CitedText: "They", Doc: "d", Start: 7, End: 11}
	block := message.Block{Type: "text", Text: "They said: " + said, Annotations: []message.Citation{cited}}
	m := message.Message{ID: fmt.Sprintf("reply-%d", len(s.Messages)), Type: "ai", Content: message.Content{Blocks: []message.Block{block}}}
	return graph.Update[chat]{chatMessages.Put(m)}, nil
}

// chats are the graphs of chats: one that replies, one that asks first if it is to, and one
// that writes its reply.
func chats(t testing.TB, name string) *graph.Compiled[chat] {
	g := graph.NewStateGraph(chatMessages, chatWho)
	if name == "writes" {
		g.AddNode("write", dictate)
		g.AddEdge(graph.Start, "write")
		return compiled(t, g, name)
	}
	g.AddNode("reply", reply)
	if name == "chat" {
		g.AddEdge(graph.Start, "reply")
		return compiled(t, g, name)
	}
	g.AddNode("ask", func(ctx context.Context, _ chat) (graph.Update[chat], error) {
		who, err := graph.Interrupt[string](ctx, "ask", map[string]string{"text": "may I?"})
		return graph.Update[chat]{chatWho.Set(who)}, err
	})
	g.AddEdge(graph.Start, "ask")
	g.AddEdge("ask", "reply")
	return compiled(t, g, name)
}

// dictate says its message piece by piece before it returns it.
func dictate(ctx context.Context, s chat) (graph.Update[chat], error) {
	m := message.Message{ID: "run-" + uuid.NewString(), Type: "ai"}
	for _, word := range []string{"Once ", "upon ", "a time"} {
		select {
		case <-time.After(150 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		graph.EmitToken(ctx, word)
		m.Content.Text += word
	}
	return graph.Update[chat]{chatMessages.Put(m)}, nil
}

// pause takes a while.
func pause(line string) graph.Node[talk] {
	return func(ctx context.Context, s talk) (graph.Update[talk], error) {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return say(line)(ctx, s)
	}
}

// both has two nodes that ask at the same time.
func both(t testing.TB) *graph.Compiled[talk] {
	g := graph.NewStateGraph(talkLines, talkWho)
	for _, name := range []string{"left", "right"} {
		g.AddNode(name, func(ctx context.Context, _ talk) (graph.Update[talk], error) {
			line, err := graph.Interrupt[string](ctx, name, name+"?")
			return graph.Update[talk]{talkLines.Add(line)}, err
		})
		g.AddEdge(graph.Start, name)
	}
	return compiled(t, g, "both")
}

// agent is messages as other programs write them.
type agent struct {
	Messages []map[string]any `json:"messages"`
}

// tools has a node that calls two tools, and a node with their results.
func tools(t testing.TB) *graph.Compiled[agent] {
	messages := graph.Append("messages", func(s *agent) *[]map[string]any { return &s.Messages })
	g := graph.NewStateGraph(messages)
	calls := []any{map[string]any{"id": "1", "name": "search", "args": map[string]any{"q": "x"}}, map[string]any{"id": "2", "name": "clock", "args": map[string]any{}}}
	g.AddNode("model", func(context.Context, agent) (graph.Update[agent], error) {
		return graph.Update[agent]{messages.Add(map[string]any{"id": "a", "type": "ai", "content": "", "tool_calls": calls})}, nil
	})
	g.AddNode("tools", func(context.Context, agent) (graph.Update[agent], error) {
		return graph.Update[agent]{
			messages.Add(map[string]any{"id": "b", "type": "tool", "content": "found", "tool_call_id": "1"}),
			messages.Add(map[string]any{"id": "c", "type": "tool", "content": "it stands still", "tool_call_id": "2", "status": "error"}),
		}, nil
	})
	g.AddEdge(graph.Start, "model")
	g.AddEdge("model", "tools")
	return compiled(t, g, "tools")
}

// script asks for the weather, or pays, and then says what the tool returned.
type script struct{}

func (script) Generate(_ context.Context, req llm.Request) (llm.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role == llm.ToolRole {
		said := "It says " + last.Results[0].Text
		if req.OnText != nil {
			req.OnText(llm.Chunk{Text: "It says "})
			req.OnText(llm.Chunk{Text: last.Results[0].Text})
		}
		return llm.Response{Text: said}, nil
	}
	call := llm.ToolCall{ID: fmt.Sprintf("call-%d", len(req.Messages)), Name: "weather", Arguments: json.RawMessage(`{"town":"Oslo"}`)}
	if strings.Contains(last.Text, "pay") {
		call.Name, call.Arguments = "pay", json.RawMessage(`{"euros":4}`)
	}
	return llm.Response{Calls: []llm.ToolCall{call}}, nil
}

// talking is the state of an agent with tools.
type talking struct {
	Messages []react.Message `json:"messages"`
}

func agentWithTools(t testing.TB) *graph.Compiled[talking] {
	messages := graph.Keyed("messages", func(s *talking) *[]react.Message { return &s.Messages }, func(m *react.Message) *string { return &m.ID })
	g := graph.NewStateGraph(messages)
	g.AddNode("agent", func(ctx context.Context, s talking) (graph.Update[talking], error) {
		req := llm.Request{Skill: "agent", Message: "run-" + uuid.NewString(), Tools: []llm.Tool{{Name: "weather"}, {Name: "pay"}}}
		for _, m := range s.Messages {
			req.Messages = append(req.Messages, m.Message)
		}
		resp, _, err := llm.Generate(ctx, script{}, req)
		if err != nil {
			return nil, err
		}
		return graph.Update[talking]{messages.Put(react.Message{ID: req.Message, Message: llm.Message{Role: llm.Assistant, Text: resp.Text, Calls: resp.Calls}})}, nil
	})
	g.AddNode("tools", func(ctx context.Context, s talking) (graph.Update[talking], error) {
		var u graph.Update[talking]
		for _, c := range s.Messages[len(s.Messages)-1].Calls {
			said := c.Name + " of Oslo"
			if c.Name == "pay" {
				said = "pay of 4"
				answer, err := graph.Interrupt[react.HITLResponse](ctx, "approval", json.RawMessage(`{"action_requests":[{"name":"pay","args":{"euros":4},"description":"Pays."}],"review_configs":[{"action_name":"pay","allowed_decisions":["approve","edit","reject"]}]}`))
				if err != nil {
					return nil, err
				}
				switch d := answer.Decisions[0]; d.Type {
				case react.Reject:
					said = d.Message
				case react.Edit:
					said = "pay of 3"
				}
			}
			u = append(u, messages.Put(react.Message{ID: c.ID + "-result", Message: llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: c.ID, Name: c.Name, Text: said}}}}))
		}
		return u, nil
	})
	g.AddEdge(graph.Start, "agent")
	g.AddConditionalEdges("agent", func(_ context.Context, s talking) (graph.Route, error) {
		if len(s.Messages[len(s.Messages)-1].Calls) > 0 {
			return graph.To("tools"), nil
		}
		return graph.To(graph.End), nil
	}, "tools", graph.End)
	g.AddEdge("tools", "agent")
	return compiled(t, g, "react")
}

// served is a server of the graphs.
func served(t testing.TB) *httptest.Server {
	return keeping(t, t.TempDir(), graph.Tasks|graph.Custom, true)
}

// strictly is a server of the graphs that refuses what it does not know.
func strictly(t testing.TB) *httptest.Server {
	return serving(t, t.TempDir(), graph.Tasks|graph.Custom, true, true)
}

// keeping is a server with its files in a folder, whose log gets events of every run, besides
// those that callers ask for; inside nodes, too, if they are to be.
func keeping(t testing.TB, folder string, modes graph.Mode, inside bool) *httptest.Server {
	return serving(t, folder, modes, inside, false)
}

func serving(t testing.TB, folder string, modes graph.Mode, inside, strict bool) *httptest.Server {
	t.Helper()
	ctx := context.Background()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	graphs := []runs.Graph{
		{Name: "chain", App: line(t, "chain", step{"a", say("a")}, step{"ask", ask("who is it?")}, step{"b", say("b")}).App()},
		{Name: "fan", App: fan(t).App()}, {Name: "nested", App: nested(t).App()},
		{Name: "fails", App: line(t, "fails", step{"a", say("a")}, step{"fail", func(context.Context, talk) (graph.Update[talk], error) {
			return nil, errors.New("it fails")
		}}).App()},
		{Name: "slow", App: line(t, "slow", step{"wait", func(ctx context.Context, _ talk) (graph.Update[talk], error) {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
			return nil, ctx.Err()
		}}).App()},
		settled(t),
	}
	graphs = append(graphs,
		runs.Graph{Name: "steps", App: nested(t).App(), Steps: func(ev graph.Event[json.RawMessage]) string { return ev.Kind.String() + "." + ev.Node + " " }},
		runs.Graph{Name: "pace", App: line(t, "pace", step{"a", pause("a")}, step{"b", pause("b")}, step{"c", pause("c")}).App()},
		runs.Graph{Name: "both", App: both(t).App()}, runs.Graph{Name: "tools", App: tools(t).App()}, runs.Graph{Name: "react", App: agentWithTools(t).App()},
		runs.Graph{Name: "ponders", App: line(t, "ponders", step{"ask", func(ctx context.Context, s talk) (graph.Update[talk], error) {
			if _, err := graph.Interrupt[string](ctx, "ask", "who?"); err != nil {
				return nil, err
			}
			return pause("thought")(ctx, s)
		}}).App()},
	)
	for _, name := range []string{"chat", "approve", "writes"} {
		graphs = append(graphs, runs.Graph{Name: name, App: chats(t, name).App()})
	}
	m, err := runs.Open(ctx, graphs, runs.Options{Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Modes: modes, Subgraphs: inside, Plan: langgraph.Plan, Tell: []runs.Teller{langgraph.Tell}, WebhookHosts: []string{"127.0.0.1"}, Warn: func(err error) { t.Error(err) }})
	if err != nil {
		t.Fatal(err)
	}
	mine := m.Space(runs.DefaultTenant)
	s := httptest.NewServer(langgraph.Handler(langgraph.Options{
		Space: func(*http.Request) (*runs.Space, error) { return mine, nil },
		Items: func(*http.Request) store.Store { return files.Rows }, Strict: strict,
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		stop, done := context.WithTimeout(ctx, 10*time.Second)
		defer done()
		m.Close(stop)
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
