package react

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/react/files"
)

// DeepOptions configure a deep agent. Nil and the zero value mean the defaults.
type DeepOptions struct {
	// Options are those of any agent. Prompt stands before a text about the tools of a deep agent.
	// Steps of Before run after those that read the inbox and the skills. MaxRounds is DeepRounds by
	// default. Requests are Cached.
	Options
	// Tools are further tools; a model reads of them first.
	Tools []Tool
	// Files is where the agent's files are. Default: in its own state, where State.Files has them.
	// Writes to a disk, or to a backend of another package, ask a person; see Unasked.
	Files files.Backend
	// Skills has a folder for each skill, with a SKILL.md; see Skill. Default: there are none.
	Skills files.Backend
	// Subagents are agents that the tool "task" runs.
	Subagents []Subagent
	// Shell adds the tool "shell". Each of its commands asks a person. Default: there is none.
	Shell *ShellOptions
	// Inbox holds messages for a turn that runs. Default: there is none.
	Inbox *Inbox
	// Tokens is how many a request may have; longer histories are summed up, see Summarise. Default
	// DeepTokens; a negative number means no limit.
	Tokens int
	// Unasked lists tools of the deep agent that need no approval, such as "write_file",
	// "edit_file" and "shell".
	Unasked []string
}

// DeepRounds and DeepTokens are defaults of DeepOptions.
const (
	DeepRounds = 100
	DeepTokens = 100_000
)

// A Subagent is an agent for tasks of another one. Each task begins with nothing but its
// description, and only the answer comes back. To-dos, files, skills and tools are those of its own
// DeepOptions: agents that are to share files get the same backend. Its approvals are interrupts of
// the whole run.
type Subagent struct {
	Description string    // by which the other agent's model chooses it
	Model       llm.Model // default: the other agent's
	DeepOptions           // Name is required
}

// Names of a deep agent's tools.
const (
	ToolTodos = "write_todos"
	ToolTask  = "task"
	ToolSkill = "read_skill"
	ToolShell = "shell"
)

// Deep makes an agent for long tasks: with a list of to-dos, files, skills, subagents, a shell and an
// inbox, as far as its options have them. Each call of a tool is a task of the graph, also those of
// subagents, so a crash repeats no call whose result was saved.
func Deep(m llm.Model, opts *DeepOptions) (*graph.StateGraph[State], error) {
	var o DeepOptions
	if opts != nil {
		o = *opts
	}
	o.MaxRounds = cmp.Or(o.MaxRounds, DeepRounds)
	o.Cached = true
	prompt := []string{o.Prompt, promptTodos, promptFiles}
	own, err := fileTools(o.Files)
	add := func(t Tool, problem error) {
		own, err = append(own, t), errors.Join(err, problem)
	}
	add(todoTool())
	var before, after []Step
	if o.Inbox != nil {
		before, after = append(before, o.Inbox.step()), append(after, o.Inbox.again())
	}
	if o.Skills != nil {
		before = append(before, skillStep(o.Skills))
		add(skillTool(o.Skills))
	}
	if len(o.Subagents) > 0 {
		prompt = append(prompt, promptTask)
		add(taskTool(m, o.Subagents))
	}
	if o.Shell != nil {
		add(shellTool(*o.Shell))
	}
	for i := range own {
		if name := own[i].named(); slices.Contains(o.Unasked, name) {
			own[i].Approve = nil
		}
	}
	for _, name := range o.Unasked {
		if !slices.ContainsFunc(own, func(t Tool) bool { return t.named() == name }) {
			err = errors.Join(err, fmt.Errorf("unasked: a deep agent of these options has no tool %q", name))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("making a deep agent: %w", err)
	}
	if len(before) > 0 {
		o.Before = append([]Step{together("look", 0, before...)}, o.Before...)
	}
	if o.Tokens = cmp.Or(o.Tokens, DeepTokens); o.Tokens > 0 {
		o.Before = append(slices.Clip(o.Before), together("fit", o.Tokens, Summarise(m, o.Tokens, keptMessages), remindStep(o.Tokens)))
	}
	o.After, o.Prompt = slices.Concat(o.After, after), strings.Join(slices.DeleteFunc(prompt, func(p string) bool { return p == "" }), "\n\n")
	return Into(deepPlain, m, append(slices.Clip(o.Tools), own...), &o.Options)
}

// together makes one step of some that give IDs to their messages: one superstep in place of several.
func together(name string, tokens int, list ...Step) Step {
	return limited(name, tokens, func(ctx context.Context, s State, in frame) (Change, error) {
		var all Change
		var seen View
		for _, step := range list {
			run := step.inside
			if run == nil {
				run = func(ctx context.Context, s State, _ frame) (Change, error) { return step.Run(ctx, s) }
			}
			edit, err := run(ctx, s, in)
			if err != nil {
				return Change{}, err
			}
			if edit.View != nil {
				s.View, seen = s.View.plus(*edit.View), seen.plus(*edit.View)
				all.View = &seen
			}
			all.Put, s.Messages = append(all.Put, edit.Put...), slices.Concat(s.Messages, edit.Put)
			all.Usage = all.Usage.Plus(edit.Usage)
		}
		return all, nil
	})
}

const keptMessages = 8 // that a summary leaves

const (
	promptTodos = `For a task of several steps, keep a list of to-dos with write_todos: write it before you begin, have one to-do in progress at a time, and mark each as completed when it is done.`
	promptFiles = `Keep long notes and results in files. Read a file before you edit it.`
	promptTask  = `Give a part of the work that stands by itself to a subagent with the tool task. It sees only your description, and you see only its answer. Several tasks in one message run at the same time.`
)

// deepPlain are the channels of plain, with those of a deep agent.
var deepPlain = func() *Channels[State] {
	c := *plain
	c.deep = true
	return &c
}()

// named is the tool's name, or "".
func (t *Tool) named() string {
	if t.Callable == nil {
		return ""
	}
	return t.Callable.Tool().Name
}

// stateTool makes a tool that reads or changes its agent's state.
func stateTool[In any](name, description string, fn func(ctx context.Context, s State, in In) (string, Change, error)) (Tool, error) {
	made, err := llm.NewTool(name, description, func(context.Context, In) (string, error) {
		return "", errors.New("this tool runs in a deep agent only")
	})
	return Tool{Callable: made, Limit: -1, inside: func(ctx context.Context, s State, arguments json.RawMessage) (string, Change, error) {
		var in In
		if err := json.Unmarshal(arguments, &in); err != nil {
			return "", Change{}, fmt.Errorf("decoding the arguments: %w", err)
		}
		return fn(ctx, s, in)
	}}, err
}

// A Todo is an entry of a deep agent's list.
type Todo struct {
	Content string `json:"content" jsonschema:"what is to be done"`
	Status  string `json:"status" jsonschema:"pending, in_progress or completed"`
}

func todoTool() (Tool, error) {
	t, err := stateTool(ToolTodos, "Replaces your list of to-dos. Give all of them each time, with their status.", func(_ context.Context, _ State, in struct {
		Todos []Todo `json:"todos"`
	}) (string, Change, error) {
		for _, t := range in.Todos {
			if t.Status != "pending" && t.Status != "in_progress" && t.Status != "completed" {
				return "", Change{}, fmt.Errorf("to-do %.80q: its status is %.80q; it must be pending, in_progress or completed", t.Content, t.Status)
			}
		}
		return shownTodos(in.Todos), Change{Todos: &in.Todos}, nil
	})
	t.lane = ToolTodos
	return t, err
}

func shownTodos(list []Todo) string {
	var b strings.Builder
	b.WriteString("Your to-dos:")
	for _, t := range list {
		fmt.Fprintf(&b, "\n- [%s] %s", t.Status, t.Content)
	}
	return b.String()
}

// remindStep returns a step that shows the to-dos again where the model no longer sees the call that
// wrote them. Until then the beginning of requests stays equal.
func remindStep(tokens int) Step {
	return limited("remind", tokens, func(_ context.Context, s State, in frame) (Change, error) {
		if len(s.Todos) == 0 || slices.ContainsFunc(s.View.seen(s.Messages), func(m Message) bool {
			return slices.ContainsFunc(m.Results, func(r llm.ToolResult) bool { return r.Name == ToolTodos && !r.Failed }) && !s.View.clears(&m)
		}) {
			return Change{}, nil
		}
		note := shownTodos(s.Todos)
		s.View.Note = join(s.View.Note, note)
		out, err := fitted(s, in, tokens)
		if out.View == nil {
			out.View = &View{}
		}
		out.View.Note = note
		return out, err
	})
}

// taskTool makes the tool that runs subagents.
func taskTool(m llm.Model, list []Subagent) (Tool, error) {
	apps := map[string]*graph.Compiled[State]{}
	about := "Gives a task to a subagent, which begins with nothing but your description. Subagents:"
	for _, sub := range list {
		o := sub.DeepOptions
		switch {
		case !llm.ToolName(o.Name) || apps[o.Name] != nil:
			return Tool{}, fmt.Errorf("subagent %q: its name must be its own, of 1 to 64 letters, digits, \"_\" or \"-\"", o.Name)
		case strings.TrimSpace(sub.Description) == "":
			return Tool{}, fmt.Errorf("subagent %q: it needs a description, by which the model chooses it", o.Name)
		case o.Inbox != nil:
			return Tool{}, fmt.Errorf("subagent %q: it has an inbox, and messages reach only the agent that a person speaks with", o.Name)
		}
		if sub.Model == nil {
			sub.Model = m
		}
		o.Anew = true // a fresh context for each task
		g, err := Deep(sub.Model, &o)
		if err != nil {
			return Tool{}, fmt.Errorf("subagent %q: %w", o.Name, err)
		}
		if apps[o.Name], err = g.Compile(&graph.CompileOptions{Name: o.Name}); err != nil {
			return Tool{}, fmt.Errorf("subagent %q: %w", o.Name, err)
		}
		about += fmt.Sprintf("\n- %s: %s", o.Name, sub.Description)
	}
	made, err := llm.NewTool(ToolTask, about, func(ctx context.Context, in struct {
		Description string `json:"description" jsonschema:"the task, with everything that is needed for it, and what the answer is to contain"`
		Subagent    string `json:"subagent_type" jsonschema:"the subagent's name"`
	}) (string, error) {
		app := apps[in.Subagent]
		if app == nil {
			return "", fmt.Errorf("there is no subagent %.80q; there are: %s", in.Subagent, strings.Join(slices.Sorted(maps.Keys(apps)), ", "))
		}
		return answerOf(ctx, app, in.Description)
	})
	return Tool{Callable: made, Limit: -1}, err
}
