package causal

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/memory/text"
)

// Mermaid draws verified edges with their confidence: grounded ones solid, rejected ones dashed
// with their reason. A grounded edge that would close a cycle is drawn like a rejected one and
// labelled as such.
func Mermaid(edges []Edge, dag DAG) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	names, ids := variables(edges)
	for i, name := range names {
		fmt.Fprintf(&b, "  v%d[\"%s\"]\n", i, mermaidText(name))
	}
	for _, e := range edges {
		arrow := "-->"
		if !slices.Contains(dag.Edges, e.ID) {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  v%d %s|\"%s\"| v%d\n", ids[Variable(e.FromVar)], arrow, mermaidText(label(e, dag)), ids[Variable(e.ToVar)])
	}
	return b.String()
}

// DOT draws verified edges for Graphviz, in the way of Mermaid.
func DOT(edges []Edge, dag DAG) string {
	var b strings.Builder
	b.WriteString("digraph edges {\n  rankdir=LR;\n  node [shape=box];\n")
	names, ids := variables(edges)
	for i, name := range names {
		fmt.Fprintf(&b, "  v%d [label=%s];\n", i, dotText(name))
	}
	for _, e := range edges {
		style := "solid"
		if !slices.Contains(dag.Edges, e.ID) {
			style = "dashed"
		}
		fmt.Fprintf(&b, "  v%d -> v%d [style=%s, label=%s];\n", ids[Variable(e.FromVar)], ids[Variable(e.ToVar)], style, dotText(label(e, dag)))
	}
	b.WriteString("}\n")
	return b.String()
}

// variables returns the names of all variables in the order of the edges, and their positions by
// Variable.
func variables(edges []Edge) (names []string, ids map[string]int) {
	ids = map[string]int{}
	for _, e := range edges {
		for _, name := range []string{e.FromVar, e.ToVar} {
			if _, ok := ids[Variable(name)]; !ok {
				ids[Variable(name)] = len(names)
				names = append(names, text.OneLine(name))
			}
		}
	}
	return names, ids
}

func label(e Edge, dag DAG) string {
	label := fmt.Sprintf("%s %.2f", text.OneLine(e.ID), e.Confidence)
	switch {
	case e.Status != EdgeGrounded:
		label += " " + e.Rejection.Reason
	case !slices.Contains(dag.Edges, e.ID):
		label += " closes a cycle"
	}
	return label
}

// mermaidText escapes the characters that would end a label.
func mermaidText(s string) string {
	return strings.NewReplacer("#", "#35;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "|", "#124;", "`", "#96;").Replace(s)
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
