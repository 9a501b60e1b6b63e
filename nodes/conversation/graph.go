package conversation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/state/message"
)

// State is a conversation.
type State struct {
	Messages []message.Message `json:"messages"`
	// Input holds further input fields of the next turn, such as the context of a response: an
	// object.
	Input json.RawMessage `json:"input,omitempty"`
	// Answer is the pipeline's last answer: the JSON that its command prints.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Earlier holds, for each earlier turn, what the next turn knows about it.
	Earlier []json.RawMessage `json:"earlier,omitempty"`

	Question Turn  `json:"question,omitzero"` // of the turn under way
	Reply    Reply `json:"reply,omitzero"`
}

// A Turn is a pipeline's input for one turn.
type Turn struct {
	Text    string            `json:"text"`
	Input   json.RawMessage   `json:"input,omitempty"`
	Earlier []json.RawMessage `json:"earlier,omitempty"` // Reply.Earlier of the earlier turns, in order
	Message string            `json:"message"`           // the ID of the person's message
	// Before are the earlier messages if nothing is known about their turns: a caller may start a
	// thread with a conversation.
	Before []message.Message `json:"before,omitempty"`
}

// Read decodes the further input fields of a turn into a struct. An unknown field is an error.
func (t Turn) Read(into any) error {
	if len(t.Input) == 0 || string(t.Input) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(t.Input))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("input: %w", err)
	}
	return nil
}

// A Reply is a pipeline's answer to a turn.
type Reply struct {
	Text      string             `json:"text"` // Markdown
	Citations []message.Citation `json:"citations,omitempty"`
	Answer    json.RawMessage    `json:"answer,omitempty"`
	Earlier   json.RawMessage    `json:"earlier,omitempty"` // nil if the next turn needs nothing
}

// A Pipeline answers turns with its own graph.
type Pipeline[C any] struct {
	Graph *graph.Compiled[C]
	Check func(Turn) error // refuses a turn; nil refuses none
	// Says replies to a turn without a question, such as a greeting, and returns false for other
	// turns. Nil replies to none.
	Says  func(Turn) (Reply, bool)
	Ask   func(Turn) graph.Update[C] // the graph's input for a turn
	Reply func(C) Reply              // the reply in the final state
}

// ErrNothingAsked reports a turn that does not end with a person's message.
var ErrNothingAsked = errors.New(`nothing was asked: the last message must be a person's ({"type": "human", "content": "…"}), with a text`)

// Graph makes the graph of conversations with a pipeline. It has three nodes: hear takes the
// question, the node with the pipeline's name answers it, and reply adds the message. A reply
// without a run goes from hear to reply.
func Graph[C any](name string, p Pipeline[C]) (*graph.Compiled[State], error) {
	messages := graph.Keyed("messages", func(s *State) *[]message.Message { return &s.Messages }, func(m *message.Message) *string { return &m.ID })
	input := graph.LastValue("input", func(s *State) *json.RawMessage { return &s.Input })
	answer := graph.LastValue("answer", func(s *State) *json.RawMessage { return &s.Answer })
	earlier := graph.Append("earlier", func(s *State) *[]json.RawMessage { return &s.Earlier })
	question := graph.LastValue("question", func(s *State) *Turn { return &s.Question })
	reply := graph.LastValue("reply", func(s *State) *Reply { return &s.Reply })

	g := graph.NewStateGraph(messages, input, answer, earlier, question, reply)
	g.Input(messages, input)
	g.AddNode("hear", func(_ context.Context, s State) (graph.Update[State], error) {
		n := len(s.Messages)
		if n == 0 || s.Messages[n-1].Type != message.Human || strings.TrimSpace(s.Messages[n-1].Content.String()) == "" {
			return nil, ErrNothingAsked
		}
		last := s.Messages[n-1]
		turn := Turn{Text: last.Content.String(), Input: s.Input, Earlier: s.Earlier, Message: last.ID}
		if len(s.Earlier) == 0 {
			turn.Before = s.Messages[:n-1]
		}
		if p.Check != nil {
			if err := p.Check(turn); err != nil {
				return nil, err
			}
		}
		u := graph.Update[State]{question.Set(turn), input.Set(nil)}
		if p.Says != nil {
			if said, ok := p.Says(turn); ok {
				u = append(u, reply.Set(said))
			}
		}
		return u, nil
	})
	graph.AddMappedSubgraph(g, name, p.Graph,
		func(s State) graph.Update[C] { return p.Ask(s.Question) },
		func(c C) graph.Update[State] { return graph.Update[State]{reply.Set(p.Reply(c))} })
	g.AddNode("reply", func(ctx context.Context, s State) (graph.Update[State], error) {
		task, _ := graph.CurrentTask(ctx)
		m := message.Message{ID: "reply-" + s.Question.Message, Type: message.AI, Name: name, Content: message.Content{Blocks: []message.Block{{Type: "text", Text: s.Reply.Text, Annotations: s.Reply.Citations}}}}
		u := graph.Update[State]{messages.Put(m), answer.Set(signed(s.Reply.Answer, task.Run)), question.Set(Turn{}), reply.Set(Reply{})}
		if s.Reply.Earlier != nil {
			u = append(u, earlier.Add(s.Reply.Earlier))
		}
		return u, nil
	})
	g.AddEdge(graph.Start, "hear")
	if p.Says == nil {
		g.AddEdge("hear", name)
	} else {
		g.AddConditionalPaths("hear", func(_ context.Context, s State) (graph.Route, error) {
			if s.Reply.Text != "" {
				return graph.To("said"), nil
			}
			return graph.To("asked"), nil
		}, graph.Path{Key: "asked", Target: name}, graph.Path{Key: "said", Target: "reply"})
	}
	g.AddEdge(name, "reply")
	return g.Compile(&graph.CompileOptions{Name: name, Persistence: graph.PersistTurns})
}

// openRun is the empty run ID in an answer's JSON.
var openRun = []byte(`"run_id":""`)

// signed sets the run's ID in an answer that leaves it empty. It cannot match inside a text, whose
// quotation marks are escaped.
func signed(answer json.RawMessage, run string) json.RawMessage {
	id, err := json.Marshal(run)
	if run == "" || err != nil {
		return answer
	}
	return bytes.Replace(answer, openRun, append([]byte(`"run_id":`), id...), 1)
}
