package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"example.com/assay/serve/internal/refusal"
)

// events streams what a run does, behind the event that the browser has seen last, until the
// run has ended. Each has its number in the log as its ID.
func (v *visit) events() error {
	id := v.r.PathValue("run")
	if _, err := v.Run(v.r.Context(), id); err != nil {
		return err
	}
	after, err := v.seen()
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy must not wait for more
	out := http.NewResponseController(v.w)
	v.w.WriteHeader(http.StatusOK)
	if out.Flush() != nil {
		return nil // the browser has left
	}
	ctx, stop := context.WithCancel(v.r.Context())
	defer stop()
	list, failed := v.follow(ctx, id, after)
	silent := time.NewTicker(v.Heartbeat)
	defer silent.Stop()
	for {
		var err error
		select {
		case s, more := <-list:
			if !more {
				v.lastWord(id, *failed, out)
				return nil
			}
			err = v.tell("", s.Seq, s)
		case <-silent.C:
			_, err = fmt.Fprint(v.w, ": still there\n\n")
		case <-v.Closed():
			return nil // the browser comes back
		case <-ctx.Done():
			return nil
		}
		if err == nil && len(list) == 0 {
			err = out.Flush()
		}
		if err != nil {
			return nil // the browser has left
		}
	}
}

// seen is the number of the event that a browser has seen last. One that comes back says it
// in the header, one that begins behind a page in the address.
func (v *visit) seen() (int64, error) {
	text := v.r.Header.Get("Last-Event-ID")
	if text == "" {
		text = v.r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, refusal.New(http.StatusBadRequest, "the last event is %.40q: it must be a number from 0", text)
	}
	return n, nil
}

// follow sends what a run does to a channel, which is closed at the run's end, at that of
// ctx, or when reading fails: then the error is there.
func (v *visit) follow(ctx context.Context, id string, after int64) (<-chan said, *error) {
	list, failed := make(chan said, 64), new(error)
	go func() {
		defer close(list)
		for ev, err := range v.Events(ctx, id, after) {
			if err != nil {
				*failed = err
				return
			}
			s, ok := saying(ev)
			if !ok {
				continue
			}
			select {
			case list <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	return list, failed
}

// lastWord tells how a run has ended, or why it cannot be read.
func (v *visit) lastWord(id string, failed error, out *http.ResponseController) {
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

// tell sends an event. JSON has no line breaks, so that no text can end it early.
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
