package langgraph

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// Tell returns the notice for the webhook of a run that has ended: see runs.Options.
func Tell(ctx context.Context, s *runs.Space, r runs.Run) ([]runs.Notice, error) {
	if r.Webhook == "" || !r.Status.Ended() {
		return nil, nil
	}
	body := struct {
		runJSON
		Started *string         `json:"run_started_at"`
		Ended   string          `json:"run_ended_at"`
		Values  json.RawMessage `json:"values,omitempty"`
		Error   string          `json:"error,omitempty"`
	}{runOf(r), momentOrNull(r.Started), moment(r.Updated), nil, r.Error}
	if r.Status != runs.Cancelled {
		at, g, err := s.State(ctx, r.Thread, "")
		switch {
		case errors.Is(err, graph.ErrCheckpointer):
			return nil, err
		case err == nil && at != nil: // otherwise there are no values, for example after the graph has changed
			body.Values = shown(g.App, at.State)
		}
	}
	data, err := json.Marshal(body)
	return []runs.Notice{{URL: r.Webhook, Body: data, Stamp: "webhook_sent_at"}}, err
}

// cancel stops a run in one of two ways.
func (c *call) cancel(r runs.Run, action string) error {
	if action == "rollback" {
		return c.Rollback(c.ctx(), r.ID)
	}
	return c.Cancel(c.ctx(), r.ID)
}

// action is how a request wants runs to be stopped.
func (c *call) action() (string, error) {
	return choice("action", c.r.URL.Query().Get("action"), "interrupt", "rollback")
}

// awaited waits for the end of a run that was cancelled. One that was rolled back is gone.
func (c *call) awaited(r runs.Run) (any, error) {
	if _, err := c.Wait(c.ctx(), r.ID); err != nil && !errors.As(err, new(*runs.NotFoundError)) {
		return nil, err
	}
	return status(http.StatusNoContent), nil
}
