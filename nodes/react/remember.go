package react

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/llm"
	"example.com/assay/memory/text"
)

// A Note is a text that an agent stored.
type Note struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// MemoryOptions configure Memory. Nil and the zero value mean the defaults.
type MemoryOptions struct {
	// Expiry is how long a note is kept. Default: for ever.
	Expiry time.Duration
	// Notes is how many notes recall returns. Default 5.
	Notes int
}

// Memory makes the tools remember, recall and forget, which keep notes in a namespace of a store,
// such as {"users", "ann"}. Notes outlive the thread. Recall searches by meaning if the store has
// an embedder, and otherwise by words. A person reads notes with Notes and deletes one with
// store.Delete.
func Memory(s store.Store, namespace []string, opts *MemoryOptions) ([]Tool, error) {
	var o MemoryOptions
	if opts != nil {
		o = *opts
	}
	if o.Notes == 0 {
		o.Notes = 5
	}
	put := &store.PutOptions{TTL: o.Expiry}
	remember, err1 := llm.NewTool("remember", "Keeps a note for later conversations. Write it so that it can be understood by itself.", func(ctx context.Context, in struct {
		Text string `json:"text" jsonschema:"the note"`
	}) (Note, error) {
		note := Note{Text: strings.TrimSpace(in.Text)}
		if note.Text == "" {
			return note, errors.New("the note is empty")
		}
		sum := sha256.Sum256([]byte(note.Text)) // a repeated note is one note
		note.ID = hex.EncodeToString(sum[:6])
		return note, store.Put(ctx, s, namespace, note.ID, note, put)
	})
	recall, err2 := llm.NewTool("recall", "Finds notes of earlier conversations.", func(ctx context.Context, in struct {
		About string `json:"about" jsonschema:"what the notes are about"`
	}) ([]Note, error) {
		found, err := s.Search(ctx, store.Query{Namespace: namespace, Text: in.About, Limit: o.Notes})
		if errors.Is(err, store.ErrNoEmbedder) {
			return byWords(ctx, s, namespace, in.About, o.Notes)
		}
		if err != nil {
			return nil, err
		}
		return decoded(found)
	})
	forget, err3 := llm.NewTool("forget", "Deletes a note by its id.", func(ctx context.Context, in struct {
		ID string `json:"id" jsonschema:"the note's id, as recall gives it"`
	}) (string, error) {
		if _, err := s.Get(ctx, namespace, in.ID); err != nil {
			return "", fmt.Errorf("there is no note %q: %w", in.ID, err)
		}
		return "forgotten", store.Delete(ctx, s, namespace, in.ID)
	})
	return Tools(remember, recall, forget), errors.Join(err1, err2, err3)
}

// mostNotes bounds how many notes of a namespace are read.
const mostNotes = 10_000

// Notes returns the notes in a namespace, sorted by ID.
func Notes(ctx context.Context, s store.Store, namespace []string) ([]Note, error) {
	found, err := s.Search(ctx, store.Query{Namespace: namespace, Limit: mostNotes})
	if err != nil {
		return nil, err
	}
	return decoded(found)
}

func decoded(found []store.Result) ([]Note, error) {
	notes := make([]Note, len(found))
	for i, f := range found {
		var err error
		if notes[i], err = store.Decode[Note](f.Item); err != nil {
			return nil, err
		}
	}
	return notes, nil
}

// byWords returns the notes that share the most words with a text, first; notes that share none
// come last.
func byWords(ctx context.Context, s store.Store, namespace []string, about string, most int) ([]Note, error) {
	notes, err := Notes(ctx, s, namespace)
	if err != nil {
		return nil, err
	}
	terms := text.Terms(about, text.QueryStops)
	shared := map[string]int{}
	for _, n := range notes {
		for _, term := range text.Distinct(text.Terms(n.Text, text.DocStops)) {
			if slices.Contains(terms, term) {
				shared[n.ID]++
			}
		}
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(shared[b.ID], shared[a.ID]) })
	return notes[:min(most, len(notes))], nil
}
