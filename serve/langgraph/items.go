package langgraph

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"example.com/assay/graph/store"
	"example.com/assay/serve/internal/refusal"
)

type itemJSON struct {
	Namespace []string        `json:"namespace"`
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Created   string          `json:"created_at"`
	Updated   string          `json:"updated_at"`
	Score     *float64        `json:"score,omitempty"`
}

func itemOf(i store.Item) itemJSON {
	return itemJSON{Namespace: i.Namespace, Key: i.Key, Value: i.Value, Created: moment(i.Created), Updated: moment(i.Updated)}
}

func (c *call) items() (store.Store, error) {
	if c.Items == nil {
		return nil, refusal.New(http.StatusNotImplemented, "this server has no long-term memory")
	}
	return c.Items(c.r), nil
}

func (c *call) putItem() (any, error) {
	var in struct {
		Namespace []string        `json:"namespace"`
		Key       string          `json:"key"`
		Value     json.RawMessage `json:"value"`
		Index     json.RawMessage `json:"index"` // false for none, or the fields to search by meaning
		TTL       *float64        `json:"ttl"`   // in minutes
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	op := store.Op{Namespace: in.Namespace, Key: in.Key, Value: in.Value}
	switch {
	case string(in.Index) == "false":
		op.Fields = []string{}
	case present(in.Index) && string(in.Index) != "true" && json.Unmarshal(in.Index, &op.Fields) != nil:
		return nil, refusal.New(http.StatusUnprocessableEntity, "index must be false or a list of fields")
	}
	if in.TTL != nil {
		if op.TTL = time.Duration(*in.TTL * float64(time.Minute)); op.TTL <= 0 {
			return nil, refusal.New(http.StatusUnprocessableEntity, "ttl is %v: it is a number of minutes above 0", *in.TTL)
		}
	}
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	if in.Value == nil {
		return nil, refusal.New(http.StatusUnprocessableEntity, "an item needs a value: an object")
	}
	return status(http.StatusNoContent), items.Apply(c.ctx(), op)
}

func (c *call) getItem() (any, error) {
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	q := c.r.URL.Query()
	item, err := items.Get(c.ctx(), strings.Split(q.Get("namespace"), "."), q.Get("key"))
	if errors.Is(err, store.ErrNotFound) {
		return json.RawMessage("null"), nil
	}
	return itemOf(item), err
}

func (c *call) deleteItem() (any, error) {
	var in struct {
		Namespace []string `json:"namespace"`
		Key       string   `json:"key"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	return status(http.StatusNoContent), store.Delete(c.ctx(), items, in.Namespace, in.Key)
}

func (c *call) searchItems() (any, error) {
	var in struct {
		Prefix []string        `json:"namespace_prefix"`
		Filter json.RawMessage `json:"filter"`
		Limit  int             `json:"limit"`
		Offset int             `json:"offset"`
		Query  string          `json:"query"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	q := store.Query{Namespace: in.Prefix, Text: in.Query, Limit: in.Limit, Offset: in.Offset}
	if in.Limit > maxPage || len(in.Filter) > maxFilter {
		return nil, refusal.New(http.StatusUnprocessableEntity, "limit must be from 1 to %d; a filter has %d bytes at most", maxPage, maxFilter)
	}
	if len(in.Filter) > 0 && string(in.Filter) != "null" {
		if q.Filters, err = store.ParseFilters(in.Filter); err != nil {
			return nil, err
		}
	}
	found, err := items.Search(c.ctx(), q)
	if err != nil {
		return nil, err
	}
	out := []itemJSON{}
	for _, r := range found {
		one := itemOf(r.Item)
		if in.Query != "" {
			one.Score = &r.Score
		}
		out = append(out, one)
	}
	return map[string]any{"items": out}, nil
}

func (c *call) listNamespaces() (any, error) {
	var in struct {
		Prefix   []string `json:"prefix"`
		Suffix   []string `json:"suffix"`
		MaxDepth int      `json:"max_depth"`
		Limit    int      `json:"limit"`
		Offset   int      `json:"offset"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	items, err := c.items()
	if err != nil {
		return nil, err
	}
	if in.Limit > maxPage {
		return nil, refusal.New(http.StatusUnprocessableEntity, "limit must be from 1 to %d", maxPage)
	}
	list, err := items.ListNamespaces(c.ctx(), store.NamespaceQuery{Prefix: in.Prefix, Suffix: in.Suffix, MaxDepth: in.MaxDepth, Limit: in.Limit, Offset: in.Offset})
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = [][]string{}
	}
	return map[string]any{"namespaces": list}, nil
}
