package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// A place is the checkpoint after a conversation's last answer. Equal conversations each have their
// own.
type place struct {
	Thread     string `json:"thread"`
	Checkpoint string `json:"checkpoint"`
	Question   string `json:"question,omitempty"` // the ID of an interrupt that waits for an answer
	Taken      bool   `json:"taken"`              // a turn has continued from here
}

// A turn is a run that answers a request.
type turn struct {
	in    *request
	model runs.Graph
	run   runs.Run
	old   bool // the request did not begin it
}

// digest identifies a conversation with a model by the texts of the user and the assistant. It ignores
// white space, which clients change, and how an answer is divided into messages.
func digest(model string, conversation []entry) string {
	parts, last := []string{model}, ""
	for _, m := range conversation {
		text := strings.Join(strings.Fields(m.Text), " ")
		switch {
		case m.Role != "user" && m.Role != "assistant" || text == "":
		case m.Role == "assistant" && m.Role == last:
			parts[len(parts)-1] += " " + text
		default:
			parts, last = append(parts, m.Role, text), m.Role
		}
	}
	data, _ := json.Marshal(parts) // strings can always be encoded
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// places is the namespace of the places of a conversation.
func (c *call) places(model string, conversation []entry) []string {
	return append(c.Records("openai"), digest(model, conversation))
}

// answered returns the number of messages up to the last answer; 0 in a new conversation.
func (r *request) answered() int {
	for i := len(r.Messages); i > 0; i-- {
		if r.Messages[i-1].Role == "assistant" {
			return i
		}
	}
	return 0
}

// begin begins the run of a turn. It continues where the request says, or else from the
// conversation's place. If another turn has already continued from there, it forks the thread;
// without a place it creates a thread.
func (c *call) begin(in *request, model runs.Graph) (*turn, error) {
	t := &turn{in: in, model: model}
	if in.continues() {
		return t, c.continueAt(t)
	}
	known := in.answered()
	if known > 0 {
		at := c.places(model.Name, in.Messages[:known])
		free := []store.Filter{store.Equal("taken", false)}
		for _, try := range []struct {
			among []store.Filter
			how   runs.Strategy
		}{{free, runs.Reject}, {nil, runs.Enqueue}} {
			found, err := c.Store.Search(c.ctx(), store.Query{Namespace: at, Filters: try.among})
			if err != nil {
				return nil, fmt.Errorf("looking for the thread of the conversation: %w", err)
			}
			for _, item := range found {
				p, err := store.Decode[place](item.Item)
				if err != nil {
					return nil, err
				}
				begun, err := c.goOn(t, p, known, try.how)
				if err != nil {
					return nil, err
				}
				if begun {
					p.Taken = true
					if err := c.keep(item.Namespace, p); err != nil {
						c.Warn(err) // the error is harmless: another turn from here still forks the thread
					}
					return t, nil
				}
			}
		}
	}
	spec, err := t.spec(0, c.NewID)
	if err == nil {
		t.run, err = c.Begin(c.ctx(), spec)
	}
	return t, err
}

// goOn begins the run at a place. It returns false when the place no longer exists, or is busy and
// the run must not wait.
func (c *call) goOn(t *turn, p place, known int, how runs.Strategy) (bool, error) {
	missing := func(err error) bool { return errors.As(err, new(*runs.NotFoundError)) }
	answers := p.Question != "" || len(t.in.Approvals) > 0
	look := p.Checkpoint
	if answers {
		look = "" // an interrupt can be answered only at the newest checkpoint
	}
	at, _, err := c.State(c.ctx(), p.Thread, look)
	if missing(err) && p.Checkpoint == "" {
		err = nil // the thread begins
	}
	if missing(err) || err == nil && p.Checkpoint != "" && (at == nil || at.Key.ID != p.Checkpoint) || at == nil && answers {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	spec, err := t.spec(known, c.NewID)
	if err != nil {
		return false, err
	}
	spec.Thread, spec.Checkpoint, spec.Strategy, spec.Create = p.Thread, p.Checkpoint, how, p.Checkpoint == ""
	if answers {
		spec.Strategy = runs.Reject // after another run it would come too late
		spec.Resume = true
		if spec.Answers, err = t.in.answers(at.Interrupts); err != nil {
			return false, err
		}
		if slices.ContainsFunc(at.Interrupts, func(q graph.PendingInterrupt) bool { return actionsOf(q) != nil }) {
			spec.Input = nil // no message may stand between calls and their results
		}
	}
	t.run, err = c.Begin(c.ctx(), spec)
	if missing(err) || errors.Is(err, runs.ErrBusy) {
		return false, nil
	}
	return err == nil, err
}

// kinds are the message types by role.
var kinds = map[string]string{"system": "system", "user": "human", "assistant": "ai", "tool": "tool"}

// spec returns the run of a turn, with the messages after the first known ones.
func (t *turn) spec(known int, newID func() string) (runs.Spec, error) {
	list := []map[string]any{}
	for i, m := range t.in.Messages {
		if i < known && m.Role != "system" {
			continue
		}
		one := map[string]any{"id": newID(), "type": kinds[m.Role], "content": m.Text}
		if m.Role == "system" {
			one["id"] = fmt.Sprintf("system-%d", i) // it replaces the previous turn's message
		}
		for name, value := range map[string]string{"name": m.Name, "tool_call_id": m.CallID} {
			if value != "" {
				one[name] = value
			}
		}
		if m.Calls != nil {
			one["tool_calls"] = m.Calls
		}
		list = append(list, one)
	}
	values, err := json.Marshal(map[string]any{"messages": list})
	if err != nil {
		return runs.Spec{}, err
	}
	input, err := t.model.App.Values(values)
	if err != nil {
		return runs.Spec{}, &runs.InvalidError{Err: err}
	}
	about := map[string]any{"graph_id": t.model.Name, "wire": "openai"}
	marks, err := json.Marshal(about)
	if err != nil {
		return runs.Spec{}, err
	}
	if len(t.in.Ignored) > 0 {
		about["ignored"] = t.in.Ignored
	}
	modes := graph.Custom
	if t.in.Stream && t.in.Kept != nil {
		modes |= graph.Tokens
	}
	metadata, err := json.Marshal(about)
	return runs.Spec{
		Graph: t.model.Name, Input: input, Metadata: metadata, Marks: marks, Modes: modes, Subgraphs: true,
		Saved: map[string]string{"graph_id": t.model.Name}, Settings: t.in.Settings, Kept: t.in.Kept,
	}, err
}

// remember stores the place of a conversation after an answer.
func (c *call) remember(t *turn, a *answer) error {
	if t.old || t.in.continues() && len(t.in.Messages) == 0 || t.in.Previous != "" || t.in.Conversation != "" || t.in.Forget {
		return nil
	}
	conversation := append(t.in.Messages[:len(t.in.Messages):len(t.in.Messages)], entry{Role: "assistant", Text: a.text})
	return c.keep(c.places(t.model.Name, conversation), a.place(t.run.Thread))
}

// place returns where a thread goes on after an answer.
func (a *answer) place(thread string) place {
	p := place{Thread: thread, Checkpoint: a.checkpoint}
	if len(a.asked) == 1 {
		p.Question = a.asked[0].ID
	}
	return p
}

// keep stores a place as long as runs are kept, even if the caller has left.
func (c *call) keep(at []string, p place) error {
	return store.Put(context.WithoutCancel(c.ctx()), c.Store, at, p.Thread, p, &store.PutOptions{TTL: c.Keep})
}
