package performance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"trpc.group/trpc-go/trpc-agent-go/agent"
	"trpc.group/trpc-go/trpc-agent-go/graph"
	"trpc.group/trpc-go/trpc-agent-go/graph/checkpoint/inmemory"
)

// trpc is trpc.group/trpc-go/trpc-agent-go. Its state is a map with reducers. A run is a channel of
// events, of which the last has the state as JSON; the others are switched off.
func trpc() makers {
	return makers{
		"loop":       func() (run, error) { return trpcLoop() },
		"checkpoint": trpcCheckpoint,
		"fanout":     trpcFanOut,
		"chain":      trpcChain,
	}
}

func trpcSchema() *graph.StateSchema {
	log := func(existing, update any) any {
		of, at := existing.([]int), update.([]int)
		out := make([]int, fanOutWidth)
		copy(out, of)
		out[at[0]] = at[1]
		return out
	}
	number := graph.StateField{Type: reflect.TypeFor[int](), Reducer: graph.DefaultReducer, Default: func() any { return 0 }}
	return graph.NewStateSchema().
		AddField("count", number).AddField("sum", number).
		AddField("name", graph.StateField{Type: reflect.TypeFor[string](), Reducer: graph.DefaultReducer, Default: func() any { return "" }}).
		AddField("log", graph.StateField{Type: reflect.TypeFor[[]int](), Reducer: log, Default: func() any { return []int(nil) }})
}

func trpcCounting(_ context.Context, s graph.State) (any, error) {
	return graph.State{"count": work(job{Count: s["count"].(int)})}, nil
}

func trpcLoop(options ...graph.ExecutorOption) (run, error) {
	g := graph.NewStateGraph(trpcSchema()).AddNode("a", trpcCounting).AddNode("b", trpcCounting).
		SetEntryPoint("a").AddEdge("a", "b").
		AddConditionalEdges("b", func(_ context.Context, s graph.State) (string, error) {
			if s["count"].(int) >= loopSteps {
				return graph.End, nil
			}
			return "a", nil
		}, map[string]string{"a": "a", graph.End: graph.End})
	return trpcRun(g, func(s job) error { return checkCount(s, loopSteps) }, append(options, graph.WithMaxSteps(loopSteps+2))...)
}

// trpcCheckpoint is the loop with a saver of its own for every run; see assayCheckpoint. Its saver
// keeps the last 100 checkpoints, unless it is told to keep more.
func trpcCheckpoint() (run, error) {
	return func(ctx context.Context) error {
		once, err := trpcLoop(graph.WithCheckpointSaver(inmemory.NewSaver()))
		if err != nil {
			return err
		}
		return once(ctx)
	}, nil
}

// trpcFanOut has a node per task. A reducer puts each result at its place.
func trpcFanOut() (run, error) {
	g := graph.NewStateGraph(trpcSchema()).AddNode("begin", func(context.Context, graph.State) (any, error) { return graph.State{}, nil }).SetEntryPoint("begin")
	for i := range fanOutWidth {
		name := fmt.Sprintf("n%d", i)
		g.AddNode(name, func(context.Context, graph.State) (any, error) {
			return graph.State{"log": []int{i, work(job{Count: i})}}, nil
		}).AddEdge("begin", name).SetFinishPoint(name)
	}
	return trpcRun(g, func(s job) error { return checkList(s.Log) })
}

func trpcChain() (run, error) {
	g := graph.NewStateGraph(trpcSchema())
	for i := range chainLength {
		g.AddNode(fmt.Sprintf("n%d", i), trpcCounting)
		if i > 0 {
			g.AddEdge(fmt.Sprintf("n%d", i-1), fmt.Sprintf("n%d", i))
		}
	}
	return trpcRun(g.SetEntryPoint("n0").SetFinishPoint(fmt.Sprintf("n%d", chainLength-1)), func(s job) error { return checkCount(s, chainLength) })
}

func trpcRun(g *graph.StateGraph, check func(job) error, options ...graph.ExecutorOption) (run, error) {
	compiled, err := g.Compile()
	if err != nil {
		return nil, err
	}
	app, err := graph.NewExecutor(compiled, options...)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		invocation := agent.NewInvocation(agent.WithInvocationRunOptions(agent.NewRunOptions(agent.WithDisableGraphExecutorEvents(true))))
		events, err := app.Execute(ctx, graph.State{}, invocation)
		if err != nil {
			return err
		}
		var out job
		ended := false
		for e := range events {
			switch {
			case e.Response != nil && e.Response.Error != nil:
				return errors.New(e.Response.Error.Message)
			case e.Done:
				ended = true
				err = errors.Join(json.Unmarshal(e.StateDelta["count"], &out.Count), json.Unmarshal(e.StateDelta["log"], &out.Log))
			}
		}
		if err != nil || !ended {
			return fmt.Errorf("the run ended: %t: %w", ended, err)
		}
		return check(out)
	}, nil
}
