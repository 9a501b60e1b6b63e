// Package converse turns each pipeline into a conversation, for clients that know messages. A
// person's message becomes the pipeline's input. The answer becomes a message in Markdown whose
// quotes are citations.
//
//	app, err := converse.Graph(ctx, converse.Desk{Desk: d}, p, nil)
//
// The package opens nothing. A message says only what the answer's JSON says, which travels with
// it.
package converse

import (
	"context"
	"encoding/json"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/open"
	"example.com/assay/cmd/agent/internal/talk"
	"example.com/assay/graph"
	"example.com/assay/memory"
	"example.com/assay/nodes/conversation"
	"example.com/assay/nodes/pipeline"
)

// A Desk holds what a pipeline's conversations need.
type Desk struct {
	*open.Desk
	HidePaths bool // messages and answers do not say where files are
}

// Graph makes the graph of conversations with a pipeline. Conf holds values of its settings.
func Graph(ctx context.Context, d Desk, p open.Pipeline, conf map[string]string) (graph.App, error) {
	made, err := p.On(ctx, d.Desk, conf)
	if err != nil {
		return graph.App{}, err
	}
	chat := pipeline.Chat{
		Files: &memory.Texts{},
		Reply: func(answer pipeline.Answer, earlier any, err error) conversation.Reply {
			return d.reply(p, answer, earlier, err)
		},
	}
	if d.Corpus != nil {
		chat.Files = d.Corpus
	}
	chat.Check = func(t conversation.Turn) error {
		if p.Message.Name == question {
			if err := cli.CheckQuestion(t.Text, p.Command()+` "…"`); err != nil {
				return err
			}
		}
		return p.CheckInput(t.Input)
	}
	if p.Name == open.Usual {
		chat.Says = func(t conversation.Turn) (conversation.Reply, bool) {
			words, ok := talk.Reply(t.Text, d.Corpus)
			return conversation.Reply{Text: words}, ok
		}
	}
	return made.Chat(p.Name, chat)
}

// question is the name of the message in pipelines that answer questions.
const question = "question"

// reply signs an answer and turns it into a message. An answer that could not be read in full is
// still shown, with the reason.
func (d Desk) reply(p open.Pipeline, answer pipeline.Answer, earlier any, err error) conversation.Reply {
	if answer == nil {
		return conversation.Reply{Text: err.Error()}
	}
	answer.Sign(d.Signature("", ""))
	out := conversation.Reply{Answer: encoded(answer), Earlier: encoded(earlier)}
	shown, bad := p.Proof(out.Answer)
	if bad != nil {
		return conversation.Reply{Text: bad.Error(), Answer: out.Answer}
	}
	if err != nil {
		shown.Warnings = append(shown.Warnings, err.Error())
	}
	if d.Corpus != nil && d.IsSample() {
		shown.Warnings = append(shown.Warnings, open.SampleNote)
	}
	out.Text, out.Citations = Message(shown)
	if d.HidePaths {
		for i := range out.Citations {
			out.Citations[i].Path = ""
		}
		out.Answer = withoutPaths(out.Answer)
	}
	return out
}

// withoutPaths empties the paths in an answer.
func withoutPaths(answer json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(answer, &v) != nil {
		return nil
	}
	var clear func(any)
	clear = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				clear(e)
			}
		case map[string]any:
			for _, name := range []string{"path", "original"} {
				if _, ok := v[name].(string); ok {
					v[name] = ""
				}
			}
			for _, e := range v {
				clear(e)
			}
		}
	}
	clear(v)
	return encoded(v)
}

func encoded(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		data, _ = json.Marshal(map[string]string{"error": err.Error()}) // a string can be encoded
	}
	return data
}

// Steps returns the name of a node that starts, so that a reader of the conversation sees progress.
// It names only the first of the tasks that one list started. The names make one line:
// "plan → retrieve → ".
func Steps(ev graph.Event[json.RawMessage]) string {
	if ev.Kind != graph.NodeStart || ev.Attempt > 1 || ev.Send > 1 {
		return ""
	}
	return strings.ReplaceAll(ev.Node, "_", " ") + " → "
}
