package langgraph

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

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

// joinStream follows a run from the event behind the last that the client has seen, or
// from its beginning. Without modes it shows those that the run was begun with.
func (c *call) joinStream() (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	var in runRequest
	if r.Kept != nil {
		if err := decode(r.Kept, &in); err != nil {
			return nil, err
		}
	}
	if asked := c.r.URL.Query()["stream_mode"]; len(asked) > 0 {
		in.Modes = strings.Split(strings.Join(asked, ","), ",")
	}
	modes, err := modesOf(in.Modes)
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Content-Location", c.location(r))
	return nil, c.stream(r, modes, in.Subgraphs, c.flag("cancel_on_disconnect"))
}

// A mark is the place of a frame in a stream: an event of the run, and a frame of it.
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

// markOf reads the ID of the last frame that a client has seen. What is none is before all.
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

// openStream begins a stream of events. It reports false if the client has left.
func (c *call) openStream() (*http.ResponseController, bool) {
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // a proxy must not wait for more
	out := http.NewResponseController(c.w)
	c.w.WriteHeader(http.StatusOK)
	return out, out.Flush() == nil
}

// stream sends the events of a run as they come, until it ends or the client leaves.
func (c *call) stream(r runs.Run, modes modes, subgraphs, cancel bool) error {
	defer c.leaving(r, cancel)
	m, err := c.mapper(r, modes, subgraphs)
	if err != nil {
		return err
	}
	seen := markOf(c.r.Header.Get("Last-Event-ID"))
	out, ok := c.openStream()
	if !ok {
		return nil
	}
	events := make(chan runs.Event, 64)
	var failed error
	ctx, stop := context.WithCancel(c.ctx())
	defer stop()
	go func() {
		defer close(events)
		for ev, err := range c.Events(ctx, r.ID, 0) {
			if err != nil {
				failed = err
				return
			}
			select {
			case events <- ev:
			case <-ctx.Done():
				return
			}
		}
	}()
	silent := time.NewTicker(c.Heartbeat)
	defer silent.Stop()
	for {
		var frames []frame
		var err error
		select {
		case ev, more := <-events:
			if !more {
				return c.lastFrame(m, failed, out)
			}
			frames, err = m.frames(ev)
			for i := range frames {
				frames[i].id = mark{ev.Seq, i}
			}
		case <-silent.C:
			if _, err := fmt.Fprint(c.w, ": heartbeat\n\n"); err != nil {
				return nil
			}
		case <-c.Closed():
			if r, err := c.Run(ctx, r.ID); err == nil && !r.Status.Ended() {
				return nil // the client comes back
			}
			continue
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return c.lastFrame(m, err, out)
		}
		for _, f := range frames {
			if seen.before(f.id) {
				if err := c.write(f); err != nil {
					return nil
				}
			}
		}
		if len(events) == 0 {
			if err := out.Flush(); err != nil {
				return nil
			}
		}
	}
}

// lastFrame tells why a run failed, or why it cannot be read.
func (c *call) lastFrame(m *mapper, err error, out *http.ResponseController) error {
	if c.ctx().Err() != nil {
		return nil
	}
	kind := streamUnreadable
	if err == nil {
		r, failed := c.Run(c.ctx(), m.run.ID)
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
