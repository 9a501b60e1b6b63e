package langgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// threadJSON is a thread as clients read it.
type threadJSON struct {
	ID         string                     `json:"thread_id"`
	Created    string                     `json:"created_at"`
	Updated    string                     `json:"updated_at"`
	Metadata   json.RawMessage            `json:"metadata"`
	Status     runs.ThreadStatus          `json:"status"`
	Config     json.RawMessage            `json:"config"`
	Values     json.RawMessage            `json:"values,omitempty"`
	Interrupts map[string][]interruptJSON `json:"interrupts,omitzero"`
	Error      string                     `json:"error,omitempty"`
	TTL        *expiryJSON                `json:"ttl,omitempty"`
}

type interruptJSON struct {
	ID    string          `json:"id"`
	Value json.RawMessage `json:"value"`
}

func interruptsOf(list []graph.PendingInterrupt) []interruptJSON {
	out := []interruptJSON{}
	for _, p := range list {
		out = append(out, interruptJSON{p.ID, p.Payload})
	}
	return out
}

func (c *call) threadOf(t runs.Thread) threadJSON {
	if g, err := c.graphNamed(t.Graph); err == nil {
		t.Values = shown(g.App, t.Values)
	}
	out := threadJSON{
		ID: t.ID, Created: moment(t.Created), Updated: moment(t.Updated), Metadata: t.Metadata, Status: t.Status,
		Config: t.Config, Values: t.Values, Error: t.Error, TTL: c.expiryOf(t),
	}
	if t.Values != nil {
		out.Interrupts = map[string][]interruptJSON{}
		for task, list := range t.Interrupts {
			out.Interrupts[taskUUID(task)] = interruptsOf(list)
		}
	}
	return out
}

func (c *call) createThread() (any, error) {
	var in struct {
		ID         string          `json:"thread_id"`
		Metadata   json.RawMessage `json:"metadata"`
		IfExists   string          `json:"if_exists"`
		Supersteps []superstep     `json:"supersteps"`
		Graph      string          `json:"graph_id"`
		TTL        *lifetime       `json:"ttl"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", "raise", "do_nothing"}, in.IfExists) {
		return nil, refusal.New(http.StatusUnprocessableEntity, `if_exists is %q: it can be "raise" or "do_nothing"`, in.IfExists)
	}
	ttl, err := in.TTL.ttl()
	if err != nil {
		return nil, err
	}
	t, err := c.CreateThread(c.ctx(), runs.ThreadSpec{ID: in.ID, Metadata: in.Metadata, Existing: in.IfExists == "do_nothing", TTL: ttl})
	if err != nil {
		return nil, err
	}
	if len(in.Supersteps) > 0 {
		named := cmp.Or(in.Graph, fieldOf(in.Metadata, "graph_id"))
		if _, err := c.update(t, named, "", in.Supersteps); err != nil {
			return nil, err
		}
		if t, err = c.Thread(c.ctx(), t.ID); err != nil {
			return nil, err
		}
	}
	return c.threadOf(t), nil
}

// fieldOf returns a text field of an object; "" if it has none.
func fieldOf(object json.RawMessage, name string) string {
	var all map[string]json.RawMessage
	var text string
	if json.Unmarshal(object, &all) != nil || json.Unmarshal(all[name], &text) != nil {
		return ""
	}
	return text
}

// threadQuery selects threads.
type threadQuery struct {
	page
	Metadata pattern           `json:"metadata"`
	Values   pattern           `json:"values"`
	Status   runs.ThreadStatus `json:"status"`
	IDs      []string          `json:"ids"`
	SortBy   string            `json:"sort_by"`
	Order    string            `json:"sort_order"`
	Select   []string          `json:"select"`
}

// find returns the threads of a query without their states. Only values are matched by reading whole
// threads.
func (c *call) find(q *threadQuery) ([]runs.Thread, error) {
	all, err := c.Find(c.ctx(), runs.ThreadQuery{IDs: q.IDs, Status: q.Status, Metadata: q.Metadata.wants})
	if err != nil || q.Values.wants == nil {
		return all, err
	}
	all, err = c.whole(all)
	return slices.DeleteFunc(all, func(t runs.Thread) bool { return !q.Values.matches(t.Values) }), err
}

// whole reads threads with their states. It leaves out those that were removed meanwhile.
func (c *call) whole(list []runs.Thread) ([]runs.Thread, error) {
	out := list[:0]
	for _, t := range list {
		t, err := c.Thread(c.ctx(), t.ID)
		switch {
		case err == nil:
			out = append(out, t)
		case !errors.As(err, new(*runs.NotFoundError)):
			return nil, err
		}
	}
	return out, nil
}

// maxIDs bounds the threads that a search may name.
const maxIDs = 1000

// order returns how threads are sorted.
func (q *threadQuery) order() (func(a, b runs.Thread) int, error) {
	if len(q.IDs) > maxIDs {
		return nil, refusal.New(http.StatusUnprocessableEntity, "a search names %d threads at most", maxIDs)
	}
	by := map[string]func(a, b runs.Thread) int{
		"":           func(a, b runs.Thread) int { return a.Created.Compare(b.Created) },
		"created_at": func(a, b runs.Thread) int { return a.Created.Compare(b.Created) },
		"updated_at": func(a, b runs.Thread) int { return a.Updated.Compare(b.Updated) },
		"thread_id":  func(a, b runs.Thread) int { return strings.Compare(a.ID, b.ID) },
		"status":     func(a, b runs.Thread) int { return cmp.Compare(a.Status, b.Status) },
	}[q.SortBy]
	if by == nil {
		return nil, refusal.New(http.StatusUnprocessableEntity, "threads are not sorted by %q: by created_at, updated_at, thread_id or status", q.SortBy)
	}
	sign := -1
	switch q.Order {
	case "", "desc":
	case "asc":
		sign = 1
	default:
		return nil, refusal.New(http.StatusUnprocessableEntity, `sort_order is %q: it can be "asc" or "desc"`, q.Order)
	}
	return func(a, b runs.Thread) int {
		if n := by(a, b); n != 0 {
			return sign * n
		}
		return sign * strings.Compare(a.ID, b.ID)
	}, nil
}

func (c *call) searchThreads() (any, error) {
	var q threadQuery
	if err := c.body(&q); err != nil {
		return nil, err
	}
	order, err := q.order()
	if err != nil {
		return nil, err
	}
	all, err := c.find(&q)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, order)
	if all, err = cut(c, all, q.page); err != nil {
		return nil, err
	}
	if all, err = c.whole(all); err != nil {
		return nil, err
	}
	return selected(all, c.threadOf, q.Select)
}

func (c *call) countThreads() (any, error) {
	var q threadQuery
	if err := c.body(&q); err != nil {
		return nil, err
	}
	if _, err := q.order(); err != nil {
		return nil, err
	}
	all, err := c.find(&q)
	return len(all), err
}

// pruneThreads removes threads, or their checkpoints except the newest.
func (c *call) pruneThreads() (any, error) {
	var in struct {
		Threads  []string `json:"thread_ids"`
		Strategy string   `json:"strategy"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if len(in.Threads) > maxIDs {
		return nil, refusal.New(http.StatusUnprocessableEntity, "a request names %d threads at most", maxIDs)
	}
	strategy, err := choice("strategy", in.Strategy, "delete", "keep_latest")
	if err != nil {
		return nil, err
	}
	prune := c.DeleteThread
	if strategy == "keep_latest" {
		prune = c.PruneThread
	}
	n := 0
	for _, id := range in.Threads {
		err := prune(c.ctx(), id)
		switch {
		case err == nil:
			n++
		case !errors.As(err, new(*runs.NotFoundError)):
			return nil, err
		}
	}
	return map[string]int{"pruned_count": n}, nil
}

func (c *call) thread() string { return c.r.PathValue("thread") }

func (c *call) getThread() (any, error) {
	t, err := c.Thread(c.ctx(), c.thread())
	return c.threadOf(t), err
}

func (c *call) patchThread() (any, error) {
	var in struct {
		Metadata json.RawMessage `json:"metadata"`
		TTL      *lifetime       `json:"ttl"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	ttl, err := in.TTL.ttl()
	if err != nil {
		return nil, err
	}
	if ttl != nil {
		if _, err := c.SetTTL(c.ctx(), c.thread(), ttl); err != nil {
			return nil, err
		}
	}
	t, err := c.PatchThread(c.ctx(), c.thread(), in.Metadata)
	if err == nil && c.r.Header.Get("Prefer") == "return=minimal" {
		return status(http.StatusNoContent), nil
	}
	return c.threadOf(t), err
}

func (c *call) deleteThread() (any, error) {
	return status(http.StatusNoContent), c.DeleteThread(c.ctx(), c.thread())
}

func (c *call) copyThread() (any, error) {
	t, err := c.CopyThread(c.ctx(), c.thread())
	return c.threadOf(t), err
}
