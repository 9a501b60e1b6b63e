package graph_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// A model calls a tool until it can answer.
func Example_chat() {
	type Message struct{ Role, Text, Call string } // Call is a town whose weather the model asks for
	type Chat struct{ Messages []Message }
	messages := graph.Append("messages", func(c *Chat) *[]Message { return &c.Messages })
	last := func(c Chat) Message { return c.Messages[len(c.Messages)-1] }

	g := graph.NewStateGraph[Chat](messages)
	g.AddNode("model", func(_ context.Context, c Chat) (graph.Update[Chat], error) {
		reply := Message{Role: "model", Call: "Oslo"}
		if m := last(c); m.Role == "tool" {
			reply = Message{Role: "model", Text: "Take a coat: " + m.Text}
		}
		if reply.Call == "" {
			return graph.Update[Chat]{messages.Add(reply)}, nil
		}
		return graph.Update[Chat]{messages.Add(reply), graph.Goto[Chat]("weather")}, nil
	}, graph.NodeOptions[Chat]{Goto: []string{"weather"}})
	g.AddNode("weather", func(_ context.Context, c Chat) (graph.Update[Chat], error) {
		return graph.Update[Chat]{messages.Add(Message{Role: "tool", Text: "rain in " + last(c).Call})}, nil
	})
	g.AddEdge(graph.Start, "model")
	g.AddEdge("weather", "model")
	app, err := g.Compile(nil)
	if err != nil {
		panic(err)
	}

	question := Message{Role: "user", Text: "Do I need a coat in Oslo?"}
	out, err := app.Invoke(context.Background(), graph.Update[Chat]{messages.Add(question)}, nil)
	fmt.Println(last(out).Text, err)
	// Output: Take a coat: rain in Oslo <nil>
}

// Each chapter is read by a task of its own. The notes are in the order of the chapters.
func Example_mapReduce() {
	type Book struct {
		Chapters, Notes  []string
		Chapter, Summary string // Chapter is set in the state of a Send
	}
	chapters := graph.Append("chapters", func(b *Book) *[]string { return &b.Chapters })
	notes := graph.Append("notes", func(b *Book) *[]string { return &b.Notes })
	summary := graph.LastValue("summary", func(b *Book) *string { return &b.Summary })

	g := graph.NewStateGraph[Book](chapters, notes, summary)
	g.AddNode("read", func(_ context.Context, b Book) (graph.Update[Book], error) {
		return graph.Update[Book]{notes.Add(fmt.Sprintf("%s has %d letters", b.Chapter, len(b.Chapter)))}, nil
	})
	g.AddNode("sum_up", func(_ context.Context, b Book) (graph.Update[Book], error) {
		return graph.Update[Book]{summary.Set(strings.Join(b.Notes, "; "))}, nil
	})
	g.AddConditionalEdges(graph.Start, func(_ context.Context, b Book) (graph.Route, error) {
		var sends []graph.Send[Book]
		for _, chapter := range b.Chapters {
			sends = append(sends, graph.Send[Book]{Node: "read", State: Book{Chapter: chapter}})
		}
		return graph.Sends(sends...), nil
	}, "read")
	g.AddEdge("read", "sum_up")
	app, err := g.Compile(nil)
	if err != nil {
		panic(err)
	}

	out, err := app.Invoke(context.Background(), graph.Update[Book]{chapters.Add("Loomings", "The Carpet-Bag")}, nil)
	fmt.Println(out.Summary, err)
	// Output: Loomings has 8 letters; The Carpet-Bag has 14 letters <nil>
}

// A node asks a person. The thread is saved, and a second call brings the answer.
func Example_approval() {
	type Order struct{ Item, Answer string }
	item := graph.LastValue("item", func(o *Order) *string { return &o.Item })
	answer := graph.LastValue("answer", func(o *Order) *string { return &o.Answer })

	g := graph.NewStateGraph[Order](item, answer)
	g.AddNode("approve", func(ctx context.Context, o Order) (graph.Update[Order], error) {
		said, err := graph.Interrupt[string](ctx, "pay", "Pay for "+o.Item+"?")
		return graph.Update[Order]{answer.Set(said)}, err
	})
	g.AddEdge(graph.Start, "approve")
	app, err := g.Compile(&graph.CompileOptions{Checkpointer: memory.New()})
	if err != nil {
		panic(err)
	}

	ctx := context.Background()
	_, err = app.Invoke(ctx, graph.Update[Order]{item.Set("a lamp")}, &graph.RunOptions{Thread: "t1"})
	stopped, ok := errors.AsType[*graph.InterruptedError](err)
	if !ok {
		panic(err)
	}
	fmt.Printf("%s\n", stopped.Pending[0].Payload)
	out, err := app.Resume(ctx, nil, &graph.RunOptions{Thread: "t1", Resume: []graph.Answer{graph.Reply("yes")}})
	fmt.Println(out.Answer, err)
	// Output:
	// "Pay for a lamp?"
	// yes <nil>
}
