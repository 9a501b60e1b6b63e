package performance

import (
	"context"
	"fmt"
	"slices"

	"github.com/smallnest/langgraphgo/graph"
)

// langgraphgo is github.com/smallnest/langgraphgo. A node returns a whole state, and a function
// merges the states of nodes that ran at once. Its checkpoints are made by listeners, which save
// the state beside the run.
func langgraphgo() makers {
	return makers{"loop": langgraphgoLoop, "fanout": langgraphgoFanOut, "chain": langgraphgoChain}
}

func langgraphgoCounting(_ context.Context, s job) (job, error) {
	s.Count = work(s)
	return s, nil
}

func langgraphgoLoop() (run, error) {
	g := graph.NewStateGraph[job]()
	g.AddNode("a", "", langgraphgoCounting)
	g.AddNode("b", "", langgraphgoCounting)
	g.SetEntryPoint("a")
	g.AddEdge("a", "b")
	g.AddConditionalEdge("b", func(_ context.Context, s job) string {
		if s.Count >= loopSteps {
			return graph.END
		}
		return "a"
	})
	return langgraphgoRun(g, func(s job) error { return checkCount(s, loopSteps) })
}

// langgraphgoFanOut has a node per task, as the number of tasks is fixed when a graph is compiled.
// Their states come in no order; the function that merges them sorts them by task.
func langgraphgoFanOut() (run, error) {
	g := graph.NewStateGraph[job]()
	g.AddNode("begin", "", func(_ context.Context, s job) (job, error) { return s, nil })
	g.SetEntryPoint("begin")
	for i := range fanOutWidth {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, "", func(context.Context, job) (job, error) { return job{Sum: i, Count: work(job{Count: i})}, nil })
		g.AddEdge("begin", name)
		g.AddEdge(name, graph.END)
	}
	g.SetStateMerger(func(_ context.Context, s job, states []job) (job, error) {
		if len(states) == 1 {
			return states[0], nil
		}
		states = slices.SortedFunc(slices.Values(states), func(a, b job) int { return a.Sum - b.Sum })
		s.Log = make([]int, len(states))
		for i, of := range states {
			s.Log[i] = of.Count
		}
		return s, nil
	})
	return langgraphgoRun(g, func(s job) error { return checkList(s.Log) })
}

func langgraphgoChain() (run, error) {
	g := graph.NewStateGraph[job]()
	for i := range chainLength {
		name, next := fmt.Sprintf("n%d", i), fmt.Sprintf("n%d", i+1)
		if i == chainLength-1 {
			next = graph.END
		}
		g.AddNode(name, "", langgraphgoCounting)
		g.AddEdge(name, next)
	}
	g.SetEntryPoint("n0")
	return langgraphgoRun(g, func(s job) error { return checkCount(s, chainLength) })
}

func langgraphgoRun(g *graph.StateGraph[job], check func(job) error) (run, error) {
	app, err := g.Compile()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, job{})
		if err != nil {
			return err
		}
		return check(out)
	}, nil
}
