package react

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/llm"
)

// A Task is the argument of an agent as a tool.
type Task struct {
	Task string `json:"task" jsonschema:"what is to be done, with everything that is needed for it"`
}

// AsTool makes an agent a tool of another agent. It sees only the task that the other one writes,
// and the other sees only its answer. Its interrupts are interrupts of the whole run. Compile the
// agent without a checkpointer: it runs on the other's thread.
func AsTool(name, description string, app *graph.Compiled[State]) (Tool, error) {
	made, err := llm.NewTool(name, description, func(ctx context.Context, in Task) (string, error) {
		return answerOf(ctx, app, in.Task)
	})
	return Tool{Callable: made, Limit: -1}, err
}

// answerOf runs an agent on a task of its own.
func answerOf(ctx context.Context, app *graph.Compiled[State], task string) (string, error) {
	final, err := app.Invoke(ctx, Say(task), nil)
	if err != nil {
		return "", err
	}
	if answer := Answer(final); answer != "" {
		return answer, nil
	}
	return "", fmt.Errorf("%w: %s", ErrNoAnswer, final.Ended)
}

// Supervisor is an agent whose tools are other agents.
func Supervisor(m llm.Model, agents []Tool, opts *Options) (*graph.StateGraph[State], error) {
	if len(agents) == 0 {
		return nil, errors.New("making a supervisor: it has no agents; AsTool makes one of a graph")
	}
	return New(m, agents, opts)
}

// Handoff makes a tool with which an agent of a Swarm hands the conversation over to another one.
// When says for what.
func Handoff(to, when string) (Tool, error) {
	made, err := llm.NewTool("hand_over_to_"+to, "Hands the conversation over to "+to+". "+when, func(context.Context, struct{}) (string, error) {
		return "", errors.New("this agent is not part of a swarm")
	})
	return Tool{Callable: made, to: to}, err
}

// Swarm makes a graph of agents that hand the conversation over to each other. All see all
// messages. First begins a thread; a later turn begins with the agent that had the conversation
// last. Compile the agents without a checkpointer.
func Swarm(first string, agents map[string]*graph.Compiled[State]) (*graph.StateGraph[State], error) {
	if agents[first] == nil {
		return nil, fmt.Errorf("making a swarm: there is no agent %q to begin; there are: %v", first, slices.Sorted(maps.Keys(agents)))
	}
	g := graph.NewStateGraph(plain.All()...)
	names := slices.Sorted(maps.Keys(agents))
	for _, name := range names {
		g.AddSubgraph(name, agents[name], graph.NodeOptions[State]{Goto: names})
	}
	g.AddConditionalEdges(graph.Start, func(_ context.Context, s State) (graph.Route, error) {
		if agents[s.Active] == nil {
			return graph.To(first), nil
		}
		return graph.To(s.Active), nil
	}, names...)
	return g, nil
}

// handOver ends an agent's run and gives the conversation to another agent.
func (a *agent[S]) handOver(s *State, from *Message, call int, to string) graph.Update[S] {
	done := result(from.result(from.Calls[call].ID), from.Calls[call], "handed over to "+to, false)
	return graph.Update[S]{graph.Parent[S](graph.Update[S]{
		a.Messages.Overwrite(append(slices.Clone(s.Messages), done)), a.Allowed.Add(s.Allowed), a.Usage.Overwrite(s.Usage), a.Active.Set(to), graph.Goto[S](to),
	})}
}
