package open

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/memory/text"
)

const (
	ThreadCorpus      = "corpus"
	ThreadFingerprint = "corpus_fingerprint"
	ThreadQuestion    = "question" // at most MaxThreadQuestion bytes of it
	MaxThreadQuestion = 200
)

// ThreadsFile holds all threads of a home, unless a server keeps them.
func ThreadsFile(home string) string { return filepath.Join(home, "threads.db") }

// CheckThread refuses names that would be hard to type again.
func CheckThread(where, name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return cli.Usagef("%s is %q: a thread's name must have 1 to 100 bytes and no white space", where, name)
	}
	return nil
}

// InfoOf reads the newest checkpoint of a thread. A thread that does not exist
// is graph.ErrNoCheckpoint.
func InfoOf(ctx context.Context, saver graph.Checkpointer, thread string) (ThreadInfo, error) {
	for c, err := range saver.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		if err != nil {
			return ThreadInfo{}, fmt.Errorf("reading thread %q: %w", thread, err)
		}
		m := c.Metadata
		return ThreadInfo{Thread: thread, Graph: c.Graph, Question: m[ThreadQuestion], Corpus: m[ThreadCorpus], Updated: c.Time, Fingerprint: m[ThreadFingerprint]}, nil
	}
	return ThreadInfo{}, graph.ErrNoCheckpoint
}

// Printable removes what the metadata of a checkpoint may not hold from a text.
func Printable(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "") }

// UnknownThread is the usage error for an unknown thread. It names the nearest thread.
func UnknownThread(ctx context.Context, saver graph.Checkpointer, name string) error {
	var known []string
	for t, err := range saver.Threads(ctx) {
		if err != nil {
			return err
		}
		known = append(known, t.ID)
	}
	hint := "there are none; begin one with: agent ask --thread " + name + " QUESTION"
	if len(known) > 0 {
		hint = "agent threads list shows all"
	}
	return cli.Usagef("there is no thread %q%s; %s", name, text.DidYouMean(name, known), hint)
}

// CorpusOf is the corpus of a thread, "" for one that does not exist.
func (k *Store) CorpusOf(ctx context.Context, thread string) (string, error) {
	if has, err := k.Has(ThreadsFile(k.home)); !has {
		return "", err
	}
	saver, err := k.Threads(ctx)
	if err != nil {
		return "", err
	}
	info, err := InfoOf(ctx, saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = nil
	}
	return info.Corpus, errors.Join(err, saver.Close())
}

// A ThreadInfo describes a thread, without its state.
type ThreadInfo struct {
	Thread      string    `json:"thread"`
	Graph       string    `json:"graph,omitempty"`
	Question    string    `json:"question,omitempty"`
	Corpus      string    `json:"corpus,omitempty"`
	Checkpoints int       `json:"checkpoints"`
	Updated     time.Time `json:"updated"`
	Fingerprint string
}
