package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// A threadFrame is a frame of a thread's stream. Its ID has the number of its run in front.
type threadFrame struct {
	frame
	run int // 0 for a frame without an ID
}

var threadModes = []string{"run_modes", "lifecycle", "state_update"}

// joinThread sends the frames of all runs of a thread, each in the modes that it was begun with,
// until the client leaves. Without Last-Event-ID it begins with the first run that has not ended, with
// "-" with the first run that is kept.
func (c *call) joinThread() (any, error) {
	query := c.r.URL.Query()
	asked := strings.FieldsFunc(strings.Join(slices.Concat(query["stream_mode"], query["stream_modes"]), ","), func(r rune) bool { return r == ',' })
	if len(asked) == 0 {
		asked = threadModes[:1]
	}
	wants := map[string]bool{}
	for _, name := range asked {
		if wants[name] = true; !slices.Contains(threadModes, name) {
			return nil, refusal.New(http.StatusUnprocessableEntity, "stream_mode is %q: it can be %s", name, strings.Join(threadModes, ", "))
		}
	}
	after, seen, err := c.joinAt(c.r.Header.Get("Last-Event-ID"))
	if err != nil {
		return nil, err
	}
	out, ok := sse.Open(c.w)
	if !ok {
		return nil, nil
	}
	frames := func(ctx context.Context) iter.Seq2[threadFrame, error] { return c.threadFrames(ctx, wants, after) }
	ended, err := sse.Follow(c.ctx(), out, c.waiting(), frames, func(f threadFrame) error {
		if f.run == after+1 && !seen.before(f.id) {
			return nil
		}
		id := ""
		if f.run > 0 {
			id = fmt.Sprintf("id: %d-%v\n", f.run, f.id)
		}
		_, err := fmt.Fprintf(c.w, "event: %s\ndata: %s\n%s\n", f.event, f.data, id)
		return err
	})
	if !ended || err == nil || c.ctx().Err() != nil {
		return nil, nil
	}
	f, err := errorFrame(streamUnreadable, err)
	if err == nil && c.write(f) == nil {
		_ = out.Flush() // the client has left
	}
	return nil, err
}

// joinAt returns the number of the run before the first one that is told, and the last frame of that
// run that the client has.
func (c *call) joinAt(last string) (after int, seen mark, err error) {
	t, err := c.Thread(c.ctx(), c.thread())
	if err != nil {
		return 0, mark{}, err
	}
	if last == "" {
		all, err := c.Runs(c.ctx(), t.ID)
		after = t.Runs
		for _, r := range all {
			if !r.Status.Ended() {
				after = min(after, r.Number-1)
			}
		}
		return after, mark{}, err
	}
	number, at, _ := strings.Cut(last, "-")
	if after, err = strconv.Atoi(number); err != nil || after < 1 { // also "-"
		return 0, mark{}, nil
	}
	return after - 1, markOf(at), nil
}

// threadFrames yields the frames of runs, and the states that were edited by hand.
func (c *call) threadFrames(ctx context.Context, wants map[string]bool, after int) iter.Seq2[threadFrame, error] {
	return func(yield func(threadFrame, error) bool) {
		type told struct {
			threadFrame
			err error
		}
		var working sync.WaitGroup
		defer working.Wait()
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		frames := make(chan told)
		send := func(f threadFrame, err error) bool {
			select {
			case frames <- told{f, err}:
				return true
			case <-ctx.Done():
				return false
			}
		}
		if wants["run_modes"] || wants["lifecycle"] {
			working.Go(func() {
				for r, err := range c.Follow(ctx, c.thread(), after) {
					if err != nil {
						send(threadFrame{}, err)
						return
					}
					if !c.runFrames(ctx, r, wants["run_modes"], send) {
						return
					}
				}
			})
		}
		if wants["state_update"] {
			working.Go(func() { c.tellEdits(ctx, send) })
		}
		for {
			select {
			case f := <-frames:
				if !yield(f.threadFrame, f.err) || f.err != nil {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// runFrames sends the frames of a run until it has ended, and then says so. Without whole, it sends
// the beginning and the end. It returns false if there is nobody to send to.
func (c *call) runFrames(ctx context.Context, r runs.Run, whole bool, send func(threadFrame, error) bool) bool {
	var in runRequest
	if r.Kept == nil || c.decode(r.Kept, &in) != nil { // it was begun by another protocol
		in = runRequest{}
	}
	modes, err := modesOf(in.Modes)
	if err != nil {
		modes = map[string]bool{"values": true}
	}
	m, err := c.mapper(r, modes, in.Subgraphs)
	if err != nil {
		return send(threadFrame{}, err)
	}
	var last mark
	for f, err := range m.all(ctx) {
		if errors.As(err, new(*runs.NotFoundError)) {
			break // it was rolled back, or removed
		}
		if last = f.id; err != nil || whole || f.event == "metadata" {
			if !send(threadFrame{f, r.Number}, err) {
				return false
			}
		}
	}
	if ctx.Err() != nil {
		return false
	}
	if r, err := c.Run(ctx, r.ID); whole && err == nil && (r.Status == runs.Errored || r.Status == runs.TimedOut) {
		f, err := errorFrame(runFailed, errors.New(r.Error))
		if f.id = (mark{last.seq + 1, 0}); !send(threadFrame{f, r.Number}, err) {
			return false
		}
	}
	data, err := json.Marshal(map[string]string{"status": "run_done", "run_id": r.ID})
	return send(threadFrame{frame{"metadata", data, mark{last.seq + 1, 1}}, r.Number}, err)
}

// editEvery is how often a thread is looked at for edits by hand, which any server may make.
const editEvery = time.Second

// tellEdits sends the states of a thread that are edited by hand from now on.
func (c *call) tellEdits(ctx context.Context, send func(threadFrame, error) bool) {
	look := time.NewTicker(editEvery)
	defer look.Stop()
	last := ""
	for first := true; ; first = false {
		var edits []string
		for at, err := range c.History(ctx, c.thread(), &graph.HistoryOptions{Source: graph.SourceUpdate}) {
			if err == nil && at.Key.ID > last {
				edits = append(edits, at.Key.ID)
			}
			if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
				send(threadFrame{}, err)
				return
			}
			if err != nil || first || at.Key.ID <= last {
				break
			}
		}
		if len(edits) > 0 {
			last = edits[0]
		}
		for _, id := range slices.Backward(edits) {
			if first {
				break // it was there before
			}
			data, err := c.editJSON(ctx, id)
			if !send(threadFrame{frame: frame{event: "state_update", data: data}}, err) {
				return
			}
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}

func (c *call) editJSON(ctx context.Context, checkpoint string) (json.RawMessage, error) {
	at, g, err := c.State(ctx, c.thread(), checkpoint)
	if err != nil {
		return nil, err
	}
	state, err := c.stateOf(c.thread(), at, g, "", false)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"state": state, "thread_id": c.thread()})
}
