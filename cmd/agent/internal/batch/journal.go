package batch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"example.com/assay/cmd/agent/internal/cli"
)

// A Journal keeps results in a file of JSON Lines as soon as each is there, so that
// a run that was stopped goes on where it was. It is used by one goroutine.
type Journal[T any] struct {
	file *os.File
	old  map[string]T // by key
}

type journalLine[T any] struct {
	Key    string `json:"key"` // of everything that the result depends on
	Result T      `json:"result"`
}

// OpenJournal opens a journal, or begins one. What says whose results it holds, for
// errors. A line that a stopped run did not finish is written again.
func OpenJournal[T any](path, what string) (_ *Journal[T], err error) {
	j := &Journal[T]{old: map[string]T{}}
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
	whole, err := j.read(path, what)
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

// read reads the results of earlier runs, and returns how many bytes of them are
// whole lines.
func (j *Journal[T]) read(path, what string) (whole int64, err error) {
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
			return 0, cli.Usagef("%s:%d: it is no result of %s; name another folder for --out", path, n, what)
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
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(journalLine[T]{key, result}); err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	if _, err := j.file.Write(line.Bytes()); err != nil {
		return fmt.Errorf("keeping a result: %w", err)
	}
	return nil
}

// Close closes the file.
func (j *Journal[T]) Close() error { return j.file.Close() }
