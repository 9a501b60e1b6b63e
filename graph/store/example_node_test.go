package store_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/graph/store/memory"
)

type visit struct{ User, Greeting string }

// remember is a node that has a store by closure.
func remember(s store.Store, greeting *graph.LastValueChannel[visit, string]) graph.Node[visit] {
	return func(ctx context.Context, v visit) (graph.Update[visit], error) {
		namespace := []string{"users", v.User}
		seen, err := store.Get[map[string]int](ctx, s, namespace, "visits")
		if errors.Is(err, store.ErrNotFound) {
			seen, err = map[string]int{}, nil
		}
		if err != nil {
			return nil, err
		}
		seen["n"]++
		if err := store.Put(ctx, s, namespace, "visits", seen, nil); err != nil {
			return nil, err
		}
		return graph.Update[visit]{greeting.Set(fmt.Sprintf("%s, visit %d", v.User, seen["n"]))}, nil
	}
}

// What a node stores in one run it finds in the next, whichever thread that is.
func Example() {
	s, err := memory.New(nil)
	if err != nil {
		log.Fatal(err)
	}
	user := graph.LastValue("user", func(v *visit) *string { return &v.User })
	greeting := graph.LastValue("greeting", func(v *visit) *string { return &v.Greeting })
	g := graph.NewStateGraph[visit](user, greeting)
	g.AddNode("greet", remember(s, greeting))
	g.AddEdge(graph.Start, "greet")
	app, err := g.Compile(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"ann", "bob", "ann"} {
		out, err := app.Invoke(context.Background(), graph.Update[visit]{user.Set(name)}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out.Greeting)
	}
	// Output:
	// ann, visit 1
	// bob, visit 1
	// ann, visit 2
}
