package graph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// A Drawing is a graph's structure, for readers and fingerprints.
type Drawing struct {
	name     string
	nodes    []drawnNode // sorted by name
	edges    []drawnEdge // in the order of the calls that added them
	expanded bool
}

type drawnNode struct {
	name     string
	deferred bool
	inner    *Drawing
}

type edgeStyle uint8

const (
	plainEdge edgeStyle = iota
	joinEdge
	conditionalEdge
	gotoEdge
)

type drawnEdge struct {
	from, to string
	style    edgeStyle
	label    string
}

// styled picks the text for an edge: always taken, joining, or chosen by a
// router or a Command, without or with a label.
func (e drawnEdge) styled(plain, joining, chosen, labelled string) string {
	switch {
	case e.style == plainEdge:
		return plain
	case e.style == joinEdge:
		return joining
	case e.label == "":
		return chosen
	}
	return labelled
}

func (g *blueprint) draw(name string) Drawing {
	d := Drawing{name: name}
	for _, n := range g.nodes {
		drawn := drawnNode{name: n.name, deferred: n.opts.deferred}
		if n.inner != nil {
			drawn.inner = &n.inner.drawing
		}
		d.nodes = append(d.nodes, drawn)
	}
	slices.SortFunc(d.nodes, func(a, b drawnNode) int { return strings.Compare(a.name, b.name) })
	leaves := map[string]bool{}
	add := func(e drawnEdge) {
		leaves[e.from] = true
		if !slices.Contains(d.edges, e) {
			d.edges = append(d.edges, e)
		}
	}
	for _, e := range g.edges {
		add(drawnEdge{e.from, e.to, plainEdge, ""})
	}
	for _, j := range g.joins {
		sources := slices.Compact(slices.Sorted(slices.Values(j.from)))
		for _, from := range sources {
			add(drawnEdge{from, j.to, joinEdge, strings.Join(sources, "+")})
		}
	}
	for _, b := range g.branches {
		for _, p := range b.paths {
			label := p.Key
			if label == p.Target {
				label = ""
			}
			add(drawnEdge{b.from, p.Target, conditionalEdge, label})
		}
	}
	for _, n := range g.nodes {
		for _, to := range n.opts.gotos {
			add(drawnEdge{n.name, to, gotoEdge, ""})
		}
	}
	for _, n := range d.nodes {
		if !leaves[n.name] {
			add(drawnEdge{n.name, End, plainEdge, ""})
		}
	}
	return d
}

// facts lists the structure, independent of order and graph names.
func (d Drawing) facts(facts []string, prefix string) []string {
	for _, n := range d.nodes {
		facts = append(facts, fmt.Sprintf("%snode %q deferred=%t subgraph=%t", prefix, n.name, n.deferred, n.inner != nil))
		if n.inner != nil {
			facts = n.inner.facts(facts, fmt.Sprintf("%sin %q ", prefix, n.name))
		}
	}
	for _, e := range d.edges {
		facts = append(facts, fmt.Sprintf("%sedge %q %q %d %q", prefix, e.from, e.to, e.style, e.label))
	}
	return facts
}

// Drawing returns the graph's structure, with subgraphs as single nodes.
func (c *Compiled[S]) Drawing() Drawing { return c.plain.drawing }

// Expanded returns the drawing with the nodes of subgraphs.
func (d Drawing) Expanded() Drawing {
	d.expanded = true
	return d
}

// Mermaid draws the graph as a Mermaid flowchart. Solid edges are always taken,
// dotted ones are chosen by routers or Commands, thick ones join.
func (d Drawing) Mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	d.mermaid(&b, "", "    ")
	return b.String()
}

func (d Drawing) mermaid(b *strings.Builder, prefix, indent string) {
	fmt.Fprintf(b, "%s%s([\"start\"])\n", indent, mermaidID(prefix, Start))
	for _, n := range d.nodes {
		if n.inner != nil && d.expanded {
			id := mermaidID(prefix, n.name)
			fmt.Fprintf(b, "%ssubgraph %s[\"%s\"]\n", indent, id, mermaidText(n.name))
			n.inner.Expanded().mermaid(b, id+"_", indent+"    ")
			fmt.Fprintf(b, "%send\n", indent)
			continue
		}
		shape := [2]string{"[", "]"}
		if n.inner != nil {
			shape = [2]string{"[[", "]]"}
		}
		label := mermaidText(n.name)
		if n.deferred {
			label += "<br/>deferred"
		}
		fmt.Fprintf(b, "%s%s%s\"%s\"%s\n", indent, mermaidID(prefix, n.name), shape[0], label, shape[1])
	}
	fmt.Fprintf(b, "%s%s([\"end\"])\n", indent, mermaidID(prefix, End))
	for _, e := range d.edges {
		arrow := e.styled(" --> ", " ==> ", " -.-> ", fmt.Sprintf(" -. \"%s\" .-> ", mermaidText(e.label)))
		fmt.Fprintf(b, "%s%s%s%s\n", indent, mermaidID(prefix, e.from), arrow, mermaidID(prefix, e.to))
	}
}

// mermaidID makes a unique identifier that is not a keyword. Only Start and End
// lack "n_". After "n_", each "_" belongs to an escape or ends a prefix.
func mermaidID(prefix, name string) string {
	switch name {
	case Start:
		return prefix + "start"
	case End:
		return prefix + "finish"
	}
	var b strings.Builder
	b.WriteString(prefix)
	b.WriteString("n_")
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "_%x_", r)
		}
	}
	return b.String()
}

// mermaidEscapes escapes markup in labels. Mermaid writes HTML entities with #
// instead of &, and treats a leading backtick as Markdown.
var mermaidEscapes = strings.NewReplacer("#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ", "\r", " ")

func mermaidText(s string) string { return mermaidEscapes.Replace(s) }

// DOT draws the graph in Graphviz's language.
func (d Drawing) DOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %q {\n", d.name)
	d.dot(&b, "", "  ")
	b.WriteString("}\n")
	return b.String()
}

func (d Drawing) dot(b *strings.Builder, prefix, indent string) {
	fmt.Fprintf(b, "%s%q [label=\"start\", shape=oval]\n", indent, prefix+Start)
	for _, n := range d.nodes {
		if n.inner != nil && d.expanded {
			fmt.Fprintf(b, "%ssubgraph %q {\n%s  label=%q\n", indent, "cluster_"+prefix+n.name, indent, n.name)
			n.inner.Expanded().dot(b, prefix+n.name+"/", indent+"  ")
			fmt.Fprintf(b, "%s}\n", indent)
			continue
		}
		attrs := "shape=box"
		if n.inner != nil {
			attrs = "shape=box, peripheries=2"
		}
		if n.deferred {
			attrs += ", style=dashed"
		}
		fmt.Fprintf(b, "%s%q [label=%q, %s]\n", indent, prefix+n.name, n.name, attrs)
	}
	fmt.Fprintf(b, "%s%q [label=\"end\", shape=oval]\n", indent, prefix+End)
	for _, e := range d.edges {
		attrs := e.styled("", " [style=bold]", " [style=dashed]", fmt.Sprintf(" [style=dashed, label=%q]", e.label))
		fmt.Fprintf(b, "%s%q -> %q%s\n", indent, d.dotEnd(prefix, e.from, End), d.dotEnd(prefix, e.to, Start), attrs)
	}
}

// dotEnd names the end of an edge at a node. Edges leave an expanded subgraph
// at its end and enter it at its start.
func (d Drawing) dotEnd(prefix, name, inside string) string {
	if d.expanded {
		for _, n := range d.nodes {
			if n.name == name && n.inner != nil {
				return prefix + name + "/" + inside
			}
		}
	}
	return prefix + name
}

// Text draws the graph as an indented list of nodes and their edges.
func (d Drawing) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.name)
	d.text(&b, "  ")
	return b.String()
}

func (d Drawing) text(b *strings.Builder, indent string) {
	write := func(n drawnNode) {
		b.WriteString(indent + shown(n.name))
		if n.deferred {
			b.WriteString(" (deferred)")
		}
		b.WriteByte('\n')
		if n.inner != nil && d.expanded {
			n.inner.Expanded().text(b, indent+"  | ")
		}
		for _, e := range d.edges {
			if e.from == n.name {
				label := e.styled("", " (joins "+e.label+")", "", " ("+e.label+")")
				fmt.Fprintf(b, "%s  %s %s%s\n", indent, e.styled("->", "=>", "?>", "?>"), shown(e.to), label)
			}
		}
	}
	write(drawnNode{name: Start})
	for _, n := range d.nodes {
		write(n)
	}
}

// shown returns a node's name in text. Ambiguous names are quoted.
func shown(name string) string {
	switch name {
	case Start:
		return "start"
	case End:
		return "end"
	case "start", "end":
		return strconv.Quote(name)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r == '"' || !unicode.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}

// A DrawnNode is a node of a Drawing.
type DrawnNode struct {
	Name     string
	Deferred bool
	Subgraph *Drawing // of a node that is a graph, else nil
}

// A DrawnEdge is an edge of a Drawing, from Start or a node to a node or End.
type DrawnEdge struct {
	From, To    string
	Conditional bool   // chosen by a router or a Command
	Join        bool   // one of several that the target waits for
	Label       string // the route, if it is not the target's name; the sources of a join
}

// Name returns the graph's name.
func (d Drawing) Name() string { return d.name }

// Nodes returns the nodes, sorted by name, without Start and End.
func (d Drawing) Nodes() []DrawnNode {
	out := make([]DrawnNode, len(d.nodes))
	for i, n := range d.nodes {
		out[i] = DrawnNode{n.name, n.deferred, n.inner}
	}
	return out
}

// Edges returns the edges of the graph itself, in the order of the calls that added them.
func (d Drawing) Edges() []DrawnEdge {
	out := make([]DrawnEdge, len(d.edges))
	for i, e := range d.edges {
		out[i] = DrawnEdge{From: e.from, To: e.to, Conditional: e.style == conditionalEdge || e.style == gotoEdge, Join: e.style == joinEdge, Label: e.label}
	}
	return out
}
