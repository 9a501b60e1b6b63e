package graph_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/graph"
)

// drawnGraph has something of everything.
func drawnGraph(t testing.TB) *graph.Compiled[board] {
	g := newBoard()
	g.AddNode("plan", say("plan"))
	g.AddSubgraph("search", mustCompile(t, wire("START -> first -> second", nil)))
	g.AddNode("write", say("write"))
	g.AddNode("tidy", say("tidy"), graph.NodeOptions[board]{Defer: true})
	g.AddEdge(graph.Start, "plan")
	g.AddConditionalPaths("plan", always(graph.To("yes")), graph.Path{Key: "yes", Target: "search"}, graph.Path{Key: graph.End, Target: graph.End})
	g.AddEdge("plan", "tidy")
	g.AddJoin([]string{"search", "plan"}, "write")
	app, err := g.Compile(&graph.CompileOptions{Name: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	return app
}

func TestDrawing(t *testing.T) {
	d := drawnGraph(t).Drawing()
	for name, c := range map[string][2]string{
		"mermaid": {d.Mermaid(), `flowchart TD
    start(["start"])
    n_plan["plan"]
    n_search[["search"]]
    n_tidy["tidy<br/>deferred"]
    n_write["write"]
    finish(["end"])
    start --> n_plan
    n_plan --> n_tidy
    n_plan ==> n_write
    n_search ==> n_write
    n_plan -. "yes" .-> n_search
    n_plan -.-> finish
    n_tidy --> finish
    n_write --> finish
`},
		"mermaid expanded": {d.Expanded().Mermaid(), `flowchart TD
    start(["start"])
    n_plan["plan"]
    subgraph n_search["search"]
        n_search_start(["start"])
        n_search_n_first["first"]
        n_search_n_second["second"]
        n_search_finish(["end"])
        n_search_start --> n_search_n_first
        n_search_n_first --> n_search_n_second
        n_search_n_second --> n_search_finish
    end
    n_tidy["tidy<br/>deferred"]
    n_write["write"]
    finish(["end"])
    start --> n_plan
    n_plan --> n_tidy
    n_plan ==> n_write
    n_search ==> n_write
    n_plan -. "yes" .-> n_search
    n_plan -.-> finish
    n_tidy --> finish
    n_write --> finish
`},
		"dot expanded": {d.Expanded().DOT(), `digraph "demo" {
  "__start__" [label="start", shape=oval]
  "plan" [label="plan", shape=box]
  subgraph "cluster_search" {
    label="search"
    "search/__start__" [label="start", shape=oval]
    "search/first" [label="first", shape=box]
    "search/second" [label="second", shape=box]
    "search/__end__" [label="end", shape=oval]
    "search/__start__" -> "search/first"
    "search/first" -> "search/second"
    "search/second" -> "search/__end__"
  }
  "tidy" [label="tidy", shape=box, style=dashed]
  "write" [label="write", shape=box]
  "__end__" [label="end", shape=oval]
  "__start__" -> "plan"
  "plan" -> "tidy"
  "plan" -> "write" [style=bold]
  "search/__end__" -> "write" [style=bold]
  "plan" -> "search/__start__" [style=dashed, label="yes"]
  "plan" -> "__end__" [style=dashed]
  "tidy" -> "__end__"
  "write" -> "__end__"
}
`},
		"text": {d.Text(), `demo
  start
    -> plan
  plan
    -> tidy
    => write (joins plan+search)
    ?> search (yes)
    ?> end
  search
    => write (joins plan+search)
  tidy (deferred)
    -> end
  write
    -> end
`},
		"text expanded": {d.Expanded().Text(), `demo
  start
    -> plan
  plan
    -> tidy
    => write (joins plan+search)
    ?> search (yes)
    ?> end
  search
    | start
    |   -> first
    | first
    |   -> second
    | second
    |   -> end
    => write (joins plan+search)
  tidy (deferred)
    -> end
  write
    -> end
`},
	} {
		if got, want := c[0], c[1]; got != want {
			t.Errorf("%s:\n%s", name, differ(strings.Split(want, "\n"), strings.Split(got, "\n")))
		}
	}
}

var oddNames = []string{"start", "end", "finish", "class", "subgraph", "two words", `a "quote"`, "`code`", "#quot;", "&lt;", "naïve", "検索", "n_a", "n", "_", "__", "a-->b", "a;b", "line\nbreak", "back\\slash", "%%", "1", "search_n_first"}

func oddGraph(t testing.TB, names []string) *graph.Compiled[board] {
	g := newBoard()
	before := graph.Start
	for _, name := range names {
		g.AddSubgraph(name, mustCompile(t, wire("START -> first -> end", nil)))
		g.AddConditionalPaths(before, always(graph.To(name)), graph.Path{Key: name, Target: name})
		before = name
	}
	return mustCompile(t, g)
}

var (
	mermaidNode = regexp.MustCompile(`^\s*(?:subgraph )?(\w+)(?:\[\[".*"\]\]|\[".*"\]|\(\[".*"\]\))$`)
	mermaidEdge = regexp.MustCompile(`^\s*(\w+) (?:-->|==>|-\.->|-\. "[^"]*" \.->) (\w+)$`)
)

// checkMermaid reads the drawing as Mermaid's grammar does: every line is a
// node, an edge or the border of a subgraph, ids are unique, no keyword is one,
// edges lead to something, labels hold no markup.
func checkMermaid(t testing.TB, drawing string) {
	t.Helper()
	ids := map[string]bool{}
	var ends []string
	for i, l := range strings.Split(strings.TrimSuffix(drawing, "\n"), "\n") {
		switch m := mermaidNode.FindStringSubmatch(l); {
		case i == 0 && l == "flowchart TD" || strings.TrimSpace(l) == "end":
		case m != nil:
			if ids[m[1]] || m[1] == "end" || m[1] == "subgraph" || m[1] == "class" {
				t.Errorf("id %q is taken", m[1])
			}
			ids[m[1]] = true
			label := strings.ReplaceAll(l[strings.Index(l, `"`)+1:strings.LastIndex(l, `"`)], "<br/>", "")
			if strings.ContainsAny(label, "\"<>`&") {
				t.Errorf("label %q", label)
			}
		default:
			e := mermaidEdge.FindStringSubmatch(l)
			if e == nil {
				t.Errorf("line %q is nothing that Mermaid knows", l)
				continue
			}
			ends = append(ends, e[1], e[2])
		}
	}
	for _, id := range ends {
		if !ids[id] {
			t.Errorf("an edge leads to %q, which is not drawn", id)
		}
	}
}

func TestOddNames(t *testing.T) {
	app := oddGraph(t, oddNames)
	checkMermaid(t, app.Drawing().Mermaid())
	checkMermaid(t, app.Drawing().Expanded().Mermaid())
	for _, label := range []string{`[["#35;quot;"]]`, `[["#amp;lt;"]]`, `[["line break"]]`} {
		if !strings.Contains(app.Drawing().Mermaid(), label) {
			t.Errorf("no label %s", label)
		}
	}
	if text := app.Drawing().Text(); !strings.Contains(text, "\n  \"end\"\n") || strings.Contains(text, "\nbreak") {
		t.Errorf("text does not tell names from what they look like:\n%s", text)
	}
	out, err := app.Invoke(t.Context(), update{}, nil)
	if err != nil || len(out.Log) != 2*len(oddNames) {
		t.Errorf("%d writes, error %v", len(out.Log), err)
	}
}

func FuzzNames(f *testing.F) {
	for i := range oddNames {
		f.Add(oddNames[i], oddNames[(i+1)%len(oddNames)])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		g := wire("START -> inner", nil)
		g.AddNode(a, say("a"))
		g.AddSubgraph(b, mustCompile(t, wire("START -> inner", nil)))
		g.AddConditionalPaths("inner", always(graph.To(a)), graph.Path{Key: a, Target: a}, graph.Path{Key: b, Target: b})
		app, err := g.Compile(nil)
		if err != nil {
			return // names that Compile refuses are not drawn
		}
		checkMermaid(t, app.Drawing().Expanded().Mermaid())
		if _, err := app.Invoke(t.Context(), update{}, nil); err != nil {
			t.Error(err)
		}
	})
}

// TestDOTParses asks Graphviz, where there is one.
func TestDOTParses(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed: no program here reads DOT")
	}
	for _, app := range []*graph.Compiled[board]{drawnGraph(t), oddGraph(t, oddNames)} {
		for _, drawing := range []string{app.Drawing().DOT(), app.Drawing().Expanded().DOT()} {
			cmd := exec.CommandContext(t.Context(), dot, "-Tcanon")
			cmd.Stdin = strings.NewReader(drawing)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s\n%s", err, out, drawing)
			}
		}
	}
}

// TestFingerprint: equal structures have equal fingerprints, in whatever order
// they were put together; another structure has another.
func TestFingerprint(t *testing.T) {
	print := func(g *graph.StateGraph[board]) string { return mustCompile(t, g).Fingerprint() }
	base := wire("START -> a -> c\nSTART -> b\nb c => d", nil)
	same := wire("b c => d\nSTART -> b\na -> c\nSTART -> a", nil)
	if print(base) != print(same) {
		t.Error("the order of lines counts")
	}
	joined := wire("START -> a -> c\nSTART -> b\nc b => d", nil)
	if print(base) != print(joined) {
		t.Error("the order of a join's sources counts")
	}
	named, err := wire("START -> a -> c\nSTART -> b\nb c => d", nil).Compile(&graph.CompileOptions{Name: "other", RecursionLimit: 7})
	if err != nil || named.Fingerprint() != print(base) {
		t.Errorf("the name or the limit counts (%v)", err)
	}
	if len(print(base)) != 16 || strings.Trim(print(base), "0123456789abcdef") != "" {
		t.Errorf("fingerprint %q", print(base))
	}

	channels := graph.NewStateGraph[board](log)
	channels.AddNode("a", say("a"))
	channels.AddEdge(graph.Start, "a")
	deferred := newBoard()
	deferred.AddNode("a", say("a"), graph.NodeOptions[board]{Defer: true})
	deferred.AddEdge(graph.Start, "a")
	keyed := newBoard()
	keyed.AddNode("a", say("a"))
	keyed.AddConditionalPaths(graph.Start, always(graph.To("k")), graph.Path{Key: "k", Target: "a"})
	sub := newBoard()
	sub.AddSubgraph("a", mustCompile(t, wire("START -> b", nil)))
	sub.AddEdge(graph.Start, "a")
	deeper := newBoard()
	deeper.AddSubgraph("a", mustCompile(t, wire("START -> c", nil)))
	deeper.AddEdge(graph.Start, "a")
	toEnd := wire("START -> a -> END\nSTART -> end", nil)
	toNode := wire("START -> a -> end\nSTART -> end", nil)
	known := map[string]string{}
	for name, g := range map[string]*graph.StateGraph[board]{
		"base": base, "a": wire("START -> a", nil), "two": wire("START -> a -> b", nil), "channels": channels, "deferred": deferred,
		"keyed": keyed, "sub": sub, "deeper": deeper, "to End": toEnd, "to a node called end": toNode,
		"join": wire("START -> a b\na b => c", nil), "edges": wire("START -> a b -> c", nil),
	} {
		if other := known[print(g)]; other != "" {
			t.Errorf("%q and %q have one fingerprint", name, other)
		}
		known[print(g)] = name
	}
}

// TestNames holds what traces and drawings are made of.
func TestNames(t *testing.T) {
	got := fmt.Sprintln(graph.KindLastValue, graph.KindAppend, graph.KindReduce, graph.ChannelKind(9), graph.OpSet, graph.OpAdd, graph.OpOverwrite, graph.Op(9),
		graph.RunStart, graph.StepStart, graph.NodeStart, graph.NodeCustom, graph.NodeRetry, graph.NodeUpdate, graph.NodeFailed, graph.StateValue, graph.RunEnd, graph.EventKind(0), graph.EventKind(99),
		log.Name(), log.Kind(), log.Add("a").Op(), log.Add("a").Channel())
	want := "last_value append reduce ChannelKind(9) set add overwrite Op(9)" +
		" run_start step_start node_start custom node_retry node_update node_error values run_end EventKind(0) EventKind(99)" +
		" log append add log\n"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
