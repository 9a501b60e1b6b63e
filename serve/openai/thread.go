package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
}

// digest identifies a conversation with a model. It ignores white space, which clients change, and
// system messages, which every turn sends anew.
func digest(model string, conversation []entry) string {
	parts := []string{model}
	for _, m := range conversation {
		if m.Role != "system" {
			parts = append(parts, m.Role, strings.Join(strings.Fields(m.Text), " "))
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

// begin begins the run of a turn. It continues from the conversation's place. If another turn has
// already continued from there, it forks the thread; without a place it creates a thread.
func (c *call) begin(in *request, model runs.Graph) (*turn, error) {
	t := &turn{in: in, model: model}
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
				begun, err := c.goOn(t, item.Item, known, try.how)
				if begun || err != nil {
					return t, err
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
func (c *call) goOn(t *turn, item store.Item, known int, how runs.Strategy) (bool, error) {
	p, err := store.Decode[place](item)
	if err != nil {
		return false, err
	}
	missing := func(err error) bool { return errors.As(err, new(*runs.NotFoundError)) }
	look := p.Checkpoint
	if p.Question != "" {
		look = "" // an interrupt can be answered only at the newest checkpoint
	}
	at, _, err := c.State(c.ctx(), p.Thread, look)
	if missing(err) || err == nil && (at == nil || at.Key.ID != p.Checkpoint) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	spec, err := t.spec(known, c.NewID)
	if err != nil {
		return false, err
	}
	spec.Thread, spec.Checkpoint, spec.Strategy = p.Thread, p.Checkpoint, how
	if p.Question != "" {
		answer, err := json.Marshal(t.in.Messages[len(t.in.Messages)-1].Text)
		if err != nil {
			return false, err
		}
		spec.Strategy = runs.Reject // after another run it would come too late
		spec.Resume, spec.Answers = true, map[string]json.RawMessage{p.Question: answer}
	}
	t.run, err = c.Begin(c.ctx(), spec)
	if missing(err) || errors.Is(err, runs.ErrBusy) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	p.Taken = true
	if err := c.keep(item.Namespace, p); err != nil {
		c.Warn(err) // the error is harmless: another turn from here still forks the thread
	}
	return true, nil
}

// kinds are the message types by role.
var kinds = map[string]string{"system": "system", "user": "human", "assistant": "ai"}

// spec returns the run of a turn, with the messages after the first known ones.
func (t *turn) spec(known int, newID func() string) (runs.Spec, error) {
	list := []map[string]string{}
	for i, m := range t.in.Messages {
		if i < known && m.Role != "system" {
			continue
		}
		one := map[string]string{"id": newID(), "type": kinds[m.Role], "content": m.Text}
		if m.Role == "system" {
			one["id"] = fmt.Sprintf("system-%d", i) // it replaces the previous turn's message
		}
		if m.Name != "" {
			one["name"] = m.Name
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
	metadata, err := json.Marshal(map[string]string{"graph_id": t.model.Name, "wire": "openai"})
	return runs.Spec{
		Graph: t.model.Name, Input: input, Metadata: metadata, Marks: metadata, Modes: graph.Custom, Subgraphs: true,
		Saved: map[string]string{"graph_id": t.model.Name}, Settings: t.in.Settings,
	}, err
}

// remember stores the place of a conversation after an answer.
func (c *call) remember(t *turn, a *answer) error {
	conversation := append(t.in.Messages[:len(t.in.Messages):len(t.in.Messages)], entry{Role: "assistant", Text: a.text})
	p := place{Thread: t.run.Thread, Checkpoint: a.checkpoint}
	if len(a.asked) == 1 {
		p.Question = a.asked[0].ID
	}
	return c.keep(c.places(t.model.Name, conversation), p)
}

// keep stores a place as long as runs are kept, even if the caller has left.
func (c *call) keep(at []string, p place) error {
	return store.Put(context.WithoutCancel(c.ctx()), c.Store, at, p.Thread, p, &store.PutOptions{TTL: c.Keep})
}
