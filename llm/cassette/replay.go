package cassette

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/assay/internal/plainfile"
	"example.com/assay/llm"
)

// A CutError reports that a cassette has no last line: the recording program was killed, or the
// file was cut.
type CutError struct {
	File       string
	Line       int // the first missing or incomplete line
	Recordings int // complete recordings before it
}

func (e *CutError) Error() string {
	return fmt.Sprintf("%s:%d: the cassette was cut here, after %d recordings: record it anew, or replay what is left", e.File, e.Line, e.Recordings)
}

// A Player is a model that answers from a cassette. It is safe for concurrent use. Its answers do
// not depend on the order of different calls. Equal calls get their recordings in recorded order.
type Player struct {
	model      string
	recordings []recording // in the order of their calls

	mu   sync.Mutex
	left map[string][]int // by key: the unused recordings, in order
	used map[string]int   // by key: the number of used recordings
}

// Replay reads a cassette. For a cut file it returns both a player with the complete recordings and
// a *CutError. Any other unreadable line is an error without a player.
func Replay(file string) (*Player, error) {
	data, err := plainfile.Read(file, 1<<30)
	if err != nil {
		return nil, fmt.Errorf("reading a cassette: %w", err)
	}
	model, recordings, err := parse(file, data)
	if _, wasCut := errors.AsType[*CutError](err); err != nil && !wasCut {
		return nil, err
	}
	slices.SortStableFunc(recordings, func(a, b recording) int { return cmp.Compare(a.Call, b.Call) })
	p := &Player{model: model, recordings: recordings, left: map[string][]int{}, used: map[string]int{}}
	for i, rec := range recordings {
		p.left[rec.Key] = append(p.left[rec.Key], i)
	}
	return p, err
}

// Model is RecordOptions.Model of the recording; it may be empty.
func (p *Player) Model() string { return p.model }

// parse reads the lines of a file. With a *CutError it also returns the recordings before the cut.
func parse(file string, data []byte) (model string, out []recording, err error) {
	lines := bytes.SplitAfter(data, []byte("\n"))
	for i, line := range lines {
		n := i + 1
		if len(line) == 0 || !bytes.HasSuffix(line, []byte("\n")) {
			return model, out, &CutError{file, n, len(out)}
		}
		var first header
		var rec struct {
			recording
			footer
		}
		into := any(&rec)
		if n == 1 {
			into = &first
		}
		if err := json.Unmarshal(line, into); err != nil {
			return "", nil, fmt.Errorf("%s:%d: reading a recording: %w", file, n, err)
		}
		switch {
		case n == 1 && first.Cassette != Version:
			return "", nil, fmt.Errorf("%s:1: this is not a cassette of version %d", file, Version)
		case n == 1:
			model = first.Model
		case rec.Recordings != nil:
			if *rec.Recordings != len(out) || len(lines) > n+1 || len(lines[n]) > 0 {
				return "", nil, fmt.Errorf("%s:%d: the last line counts %d recordings and does not end a file of %d", file, n, *rec.Recordings, len(out))
			}
			return model, out, nil
		case rec.Key == "":
			return "", nil, fmt.Errorf("%s:%d: a recording without its key", file, n)
		default:
			out = append(out, rec.recording)
		}
	}
	return model, out, &CutError{file, len(lines) + 1, len(out)}
}

// Generate answers from an unused recording of the request. Without one it returns an
// *UnknownRequestError. It streams recorded chunks, or else the whole text at once. The recorded
// cost is counted apart from the current spending.
func (p *Player) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	if ctx.Err() != nil {
		return llm.Response{}, context.Cause(ctx)
	}
	rec, used, found := p.take(keyOf(req))
	if !found {
		return llm.Response{}, unknown(asked(req), used, p.recordings)
	}
	llm.Book(ctx, rec.receipt.entry())
	if req.OnText != nil {
		rec.stream(req.OnText)
	}
	resp := llm.Response{Text: rec.Response.Text, Calls: spoken(rec.Response.Calls), Reasoning: rec.Response.Reasoning, Model: rec.Response.Model, Usage: rec.Response.Usage}
	if rec.Error != nil {
		return resp, rec.Error.err()
	}
	return resp, nil
}

func (r recording) stream(to func(llm.Chunk)) {
	for _, c := range r.Chunks {
		to(llm.Chunk{Text: c.Text, Again: c.Again})
	}
	if len(r.Chunks) == 0 && r.Response.Text != "" {
		to(llm.Chunk{Text: r.Response.Text})
	}
}

// take returns the next recording of a key, or else how many were used.
func (p *Player) take(key string) (rec recording, used int, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.left[key]
	if len(left) == 0 {
		return recording{}, p.used[key], false
	}
	p.left[key] = left[1:]
	p.used[key]++
	return p.recordings[left[0]], 0, true
}

// Unused names the unused recordings in the order of their calls, as `call 3, skill
// "query_rewrite"`. A replay that leaves some unused differs from the recorded run.
func (p *Player) Unused() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := map[string]int{}
	var out []string
	for _, rec := range p.recordings {
		seen[rec.Key]++
		if seen[rec.Key] > p.used[rec.Key] {
			out = append(out, rec.name())
		}
	}
	return out
}

func (r recording) name() string {
	if r.Outside != nil {
		return fmt.Sprintf("call %d, %s of the server %q", r.Call, r.Outside.Method, r.Outside.Server)
	}
	return fmt.Sprintf("call %d, skill %q", r.Call, r.Request.Skill)
}
