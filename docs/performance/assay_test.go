package performance

import (
	"context"
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
)

// assay is this repository's engine: channels, reducers and Sends.
func assay() makers {
	return makers{
		"loop":       func() (run, error) { return assayLoop(nil, nil) },
		"checkpoint": assayCheckpoint,
		"fanout":     assayFanOut,
		"chain":      assayChain,
		"agent":      assayAgent(agentRounds, 1, 0),
		"tools":      assayAgent(1, agentCalls, agentWaiting),
	}
}

// channels are what the nodes of a graph of jobs write to.
type channels struct {
	count *graph.LastValueChannel[job, int]
	log   *graph.AppendChannel[job, int]
}

func newAssayGraph() (*graph.StateGraph[job], channels) {
	c := channels{
		count: graph.LastValue("count", func(s *job) *int { return &s.Count }),
		log:   graph.Append("log", func(s *job) *[]int { return &s.Log }),
	}
	sum := graph.Reduce("sum", func(s *job) *int { return &s.Sum }, func(a, b int) int { return a + b })
	name := graph.LastValue("name", func(s *job) *string { return &s.Name })
	return graph.NewStateGraph[job](c.count, sum, name, c.log), c
}

// counting is the node of the loop and of the chain.
func (c channels) counting(_ context.Context, s job) (graph.Update[job], error) {
	return graph.Update[job]{c.count.Set(work(s))}, nil
}

// assayCheckpoint is the loop with a saver of its own for every run, because a saver keeps all that
// it was given, and would grow. So the graph is compiled for every run, which costs little compared
// with 1,000 supersteps.
func assayCheckpoint() (run, error) {
	return func(ctx context.Context) error {
		once, err := assayLoop(&graph.CompileOptions{Checkpointer: memory.New()}, &graph.RunOptions{Thread: "t"})
		if err != nil {
			return err
		}
		return once(ctx)
	}, nil
}

func assayLoop(compile *graph.CompileOptions, opts *graph.RunOptions) (run, error) {
	g, c := newAssayGraph()
	g.AddNode("a", c.counting)
	g.AddNode("b", c.counting)
	g.AddEdge(graph.Start, "a")
	g.AddEdge("a", "b")
	g.AddConditionalEdges("b", func(_ context.Context, s job) (graph.Route, error) {
		if s.Count >= loopSteps {
			return graph.To(graph.End), nil
		}
		return graph.To("a"), nil
	}, "a", graph.End)
	app, err := g.Compile(compile)
	if err != nil {
		return nil, fmt.Errorf("compiling the loop: %w", err)
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, graph.Update[job]{c.count.Set(0)}, opts)
		if err != nil {
			return err
		}
		return checkCount(out, loopSteps)
	}, nil
}

// assayFanOut sends 100 inputs to one node.
func assayFanOut() (run, error) {
	g, c := newAssayGraph()
	g.AddNode("n", func(_ context.Context, s job) (graph.Update[job], error) {
		return graph.Update[job]{c.log.Add(work(s))}, nil
	})
	g.AddConditionalEdges(graph.Start, func(context.Context, job) (graph.Route, error) {
		sends := make([]graph.Send[job], fanOutWidth)
		for i := range sends {
			sends[i] = graph.Send[job]{Node: "n", State: job{Count: i}}
		}
		return graph.Sends(sends...), nil
	}, "n")
	app, err := g.Compile(nil)
	if err != nil {
		return nil, fmt.Errorf("compiling the fan-out: %w", err)
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, graph.Update[job]{}, nil)
		if err != nil {
			return err
		}
		return checkList(out.Log)
	}, nil
}

func assayChain() (run, error) {
	g, c := newAssayGraph()
	before := graph.Start
	for i := range chainLength {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, c.counting)
		g.AddEdge(before, name)
		before = name
	}
	app, err := g.Compile(nil)
	if err != nil {
		return nil, fmt.Errorf("compiling the chain: %w", err)
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, graph.Update[job]{c.count.Set(0)}, nil)
		if err != nil {
			return err
		}
		return checkCount(out, chainLength)
	}, nil
}
