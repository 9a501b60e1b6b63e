package performance

import (
	"context"
	"fmt"

	"github.com/cloudwego/eino/compose"
)

// eino is github.com/cloudwego/eino. Its graphs hand the whole state along the
// edges as the value that one node returns and the next receives. Nodes start
// when any predecessor has finished, which is the mode that allows loops and
// runs in supersteps. It saves a run only where the run is interrupted.
func eino() makers {
	return makers{
		"loop":   einoLoop,
		"fanout": einoFanOut,
		"chain":  einoChain,
		"agent":  einoAgent(agentRounds, 1, 0),
		"tools":  einoAgent(1, agentCalls, agentWaiting),
	}
}

func einoCounting() *compose.Lambda {
	return compose.InvokableLambda(func(_ context.Context, s job) (job, error) {
		s.Count = work(s)
		return s, nil
	})
}

func einoLoop() (run, error) {
	b := einoBuilder[job]{graph: compose.NewGraph[job, job]()}
	b.add("a", einoCounting())
	b.add("b", einoCounting())
	b.edge(compose.START, "a")
	b.edge("a", "b")
	b.branch("b", compose.NewGraphBranch(func(_ context.Context, s job) (string, error) {
		if s.Count >= loopSteps {
			return compose.END, nil
		}
		return "a", nil
	}, map[string]bool{"a": true, compose.END: true}))
	app, err := b.compile(compose.WithMaxRunSteps(loopSteps + 1))
	if err != nil {
		return nil, fmt.Errorf("compiling the loop: %w", err)
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, job{})
		if err != nil {
			return err
		}
		return checkCount(out, loopSteps)
	}, nil
}

// einoFanOut has a node per task, as the number of tasks is fixed when a graph
// is compiled. Their outputs meet in a map, in no order; the node that gathers
// them goes through the keys in order.
func einoFanOut() (run, error) {
	b := einoBuilder[[]int]{graph: compose.NewGraph[job, []int]()}
	keys := make([]string, fanOutWidth)
	for i := range keys {
		keys[i] = fmt.Sprintf("n%d", i)
	}
	b.add("gather", compose.InvokableLambda(func(_ context.Context, results map[string]any) ([]int, error) {
		list := make([]int, 0, len(keys))
		for _, key := range keys {
			v, ok := results[key].(int)
			if !ok {
				return nil, fmt.Errorf("node %s left no number", key)
			}
			list = append(list, v)
		}
		return list, nil
	}))
	for i, key := range keys {
		b.add(key, compose.InvokableLambda(func(context.Context, job) (int, error) {
			return work(job{Count: i}), nil
		}), compose.WithOutputKey(key))
		b.edge(compose.START, key)
		b.edge(key, "gather")
	}
	b.edge("gather", compose.END)
	app, err := b.compile()
	if err != nil {
		return nil, fmt.Errorf("compiling the fan-out: %w", err)
	}
	return func(ctx context.Context) error {
		list, err := app.Invoke(ctx, job{})
		if err != nil {
			return err
		}
		return checkList(list)
	}, nil
}

func einoChain() (run, error) {
	b := einoBuilder[job]{graph: compose.NewGraph[job, job]()}
	before := compose.START
	for i := range chainLength {
		name := fmt.Sprintf("n%d", i)
		b.add(name, einoCounting())
		b.edge(before, name)
		before = name
	}
	b.edge(before, compose.END)
	app, err := b.compile()
	if err != nil {
		return nil, fmt.Errorf("compiling the chain: %w", err)
	}
	return func(ctx context.Context) error {
		out, err := app.Invoke(ctx, job{})
		if err != nil {
			return err
		}
		return checkCount(out, chainLength)
	}, nil
}

// einoBuilder keeps the first error of building, so that a graph reads as a
// list of its parts.
type einoBuilder[O any] struct {
	graph *compose.Graph[job, O]
	err   error
}

func (b *einoBuilder[O]) note(err error) {
	if b.err == nil {
		b.err = err
	}
}

func (b *einoBuilder[O]) add(name string, node *compose.Lambda, opts ...compose.GraphAddNodeOpt) {
	b.note(b.graph.AddLambdaNode(name, node, opts...))
}

func (b *einoBuilder[O]) edge(from, to string) { b.note(b.graph.AddEdge(from, to)) }

func (b *einoBuilder[O]) branch(from string, branch *compose.GraphBranch) {
	b.note(b.graph.AddBranch(from, branch))
}

func (b *einoBuilder[O]) compile(opts ...compose.GraphCompileOption) (compose.Runnable[job, O], error) {
	if b.err != nil {
		return nil, b.err
	}
	opts = append(opts, compose.WithNodeTriggerMode(compose.AnyPredecessor))
	return b.graph.Compile(context.Background(), opts...)
}
