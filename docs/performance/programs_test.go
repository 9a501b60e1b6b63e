package performance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/cloudwego/eino/compose"
)

// The three programs of docs/langgraph.md in eino. A graph keeps the first error of building and
// returns it from Compile, so the errors of the calls before it need no check.

func Example_chat() {
	type message struct{ Role, Text, Call string } // Call is a town whose weather the model asks for
	last := func(chat []message) message { return chat[len(chat)-1] }

	g := compose.NewGraph[[]message, []message]()
	_ = g.AddLambdaNode("model", compose.InvokableLambda(func(_ context.Context, chat []message) ([]message, error) {
		reply := message{Role: "model", Call: "Oslo"}
		if m := last(chat); m.Role == "tool" {
			reply = message{Role: "model", Text: "Take a coat: " + m.Text}
		}
		return append(chat, reply), nil
	}))
	_ = g.AddLambdaNode("weather", compose.InvokableLambda(func(_ context.Context, chat []message) ([]message, error) {
		return append(chat, message{Role: "tool", Text: "rain in " + last(chat).Call}), nil
	}))
	_ = g.AddEdge(compose.START, "model")
	_ = g.AddBranch("model", compose.NewGraphBranch(func(_ context.Context, chat []message) (string, error) {
		if last(chat).Call != "" {
			return "weather", nil
		}
		return compose.END, nil
	}, map[string]bool{"weather": true, compose.END: true}))
	_ = g.AddEdge("weather", "model")
	app, err := g.Compile(context.Background())
	if err != nil {
		panic(err)
	}

	question := message{Role: "user", Text: "Do I need a coat in Oslo?"}
	out, err := app.Invoke(context.Background(), []message{question})
	fmt.Println(last(out).Text, err)
	// Output: Take a coat: rain in Oslo <nil>
}

// eino has no Send: the node that reads all chapters starts a run of a graph for each.
func Example_mapReduce() {
	ctx := context.Background()
	one := compose.NewChain[string, string]()
	one.AppendLambda(compose.InvokableLambda(func(_ context.Context, chapter string) (string, error) {
		return fmt.Sprintf("%s has %d letters", chapter, len(chapter)), nil
	}))
	read, err := one.Compile(ctx)
	if err != nil {
		panic(err)
	}

	all := compose.NewChain[[]string, string]()
	all.AppendLambda(compose.InvokableLambda(func(ctx context.Context, chapters []string) ([]string, error) {
		notes, errs := make([]string, len(chapters)), make([]error, len(chapters))
		var wg sync.WaitGroup
		for i, chapter := range chapters {
			wg.Go(func() { notes[i], errs[i] = read.Invoke(ctx, chapter) })
		}
		wg.Wait()
		return notes, errors.Join(errs...)
	}))
	all.AppendLambda(compose.InvokableLambda(func(_ context.Context, notes []string) (string, error) {
		return strings.Join(notes, "; "), nil
	}))
	app, err := all.Compile(ctx)
	if err != nil {
		panic(err)
	}

	out, err := app.Invoke(ctx, []string{"Loomings", "The Carpet-Bag"})
	fmt.Println(out, err)
	// Output: Loomings has 8 letters; The Carpet-Bag has 14 letters <nil>
}

func Example_approval() {
	ctx := context.Background()
	g := compose.NewGraph[string, string]()
	_ = g.AddLambdaNode("approve", compose.InvokableLambda(func(ctx context.Context, item string) (string, error) {
		if resumed, _, said := compose.GetResumeContext[string](ctx); resumed {
			return said, nil
		}
		return "", compose.Interrupt(ctx, "Pay for "+item+"?")
	}))
	_ = g.AddEdge(compose.START, "approve")
	_ = g.AddEdge("approve", compose.END)
	app, err := g.Compile(ctx, compose.WithCheckPointStore(saver{}))
	if err != nil {
		panic(err)
	}

	_, err = app.Invoke(ctx, "a lamp", compose.WithCheckPointID("t1"))
	stopped, ok := compose.ExtractInterruptInfo(err)
	if !ok {
		panic(err)
	}
	fmt.Println(stopped.InterruptContexts[0].Info)
	ctx = compose.ResumeWithData(ctx, stopped.InterruptContexts[0].ID, "yes")
	out, err := app.Invoke(ctx, "", compose.WithCheckPointID("t1"))
	fmt.Println(out, err)
	// Output:
	// Pay for a lamp?
	// yes <nil>
}

// A saver keeps checkpoints in memory. eino has no store of its own.
type saver map[string][]byte

func (s saver) Get(_ context.Context, id string) ([]byte, bool, error) {
	data, ok := s[id]
	return data, ok, nil
}

func (s saver) Set(_ context.Context, id string, data []byte) error {
	s[id] = data
	return nil
}
