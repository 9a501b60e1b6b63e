package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/sqlite"
)

const (
	threadCorpus      = "corpus"
	threadFingerprint = "corpus_fingerprint"
	threadQuestion    = "question" // at most maxThreadQuestion bytes of it
	maxThreadQuestion = 200
)

// threadsFile holds all threads of a home.
func threadsFile(home string) string { return filepath.Join(home, "threads.db") }

// openThreads opens the file of threads, and makes it when it is missing.
func openThreads(ctx context.Context, home string) (*sqlite.Saver, error) {
	saver, err := sqlite.Open(ctx, threadsFile(home), nil)
	if err != nil {
		return nil, fmt.Errorf("opening the saved runs: %w (agent doctor says what to do)", err)
	}
	return saver, nil
}

// checkThread refuses names that would be hard to type again.
func checkThread(where, name string) error {
	if name == "" || len(name) > 100 || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return cli.Usagef("%s is %q: a thread's name has 1 to 100 bytes and no white space", where, name)
	}
	return nil
}

// infoOf reads the newest checkpoint of a thread. A thread that does not exist
// is graph.ErrNoCheckpoint.
func infoOf(ctx context.Context, saver graph.Checkpointer, thread string) (threadInfo, error) {
	for c, err := range saver.List(ctx, graph.Query{Thread: thread, Limit: 1}) {
		if err != nil {
			return threadInfo{}, fmt.Errorf("reading thread %q: %w", thread, err)
		}
		m := c.Metadata
		return threadInfo{Thread: thread, Question: m[threadQuestion], Corpus: m[threadCorpus], Updated: c.Time, fingerprint: m[threadFingerprint]}, nil
	}
	return threadInfo{}, graph.ErrNoCheckpoint
}

// printable is a text without what a checkpoint's metadata may not hold.
func printable(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "") }

func unknownThread(ctx context.Context, saver graph.Checkpointer, name string) error {
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
	return cli.Usagef("there is no thread %q%s; %s", name, cli.DidYouMean(name, known), hint)
}

// corpusOf is the corpus of a thread, "" for one that does not exist.
func corpusOf(ctx context.Context, home, thread string) (string, error) {
	if _, err := os.Stat(threadsFile(home)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	saver, err := openThreads(ctx, home)
	if err != nil {
		return "", err
	}
	info, err := infoOf(ctx, saver, thread)
	if errors.Is(err, graph.ErrNoCheckpoint) {
		err = nil
	}
	return info.Corpus, errors.Join(err, saver.Close())
}

// A threadInfo is what is known of a thread without reading its state.
type threadInfo struct {
	Thread      string    `json:"thread"`
	Question    string    `json:"question,omitempty"`
	Corpus      string    `json:"corpus,omitempty"`
	Checkpoints int       `json:"checkpoints"`
	Updated     time.Time `json:"updated"`
	fingerprint string
}
