package react

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
	"example.com/assay/state"
)

// DefaultRounds is how often the model is asked in a turn by default.
const DefaultRounds = 25

// DefaultLimit is the size in bytes above which a tool's result is given to the model
// by reference, when there is a store.
const DefaultLimit = 16 << 10

// Options adjust an agent. Nil and the zero value mean the defaults.
type Options struct {
	// Name is the agent's name, for traces, errors, and the choice of a model by skill.
	// Default "agent".
	Name string
	// Prompt is the system prompt. Default none.
	Prompt string
	// Origin is what Prompt was rendered from, for traces and for models that are
	// algorithms: that of llm.Render. Default none.
	Origin llm.Origin
	// Sampling is how the model chooses its words, in each call. Default: see
	// llm.Sampling.
	Sampling llm.Sampling
	// MaxRounds is how often the model may be asked in a turn. Then the turn ends with
	// State.Ended. Calls of the last answer are not made, since the model would not read
	// their results, unless they end the turn themselves. Default DefaultRounds.
	MaxRounds int
	// AtOnce is how many of one message's calls run at the same time, of all tools
	// together; 1 runs them in their order. Default: all.
	AtOnce int
	// Before are steps before each call of the model, in their order.
	Before []Step
	// After are steps after a call of the model that calls no tool, in their order.
	After []Step
	// Store keeps results above a tool's Limit. Default: they are cut off, and say so.
	Store store.Store
	// Namespace is where Store keeps them. Default "results".
	Namespace []string
}

// A Tool is a function that the model may call, with what holds for its calls.
type Tool struct {
	llm.Callable
	// Approve says whether a person must approve a call before it is made, and why.
	// The run stops with a Question and goes on with an Approval. Default: nobody is
	// asked. Always makes every call ask.
	Approve func(call llm.ToolCall) (ask bool, why string)
	// Retry lists when a failed call is tried again. Default: never.
	Retry []graph.RetryPolicy
	// Timeout limits each attempt. Default: no limit.
	Timeout graph.Timeout
	// AtOnce is Options.AtOnce for the calls of this tool.
	AtOnce int
	// Most is how many calls a turn may make. Further ones fail. Default: no limit.
	Most int
	// Limit is the size of a result in bytes above which the model gets a reference to
	// it. Default DefaultLimit; a negative value means none.
	Limit int
	// Stop ends the run with the error of a call that failed for good. Default: the
	// model gets the error as the call's result.
	Stop bool
	// Final makes the result of a call the answer of the turn.
	Final bool

	to string // the agent that a Handoff hands over to
}

// Always is for Tool.Approve: a person approves every call.
func Always(llm.ToolCall) (ask bool, why string) { return true, "" }

// Tools makes tools without further options.
func Tools(list ...llm.Callable) []Tool {
	out := make([]Tool, len(list))
	for i, c := range list {
		out[i] = Tool{Callable: c}
	}
	return out
}

// A Step is a node before or after the model.
type Step struct {
	Name string // of the node
	Run  func(ctx context.Context, s State) (Change, error)
}

// A Change is what a step changes. The zero value changes nothing.
type Change struct {
	Put    []Message // added, or in place of the messages with their ids; one without an id gets one
	Remove []string  // ids of messages
	View   *View     // before the model: how its next call sees the conversation
	// Again asks the model once more. It is for steps after the model, which then should
	// have put a message that says what is missing.
	Again bool
	// Usage is what the step asked of models.
	Usage state.ModelUsage
	// End ends the turn without an answer, and says why.
	End string
}

// A kit is the tools of an agent by name, and how the model is told of them.
type kit struct {
	tools  map[string]Tool
	listed []llm.Tool
	names  []string

	limited bool // a tool may be called only so often
}

func newKit(tools []Tool) (kit, error) {
	k := kit{tools: map[string]Tool{}}
	var problems []error
	for i, t := range tools {
		if t.Callable == nil {
			problems = append(problems, fmt.Errorf("tool %d has no Callable", i))
			continue
		}
		described := t.Tool()
		switch {
		case k.tools[described.Name].Callable != nil:
			problems = append(problems, fmt.Errorf("two tools are called %q", described.Name))
		case t.AtOnce < 0 || t.Most < 0:
			problems = append(problems, fmt.Errorf("tool %q: AtOnce and Most are limits and may not be negative", described.Name))
		}
		k.limited = k.limited || t.Most > 0
		k.tools[described.Name], k.listed, k.names = t, append(k.listed, described), append(k.names, described.Name)
	}
	return k, errors.Join(problems...)
}

// offered are the tools that a view shows.
func (k kit) offered(v View) []llm.Tool {
	if len(v.Tools) == 0 {
		return k.listed
	}
	return slices.DeleteFunc(slices.Clone(k.listed), func(t llm.Tool) bool { return !slices.Contains(v.Tools, t.Name) })
}
