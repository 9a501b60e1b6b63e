package conversation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/nodes/conversation"
	"example.com/assay/state/message"
)

type echo struct {
	Said string `json:"said"`
	N    int    `json:"n"`
}

// parrot is a pipeline that says what it hears, and how many turns it knows of.
func parrot(t *testing.T) *graph.Compiled[conversation.State] {
	t.Helper()
	said := graph.LastValue("said", func(s *echo) *string { return &s.Said })
	n := graph.LastValue("n", func(s *echo) *int { return &s.N })
	g := graph.NewStateGraph(said, n)
	g.AddNode("shout", func(_ context.Context, s echo) (graph.Update[echo], error) {
		return graph.Update[echo]{said.Set(strings.ToUpper(s.Said))}, nil
	})
	g.AddEdge(graph.Start, "shout")
	inner, err := g.Compile(&graph.CompileOptions{Name: "parrot"})
	if err != nil {
		t.Fatal(err)
	}
	chat, err := conversation.Graph("parrot", conversation.Pipeline[echo]{
		Graph: inner,
		Ask: func(turn conversation.Turn) graph.Update[echo] {
			return graph.Update[echo]{said.Set(turn.Text + string(turn.Input)), n.Set(len(turn.Earlier))}
		},
		Reply: func(s echo) conversation.Reply {
			known, _ := json.Marshal(s.Said) // a string can always be encoded
			return conversation.Reply{
				Text: fmt.Sprintf("%s %d", s.Said, s.N), Answer: json.RawMessage(`{"n":1,"run_id":""}`), Earlier: known,
				Citations: []message.Citation{{Type: "citation", EndIndex: 2, CitedText: "HI", Doc: "d", Start: 3, End: 5}},
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return chat.With(memory.New())
}

// A conversation grows by a message of the person and one of the pipeline, whose citations
// are kept; a turn knows of those before it; what was asked is not asked again.
func TestConversation(t *testing.T) {
	app := parrot(t).App()
	say := func(values string) (json.RawMessage, error) {
		in, err := app.Values(json.RawMessage(values))
		if err != nil {
			return nil, err
		}
		var last json.RawMessage
		var steps []string
		for ev, err := range app.Stream(t.Context(), in, &graph.RunOptions{Thread: "t", RunID: "r1", Modes: graph.Debug}) {
			if err != nil {
				return nil, err
			}
			if ev.Kind == graph.StateValue && ev.Namespace == "" {
				last = ev.State
			}
			if ev.Kind == graph.NodeStart {
				steps = append(steps, ev.Namespace+"/"+ev.Node)
			}
		}
		if got := fmt.Sprint(steps); got != "[/hear /parrot parrot/shout /reply]" {
			t.Errorf("the steps are %s", got)
		}
		return last, nil
	}
	if _, err := say(`{"messages":[{"type":"human","id":"1","content":"hi"}]}`); err != nil {
		t.Fatal(err)
	}
	last, err := say(`{"messages":[{"role":"user","id":"2","content":[{"type":"text","text":"again"},{"type":"image"}]}],"input":{"x":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"messages":[` +
		`{"id":"1","type":"human","content":"hi","additional_kwargs":{},"response_metadata":{}},` +
		`{"id":"reply-1","type":"ai","content":[{"type":"text","text":"HI 0","annotations":[{"type":"citation","start_index":0,"end_index":2,"cited_text":"HI","doc":"d","start":3,"end":5}]}],"name":"parrot","additional_kwargs":{},"response_metadata":{},"tool_calls":[],"invalid_tool_calls":[]},` +
		`{"id":"2","type":"human","content":[{"type":"text","text":"again"},{"type":"image"}],"additional_kwargs":{},"response_metadata":{}},` +
		`{"id":"reply-2","type":"ai","content":[{"type":"text","text":"AGAIN{\"X\":1} 1","annotations":[{"type":"citation","start_index":0,"end_index":2,"cited_text":"HI","doc":"d","start":3,"end":5}]}],"name":"parrot","additional_kwargs":{},"response_metadata":{},"tool_calls":[],"invalid_tool_calls":[]}` +
		`],"answer":{"n":1,"run_id":"r1"},"earlier":["HI","AGAIN{\"X\":1}"]}`
	if got := string(last); got != want {
		t.Errorf("the conversation is\n%s\nwant\n%s", got, want)
	}
	for values, wants := range map[string]string{
		`{"messages":[]}`: "", `{"messages":[{"type":"human","id":"3","content":" "}]}`: "", `{"messages":[{"type":"ai","id":"4","content":"I"}]}`: "",
		`{"messages":[{"type":"ghost","id":"5","content":"boo"}]}`: "ghost", `{"messages":[{"type":"human","id":"5","content":7}]}`: "text or a list",
	} {
		_, err := say(values)
		if err == nil || wants == "" && !errors.Is(err, conversation.ErrNothingAsked) || !strings.Contains(err.Error(), wants) {
			t.Errorf("%s: %v", values, err)
		}
	}
}

// What a pipeline replies to by itself starts no run of it.
func TestSays(t *testing.T) {
	said := graph.LastValue("said", func(s *echo) *string { return &s.Said })
	g := graph.NewStateGraph(said)
	runs := 0
	g.AddNode("count", func(context.Context, echo) (graph.Update[echo], error) { runs++; return nil, nil })
	g.AddEdge(graph.Start, "count")
	inner, err := g.Compile(&graph.CompileOptions{Name: "counter"})
	if err != nil {
		t.Fatal(err)
	}
	chat, err := conversation.Graph("counter", conversation.Pipeline[echo]{
		Graph: inner,
		Says: func(turn conversation.Turn) (conversation.Reply, bool) {
			return conversation.Reply{Text: "Hello."}, turn.Text == "hello"
		},
		Ask:   func(turn conversation.Turn) graph.Update[echo] { return graph.Update[echo]{said.Set(turn.Text)} },
		Reply: func(echo) conversation.Reply { return conversation.Reply{Text: "counted"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, want string
		runs       int
	}{{"hello", "Hello.", 0}, {"How many?", "counted", 1}} {
		in, err := chat.App().Values(json.RawMessage(`{"messages":[{"type":"human","content":"` + c.text + `"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var last string
		for ev, err := range chat.App().Stream(t.Context(), in, &graph.RunOptions{Modes: graph.Debug}) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind == graph.StateValue && ev.Namespace == "" {
				last = string(ev.State)
			}
		}
		if runs != c.runs || !strings.Contains(last, c.want) {
			t.Errorf("%q: %d runs, %s", c.text, runs, last)
		}
	}
}
