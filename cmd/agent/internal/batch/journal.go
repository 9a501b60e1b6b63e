// Package batch keeps the results of a verb that works through many inputs, so that a stopped run
// can continue.
//
//	j, err := batch.OpenJournal[record](dir, "records.jsonl", "agent extract")
//	if old, ok := j.Find(key); !ok {
//		err = j.Add(key, read())
//	}
//
// It runs nothing, and does not know what a result is.
package batch

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/plainjson"
)

// A Journal appends results to a file of JSON Lines, each as soon as it is known. Add and Close
// belong to one goroutine at a time; Find returns results of earlier runs and may be called by
// several.
type Journal[T any] struct {
	file *os.File     // nil: nothing is kept
	old  map[string]T // results of earlier runs, by key
}

// journalVersion is the version of a journal's lines. Lines without a version are older.
const journalVersion = 1

type journalLine[T any] struct {
	V      int    `json:"v"`
	Key    string `json:"key"` // of everything that the result depends on
	Result T      `json:"result"`
}

// OpenJournal opens or begins the journal of this name in a folder; without a folder it keeps
// nothing. Errors name the verb. A last line that a stopped run did not finish is cut off.
func OpenJournal[T any](dir, name, verb string) (_ *Journal[T], err error) {
	j := &Journal[T]{old: map[string]T{}}
	if dir == "" {
		return j, nil
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, cli.Usagef("opening --out: %w", err)
	}
	if j.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, cli.Usagef("opening --out: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.file.Close())
		}
	}()
	whole, err := j.read(path, verb)
	if err != nil {
		return nil, err
	}
	if err := j.file.Truncate(whole); err != nil {
		return nil, fmt.Errorf("opening --out: %w", err)
	}
	if _, err := j.file.Seek(whole, 0); err != nil {
		return nil, fmt.Errorf("opening --out: %w", err)
	}
	return j, nil
}

// read reads the results of earlier runs, and returns the length of the whole lines in bytes.
func (j *Journal[T]) read(path, verb string) (whole int64, err error) {
	lines := bufio.NewReaderSize(j.file, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) { // the last one is not whole
			return whole, nil
		}
		if err != nil {
			return 0, fmt.Errorf("opening --out: %w", err)
		}
		var old journalLine[T]
		if err := json.Unmarshal(line, &old); err != nil || old.Key == "" {
			return 0, cli.Usagef("%s:%d: the line is not a result of %s; name another folder for --out", path, n, verb)
		}
		if old.V > journalVersion {
			return 0, cli.Usagef("%s:%d: the line has format %d, and this program knows up to %d: a newer version wrote it; use that, or name another folder for --out", path, n, old.V, journalVersion)
		}
		j.old[old.Key] = old.Result
		whole += int64(len(line))
	}
}

// Find returns the result of an earlier run.
func (j *Journal[T]) Find(key string) (T, bool) {
	result, ok := j.old[key]
	return result, ok
}

// Add appends a result.
func (j *Journal[T]) Add(key string, result T) error {
	if j.file == nil {
		return nil
	}
	line, err := plainjson.Encode(journalLine[T]{journalVersion, key, result})
	if err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal[T]) Close() error {
	if j.file == nil {
		return nil
	}
	return j.file.Close()
}
