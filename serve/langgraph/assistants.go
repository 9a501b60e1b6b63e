package langgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/assay/graph/store"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/runs"
)

// An assistant is a graph with settings. Each graph has one under its name, which cannot be
// changed; callers create others.
type assistant struct {
	ID          string          `json:"assistant_id"`
	Version     int             `json:"version"`
	Config      json.RawMessage `json:"config"`
	Context     json.RawMessage `json:"context"`
	Created     string          `json:"created_at"`
	Updated     string          `json:"updated_at,omitempty"`
	Graph       string          `json:"graph_id"`
	Metadata    json.RawMessage `json:"metadata"`
	Name        string          `json:"name"`
	Description *string         `json:"description"`
}

// versioned is an assistant's record, with all its versions.
type versioned struct {
	assistant
	Versions []assistant `json:"versions"`
}

func (c *call) assistantsAt() []string { return c.Records("assistants") }

// ofGraph returns the graph's own assistant, as old as the server.
func (c *call) ofGraph(g runs.Graph) assistant {
	began := moment(c.Began())
	a := assistant{
		ID: assistantOf(g.Name), Version: 1, Config: object(nil), Context: object(nil), Graph: g.Name, Name: g.Name,
		Metadata: json.RawMessage(`{"created_by":"system"}`), Created: began, Updated: began,
	}
	if g.Description != "" {
		a.Description = &g.Description
	}
	return a
}

func (c *call) graphNamed(name string) (runs.Graph, error) {
	if name == "" {
		return runs.Graph{}, runs.ErrNoGraph
	}
	return c.Graph(name)
}

// kept returns an assistant by its ID, or by the name of its graph.
func (c *call) kept(id string) (versioned, error) {
	for _, g := range c.Graphs() {
		if id == g.Name || id == assistantOf(g.Name) {
			a := c.ofGraph(g)
			return versioned{a, []assistant{a}}, nil
		}
	}
	v, err := store.Get[versioned](c.ctx(), c.Store, c.assistantsAt(), id)
	if errors.Is(err, store.ErrNotFound) || errors.As(err, new(*store.InvalidError)) {
		err = &runs.NotFoundError{What: "assistant", ID: id}
	}
	return v, err
}

// own returns an assistant that can be changed.
func (c *call) own() (versioned, error) {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err == nil && v.ID == assistantOf(v.Graph) {
		err = refusal.New(http.StatusConflict, "the assistant of graph %q cannot be changed: make one of your own", v.Graph)
	}
	return v, err
}

func (c *call) keep(v versioned) error {
	return store.Put(c.ctx(), c.Store, c.assistantsAt(), v.ID, v, nil)
}

func (c *call) createAssistant() (any, error) {
	var in struct {
		ID          string          `json:"assistant_id"`
		Graph       string          `json:"graph_id"`
		Config      json.RawMessage `json:"config"`
		Context     json.RawMessage `json:"context"`
		Metadata    json.RawMessage `json:"metadata"`
		IfExists    string          `json:"if_exists"`
		Name        string          `json:"name"`
		Description *string         `json:"description"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	if err := c.configured(in.Graph, in.Config, in.Context); err != nil {
		return nil, err
	}
	if in.ID == "" {
		in.ID = c.NewID()
	}
	old, err := c.kept(in.ID)
	switch {
	case err == nil && in.IfExists == "do_nothing":
		return old.assistant, nil
	case err == nil:
		return nil, fmt.Errorf("assistant %q: %w", in.ID, runs.ErrExists)
	case !errors.As(err, new(*runs.NotFoundError)):
		return nil, err
	}
	now := moment(c.Now())
	a := assistant{
		ID: in.ID, Version: 1, Config: object(in.Config), Context: object(in.Context), Created: now, Updated: now,
		Graph: in.Graph, Metadata: object(in.Metadata), Name: cmp.Or(in.Name, "Untitled"), Description: in.Description,
	}
	return a, c.keep(versioned{a, []assistant{a}})
}

// configured refuses settings that an assistant of a graph cannot have.
func (c *call) configured(graph string, config, context json.RawMessage) error {
	g, err := c.graphNamed(graph)
	if err != nil {
		return err
	}
	s, err := c.config(config)
	if err != nil {
		return err
	}
	_, err = c.settingsOf(g, choices{s, context})
	return err
}

func (c *call) getAssistant() (any, error) {
	v, err := c.kept(c.r.PathValue("assistant"))
	return v.assistant, err
}

func (c *call) patchAssistant() (any, error) {
	var in struct {
		Graph       string          `json:"graph_id"`
		Config      json.RawMessage `json:"config"`
		Context     json.RawMessage `json:"context"`
		Metadata    json.RawMessage `json:"metadata"`
		Name        string          `json:"name"`
		Description *string         `json:"description"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	v, err := c.own()
	if err != nil {
		return nil, err
	}
	v.Graph = cmp.Or(in.Graph, v.Graph)
	if in.Config != nil {
		v.Config = in.Config
	}
	if in.Context != nil {
		v.Context = in.Context
	}
	if err := c.configured(v.Graph, v.Config, v.Context); err != nil {
		return nil, err
	}
	if v.Metadata, err = runs.Merge(v.Metadata, in.Metadata); err != nil {
		return nil, err
	}
	v.Name = cmp.Or(in.Name, v.Name)
	if in.Description != nil {
		v.Description = in.Description
	}
	v.Version, v.Updated = len(v.Versions)+1, moment(c.Now())
	v.Versions = append(v.Versions, v.assistant)
	return v.assistant, c.keep(v)
}

func (c *call) deleteAssistant() (any, error) {
	v, err := c.own()
	if err != nil {
		return nil, err
	}
	if c.flag("delete_threads") {
		all, err := c.Find(c.ctx(), runs.ThreadQuery{Metadata: map[string]any{"assistant_id": v.ID}})
		if err != nil {
			return nil, err
		}
		for _, t := range all {
			if err := c.DeleteThread(c.ctx(), t.ID); err != nil {
				return nil, err
			}
		}
	}
	return []string{v.ID}, store.Delete(c.ctx(), c.Store, c.assistantsAt(), v.ID)
}

func (c *call) latestAssistant() (any, error) {
	var in struct {
		Version int `json:"version"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	v, err := c.own()
	if err != nil {
		return nil, err
	}
	if in.Version < 1 || in.Version > len(v.Versions) {
		return nil, refusal.New(http.StatusNotFound, "the assistant has no version %d", in.Version)
	}
	v.assistant = v.Versions[in.Version-1]
	v.Updated = moment(c.Now())
	return v.assistant, c.keep(v)
}

func (c *call) assistantVersions() (any, error) {
	var in struct {
		page
		Metadata pattern `json:"metadata"`
	}
	if err := c.body(&in); err != nil {
		return nil, err
	}
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return nil, err
	}
	list := []assistant{}
	for _, a := range slices.Backward(v.Versions) {
		if in.Metadata.matches(a.Metadata) {
			a.Created, a.Updated = cmp.Or(a.Updated, a.Created), "" // a version does not change
			list = append(list, a)
		}
	}
	if list, err = cut(c, list, in.page); err != nil {
		return nil, err
	}
	return list, nil
}

// assistantQuery selects assistants.
type assistantQuery struct {
	page
	Metadata pattern  `json:"metadata"`
	Graph    string   `json:"graph_id"`
	Name     string   `json:"name"`
	SortBy   string   `json:"sort_by"`
	Order    string   `json:"sort_order"`
	Select   []string `json:"select"`
}

func (c *call) assistants(q *assistantQuery) ([]assistant, error) {
	var all []assistant
	for _, g := range c.Graphs() {
		all = append(all, c.ofGraph(g))
	}
	for offset := 0; ; {
		found, err := c.Store.Search(c.ctx(), store.Query{Namespace: c.assistantsAt(), Limit: 1000, Offset: offset})
		if err != nil {
			return nil, err
		}
		for _, item := range found {
			v, err := store.Decode[versioned](item.Item)
			if err != nil {
				return nil, err
			}
			all = append(all, v.assistant)
		}
		if offset += len(found); len(found) < 1000 {
			break
		}
	}
	all = slices.DeleteFunc(all, func(a assistant) bool {
		return q.Graph != "" && a.Graph != q.Graph || !strings.Contains(strings.ToLower(a.Name), strings.ToLower(q.Name)) || !q.Metadata.matches(a.Metadata)
	})
	key := map[string]func(a assistant) string{
		"": func(a assistant) string { return a.Created }, "created_at": func(a assistant) string { return a.Created },
		"updated_at": func(a assistant) string { return a.Updated }, "assistant_id": func(a assistant) string { return a.ID },
		"graph_id": func(a assistant) string { return a.Graph }, "name": func(a assistant) string { return a.Name },
	}[q.SortBy]
	if key == nil {
		return nil, refusal.New(http.StatusUnprocessableEntity, "assistants are not sorted by %q", q.SortBy)
	}
	sign := -1
	if q.Order == "asc" {
		sign = 1
	}
	slices.SortStableFunc(all, func(a, b assistant) int {
		if n := strings.Compare(key(a), key(b)); n != 0 {
			return sign * n
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, nil
}

func (c *call) searchAssistants() (any, error) {
	var q assistantQuery
	if err := c.body(&q); err != nil {
		return nil, err
	}
	all, err := c.assistants(&q)
	if err == nil {
		all, err = cut(c, all, q.page)
	}
	if err != nil {
		return nil, err
	}
	return selected(all, func(a assistant) assistant { return a }, q.Select)
}

func (c *call) countAssistants() (any, error) {
	var q assistantQuery
	if err := c.body(&q); err != nil {
		return nil, err
	}
	all, err := c.assistants(&q)
	return len(all), err
}
