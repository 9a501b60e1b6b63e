package langgraph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

func (c *call) streamRun() (any, error) {
	r, in, err := c.begin()
	if err != nil {
		return nil, err
	}
	modes, err := modesOf(in.Modes)
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Location", c.location(r)+"/stream")
	return nil, c.stream(r, modes, in.Subgraphs, in.OnDisconnect == "cancel")
}

// joinStream follows a run from the event after the client's last one, or from its beginning.
// Without modes it uses the modes that the run was begun with.
func (c *call) joinStream() (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	in := keptOf(r)
	if asked := strings.FieldsFunc(strings.Join(c.r.URL.Query()["stream_mode"], ","), func(r rune) bool { return r == ',' }); len(asked) > 0 {
		in.Modes = asked
	}
	modes, err := modesOf(in.Modes)
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Content-Location", c.location(r))
	return nil, c.stream(r, modes, in.Subgraphs, c.flag("cancel_on_disconnect"))
}

// A mark is the place of a frame in a stream: an event of the run, and a frame of that event.
type mark struct {
	seq   int64
	frame int
}

func (m mark) String() string {
	if m.frame == 0 {
		return strconv.FormatInt(m.seq, 10)
	}
	return fmt.Sprintf("%d.%d", m.seq, m.frame)
}

// markOf reads the ID of the last frame that a client has seen. An invalid ID means the beginning.
func markOf(id string) mark {
	seq, frame, _ := strings.Cut(id, ".")
	var m mark
	var err error
	if m.seq, err = strconv.ParseInt(seq, 10, 64); err != nil || m.seq < 0 {
		return mark{}
	}
	if frame != "" {
		if m.frame, err = strconv.Atoi(frame); err != nil {
			m.frame = 0
		}
	}
	return m
}

func (m mark) before(other mark) bool {
	return m.seq < other.seq || m.seq == other.seq && m.frame < other.frame
}

// stream sends a run's events as they come, until the run ends or the client leaves.
func (c *call) stream(r runs.Run, modes modes, subgraphs, cancel bool) error {
	defer c.leaving(r, cancel)
	m, err := c.mapper(r, modes, subgraphs)
	if err != nil {
		return err
	}
	seen := markOf(c.r.Header.Get("Last-Event-ID"))
	out, ok := sse.Open(c.w)
	if !ok {
		return nil
	}
	opts := c.waiting()
	opts.Stay = func() bool {
		r, err := c.Run(c.ctx(), r.ID)
		return err != nil || r.Status.Ended()
	}
	ended, err := sse.Follow(c.ctx(), out, opts, m.all, func(f frame) error {
		if !seen.before(f.id) {
			return nil
		}
		return c.write(f)
	})
	if !ended {
		return nil
	}
	return c.lastFrame(m, err, out)
}

// waiting returns the options of all streams.
func (c *call) waiting() sse.Options {
	return sse.Options{Heartbeat: c.Heartbeat, Comment: "heartbeat", Closed: c.Closed()}
}

// all yields the frames of the run, existing and future ones.
func (m *mapper) all(ctx context.Context) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		for ev, err := range m.call.Events(ctx, m.run.ID, 0) {
			var frames []frame
			if err == nil {
				frames, err = m.frames(ev)
			}
			if err != nil {
				yield(frame{}, err)
				return
			}
			for i, f := range frames {
				f.id = mark{ev.Seq, i}
				if !yield(f, nil) {
					return
				}
			}
		}
	}
}

// lastFrame reports why a run failed, or why it cannot be read.
func (c *call) lastFrame(m *mapper, err error, out *sse.Stream) error {
	if c.ctx().Err() != nil {
		return nil
	}
	kind := streamUnreadable
	if err == nil {
		r, failed := c.Run(c.ctx(), m.run.ID)
		if errors.As(failed, new(*runs.NotFoundError)) {
			failed = nil // it was rolled back
		}
		if err = failed; err == nil && (r.Status == runs.Errored || r.Status == runs.TimedOut) {
			kind, err = runFailed, errors.New(r.Error)
		}
	}
	if err != nil {
		f, failed := errorFrame(kind, err)
		if failed != nil {
			return failed
		}
		if c.write(f) != nil {
			return nil
		}
	}
	_ = out.Flush() // the client has left
	return nil
}

// write sends a frame.
func (c *call) write(f frame) error {
	if f.id == (mark{}) {
		_, err := fmt.Fprintf(c.w, "event: %s\ndata: %s\n\n", f.event, f.data)
		return err
	}
	_, err := fmt.Fprintf(c.w, "event: %s\ndata: %s\nid: %s\n\n", f.event, f.data, f.id)
	return err
}
