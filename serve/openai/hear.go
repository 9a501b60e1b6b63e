package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
	"example.com/assay/state/message"
)

// A listener hears an answer while it comes. It may hear a part again with more citations.
type listener interface {
	token(n int, text string) error // a piece of the text of message n
	part(part) error
}

// A hearing knows what was said before and during a run.
type hearing struct {
	thread string
	before map[string]bool             // IDs of messages from before an interrupt that the run answers
	calls  map[string]message.ToolCall // by ID
	order  map[string]int              // places of messages by their IDs
	voice  struct{ task, message string }
}

func newAnswer(thread string) *answer {
	return &answer{hearing: hearing{thread: thread, before: map[string]bool{}, calls: map[string]message.ToolCall{}, order: map[string]int{}}}
}

// hear reads an event.
func (c *call) hear(ctx context.Context, a *answer, ev runs.Event, to listener) error {
	switch {
	case ev.Kind == runs.KindAttempt && ev.Attempt == 1 && ev.Checkpoint != "":
		return c.recall(ctx, a, ev.Checkpoint)
	case ev.Kind == graph.NodeCustom.String() && ev.Name == event.ModelCall:
		return a.usage.add(ev.Data)
	case ev.Namespace != "":
		return nil
	}
	switch ev.Kind {
	case runs.KindAttempt:
		a.voice.message = ""
	case graph.NodeCustom.String():
		return a.speaks(ev)
	case graph.NodeToken.String():
		if a.voice.task != taskOf(ev) || a.voice.message == "" {
			return nil
		}
		if n := a.nth(a.voice.message); to != nil {
			return to.token(n, ev.Text)
		}
	case graph.CheckpointSaved.String():
		a.checkpoint, a.voice.task = ev.Checkpoint, ""
	case graph.RunInterrupt.String():
		a.asked = ev.Interrupts // the state has only those that were not answered later
	case graph.NodeUpdate.String():
		return a.update(ev, to)
	}
	return nil
}

// speaks reads an event of a model that begins a message. Messages are heard one at a time; a text
// that begins again is not heard again.
func (a *answer) speaks(ev runs.Event) error {
	var text event.Text
	switch {
	case ev.Name == textAgain && a.voice.task == taskOf(ev):
		a.voice.message = ""
	case ev.Name == event.ModelText && (a.voice.task == "" || a.voice.task == taskOf(ev)):
		if err := json.Unmarshal(ev.Data, &text); err != nil {
			return fmt.Errorf("reading a %s event: %w", ev.Name, err)
		}
		if _, heard := a.order[text.Message]; heard {
			text.Message = ""
		}
		a.voice.task, a.voice.message = taskOf(ev), text.Message
	}
	return nil
}

// nth returns the place of a message among those of the turn.
func (a *answer) nth(message string) int {
	n, known := a.order[message]
	if !known {
		n = len(a.order)
		a.order[message] = n
	}
	return n
}

// recall reads what was said before an interrupt that the run answers.
func (c *call) recall(ctx context.Context, a *answer, checkpoint string) error {
	at, _, err := c.State(ctx, a.thread, checkpoint)
	if err != nil || at == nil {
		return err
	}
	list, err := messagesIn(at)
	for _, m := range list {
		a.before[m.ID] = true
		a.learn(m)
	}
	return err
}

func (a *answer) learn(m message.Message) {
	for _, call := range m.Calls {
		a.calls[call.ID] = call
	}
}

// update reads the messages that a node returned.
func (a *answer) update(ev runs.Event, to listener) error {
	var writes []struct {
		Channel string
		Value   json.RawMessage
	}
	if len(ev.Update) > 0 {
		if err := json.Unmarshal(ev.Update, &writes); err != nil {
			return fmt.Errorf("reading the update of node %q: %w", ev.Node, err)
		}
	}
	for _, w := range writes {
		var list []message.Message
		if w.Channel != "messages" || json.Unmarshal(w.Value, &list) != nil {
			continue // or it removes messages
		}
		for _, m := range list {
			parts, err := a.partsOf(m)
			if err != nil {
				return err
			}
			for _, p := range parts {
				if to == nil {
					break
				}
				if err := to.part(p); err != nil {
					return err
				}
			}
		}
	}
	if a.voice.task == taskOf(ev) {
		a.voice.task = ""
	}
	return nil
}

func taskOf(ev runs.Event) string {
	if len(ev.Tasks) == 0 {
		return ""
	}
	return ev.Tasks[len(ev.Tasks)-1]
}

// partsOf returns the parts of a message that the graph has said in this run.
func (a *answer) partsOf(m message.Message) ([]part, error) {
	a.learn(m)
	if a.before[m.ID] || m.Type != message.AI && m.Type != message.Tool {
		return nil, nil
	}
	n := a.nth(m.ID)
	if m.Type == message.Tool {
		call, ok := a.calls[m.CallID]
		if !ok {
			return nil, nil
		}
		return []part{{kind: partCall, n: n, text: m.Content.String(), call: call, failed: m.Status == message.Failed}}, nil
	}
	said, err := textOf(m)
	said.n = n
	var out []part
	if thought := reasoningOf(m); thought != "" {
		out = append(out, part{kind: partReasoning, n: n, text: thought})
	}
	if said.text != "" {
		out = append(out, said)
	}
	return out, err
}

// reasoningOf returns the reasoning of a message, in the forms of LangChain's providers.
func reasoningOf(m message.Message) string {
	var texts []string
	for _, b := range m.Content.Blocks {
		var in struct{ Reasoning, Thinking string }
		if (b.Type == "reasoning" || b.Type == "thinking") && json.Unmarshal(b.Whole, &in) == nil && in.Reasoning+in.Thinking != "" {
			texts = append(texts, in.Reasoning+in.Thinking)
		}
	}
	var kwargs struct {
		Reasoning string `json:"reasoning_content"`
	}
	if len(m.Kwargs) > 0 && json.Unmarshal(m.Kwargs, &kwargs) == nil && kwargs.Reasoning != "" {
		texts = append(texts, kwargs.Reasoning)
	}
	return strings.Join(texts, gap)
}

// messagesIn returns the messages of a state.
func messagesIn(at *runs.Snapshot) ([]message.Message, error) {
	var state struct {
		Messages []message.Message `json:"messages"`
	}
	if err := json.Unmarshal(at.State, &state); err != nil {
		return nil, fmt.Errorf("reading the conversation: %w", err)
	}
	return state.Messages, nil
}
