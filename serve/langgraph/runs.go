package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// begin begins the requested run.
func (c *call) begin() (runs.Run, *runRequest, error) {
	data, err := io.ReadAll(c.r.Body)
	if err != nil {
		return runs.Run{}, nil, err
	}
	return c.beginWith(data)
}

func (c *call) beginWith(data json.RawMessage) (runs.Run, *runRequest, error) {
	var in runRequest
	if err := c.decode(data, &in); err != nil {
		return runs.Run{}, nil, err
	}
	spec, err := c.spec(&in, data)
	if err != nil {
		return runs.Run{}, nil, err
	}
	r, err := c.Begin(c.ctx(), spec)
	if errors.Is(err, runs.ErrBusy) { // the status that clients expect
		err = refusal.New(http.StatusUnprocessableEntity, "%v", err)
	}
	if err == nil {
		c.w.Header().Set("Content-Location", c.location(r))
	}
	return r, &in, err
}

// location returns the path of a run, from which clients read its IDs.
func (c *call) location(r runs.Run) string {
	if c.thread() == "" {
		return "/runs/" + r.ID
	}
	return "/threads/" + r.Thread + "/runs/" + r.ID
}

func (c *call) createRun() (any, error) {
	r, _, err := c.begin()
	return runOf(r), err
}

// createRuns begins several runs. When one is refused, the earlier ones have already begun.
func (c *call) createRuns() (any, error) {
	var list []map[string]json.RawMessage
	if err := c.body(&list); err != nil {
		return nil, err
	}
	out := []runJSON{}
	for _, fields := range list {
		one, err := snaked(fields)
		if err != nil {
			return nil, err
		}
		r, _, err := c.beginWith(one)
		if err != nil {
			return nil, err
		}
		out = append(out, runOf(r))
	}
	c.w.Header().Del("Content-Location")
	return out, nil
}

// found returns the run in the request's path.
func (c *call) found() (runs.Run, error) {
	id := c.r.PathValue("run")
	r, err := c.Run(c.ctx(), id)
	if err == nil && c.thread() != "" && c.thread() != r.Thread {
		err = &runs.NotFoundError{What: "run", ID: id}
	}
	return r, err
}

func (c *call) getRun() (any, error) {
	r, err := c.found()
	return runOf(r), err
}

func (c *call) listRuns() (any, error) {
	limit, err := c.number("limit", 10)
	if err != nil {
		return nil, err
	}
	offset, err := c.number("offset", 0)
	if err != nil {
		return nil, err
	}
	all, err := c.Runs(c.ctx(), c.thread())
	if err != nil {
		return nil, err
	}
	if status := c.r.URL.Query().Get("status"); status != "" {
		all = slices.DeleteFunc(all, func(r runs.Run) bool { return string(r.Status) != status })
	}
	slices.Reverse(all) // the oldest comes first
	if all, err = cut(c, all, page{&limit, offset}); err != nil {
		return nil, err
	}
	return selected(all, runOf, c.r.URL.Query()["select"])
}

func (c *call) deleteRun() (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	return status(http.StatusNoContent), c.DeleteRun(c.ctx(), r.ID)
}

func (c *call) cancelRun() (any, error) {
	action, err := c.action()
	if err != nil {
		return nil, err
	}
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	if err := c.cancel(r, action); err != nil {
		return nil, err
	}
	if !c.flag("wait") {
		return status(http.StatusAccepted), nil
	}
	return c.awaited(r)
}

// cancelRuns cancels some runs of a thread, or all runs with a status.
func (c *call) cancelRuns() (any, error) {
	var in struct {
		Thread string   `json:"thread_id"`
		Runs   []string `json:"run_ids"`
		Status string   `json:"status"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	action, err := c.action()
	if err != nil {
		return nil, err
	}
	which, err := choice("status", in.Status, "all", "pending", "running")
	if err != nil {
		return nil, err
	}
	if in.Thread == "" {
		return nil, refusal.New(http.StatusUnprocessableEntity, "thread_id is missing: runs are cancelled by their thread")
	}
	all, err := c.Runs(c.ctx(), in.Thread)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Status.Ended() || len(in.Runs) > 0 && !slices.Contains(in.Runs, r.ID) || which != "all" && string(r.Status) != which {
			continue
		}
		if err := c.cancel(r, action); err != nil {
			return nil, err
		}
	}
	return status(http.StatusNoContent), nil
}

func (c *call) waitRun() (any, error) {
	r, in, err := c.begin()
	if err != nil {
		return nil, err
	}
	return nil, c.giveResult(r, in.OnDisconnect == "cancel")
}

func (c *call) joinRun() (any, error) {
	r, err := c.found()
	if err != nil {
		return nil, err
	}
	return nil, c.giveResult(r, c.flag("cancel_on_disconnect"))
}

// giveResult answers with the values at the end of a run: its interrupts if it waits for a person,
// or its error if it failed. White space keeps the connection alive until then.
func (c *call) giveResult(r runs.Run, cancel bool) error {
	defer c.leaving(r, cancel)
	results := make(chan any, 1)
	go func() {
		v, err := c.result(r)
		if err != nil {
			v = map[string]any{"__error__": failure{"Error", err.Error()}}
		}
		results <- v
	}()
	tick := time.NewTicker(c.Heartbeat)
	defer tick.Stop()
	c.w.Header().Set("Content-Type", "application/json")
	for {
		select {
		case v := <-results:
			data, err := json.Marshal(v)
			if err != nil {
				return err
			}
			_, _ = c.w.Write(data) // the caller has left
			return nil
		case <-tick.C:
			if _, err := io.WriteString(c.w, "\n"); err != nil {
				return nil
			}
			if err := http.NewResponseController(c.w).Flush(); err != nil {
				return nil
			}
		case <-c.ctx().Done():
			return nil
		}
	}
}

// failure is the error of a run, for clients.
type failure struct {
	Error   string `json:"error"`
	Message string `json:"message"`
}

// result returns the last values that a run has shown.
func (c *call) result(r runs.Run) (any, error) {
	m, err := c.mapper(r, modes{"values": true}, false)
	if err != nil {
		return nil, err
	}
	var last json.RawMessage = json.RawMessage("null")
	var asked []interruptJSON
	for ev, err := range c.Events(c.ctx(), r.ID, 0) {
		if err != nil {
			return nil, err
		}
		frames, err := m.frames(ev)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			if f.event != "values" {
				continue
			}
			var asks struct {
				List []interruptJSON `json:"__interrupt__"`
			}
			if last = f.data; json.Unmarshal(f.data, &asks) == nil && len(asks.List) > 0 { // otherwise the run asks nothing
				asked = append(asked, asks.List...)
				if last, err = json.Marshal(map[string]any{"__interrupt__": asked}); err != nil {
					return nil, err
				}
			}
		}
	}
	if r, err = c.Wait(c.ctx(), r.ID); err != nil {
		return nil, err
	}
	if r.Status == runs.Errored || r.Status == runs.TimedOut {
		return nil, errors.New(r.Error)
	}
	return last, nil
}

// leaving cancels a run, if wanted, when its caller leaves before the end.
func (c *call) leaving(r runs.Run, cancel bool) {
	if cancel && c.ctx().Err() != nil {
		_ = c.Cancel(context.WithoutCancel(c.ctx()), r.ID) // there is no caller to report an error to
	}
}
