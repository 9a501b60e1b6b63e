package react

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/state"
)

// Names of an agent's nodes. A step's node has the step's name, and a tool's node is NodeTool
// followed by the tool's name.
const (
	NodeBegin    = "begin"
	NodeModel    = "model"
	NodeDispatch = "dispatch"
	NodeApprove  = "approve" // of agents with a tool that asks a person
	NodeTool     = "tool_"
)

// Keys of the routes after the model.
const (
	keyCalls  = "calls"
	keyAnswer = "answer"
	keyEnd    = "end"
)

// New makes an agent's graph over State. Its error lists every mistake.
func New(m llm.Model, tools []Tool, opts *Options) (*graph.StateGraph[State], error) {
	return Into(plain, m, tools, opts)
}

// Into makes an agent's graph over a caller's state that contains a State. More are the channels of
// its other fields.
func Into[S any](c *Channels[S], m llm.Model, tools []Tool, opts *Options, more ...graph.Channel[S]) (*graph.StateGraph[S], error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Name == "" {
		o.Name = "agent"
	}
	if o.MaxRounds == 0 {
		o.MaxRounds = DefaultRounds
	}
	if o.Namespace == nil {
		o.Namespace = []string{"results"}
	}
	if o.Store != nil {
		read, err := readResult(o.Store, o.Namespace)
		if err != nil {
			return nil, fmt.Errorf("making an agent: %w", err)
		}
		tools = append(slices.Clone(tools), Tool{Callable: read, Limit: -1})
	}
	kit, err := newKit(tools)
	if m == nil {
		err = errors.Join(err, errors.New("there is no model"))
	}
	if o.MaxRounds < 0 {
		err = errors.Join(err, fmt.Errorf("max rounds is %d: it must be at least 1", o.MaxRounds))
	}
	if o.AtOnce < 0 {
		err = errors.Join(err, fmt.Errorf("at once is %d: it is a limit and may not be negative", o.AtOnce))
	}
	if err != nil {
		return nil, fmt.Errorf("making an agent: %w", err)
	}
	a := &agent[S]{Channels: c, Options: o, model: m, kit: kit}
	for _, step := range o.Before {
		if step.tokens > 0 && (a.tokens == 0 || step.tokens < a.tokens) {
			a.tokens = step.tokens
		}
	}
	a.plainView = c.View.Set(View{})
	a.endless = c.Ended.Set(fmt.Sprintf("the model was asked %d times in this turn and still calls tools", o.MaxRounds))
	g := graph.NewStateGraph(append(c.All(), more...)...)
	if !o.Anew {
		g.Persist(graph.PersistTurns)
	}
	g.AddNode(NodeBegin, a.begin)
	g.AddEdge(graph.Start, NodeBegin)
	g.AddNode(NodeModel, a.ask)
	ask := a.steps(g, o.Before, NodeModel, "")
	after := a.steps(g, o.After, graph.End, ask)
	g.AddEdge(NodeBegin, ask)
	answer, end := graph.Path{Key: keyAnswer, Target: after}, graph.Path{Key: keyEnd, Target: graph.End}
	if len(tools) == 0 {
		g.AddConditionalPaths(NodeModel, a.afterModel, answer, end)
		return g, nil
	}
	g.AddConditionalPaths(NodeModel, a.afterModel, graph.Path{Key: keyCalls, Target: NodeDispatch}, answer, end)
	targets := []string{ask, after}
	for _, t := range kit.listed {
		tool := kit.tools[t.Name]
		g.AddNode(tool.node, a.call(tool), graph.NodeOptions[S]{Retry: tool.Retry, Timeout: tool.Timeout, OnError: a.failed(tool)})
		g.AddEdge(tool.node, NodeDispatch)
		targets = append(targets, tool.node)
	}
	if slices.ContainsFunc(tools, func(t Tool) bool { return t.Approve != nil }) {
		g.AddNode(NodeApprove, a.approve)
		g.AddEdge(NodeApprove, NodeDispatch)
		targets = append(targets, NodeApprove)
	}
	g.AddNode(NodeDispatch, a.dispatch(ask, after), graph.NodeOptions[S]{Goto: targets})
	return g, nil
}

// steps adds steps that lead to next, and returns their first node, or next. Again is the node to
// which a step may return; "" for none.
func (a *agent[S]) steps(g *graph.StateGraph[S], list []Step, next, again string) string {
	for _, step := range slices.Backward(list) {
		targets := []string{graph.End}
		if again != "" {
			targets = append(targets, again)
		}
		g.AddNode(step.Name, a.step(step, again), graph.NodeOptions[S]{Goto: targets})
		g.AddEdge(step.Name, next)
		next = step.Name
	}
	return next
}

// An agent holds what the nodes of a graph share.
type agent[S any] struct {
	*Channels[S]
	Options
	model llm.Model
	kit   kit

	tokens int       // the least limit of the steps before the model; 0 for none
	drafts sync.Pool // of *drafted

	plainView, endless graph.Write[S] // the same in each round
}

// begin adds the person's message.
func (a *agent[S]) begin(ctx context.Context, s S) (graph.Update[S], error) {
	at := a.at(&s)
	u := graph.Update[S]{a.Rounds.Set(0), a.Ended.Set(""), a.plainView}
	if len(at.Asked) > 0 { // else a caller has written the message itself
		u = append(u, a.Messages.Put(a.named(ctx, *at, at.Asked)...))
	}
	return u, nil
}

// named gives IDs to messages without one.
func (a *agent[S]) named(ctx context.Context, s State, list []Message) []Message {
	taken, out := slices.Clone(s.Messages), slices.Clone(list)
	for i := range out {
		if out[i].ID == "" {
			out[i].ID = freshID(ctx, taken)
		}
		taken = append(taken, out[i])
	}
	return out
}

// step is the node of a step, which may return to again.
func (a *agent[S]) step(step Step, again string) graph.Node[S] {
	return func(ctx context.Context, s S) (graph.Update[S], error) {
		at := *a.at(&s)
		var edit Change
		var err error
		if step.inside != nil {
			edit, err = step.inside(ctx, at, frame{a.Prompt, a.tokens})
		} else {
			edit, err = step.Run(ctx, at)
		}
		if err != nil {
			return nil, err
		}
		u := a.wrote(nil, edit)
		if edit.Usage != (state.ModelUsage{}) {
			u = append(u, a.Usage.Add(edit.Usage))
		}
		if len(edit.Put) > 0 {
			u = append(u, a.Messages.Put(a.named(ctx, at, edit.Put)...))
		}
		if len(edit.Remove) > 0 {
			u = append(u, a.Messages.Remove(edit.Remove...))
		}
		if edit.View != nil {
			u = append(u, a.View.Set(at.View.plus(*edit.View)))
		}
		switch {
		case edit.End != "":
			return append(u, a.Ended.Set(edit.End), graph.Goto[S](graph.End)), nil
		case edit.Again && again == "":
			return nil, fmt.Errorf("step %q asks the model again: only steps after the model can", step.Name)
		case edit.Again:
			return append(u, graph.Goto[S](again)), nil
		}
		return u, nil
	}
}

func (a *agent[S]) afterModel(_ context.Context, s S) (graph.Route, error) {
	at := a.at(&s)
	switch {
	case at.Ended != "":
		return graph.To(keyEnd), nil
	case len(at.Messages) > 0 && len(at.Messages[len(at.Messages)-1].Calls) > 0 && len(a.kit.listed) > 0:
		return graph.To(keyCalls), nil
	}
	return graph.To(keyAnswer), nil
}
