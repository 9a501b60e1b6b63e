package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// A filter selects events of a thread for a client.
type filter struct {
	Channels   []string   `json:"channels"`
	Namespaces [][]string `json:"namespaces"` // in or below one of these; default: all
	Depth      *int       `json:"depth"`      // at most this far below
	Since      int64      `json:"since"`      // only later events
}

var channels = []string{"lifecycle", "values", "updates", "messages", "tools", "input", "checkpoints", "tasks", "custom"}

// wants reports whether the filter selects an event.
func (f *filter) wants(ev *toldEvent) bool {
	if ev.Seq <= f.Since || !f.hasChannel(ev) {
		return false
	}
	return len(f.Namespaces) == 0 || slices.ContainsFunc(f.Namespaces, func(prefix []string) bool {
		return below(ev.Params.Namespace, prefix) && (f.Depth == nil || len(ev.Params.Namespace)-len(prefix) <= *f.Depth)
	})
}

func (f *filter) hasChannel(ev *toldEvent) bool {
	channel, _, _ := strings.Cut(ev.Method, ".")
	if slices.Contains(f.Channels, channel) {
		return true
	}
	named, ok := ev.Params.Data.(map[string]json.RawMessage)
	var name string
	return channel == "custom" && ok && json.Unmarshal(named["name"], &name) == nil && slices.Contains(f.Channels, "custom:"+name)
}

// below reports whether a namespace begins with another, which may omit the tasks.
func below(namespace, prefix []string) bool {
	if len(prefix) > len(namespace) {
		return false
	}
	for i, part := range prefix {
		node, _, _ := strings.Cut(namespace[i], ":")
		if part != namespace[i] && part != node {
			return false
		}
	}
	return true
}

// streamEvents sends the events of all runs of a thread as they come, until the client leaves. It
// stays open between runs, also before the first.
func (c *call) streamEvents() (any, error) {
	var f filter
	if err := c.body(&f); err != nil {
		return nil, err
	}
	if len(f.Channels) == 0 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "channels is missing: name at least one of %s", strings.Join(channels, ", "))
	}
	for _, name := range f.Channels {
		if !slices.Contains(channels, name) && !strings.HasPrefix(name, "custom:") {
			return nil, refusal.New(http.StatusUnprocessableEntity, "channels has %q: it can be %s, or custom:NAME", name, strings.Join(channels, ", "))
		}
	}
	if f.Since < 0 || f.Depth != nil && *f.Depth < 0 {
		return nil, refusal.New(http.StatusUnprocessableEntity, "since and depth must be numbers from 0")
	}
	out, ok := sse.Open(c.w)
	if !ok {
		return nil, nil
	}
	told := func(ctx context.Context) iter.Seq2[toldEvent, error] { return c.tellAll(ctx, f.Since) }
	ended, err := sse.Follow(c.ctx(), out, c.waiting(), told, func(ev toldEvent) error {
		if !f.wants(&ev) {
			return nil
		}
		return c.writeEvent(&ev)
	})
	if !ended {
		return nil, nil
	}
	return nil, c.giveUp(err, out)
}

// tellAll yields the events of all runs of the thread, starting with the run of since, until ctx
// ends.
func (c *call) tellAll(ctx context.Context, since int64) iter.Seq2[toldEvent, error] {
	return func(yield func(toldEvent, error) bool) {
		send := func(list []toldEvent, err error) error {
			for _, ev := range list {
				if !yield(ev, nil) {
					return errLeft
				}
			}
			return err
		}
		for r, err := range c.Follow(ctx, c.thread(), max(0, runAt(since)-1)) {
			if err == nil {
				err = c.tellRun(ctx, r, send)
			}
			switch {
			case errors.As(err, new(*runs.NotFoundError)): // the run was removed meanwhile
			case errors.Is(err, errLeft):
				return
			case err != nil:
				yield(toldEvent{}, err)
				return
			}
		}
	}
}

// errLeft says that the client has left.
var errLeft = errors.New("the client has left")

// tellRun sends a run's events until it has ended.
func (c *call) tellRun(ctx context.Context, r runs.Run, send func([]toldEvent, error) error) error {
	t, err := c.teller(r)
	if err != nil {
		return err
	}
	if err := send(t.begin()); err != nil {
		return err
	}
	for ev, err := range c.Events(ctx, r.ID, 0) {
		if err == nil {
			err = send(t.tell(ev))
		}
		if err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if r, err = c.Run(ctx, r.ID); err != nil || !r.Status.Ended() {
		return err
	}
	return send(t.end(r))
}

// giveUp tells the client why a stream cannot continue.
func (c *call) giveUp(err error, out *sse.Stream) error {
	if err == nil || c.ctx().Err() != nil {
		return nil
	}
	data, failed := json.Marshal(commandAnswer{Type: "error", Error: "unknown_error", Message: err.Error()})
	if failed != nil {
		return failed
	}
	_, _ = fmt.Fprintf(c.w, "event: error\ndata: %s\n\n", data) // the client has left
	_ = out.Flush()
	return nil
}

func (c *call) writeEvent(ev *toldEvent) error {
	data, err := json.Marshal(ev)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.w, "event: %s\ndata: %s\nid: %s\n\n", ev.Method, data, ev.ID)
	return err
}
