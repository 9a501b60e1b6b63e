package cassette

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"example.com/assay/internal/plainjson"
	"example.com/assay/llm"
)

// RecordOptions configure Record. Nil and the zero value work.
type RecordOptions struct {
	// Model is the program's name for its models, for Player.Model. Default none.
	Model string
	// Secrets are cut out of everything that is written: the program's keys. Secrets shorter than 8
	// bytes are not cut, since they might match ordinary words. Default none.
	Secrets []string
}

// A Recorder writes calls of models to a file. It is safe for concurrent use.
type Recorder struct {
	scrub scrubber

	mu      sync.Mutex
	file    *os.File
	started int   // calls
	written int   // recordings
	err     error // the first write error; nothing is recorded after it
}

var errClosed = errors.New("the recorder is closed")

// Record creates a file that only its owner can read, since it holds prompts. An existing file is
// an error: its recordings may have cost money.
func Record(file string, opts *RecordOptions) (*Recorder, error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("making a cassette: %w", err)
	}
	r := &Recorder{file: f}
	if opts != nil {
		r.scrub.secrets = slices.DeleteFunc(slices.Clone(opts.Secrets), func(s string) bool { return len(s) < minSecret })
	}
	first := header{Cassette: Version}
	if opts != nil {
		first.Model = opts.Model
		r.scrub.all(&first.Model)
	}
	if err := r.write(first); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(file)) // an empty file would make the next try fail
	}
	return r, nil
}

// Wrap returns a model that asks m and records its answers and errors. It does not record a call
// that its caller cancelled. A call whose recording cannot be written still returns its answer;
// later calls are refused before they are made, and Close returns the error. Several models may
// share the recorder.
func (r *Recorder) Wrap(m llm.Model) llm.Model { return recorded{m, r} }

// Close ends the file. Later calls are refused.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(r.err, errClosed) {
		return nil
	}
	err := r.err
	if err == nil {
		written := r.written
		err = r.write(footer{Recordings: &written})
	}
	r.err = errClosed
	if closeErr := r.file.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("closing a cassette: %w", closeErr)
	}
	return err
}

// start numbers a call.
func (r *Recorder) start() (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.started++
	return r.started, nil
}

// keep writes a recording, unless the recorder is closed.
func (r *Recorder) keep(rec recording) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if r.err = r.write(rec); r.err == nil {
		r.written++
	}
}

// write writes a line at once, so only the last line of a file can be incomplete.
func (r *Recorder) write(v any) error {
	line, err := plainjson.Encode(v)
	if err != nil {
		return fmt.Errorf("encoding a recording: %w", err)
	}
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing a recording: %w", err)
	}
	return nil
}

type recorded struct {
	model llm.Model
	to    *Recorder
}

func (m recorded) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	call, err := m.to.start()
	if err != nil {
		return llm.Response{}, fmt.Errorf("recording: %w", err)
	}
	rec := recording{Call: call, Key: keyOf(req), Request: asked(req)}
	if listener := req.OnText; listener != nil {
		req.OnText = func(c llm.Chunk) {
			rec.Chunks = append(rec.Chunks, chunk{c.Text, c.Again})
			listener(c)
		}
	}
	inner, ledger := llm.Open(ctx)
	resp, err := m.model.Generate(inner, req)
	met := ledger.Close()
	if err != nil && ctx.Err() != nil {
		return resp, err
	}
	rec.receipt = receipt{met.Cost, met.Unpriced > 0, met.Fallback, met.Lost}
	rec.Response = response{resp.Text, written(resp.Calls), resp.Reasoning, resp.Model, resp.Usage}
	rec.Error = failureOf(err)
	m.to.scrub.recording(&rec)
	m.to.keep(rec)
	return resp, err
}
