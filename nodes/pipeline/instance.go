package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/nodes/conversation"
)

// Typed is a pipeline whose graph has the state S.
type Typed[S any] struct {
	Graph *graph.Compiled[S]
	// Check refuses a turn. Nil refuses none.
	Check func(conversation.Turn) error
	// Input returns the input for a turn that Check did not refuse.
	Input func(conversation.Turn) graph.Update[S]
	// Answer reads the answer from the last state, and from the error that stopped the run.
	Answer func(final S, runErr error, files Library) (Answer, error)
	// Earlier returns what the next turn knows about an answer, or nil. Nil: turns do not know
	// about each other.
	Earlier func(Answer) any
}

// An Instance is a pipeline ready to run. The inputs and states of its graph are JSON.
type Instance struct {
	App graph.App
	// Check refuses a turn.
	Check func(conversation.Turn) error
	// Input encodes the input of a turn that Check did not refuse.
	Input func(conversation.Turn) (json.RawMessage, error)
	// Answer reads the answer from the encoded last state, which may be empty, and from the
	// error that stopped the run.
	Answer func(final json.RawMessage, runErr error, files Library) (Answer, error)
	chat   func(name string, o Chat) (graph.App, error)
}

// A Chat configures a pipeline's conversation.
type Chat struct {
	Files Library
	// Check refuses a turn before the pipeline does. Nil refuses none.
	Check func(conversation.Turn) error
	// Says replies to a turn without a question. Nil replies to none.
	Says func(conversation.Turn) (conversation.Reply, bool)
	// Reply makes the message for an answer. The error comes from Typed.Answer; earlier is what the
	// next turn knows.
	Reply func(answer Answer, earlier any, err error) conversation.Reply
}

// Of returns a pipeline without its state's type.
func Of[S any](t Typed[S]) Instance {
	check := func(turn conversation.Turn) error {
		if t.Check == nil {
			return nil
		}
		return t.Check(turn)
	}
	return Instance{
		App: t.Graph.App(), Check: check,
		Input: func(turn conversation.Turn) (json.RawMessage, error) { return json.Marshal(t.Input(turn)) },
		Answer: func(final json.RawMessage, runErr error, files Library) (Answer, error) {
			var s S
			if err := json.Unmarshal([]byte(cmp.Or(string(final), "{}")), &s); err != nil {
				return nil, fmt.Errorf("reading the last state: %w", err)
			}
			return t.Answer(s, runErr, files)
		},
		chat: func(name string, o Chat) (graph.App, error) {
			g, err := conversation.Graph(name, conversation.Pipeline[S]{
				Graph: t.Graph, Check: o.Check, Says: o.Says, Ask: t.Input,
				Reply: func(final S) conversation.Reply {
					answer, err := t.Answer(final, nil, o.Files)
					var earlier any
					if t.Earlier != nil && err == nil {
						earlier = t.Earlier(answer)
					}
					return o.Reply(answer, earlier, err)
				},
			})
			if err != nil {
				return graph.App{}, err
			}
			return g.App(), nil
		},
	}
}

// Chat returns the graph of conversations with the pipeline.
func (i Instance) Chat(name string, o Chat) (graph.App, error) {
	before := o.Check
	o.Check = func(turn conversation.Turn) error {
		if before != nil {
			if err := before(turn); err != nil {
				return err
			}
		}
		return i.Check(turn)
	}
	return i.chat(name, o)
}
