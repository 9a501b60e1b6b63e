package react

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/llm"
	"example.com/assay/nodes/react/files"
	"example.com/assay/state"
)

// DefaultRounds is the default number of model calls per turn.
const DefaultRounds = 25

// DefaultLimit is the size in bytes above which a tool's result is stored and referenced, if there
// is a store.
const DefaultLimit = 16 << 10

// Options configure an agent. Nil and the zero value mean the defaults.
type Options struct {
	// Name is the agent's name, for traces, errors, and the choice of a model by skill.
	// Default "agent".
	Name string
	// Prompt is the system prompt. Default none.
	Prompt string
	// Origin is the origin of Prompt, from llm.Render, for traces and for algorithmic models.
	// Default none.
	Origin llm.Origin
	// Sampling is the sampling of each model call. Default: see llm.Sampling.
	Sampling llm.Sampling
	// MaxRounds bounds the model calls of a turn. After them the turn ends with State.Ended. Tool
	// calls in the last answer are not made, since the model would not read their results, unless
	// they end the turn themselves. Default DefaultRounds.
	MaxRounds int
	// AtOnce is how many calls of one message run at the same time, for all tools together; 1 runs
	// them in order. Default: all.
	AtOnce int
	// Before are steps before each model call, in order.
	Before []Step
	// After are steps after a model call without tool calls, in order.
	After []Step
	// Anew begins each run in a node of another graph without the earlier ones. Default: where the
	// outer thread is saved, the agent remembers its earlier turns; see graph.PersistTurns.
	Anew bool
	// Store keeps results above a tool's Limit. Default: they are cut, and say so.
	Store store.Store
	// Namespace is where Store keeps them. Default "results".
	Namespace []string
	// Cached marks requests for providers that keep the beginning of a conversation; see
	// llm.Request. Default: they are not marked.
	Cached bool
}

// A Tool is a function that the model may call, with options for its calls.
type Tool struct {
	llm.Callable
	// Approve says whether a person must approve a call before it is made, and why. The run stops
	// with a Question and continues with an Approval. Default: nobody is asked. See Always.
	Approve func(call llm.ToolCall) (ask bool, why string)
	// Retry lists the retry policies for failed calls. Default: no retry.
	Retry []graph.RetryPolicy
	// Timeout limits each attempt. Default: no limit.
	Timeout graph.Timeout
	// AtOnce is Options.AtOnce for the calls of this tool.
	AtOnce int
	// Most bounds the calls of a turn; further calls fail. Default: no limit.
	Most int
	// Limit is the size in bytes above which the model gets a reference to a result. Default
	// DefaultLimit; a negative value means no limit.
	Limit int
	// Stop ends the run with the error of a call that failed for good. Default: the model gets the
	// error as the result.
	Stop bool
	// Final makes the result of a call the answer of the turn.
	Final bool
	// Once makes no call twice: where a crash cut one, its result says that nobody knows whether it
	// took effect. Default: such a call is made again. Results that were saved are never asked for
	// again. Without a checkpointer it has no effect. It excludes Retry.
	Once bool

	to   string // the agent that a Handoff hands over to
	node string // of an agent's graph

	// Of tools over the agent's own state, in place of the Callable's function; see stateTool.
	inside func(ctx context.Context, s State, arguments json.RawMessage) (string, Change, error)
	takes  func(all map[string]files.File, arguments json.RawMessage) map[string]files.File // what a call reads; nil for nothing
	lane   string                                                                           // calls of one lane do not run at the same time; "" for none
}

// An Artificer is a Callable whose result has a part for programs: Message.Artifact.
type Artificer interface {
	llm.Callable
	// CallArtifact is called instead of Call. The text is the result for the model.
	CallArtifact(ctx context.Context, arguments json.RawMessage) (text string, artifact json.RawMessage, err error)
}

// Always is a Tool.Approve: a person approves every call.
func Always(llm.ToolCall) (ask bool, why string) { return true, "" }

// Tools makes tools without options.
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

	inside func(context.Context, State, frame) (Change, error) // in place of Run; nil for none
	tokens int                                                 // the limit of a step that keeps requests within one
}

// A Change is the change that a step makes. The zero value changes nothing.
type Change struct {
	Put    []Message // added, or replacing the messages with the same ID; a message without an ID gets one
	Remove []string  // IDs of messages
	View   *View     // before the model: how the next call sees the conversation
	// Again asks the model once more. Only a step after the model may set it, usually with a
	// message that says what is missing.
	Again bool
	// Usage is the usage of the step's model calls.
	Usage state.ModelUsage
	// End ends the turn without an answer, and says why.
	End string
	// Todos replaces a deep agent's to-dos. Files are written to its own files.
	Todos *[]Todo
	Files map[string]files.File
}

// A kit holds an agent's tools by name, and their descriptions for the model.
type kit struct {
	tools  map[string]*Tool
	listed []llm.Tool
	names  []string

	limited bool // a tool has a limit of its own
}

func newKit(tools []Tool) (kit, error) {
	k := kit{tools: map[string]*Tool{}}
	var problems []error
	for i, t := range tools {
		if t.Callable == nil {
			problems = append(problems, fmt.Errorf("tool %d has no Callable", i))
			continue
		}
		described := t.Tool()
		switch {
		case k.tools[described.Name] != nil:
			problems = append(problems, fmt.Errorf("two tools are called %q", described.Name))
		case t.AtOnce < 0 || t.Most < 0:
			problems = append(problems, fmt.Errorf("tool %q: AtOnce and Most are limits and may not be negative", described.Name))
		case t.Once && len(t.Retry) > 0:
			problems = append(problems, fmt.Errorf("tool %q: it has Once, and Retry would make its calls again", described.Name))
		}
		k.limited = k.limited || t.Most > 0 || t.AtOnce > 0 || t.lane != ""
		t.node = NodeTool + described.Name
		k.tools[described.Name], k.listed, k.names = &t, append(k.listed, described), append(k.names, described.Name)
	}
	return k, errors.Join(problems...)
}

// offered returns the tools that a view shows.
func (k kit) offered(v View) []llm.Tool {
	if len(v.Tools) == 0 {
		return k.listed
	}
	return slices.DeleteFunc(slices.Clone(k.listed), func(t llm.Tool) bool { return !slices.Contains(v.Tools, t.Name) })
}
