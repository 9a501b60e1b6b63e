package agui

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/internal/sse"
	"example.com/assay/serve/runs"
)

// DefaultGraph serves requests that name no graph.
const DefaultGraph = "chat"

// Options configure a handler.
type Options struct {
	// Space returns the space of a request's caller.
	Space func(*http.Request) *runs.Space
	// Heartbeat is how often a silent stream sends a comment. Default: 15 seconds.
	Heartbeat time.Duration
}

// A call is one request.
type call struct {
	Options
	*runs.Space
	w     http.ResponseWriter
	r     *http.Request
	in    *input
	graph runs.Graph
	at    *runs.Snapshot // the thread; nil before its first checkpoint
}

// Handler returns the handler for /agui and the paths below it.
func Handler(o Options) http.Handler {
	o.Heartbeat = cmp.Or(o.Heartbeat, 15*time.Second)
	mux := http.NewServeMux()
	serve := func(w http.ResponseWriter, r *http.Request) {
		c := &call{Options: o, Space: o.Space(r), w: w, r: r}
		if err := c.serve(); err != nil && r.Context().Err() == nil {
			c.refuse(err)
		}
	}
	mux.HandleFunc("POST /agui", serve)
	mux.HandleFunc("POST /agui/{graph}", serve)
	return mux
}

func (c *call) ctx() context.Context { return c.r.Context() }

// A failure ends the answer with RUN_ERROR, before a run has started.
type failure struct{ code, text string }

func (f *failure) Error() string { return f.text }

// refuse answers with an error: an event if the protocol wants one, else a status.
func (c *call) refuse(err error) {
	if f := (*failure)(nil); errors.As(err, &f) {
		if out, ok := sse.Open(c.w); ok {
			_ = write(out, event{"type": "RUN_ERROR", "message": f.text, "code": f.code}) // the client may have left
		}
		return
	}
	status := refusal.Status(err)
	if status == http.StatusUnprocessableEntity {
		status = http.StatusBadRequest
	}
	refusal.Later(c.w.Header(), err)
	data, _ := json.Marshal(map[string]string{"detail": err.Error()}) // a text can always be encoded
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	_, _ = c.w.Write(data) // the client may have left
}

// choose returns the graph that a request names, or else its thread's graph, or the default.
func (c *call) choose(thread runs.Thread) (runs.Graph, error) {
	name, all := cmp.Or(c.r.PathValue("graph"), c.in.props.Assistant, thread.Graph), c.Graphs()
	if name == "" && len(all) == 1 {
		return all[0], nil
	}
	g, err := c.Space.Graph(cmp.Or(name, DefaultGraph))
	switch {
	case err != nil && name == "":
		err = refusal.New(http.StatusBadRequest, "the request names no graph, and there is none with the name %s: POST /agui/NAME", DefaultGraph)
	case err != nil:
		err = refusal.New(http.StatusNotFound, "there is no graph %.100q", name)
	}
	return g, err
}

func (c *call) serve() error {
	data, err := io.ReadAll(c.r.Body)
	if err == nil {
		c.in, err = read(data)
	}
	if err != nil {
		return err
	}
	c.in.Thread, c.in.Run = cmp.Or(c.in.Thread, c.NewID()), cmp.Or(c.in.Run, c.NewID())
	thread, err := c.Thread(c.ctx(), c.in.Thread)
	known := err == nil
	if err != nil && !errors.As(err, new(*runs.NotFoundError)) {
		return err
	}
	if c.graph, err = c.choose(thread); err != nil {
		return err
	}
	if known {
		if c.at, _, err = c.State(c.ctx(), c.in.Thread, ""); err != nil {
			return err
		}
	}
	values, err := c.news()
	if err != nil {
		return err
	}
	r, err := c.earlier(thread.Status == runs.Busy && len(values)+len(c.in.Resume) == 0)
	if err != nil {
		return err
	}
	if r.ID != "" {
		return c.stream(r)
	}
	spec, err := c.spec(values)
	if err != nil {
		return err
	}
	if spec == nil {
		return c.answer(nil, func(_ context.Context, t *teller) error { t.report(c.at); return nil })
	}
	if !known {
		if _, err = c.CreateThread(c.ctx(), runs.ThreadSpec{ID: c.in.Thread, Metadata: spec.Marks, Existing: true}); err != nil {
			return err
		}
	}
	if r, err = c.Begin(c.ctx(), *spec); err != nil {
		return err
	}
	if err := store.Put(context.WithoutCancel(c.ctx()), c.Store, c.Records("agui"), c.key(), record{r.ID}, &store.PutOptions{TTL: c.Keep}); err != nil {
		c.Warn(err) // the client cannot ask for the run again
	}
	defer func() {
		if c.ctx().Err() != nil && c.in.props.OnDisconnect != "continue" {
			if err := c.Cancel(context.WithoutCancel(c.ctx()), r.ID); err != nil {
				c.Warn(err)
			}
		}
	}()
	return c.stream(r)
}

// A record has the run for the client's ID of it.
type record struct {
	Run string `json:"run"`
}

// key is the name of the record for the ID in the input.
func (c *call) key() string {
	sum := sha256.Sum256([]byte(c.in.Thread + "\x00" + c.in.Run))
	return hex.EncodeToString(sum[:])
}

// earlier returns the run that the input names, or else the newest run of its thread if the client
// joins it; an empty one if there is none.
func (c *call) earlier(join bool) (runs.Run, error) {
	if !c.resumes() { // some clients answer with the ID of the run that asked
		kept, err := store.Get[record](c.ctx(), c.Store, c.Records("agui"), c.key())
		if err == nil {
			var r runs.Run
			if r, err = c.Run(c.ctx(), kept.Run); err == nil {
				return r, nil
			}
		}
		if !errors.Is(err, store.ErrNotFound) && !errors.As(err, new(*runs.NotFoundError)) {
			return runs.Run{}, err
		}
	}
	if join {
		all, err := c.Runs(c.ctx(), c.in.Thread)
		return append(all, runs.Run{})[0], err
	}
	return runs.Run{}, nil
}

// stream answers with the events of a run as they come. When the server stops, the stream ends
// without the end of the run; a client may ask for the run again.
func (c *call) stream(r runs.Run) error {
	ended := func() bool {
		now, err := c.Run(c.ctx(), r.ID)
		return err != nil || now.Status.Ended()
	}
	return c.answer(ended, func(ctx context.Context, t *teller) error {
		for ev, err := range c.Events(ctx, r.ID, 0) {
			if err == nil {
				err = t.tell(ev)
			}
			if err != nil || t.left {
				return err
			}
		}
		r, err := c.Wait(ctx, r.ID)
		if err == nil && r.Status.Ended() {
			t.end(r)
		}
		return err
	})
}

// answer sends the events that tell makes. Stay is that of sse.Options.
func (c *call) answer(stay func() bool, tell func(context.Context, *teller) error) error {
	out, ok := sse.Open(c.w)
	if !ok {
		return nil
	}
	items := func(ctx context.Context) iter.Seq2[event, error] {
		return func(yield func(event, error) bool) {
			t := newTeller(c.in, c.graph, c.Now(), func(ev event) bool { return yield(ev, nil) })
			if err := tell(ctx, t); err != nil && !t.left {
				yield(nil, err)
			}
		}
	}
	send := func(ev event) error { return write(out, ev) }
	opts := sse.Options{Heartbeat: c.Heartbeat, Comment: "heartbeat", Closed: c.Closed(), Stay: stay}
	ended, err := sse.Follow(c.ctx(), out, opts, items, send)
	if ended && err != nil {
		_ = send(event{"type": "RUN_ERROR", "message": err.Error(), "code": "stream_unreadable"}) // the client may have left
	}
	if ended {
		_ = out.Flush() // the client may have left
	}
	return nil
}

func write(out *sse.Stream, ev event) error {
	data, err := json.Marshal(ev)
	if err == nil {
		_, err = fmt.Fprintf(out, "data: %s\n\n", data)
	}
	return err
}
