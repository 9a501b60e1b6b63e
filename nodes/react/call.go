package react

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
)

// dispatch is the node that sends the open calls of the model's last message to their tools, or to
// the node that asks a person about them. Ask begins the next round; after receives an answer.
func (a *agent[S]) dispatch(ask, after string) graph.Node[S] {
	next := graph.Update[S]{graph.Goto[S](ask)}
	return func(ctx context.Context, s S) (graph.Update[S], error) {
		at := a.at(&s)
		from, behind := called(at.Messages)
		var made, batch map[string]int // nil maps count nothing, where nothing is limited
		if a.kit.limited {
			made, batch = a.made(at), map[string]int{}
		}
		var u graph.Update[S]
		var later []Sent // approved, and over a limit now
		var sends []graph.Send[S]
		var asking []Asking
		handoff := -1
		for j, c := range from.Calls {
			if answered(behind, c.ID) {
				continue
			}
			sent := &Sent{ToolCall: c, Message: from.result(c.ID), Round: at.Rounds}
			decided := slices.IndexFunc(at.Decided, func(d Sent) bool { return d.ID == c.ID })
			if decided >= 0 {
				own := at.Decided[decided] // the state's own is read by others
				sent = &own
			}
			tool := a.kit.tools[sent.Name]
			if refusal := a.refuse(sent, tool, made[sent.Name]); refusal != nil {
				refused, err := a.answer(ctx, sent, refusal.Error(), true)
				if err != nil {
					return nil, err
				}
				u = append(u, refused)
				continue
			}
			if tool.to != "" {
				handoff = j // hand over after the other calls have their results
				continue
			}
			if a.kit.limited {
				made[sent.Name]++
				batch[sent.Name]++
			}
			if over(batch[sent.Name], tool.AtOnce) || over(len(sends)+len(asking)+1, a.AtOnce) {
				if decided >= 0 {
					later = append(later, *sent)
				}
				continue
			}
			if tool.Approve != nil && decided < 0 && !slices.Contains(at.Allowed, sent.Name) {
				if ask, why := tool.Approve(sent.ToolCall); ask {
					asking = append(asking, Asking{*sent, why})
					continue
				}
			}
			if tool.lane != "" {
				if batch["/"+tool.lane]++; batch["/"+tool.lane] > 1 { // no tool's name has a "/"
					if decided >= 0 {
						later = append(later, *sent)
					}
					continue
				}
			}
			sends = append(sends, a.send(at, sent))
		}
		if len(at.Decided) > 0 {
			u = append(u, a.Decided.Set(later))
		}
		if len(asking) > 0 {
			sends = append(sends, graph.Send[S]{Node: NodeApprove})
			part := a.part(&sends[len(sends)-1].State)
			part.Asking, part.Decided = asking, later
		}
		switch {
		case len(sends) > 0:
			return append(u, graph.Goto[S]().Sends(sends...)), nil
		case handoff >= 0:
			return a.handOver(at, from, handoff, a.kit.tools[from.Calls[handoff].Name].to), nil
		case a.final(at, from):
			answer := Message{ID: freshID(ctx, at.Messages), Message: llm.Message{Role: llm.Assistant, Text: last(at.Messages).Results[0].Text}}
			return append(u, a.Messages.Put(answer), graph.Goto[S](after)), nil
		case len(u) > 0:
			return append(u, next...), nil
		}
		return next, nil
	}
}

// answered reports whether a call has a result in the messages behind its own.
func answered(behind []Message, call string) bool {
	_, found := new(View).result(behind, call)
	return found
}

// over reports whether n is above a limit; a limit of 0 means none.
func over(n, limit int) bool { return limit > 0 && n > limit }

// refuse returns an error for the model if a call must not be made. It fills in missing arguments.
func (a *agent[S]) refuse(sent *Sent, tool *Tool, made int) (err error) {
	switch {
	case tool == nil:
		return fmt.Errorf("there is no tool %q; there are: %s", llm.Cut(sent.Name, 100), strings.Join(a.kit.names, ", "))
	case tool.Most > 0 && made >= tool.Most:
		return fmt.Errorf("%q may be called %d times in a turn, and was: answer from what is known", sent.Name, tool.Most)
	case len(sent.Arguments) > 0 && !isObject(sent.Arguments):
		return fmt.Errorf("the arguments are not one JSON object")
	}
	sent.Arguments, err = llm.CheckArguments(tool.Tool(), sent.Arguments)
	return err
}

// made counts the calls of this turn that have a result, by tool.
func (a *agent[S]) made(s *State) map[string]int {
	n := map[string]int{}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := &s.Messages[i]
		if m.person() {
			break
		}
		for _, r := range m.Results {
			n[r.Name]++
		}
	}
	return n
}

// final reports whether the last result is the turn's answer: its tool is Final, and it was the
// only call.
func (a *agent[S]) final(s *State, from *Message) bool {
	m := last(s.Messages)
	return len(from.Calls) == 1 && len(m.Results) == 1 && !m.Results[0].Failed && a.kit.tools[from.Calls[0].Name].Final
}

// call is the node of a tool: it makes one call.
func (a *agent[S]) call(t *Tool) graph.Node[S] {
	return func(ctx context.Context, s S) (graph.Update[S], error) {
		at := a.at(&s)
		if at.Sent == nil {
			return nil, fmt.Errorf("the node of tool %q runs without a call: only %s may send to it", t.Tool().Name, NodeDispatch)
		}
		sent := at.Sent
		text, artifact, edit, err := t.run(ctx, at, sent)
		if err == nil {
			text, err = a.kept(ctx, t, sent, text)
		}
		if err != nil {
			return nil, err
		}
		if sent.Edited {
			text = "A person changed the arguments to " + string(sent.Arguments) + ".\n" + text
		}
		m := result(sent.Message, sent.ToolCall, text, false)
		m.Artifact = artifact
		return append(a.wrote(nil, edit), a.Messages.Put(m)), a.publish(ctx, sent, &m.Results[0])
	}
}

// send returns the task of a call.
func (a *agent[S]) send(s *State, sent *Sent) graph.Send[S] {
	tool := a.kit.tools[sent.Name]
	out := graph.Send[S]{Node: tool.node}
	part := a.part(&out.State)
	if part.Sent = sent; tool.takes != nil {
		part.Files = tool.takes(s.Files, sent.Arguments)
	}
	return out
}

// run makes a call.
func (t *Tool) run(ctx context.Context, s *State, sent *Sent) (text string, artifact json.RawMessage, edit Change, err error) {
	if t.Once {
		first := false
		_, err = graph.Once(ctx, "begun", func(context.Context) (bool, error) { first = true; return true, nil })
		if err == nil && !first {
			err = errCut
		}
	}
	if err != nil {
		return "", nil, Change{}, err
	}
	if t.inside != nil {
		text, edit, err = t.inside(ctx, *s, sent.Arguments)
	} else if p, ok := t.Callable.(Artificer); ok {
		text, artifact, err = p.CallArtifact(ctx, sent.Arguments)
	} else {
		text, err = llm.CallText(ctx, t.Callable, sent.Arguments)
	}
	return text, artifact, edit, err
}

var errCut = errors.New("this call was begun before and cut off; nobody knows whether it took effect: look, before you make it again")

// wrote adds the writes of a change to the to-dos and files.
func (a *agent[S]) wrote(u graph.Update[S], edit Change) graph.Update[S] {
	if edit.Todos != nil {
		u = append(u, a.Todos.Set(*edit.Todos))
	}
	if len(edit.Files) > 0 {
		u = append(u, a.Files.Add(edit.Files))
	}
	return u
}

// failed turns the error of a call into its result.
func (a *agent[S]) failed(t *Tool) graph.ErrorHandler[S] {
	return func(ctx context.Context, s S, failure error) (graph.Update[S], error) {
		at := a.at(&s)
		if t.Stop || at.Sent == nil || ctx.Err() != nil {
			return nil, failure
		}
		return a.answers(ctx, nil, at.Sent, said(failure), true)
	}
}

// said returns an error for the model, without the names of enclosing nodes.
func said(failure error) string {
	if node, ok := errors.AsType[*graph.NodeError](failure); ok {
		failure = node.Err
	}
	if panicked, ok := errors.AsType[*graph.PanicError](failure); ok {
		return llm.Cut(fmt.Sprintf("the tool panicked: %v", panicked.Value), maxError)
	}
	return llm.Cut(failure.Error(), maxError)
}

const maxError = 1000 // bytes of an error shown to a model

// answer returns the write of a call's result, and publishes its event.
func (a *agent[S]) answer(ctx context.Context, sent *Sent, text string, failed bool) (graph.Write[S], error) {
	m := result(sent.Message, sent.ToolCall, text, failed)
	return a.Messages.Put(m), a.publish(ctx, sent, &m.Results[0])
}

// answers adds answer to an update.
func (a *agent[S]) answers(ctx context.Context, u graph.Update[S], sent *Sent, text string, failed bool) (graph.Update[S], error) {
	w, err := a.answer(ctx, sent, text, failed)
	return append(u, w), err
}

func result(id string, call llm.ToolCall, text string, failed bool) Message {
	return Message{ID: id, Message: llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: call.ID, Name: call.Name, Text: text, Failed: failed}}}}
}

// publish publishes a call's event.
func (a *agent[S]) publish(ctx context.Context, sent *Sent, r *llm.ToolResult) error {
	event := llm.ToolEvent{Skill: a.Name, Tool: r.Name, Round: sent.Round, OK: !r.Failed, ArgumentChars: utf8.RuneCount(sent.Arguments), ResultChars: utf8.RuneCountInString(r.Text)}
	if r.Failed {
		event.Error = llm.Cut(r.Text, 300)
	}
	return graph.Emit(ctx, llm.EventToolCall, event)
}

// kept returns a result within its tool's limit. A longer result goes to the store; the model gets
// its beginning and learns how to read more.
func (a *agent[S]) kept(ctx context.Context, t *Tool, sent *Sent, text string) (string, error) {
	limit := t.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit < 0 || len(text) <= limit {
		return text, nil
	}
	begin := text[:limit]
	for len(begin) > 0 && !utf8.RuneStart(text[len(begin)]) {
		begin = begin[:len(begin)-1]
	}
	if a.Store == nil {
		return fmt.Sprintf("%s\n(cut off: the result has %d bytes)", begin, len(text)), nil
	}
	sum := sha256.Sum256([]byte(text)) // a repeated call writes the same entry
	key := hex.EncodeToString(sum[:8])
	if err := store.Put(ctx, a.Store, a.Namespace, key, storedResult{sent.Name, text}, nil); err != nil {
		return "", fmt.Errorf("keeping a result of %d bytes: %w", len(text), err)
	}
	return fmt.Sprintf("%s\n(the result has %d bytes; call %s with key %q to read on from byte %d)", begin, len(text), ToolReadResult, key, len(begin)), nil
}
