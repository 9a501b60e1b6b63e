package react

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
)

// An Inbox holds messages for threads on which a turn runs. The agent reads it before each model
// call, and once more before a turn ends. A message that comes later waits for the next turn.
//
// Messages are in the store until a checkpoint of their thread has them, and an agent adds each once:
// neither a crash nor a repeated step loses or doubles one. The store must live as long as the
// checkpoints, and several servers share both.
type Inbox struct {
	// Store keeps the messages.
	Store store.Store
	// Namespace is where. Default "inbox".
	Namespace []string
}

// waiting is a message in a store.
type waiting struct {
	Text   string      `json:"text"`
	Images []llm.Image `json:"images,omitempty"`
}

// Put adds a message of the person for a thread.
func (b *Inbox) Put(ctx context.Context, thread, text string, images ...llm.Image) error {
	// Keys sort by time.
	return store.Put(ctx, b.Store, b.of(thread), fmt.Sprintf("%020d-%s", time.Now().UnixNano(), rand.Text()), waiting{text, images}, &store.PutOptions{TTL: store.Forever})
}

// of is the namespace of a thread.
func (b *Inbox) of(thread string) []string {
	namespace := b.Namespace
	if namespace == nil {
		namespace = []string{"inbox"}
	}
	return append(slices.Clone(namespace), base64.RawURLEncoding.EncodeToString([]byte(thread))) // a label has no "."
}

const (
	steered     = "steer-" // begins the IDs of messages from an inbox
	mostWaiting = 1000     // that one step adds
)

// fresh returns the messages that the state does not have yet, in the order in which they came. It
// deletes those that it has: the state is that of a checkpoint.
func (b *Inbox) fresh(ctx context.Context, s State) ([]Message, error) {
	at, _ := graph.CurrentTask(ctx)
	if at.Thread == "" {
		return nil, nil
	}
	found, err := b.Store.Search(ctx, store.Query{Namespace: b.of(at.Thread), Limit: mostWaiting})
	if err != nil {
		return nil, fmt.Errorf("reading the inbox: %w", err)
	}
	slices.SortFunc(found, func(x, y store.Result) int { return strings.Compare(x.Key, y.Key) })
	var out []Message
	for _, f := range found {
		if id := steered + f.Key; has(s.Messages, id) {
			err = store.Delete(ctx, b.Store, f.Namespace, f.Key)
		} else {
			var w waiting
			w, err = store.Decode[waiting](f.Item)
			out = append(out, Message{ID: id, Message: llm.Message{Role: llm.User, Text: w.Text, Images: w.Images}})
		}
		if err != nil {
			return nil, fmt.Errorf("reading the inbox: %w", err)
		}
	}
	return out, nil
}

// step returns the step before the model that adds the messages.
func (b *Inbox) step() Step {
	return Step{Name: "inbox", Run: func(ctx context.Context, s State) (Change, error) {
		put, err := b.fresh(ctx, s)
		return Change{Put: put}, err
	}}
}

// again returns the step after the model that asks it again where a message came meanwhile.
func (b *Inbox) again() Step {
	return Step{Name: "inbox_again", Run: func(ctx context.Context, s State) (Change, error) {
		put, err := b.fresh(ctx, s)
		return Change{Again: len(put) > 0}, err
	}}
}
