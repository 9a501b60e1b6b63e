package page

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"example.com/assay/serve/internal/sse"
)

// events streams a run's events after the last one that the browser has seen, until the run has
// ended. The ID of an event is its number in the log.
func (v *visit) events() error {
	id := v.r.PathValue("run")
	if _, err := v.Run(v.r.Context(), id); err != nil {
		return err
	}
	after, err := v.number("after", 0)
	if last := v.r.Header.Get("Last-Event-ID"); last != "" { // of a browser that comes back
		after, err = natural("the last event", last)
	}
	if err != nil {
		return err
	}
	out, ok := sse.Open(v.w)
	if !ok {
		return nil // the browser has left
	}
	doings := func(ctx context.Context) iter.Seq2[said, error] { return v.follow(ctx, id, int64(after)) }
	opts := sse.Options{Heartbeat: v.Heartbeat, Comment: "still there", Closed: v.Closed()}
	ended, err := sse.Follow(v.r.Context(), out, opts, doings, func(s said) error { return v.tell("", s.Seq, s) })
	if ended {
		v.lastWord(id, err, out)
	}
	return nil
}

// follow yields a run's events after a number, until the run has ended.
func (v *visit) follow(ctx context.Context, id string, after int64) iter.Seq2[said, error] {
	return func(yield func(said, error) bool) {
		for ev, err := range v.Events(ctx, id, after) {
			s, says := saying(ev)
			if (err != nil || says) && !yield(s, err) {
				return
			}
		}
	}
}

// lastWord sends how a run has ended, or why it cannot be read.
func (v *visit) lastWord(id string, failed error, out *sse.Stream) {
	if v.r.Context().Err() != nil {
		return
	}
	r, err := v.Run(v.r.Context(), id)
	if failed == nil {
		failed = err
	}
	switch {
	case failed != nil:
		err = v.tell("problem", 0, said{Text: failed.Error()})
	case r.Status.Ended():
		err = v.tell("end", 0, said{Text: worded(r).Word, At: r.Updated.UnixMilli()})
	}
	if err == nil {
		_ = out.Flush() // the browser has left
	}
}

// tell sends an event. JSON has no line breaks, so no text can end the event early.
func (v *visit) tell(name string, id int64, s said) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if name != "" {
		_, err = fmt.Fprintf(v.w, "event: %s\ndata: %s\n\n", name, data)
	} else {
		_, err = fmt.Fprintf(v.w, "id: %d\ndata: %s\n\n", id, data)
	}
	return err
}
