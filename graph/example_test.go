package graph_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/assay/graph"
)

// A draft is revised until it is good enough: a loop with a conditional edge.
func Example() {
	type Draft struct {
		Text  string
		Notes []string
	}
	text := graph.LastValue("text", func(d *Draft) *string { return &d.Text })
	notes := graph.Append("notes", func(d *Draft) *[]string { return &d.Notes })

	g := graph.NewStateGraph[Draft](text, notes)
	g.AddNode("revise", func(_ context.Context, d Draft) (graph.Update[Draft], error) {
		return graph.Update[Draft]{text.Set(d.Text + "!"), notes.Add("made it louder")}, nil
	})
	g.AddEdge(graph.Start, "revise")
	g.AddConditionalEdges("revise", func(_ context.Context, d Draft) (graph.Route, error) {
		if strings.HasSuffix(d.Text, "!!!") {
			return graph.To(graph.End), nil
		}
		return graph.To("revise"), nil
	}, "revise", graph.End)

	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := app.Invoke(context.Background(), graph.Update[Draft]{text.Set("Hello")}, nil)
	fmt.Println(out.Text, len(out.Notes), err)
	// Output: Hello!!! 3 <nil>
}

// merge waits for a branch of two nodes and a branch of one.
func ExampleStateGraph_AddJoin() {
	type Trip struct{ Log []string }
	log := graph.Append("log", func(t *Trip) *[]string { return &t.Log })
	g := graph.NewStateGraph[Trip](log)
	for _, name := range []string{"split", "far", "farther", "near", "merge"} {
		g.AddNode(name, func(context.Context, Trip) (graph.Update[Trip], error) {
			return graph.Update[Trip]{log.Add(name)}, nil
		})
	}
	g.AddEdge(graph.Start, "split")
	g.AddEdge("split", "far")
	g.AddEdge("far", "farther")
	g.AddEdge("split", "near")
	g.AddJoin([]string{"farther", "near"}, "merge")

	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := app.Invoke(context.Background(), graph.Update[Trip]{}, nil)
	fmt.Println(out.Log, err)
	// Output: [split far near farther merge] <nil>
}

// A graph over one state serves as a node of a graph over another.
func ExampleAddMappedSubgraph() {
	type Sum struct{ Total int }
	total := graph.Reduce("total", func(s *Sum) *int { return &s.Total }, func(a, b int) int { return a + b })
	child := graph.NewStateGraph[Sum](total)
	child.AddNode("double", func(_ context.Context, s Sum) (graph.Update[Sum], error) {
		return graph.Update[Sum]{total.Add(s.Total)}, nil
	})
	child.AddEdge(graph.Start, "double")
	doubling, err := child.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	type Invoice struct{ Cents int }
	cents := graph.LastValue("cents", func(i *Invoice) *int { return &i.Cents })
	g := graph.NewStateGraph[Invoice](cents)
	graph.AddMappedSubgraph(g, "twice", doubling,
		func(i Invoice) graph.Update[Sum] { return graph.Update[Sum]{total.Add(i.Cents)} },
		func(s Sum) graph.Update[Invoice] { return graph.Update[Invoice]{cents.Set(s.Total)} })
	g.AddEdge(graph.Start, "twice")
	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := app.Invoke(context.Background(), graph.Update[Invoice]{cents.Set(210)}, nil)
	fmt.Println(out.Cents, err)
	fmt.Print(app.Drawing().Expanded().Text())
	// Output:
	// 420 <nil>
	// graph
	//   start
	//     -> twice
	//   twice
	//     | start
	//     |   -> double
	//     | double
	//     |   -> end
	//     -> end
}

// Stream reports a run while it goes on.
func ExampleCompiled_Stream() {
	type Search struct {
		Query string
		Hits  int
	}
	query := graph.LastValue("query", func(s *Search) *string { return &s.Query })
	hits := graph.LastValue("hits", func(s *Search) *int { return &s.Hits })
	g := graph.NewStateGraph[Search](query, hits)
	g.AddNode("rewrite", func(_ context.Context, s Search) (graph.Update[Search], error) {
		return graph.Update[Search]{query.Set(strings.ToLower(s.Query))}, nil
	})
	g.AddNode("look", func(ctx context.Context, s Search) (graph.Update[Search], error) {
		if err := graph.Emit(ctx, "searched", s.Query); err != nil {
			return nil, err
		}
		return graph.Update[Search]{hits.Set(len(s.Query))}, nil
	})
	g.AddEdge(graph.Start, "rewrite")
	g.AddEdge("rewrite", "look")
	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	opts := &graph.RunOptions{Modes: graph.Updates | graph.Custom}
	for ev, err := range app.Stream(context.Background(), graph.Update[Search]{query.Set("BM25")}, opts) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch ev.Kind {
		case graph.NodeCustom:
			fmt.Println(ev.Step, ev.Node, ev.Name, string(ev.Data))
		case graph.NodeUpdate:
			update, err := ev.UpdateJSON()
			fmt.Println(ev.Step, ev.Node, string(update), err)
		}
	}
	// Output:
	// 1 rewrite [{"channel":"query","op":"set","value":"bm25"}] <nil>
	// 2 look searched "bm25"
	// 2 look [{"channel":"hits","op":"set","value":4}] <nil>
}

// Chapters is summed up chapter by chapter.
type Chapters struct {
	Titles  []string
	Title   string // of the one that a node is sent
	Lengths []int
}

func ExampleSends() {
	titles := graph.Append("titles", func(s *Chapters) *[]string { return &s.Titles })
	lengths := graph.Append("lengths", func(s *Chapters) *[]int { return &s.Lengths })
	g := graph.NewStateGraph[Chapters](titles, lengths)
	g.AddNode("measure", func(_ context.Context, s Chapters) (graph.Update[Chapters], error) {
		return graph.Update[Chapters]{lengths.Add(len(s.Title))}, nil
	})
	g.AddConditionalEdges(graph.Start, func(_ context.Context, s Chapters) (graph.Route, error) {
		var sends []graph.Send[Chapters]
		for _, title := range s.Titles {
			sends = append(sends, graph.Send[Chapters]{Node: "measure", State: Chapters{Title: title}})
		}
		return graph.Sends(sends...), nil
	}, "measure")
	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := app.Invoke(context.Background(), graph.Update[Chapters]{titles.Add("Loomings", "The Carpet-Bag", "The Spouter-Inn")}, nil)
	fmt.Println(out.Lengths, err)
	// Output: [8 14 15] <nil>
}

func ExampleGoto() {
	type draft struct{ Tries int }
	tries := graph.LastValue("tries", func(s *draft) *int { return &s.Tries })
	g := graph.NewStateGraph[draft](tries)
	g.AddNode("write", func(_ context.Context, s draft) (graph.Update[draft], error) {
		u := graph.Update[draft]{tries.Set(s.Tries + 1)}
		if s.Tries < 2 {
			u = append(u, graph.Goto[draft]("write")) // instead of the edge to publish
		}
		return u, nil
	}, graph.NodeOptions[draft]{Goto: []string{"write"}})
	g.AddNode("publish", func(_ context.Context, s draft) (graph.Update[draft], error) {
		fmt.Println("published after", s.Tries, "tries")
		return nil, nil
	})
	g.AddEdge(graph.Start, "write")
	g.AddEdge("write", "publish")
	app, err := g.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := app.Invoke(context.Background(), graph.Update[draft]{}, nil); err != nil {
		fmt.Println(err)
	}
	// Output: published after 3 tries
}
