package langgraph

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// An assistant is a graph with settings. Each graph has one by its name, which cannot be
// changed; callers make others.
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

// versioned is an assistant as it is kept, with all its versions.
type versioned struct {
	assistant
	Versions []assistant `json:"versions"`
}

func (c *call) assistantsAt() []string { return c.Records("assistants") }

// ofGraph is the assistant that a graph has.
func ofGraph(g runs.Graph) assistant {
	a := assistant{
		ID: assistantOf(g.Name), Version: 1, Config: object(nil), Context: object(nil), Graph: g.Name, Name: g.Name,
		Metadata: json.RawMessage(`{"created_by":"system"}`), Created: moment(time.Unix(0, 0)), Updated: moment(time.Unix(0, 0)),
	}
	if g.Description != "" {
		a.Description = &g.Description
	}
	return a
}

func (c *call) graphNamed(name string) (runs.Graph, error) {
	for _, g := range c.Graphs() {
		if g.Name == name {
			return g, nil
		}
	}
	if name == "" {
		return runs.Graph{}, runs.ErrNoGraph
	}
	return runs.Graph{}, &runs.NotFoundError{What: "graph", ID: name}
}

// kept returns an assistant by its ID, or by the name of its graph.
func (c *call) kept(id string) (versioned, error) {
	for _, g := range c.Graphs() {
		if id == g.Name || id == assistantOf(g.Name) {
			a := ofGraph(g)
			return versioned{a, []assistant{a}}, nil
		}
	}
	v, err := store.Get[versioned](c.ctx(), c.Store, c.assistantsAt(), id)
	if errors.Is(err, store.ErrNotFound) || errors.As(err, new(*store.InvalidError)) {
		err = &runs.NotFoundError{What: "assistant", ID: id}
	}
	return v, err
}

// own is kept for assistants that can be changed.
func (c *call) own() (versioned, error) {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err == nil && v.ID == assistantOf(v.Graph) {
		err = refuse(http.StatusConflict, "the assistant of graph %q cannot be changed: make one of your own", v.Graph)
	}
	return v, err
}

func (c *call) keep(v versioned) error {
	return store.Put(c.ctx(), c.Store, c.assistantsAt(), v.ID, v, nil)
}

func (c *call) createAssistant() error {
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
		return err
	}
	if err := c.configured(in.Graph, in.Config, in.Context); err != nil {
		return err
	}
	if in.ID == "" {
		in.ID = c.NewID()
	}
	old, err := c.kept(in.ID)
	switch {
	case err == nil && in.IfExists == "do_nothing":
		return c.reply(old.assistant)
	case err == nil:
		return fmt.Errorf("assistant %q: %w", in.ID, runs.ErrExists)
	case !errors.As(err, new(*runs.NotFoundError)):
		return err
	}
	now := moment(c.Now())
	a := assistant{
		ID: in.ID, Version: 1, Config: object(in.Config), Context: object(in.Context), Created: now, Updated: now,
		Graph: in.Graph, Metadata: object(in.Metadata), Name: cmp.Or(in.Name, "Untitled"), Description: in.Description,
	}
	if err := c.keep(versioned{a, []assistant{a}}); err != nil {
		return err
	}
	return c.reply(a)
}

// configured refuses what an assistant of a graph cannot have.
func (c *call) configured(graph string, config, context json.RawMessage) error {
	g, err := c.graphNamed(graph)
	if err != nil {
		return err
	}
	var s settings
	if err := s.read(config); err != nil {
		return err
	}
	_, err = settingsOf(g, choices{s, context})
	return err
}

func (c *call) getAssistant() error {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return err
	}
	return c.reply(v.assistant)
}

func (c *call) patchAssistant() error {
	var in struct {
		Graph       string          `json:"graph_id"`
		Config      json.RawMessage `json:"config"`
		Context     json.RawMessage `json:"context"`
		Metadata    json.RawMessage `json:"metadata"`
		Name        string          `json:"name"`
		Description *string         `json:"description"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	v, err := c.own()
	if err != nil {
		return err
	}
	v.Graph = cmp.Or(in.Graph, v.Graph)
	if in.Config != nil {
		v.Config = in.Config
	}
	if in.Context != nil {
		v.Context = in.Context
	}
	if err := c.configured(v.Graph, v.Config, v.Context); err != nil {
		return err
	}
	if v.Metadata, err = runs.Merge(v.Metadata, in.Metadata); err != nil {
		return err
	}
	v.Name = cmp.Or(in.Name, v.Name)
	if in.Description != nil {
		v.Description = in.Description
	}
	v.Version, v.Updated = len(v.Versions)+1, moment(c.Now())
	v.Versions = append(v.Versions, v.assistant)
	if err := c.keep(v); err != nil {
		return err
	}
	return c.reply(v.assistant)
}

func (c *call) deleteAssistant() error {
	v, err := c.own()
	if err != nil {
		return err
	}
	if c.flag("delete_threads") {
		all, err := c.Threads(c.ctx(), func(t *runs.Thread) bool { return fieldOf(t.Metadata, "assistant_id") == v.ID })
		if err != nil {
			return err
		}
		for _, t := range all {
			if err := c.DeleteThread(c.ctx(), t.ID); err != nil {
				return err
			}
		}
	}
	if err := store.Delete(c.ctx(), c.Store, c.assistantsAt(), v.ID); err != nil {
		return err
	}
	return c.reply([]string{v.ID})
}

func (c *call) latestAssistant() error {
	var in struct {
		Version int `json:"version"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	v, err := c.own()
	if err != nil {
		return err
	}
	if in.Version < 1 || in.Version > len(v.Versions) {
		return refuse(http.StatusNotFound, "the assistant has no version %d", in.Version)
	}
	v.assistant = v.Versions[in.Version-1]
	v.Updated = moment(c.Now())
	if err := c.keep(v); err != nil {
		return err
	}
	return c.reply(v.assistant)
}

func (c *call) assistantVersions() error {
	var in struct {
		page
		Metadata pattern `json:"metadata"`
	}
	if err := c.body(&in); err != nil {
		return err
	}
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return err
	}
	list := []assistant{}
	for _, a := range slices.Backward(v.Versions) {
		if in.Metadata.matches(a.Metadata) {
			a.Created, a.Updated = cmp.Or(a.Updated, a.Created), "" // a version does not change
			list = append(list, a)
		}
	}
	if list, err = cut(c, list, in.page); err != nil {
		return err
	}
	return c.reply(list)
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
		all = append(all, ofGraph(g))
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
		return nil, refuse(http.StatusUnprocessableEntity, "assistants are not sorted by %q", q.SortBy)
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

func (c *call) searchAssistants() error {
	var q assistantQuery
	if err := c.body(&q); err != nil {
		return err
	}
	all, err := c.assistants(&q)
	if err == nil {
		all, err = cut(c, all, q.page)
	}
	if err != nil {
		return err
	}
	out := []any{}
	for _, a := range all {
		one, err := fields(a, q.Select)
		if err != nil {
			return err
		}
		out = append(out, one)
	}
	return c.reply(out)
}

func (c *call) countAssistants() error {
	var q assistantQuery
	if err := c.body(&q); err != nil {
		return err
	}
	all, err := c.assistants(&q)
	if err != nil {
		return err
	}
	return c.reply(len(all))
}

// drawing is a graph as clients draw it.
type drawing struct {
	Nodes []drawnNode `json:"nodes"`
	Edges []drawnEdge `json:"edges"`
}

type drawnNode struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"`
	Data     any            `json:"data"`
	Metadata map[string]any `json:"metadata,omitzero"`
}

type drawnEdge struct {
	Source      string `json:"source"`
	Target      string `json:"target"`
	Data        string `json:"data,omitempty"`
	Conditional bool   `json:"conditional"`
}

func (c *call) assistantGraph() error {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return err
	}
	g, err := c.graphNamed(v.Graph)
	if err != nil {
		return err
	}
	border := func(id string) drawnNode {
		return drawnNode{ID: id, Type: "schema", Data: map[string]string{"$schema": "https://json-schema.org/draft/2020-12/schema"}}
	}
	out := drawing{Edges: []drawnEdge{}}
	out.draw(g.App.Drawing(), "", c.flag("xray"))
	out.Nodes = slices.Concat([]drawnNode{border(graph.Start)}, out.Nodes, []drawnNode{border(graph.End)})
	return c.reply(out)
}

// draw adds a graph. With nested, the nodes of graphs inside nodes take the places of
// those nodes.
func (d *drawing) draw(g graph.Drawing, prefix string, nested bool) {
	inside := map[string]graph.Drawing{}
	for _, n := range g.Nodes() {
		if n.Subgraph != nil && nested {
			inside[n.Name] = *n.Subgraph
			d.draw(*n.Subgraph, prefix+n.Name+":", true)
			continue
		}
		d.Nodes = append(d.Nodes, drawnNode{prefix + n.Name, "runnable", map[string]any{"id": []string{"langgraph", "RunnableCallable"}, "name": n.Name}, map[string]any{}})
	}
	for _, e := range g.Edges() {
		if prefix != "" && (e.From == graph.Start || e.To == graph.End) {
			continue // the edges around the graph lead past it
		}
		for _, from := range ends(inside, prefix, e.From, graph.End) {
			for _, to := range ends(inside, prefix, e.To, graph.Start) {
				d.Edges = append(d.Edges, drawnEdge{from, to, label(e), e.Conditional})
			}
		}
	}
}

func label(e graph.DrawnEdge) string {
	if e.Join {
		return ""
	}
	return e.Label
}

// ends are the nodes that an edge at a node leads from or to. In a graph inside a node
// these are the nodes next to a border of that graph.
func ends(inside map[string]graph.Drawing, prefix, node, border string) []string {
	inner, ok := inside[node]
	if !ok {
		return []string{prefix + node}
	}
	var out []string
	for _, e := range inner.Edges() {
		switch {
		case border == graph.Start && e.From == graph.Start:
			out = append(out, prefix+node+":"+e.To)
		case border == graph.End && e.To == graph.End:
			out = append(out, prefix+node+":"+e.From)
		}
	}
	return out
}

func (c *call) assistantSchemas() error {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return err
	}
	g, err := c.graphNamed(v.Graph)
	if err != nil {
		return err
	}
	return c.reply(schemasOf(g))
}

// schemasOf describes what a graph takes and holds. Of the values of channels only the
// names are known.
func schemasOf(g runs.Graph) map[string]any {
	properties := map[string]any{}
	for _, ch := range g.App.Channels() {
		one := map[string]any{}
		if ch.Kind == graph.KindAppend || ch.Kind == graph.KindKeyed {
			one["type"] = "array"
		}
		properties[ch.Name] = one
	}
	state := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties, "additionalProperties": false}
	chosen := map[string]any{}
	for _, s := range g.Settings {
		chosen[s.Name] = object(s.Schema)
	}
	settings := map[string]any{"type": "object", "properties": chosen, "additionalProperties": false}
	return map[string]any{"graph_id": g.Name, "input_schema": state, "output_schema": state, "state_schema": state, "config_schema": settings, "context_schema": settings}
}

func (c *call) assistantSubgraphs() error {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return err
	}
	g, err := c.graphNamed(v.Graph)
	if err != nil {
		return err
	}
	out := map[string]any{}
	var add func(app graph.App, prefix string)
	add = func(app graph.App, prefix string) {
		for _, n := range app.Drawing().Nodes() {
			inner, ok := app.Subgraph(n.Name)
			if !ok {
				continue
			}
			path := prefix + n.Name
			if only := c.r.PathValue("node"); only == "" || only == path {
				out[path] = schemasOf(runs.Graph{Name: inner.Name(), App: inner})
			}
			if c.flag("recurse") {
				add(inner, path+"|")
			}
		}
	}
	add(g.App, "")
	return c.reply(out)
}
