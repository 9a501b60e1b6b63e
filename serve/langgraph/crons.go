package langgraph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// cronJSON is a cron as clients read it.
type cronJSON struct {
	ID        string          `json:"cron_id"`
	Assistant string          `json:"assistant_id"`
	Thread    *string         `json:"thread_id"`
	Completed *string         `json:"on_run_completed"`
	End       *string         `json:"end_time"`
	Schedule  string          `json:"schedule"`
	Zone      *string         `json:"timezone"`
	Created   string          `json:"created_at"`
	Updated   string          `json:"updated_at"`
	User      *string         `json:"user_id"`
	Payload   json.RawMessage `json:"payload"`
	Next      *string         `json:"next_run_date"`
	Metadata  json.RawMessage `json:"metadata"`
	Enabled   bool            `json:"enabled"`
}

// orNull is nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func momentOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNull(moment(t))
}

func (c *call) cronOf(cron runs.Cron) cronJSON {
	return cronJSON{
		cron.ID, c.assistantNamed(fieldOf(cron.Payload, "assistant_id")), orNull(cron.Thread), orNull(fieldOf(cron.Payload, "on_completion")), momentOrNull(cron.End),
		cron.Schedule, orNull(cron.Zone), moment(cron.Created), moment(cron.Updated), nil, cron.Payload, momentOrNull(cron.Next), cron.Metadata, !cron.Disabled,
	}
}

// assistantNamed returns the ID of an assistant that is given by its ID or by the name of its graph.
func (c *call) assistantNamed(name string) string {
	if _, err := c.Graph(name); err == nil {
		return assistantOf(name)
	}
	return name
}

// editCron reads the fields of a cron from a request. The others are those of its runs.
func editCron(fields map[string]json.RawMessage, cron *runs.Cron) error {
	in := struct {
		Schedule  string          `json:"schedule"`
		Zone      string          `json:"timezone"`
		Enabled   bool            `json:"enabled"`
		Completed string          `json:"on_run_completed"`
		Metadata  json.RawMessage `json:"metadata"`
		End       string          `json:"end_time"`
	}{Schedule: cron.Schedule, Zone: cron.Zone, Enabled: !cron.Disabled}
	data, err := json.Marshal(fields)
	if err == nil {
		err = new(server).decode(data, &in) // not strict: the others stay
	}
	if err != nil {
		return err
	}
	cron.Schedule, cron.Zone, cron.Disabled = in.Schedule, in.Zone, !in.Enabled
	if _, given := fields["end_time"]; given {
		if cron.End, err = parseTime(in.End); err != nil {
			return err
		}
	}
	if present(in.Metadata) {
		if cron.Metadata, err = runs.Merge(cron.Metadata, in.Metadata); err != nil {
			return err
		}
	}
	for _, name := range []string{"schedule", "timezone", "enabled", "on_run_completed", "metadata", "end_time"} {
		delete(fields, name)
	}
	switch {
	case cron.Thread != "" && in.Completed != "":
		return refusal.New(http.StatusUnprocessableEntity, "on_run_completed is for crons without a thread: it says what happens to the thread of each run")
	case cron.Thread != "" && cron.Payload == nil && !present(fields["multitask_strategy"]):
		fields["multitask_strategy"] = json.RawMessage(`"enqueue"`)
	case cron.Thread == "" && (cron.Payload == nil || in.Completed != ""):
		fields["on_completion"], err = json.Marshal(cmp.Or(in.Completed, "delete"))
	}
	var more json.RawMessage
	if err == nil {
		more, err = json.Marshal(fields)
	}
	if err == nil {
		cron.Payload, err = runs.Merge(cron.Payload, more)
	}
	return err
}

// parseTime reads a time; one without a zone is in UTC, as Python writes it, and none is zero.
func parseTime(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text)
	}
	if err != nil {
		err = refusal.New(http.StatusUnprocessableEntity, "end_time is %.40q: it must be a time such as 2026-12-31T23:59:00Z", text)
	}
	return at.UTC(), err
}

// fields reads the request as an object.
func (c *call) fields() (fields map[string]json.RawMessage, err error) {
	if err = c.body(&fields); fields == nil {
		fields = map[string]json.RawMessage{}
	}
	return fields, err
}

// createCron creates a cron on a thread, or one whose runs each get a new thread.
func (c *call) createCron() (any, error) {
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	if name := fields["thread_id"]; present(name) && c.thread() == "" {
		return nil, refusal.New(http.StatusUnprocessableEntity, "thread_id: a cron on a thread is created at /threads/{thread_id}/runs/crons")
	}
	delete(fields, "thread_id")
	cron := runs.Cron{Thread: c.thread()}
	if err := editCron(fields, &cron); err != nil {
		return nil, err
	}
	if _, err := c.planned(cron); err != nil {
		return nil, err
	}
	cron, err = c.CreateCron(c.ctx(), cron)
	return c.cronOf(cron), err
}

func (c *call) patchCron() (any, error) {
	fields, err := c.fields()
	if err != nil {
		return nil, err
	}
	cron, err := c.ChangeCron(c.ctx(), c.r.PathValue("cron"), func(cron *runs.Cron) error {
		if err := editCron(fields, cron); err != nil {
			return err
		}
		_, err := c.planned(*cron)
		return err
	})
	return c.cronOf(cron), err
}

func (c *call) deleteCron() (any, error) {
	return status(http.StatusNoContent), c.DeleteCron(c.ctx(), c.r.PathValue("cron"))
}

// cronQuery selects crons.
type cronQuery struct {
	page
	Assistant string   `json:"assistant_id"`
	Thread    string   `json:"thread_id"`
	Enabled   *bool    `json:"enabled"`
	Metadata  pattern  `json:"metadata"`
	SortBy    string   `json:"sort_by"`
	Order     string   `json:"sort_order"`
	Select    []string `json:"select"`
}

func (c *call) cronsFound(q *cronQuery) ([]runs.Cron, error) {
	if err := c.body(q); err != nil {
		return nil, err
	}
	assistant := c.assistantNamed(q.Assistant)
	return c.Crons(c.ctx(), func(cron *runs.Cron) bool {
		return (q.Assistant == "" || c.assistantNamed(fieldOf(cron.Payload, "assistant_id")) == assistant) &&
			(q.Thread == "" || q.Thread == cron.Thread) && (q.Enabled == nil || *q.Enabled != cron.Disabled) && q.Metadata.matches(cron.Metadata)
	})
}

func (c *call) searchCrons() (any, error) {
	var q cronQuery
	all, err := c.cronsFound(&q)
	if err != nil {
		return nil, err
	}
	by := map[string]func(a, b runs.Cron) int{
		"cron_id": func(a, b runs.Cron) int { return 0 },
		"assistant_id": func(a, b runs.Cron) int {
			return strings.Compare(c.cronOf(a).Assistant, c.cronOf(b).Assistant)
		},
		"thread_id":     func(a, b runs.Cron) int { return strings.Compare(a.Thread, b.Thread) },
		"next_run_date": func(a, b runs.Cron) int { return a.Next.Compare(b.Next) },
		"end_time":      func(a, b runs.Cron) int { return a.End.Compare(b.End) },
		"created_at":    func(a, b runs.Cron) int { return a.Created.Compare(b.Created) },
		"updated_at":    func(a, b runs.Cron) int { return a.Updated.Compare(b.Updated) },
	}[cmp.Or(q.SortBy, "created_at")]
	if by == nil {
		return nil, refusal.New(http.StatusUnprocessableEntity, "crons are not sorted by %q: by created_at, updated_at, next_run_date, end_time, assistant_id, thread_id or cron_id", q.SortBy)
	}
	order, err := choice("sort_order", q.Order, "desc", "asc")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b runs.Cron) int {
		n := cmp.Or(by(a, b), strings.Compare(a.ID, b.ID))
		if order == "desc" {
			n = -n
		}
		return n
	})
	if all, err = cut(c, all, q.page); err != nil {
		return nil, err
	}
	return selected(all, c.cronOf, q.Select)
}

func (c *call) countCrons() (any, error) {
	var q cronQuery
	all, err := c.cronsFound(&q)
	return len(all), err
}

// planned returns the run of a cron.
func (c *call) planned(cron runs.Cron) (runs.Spec, error) { return c.specOf(c.ctx(), c.Space, cron) }

// Plan returns the run that a cron of this protocol begins: see runs.Options. It reads the assistant
// as it is now.
func Plan(ctx context.Context, s *runs.Space, cron runs.Cron) (runs.Spec, error) {
	spec, err := new(server).specOf(ctx, s, cron)
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		err = &runs.InvalidError{Err: err}
	}
	return spec, err
}

func (own *server) specOf(ctx context.Context, s *runs.Space, cron runs.Cron) (spec runs.Spec, err error) {
	about, err := json.Marshal(map[string]any{"cron_id": cron.ID})
	if err == nil && cron.ID != "" {
		about, err = runs.Merge(cron.Metadata, about)
	}
	if err != nil {
		return spec, err
	}
	with, err := json.Marshal(map[string]json.RawMessage{"metadata": about})
	if err != nil {
		return spec, err
	}
	payload, err := runs.Merge(cron.Payload, with)
	if err != nil {
		return spec, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/", nil)
	if err != nil {
		return spec, err
	}
	r.SetPathValue("thread", cron.Thread)
	c := &call{server: own, Space: s, r: r}
	var in runRequest
	if err := c.decode(payload, &in); err != nil {
		return spec, err
	}
	if spec, err = c.spec(&in, payload); err == nil && spec.Webhook != "" {
		err = s.CheckURL(spec.Webhook)
	}
	return spec, err
}
