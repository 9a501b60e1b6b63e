package langgraph

import (
	"slices"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// drawing is a graph in the form that clients draw.
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

// graphOf returns the graph of the request's assistant.
func (c *call) graphOf() (runs.Graph, error) {
	v, err := c.kept(c.r.PathValue("assistant"))
	if err != nil {
		return runs.Graph{}, err
	}
	return c.graphNamed(v.Graph)
}

func (c *call) assistantGraph() (any, error) {
	g, err := c.graphOf()
	if err != nil {
		return nil, err
	}
	border := func(id string) drawnNode {
		return drawnNode{ID: id, Type: "schema", Data: map[string]string{"$schema": "https://json-schema.org/draft/2020-12/schema"}}
	}
	out := drawing{Edges: []drawnEdge{}}
	out.draw(g.App.Drawing(), "", c.flag("xray"))
	out.Nodes = slices.Concat([]drawnNode{border(graph.Start)}, out.Nodes, []drawnNode{border(graph.End)})
	return out, nil
}

// draw adds a graph. With nested, graphs inside nodes replace those nodes.
func (d *drawing) draw(g graph.Drawing, prefix string, nested bool) {
	inside := map[string]graph.Drawing{}
	for _, n := range inOrder(g) {
		if n.Subgraph != nil && nested {
			inside[n.Name] = *n.Subgraph
			d.draw(*n.Subgraph, prefix+n.Name+":", true)
			continue
		}
		d.Nodes = append(d.Nodes, drawnNode{prefix + n.Name, "runnable", map[string]any{"id": []string{"langgraph", "RunnableCallable"}, "name": n.Name}, map[string]any{}})
	}
	for _, e := range g.Edges() {
		if prefix != "" && (e.From == graph.Start || e.To == graph.End) {
			continue // edges around the graph bypass it
		}
		for _, from := range ends(inside, prefix, e.From, graph.End) {
			for _, to := range ends(inside, prefix, e.To, graph.Start) {
				d.Edges = append(d.Edges, drawnEdge{from, to, label(e), e.Conditional})
			}
		}
	}
}

// inOrder returns a graph's nodes in the order in which its edges name them.
func inOrder(g graph.Drawing) []graph.DrawnNode {
	at := map[string]int{}
	for _, e := range g.Edges() {
		for _, name := range []string{e.From, e.To} {
			if _, ok := at[name]; !ok {
				at[name] = len(at)
			}
		}
	}
	nodes := g.Nodes()
	slices.SortStableFunc(nodes, func(a, b graph.DrawnNode) int { return at[a.Name] - at[b.Name] })
	return nodes
}

func label(e graph.DrawnEdge) string {
	if e.Join {
		return ""
	}
	return e.Label
}

// ends returns the nodes that an edge at a node leads from or to. For a node with a graph these are
// the graph's nodes next to border.
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

func (c *call) assistantSchemas() (any, error) {
	g, err := c.graphOf()
	if err != nil {
		return nil, err
	}
	return c.schemasOf(g), nil
}

// schemasOf describes a graph's input and state. Only the names of its channels are known.
func (c *call) schemasOf(g runs.Graph) map[string]any {
	properties := map[string]any{}
	for _, ch := range g.App.Channels() {
		one := map[string]any{}
		if ch.Kind == graph.KindAppend || ch.Kind == graph.KindKeyed {
			one["type"] = "array"
		}
		properties[ch.Name] = one
	}
	state := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties, "additionalProperties": !c.Strict}
	chosen := map[string]any{}
	for _, s := range g.Settings {
		chosen[s.Name] = object(s.Schema)
	}
	settings := map[string]any{"type": "object", "properties": chosen, "additionalProperties": !c.Strict}
	return map[string]any{"graph_id": g.Name, "input_schema": state, "output_schema": state, "state_schema": state, "config_schema": settings, "context_schema": settings}
}

func (c *call) assistantSubgraphs() (any, error) {
	g, err := c.graphOf()
	if err != nil {
		return nil, err
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
				out[path] = c.schemasOf(runs.Graph{Name: inner.Name(), App: inner})
			}
			if c.flag("recurse") {
				add(inner, path+"|")
			}
		}
	}
	add(g.App, "")
	return out, nil
}
