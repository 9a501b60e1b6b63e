package react

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/nodes/react/files"
	"example.com/assay/state"
)

// State is a conversation. To use a caller's struct that contains one, see Into.
type State struct {
	Messages []Message `json:"messages"`
	// Asked is the person's message of this turn; begin moves it to Messages.
	Asked []Message `json:"asked,omitempty"`
	// Rounds counts the model calls of this turn.
	Rounds int `json:"rounds,omitempty"`
	// Allowed are the tools that no longer need approval on this thread.
	Allowed []string `json:"allowed,omitempty"`
	// Ended says why the turn ended without an answer; empty if it has one.
	Ended string `json:"ended,omitempty"`
	// View is how the next model call sees the conversation.
	View  View             `json:"view,omitzero"`
	Usage state.ModelUsage `json:"usage"`
	// Active is the agent of a Swarm that has the conversation.
	Active string `json:"active,omitempty"`
	// Decided are calls of this round that a person has approved.
	Decided []Sent `json:"decided,omitempty"`
	// Todos and Files are a deep agent's list of to-dos and its files, by path; see Deep. Other
	// agents have no channels for them.
	Todos []Todo                `json:"todos,omitempty"`
	Files map[string]files.File `json:"files,omitempty"`

	// Sent is the call for a tool's task. Only such tasks have one.
	Sent *Sent `json:"sent,omitempty"`
	// Asking are the calls for the task that asks a person.
	Asking []Asking `json:"asking,omitempty"`
}

// A View is how one model call sees the conversation. Steps before the model set it.
type View struct {
	Skip    []string `json:"skip,omitempty"`    // IDs of messages that the model does not see
	Cleared []string `json:"cleared,omitempty"` // IDs of messages whose text and images it does not see
	Tools   []string `json:"tools,omitempty"`   // the offered tools; none means all
	Note    string   `json:"note,omitempty"`    // added to the system prompt
	// MaxResult is the size in bytes above which results are shortened, with a mark; 0 for none.
	MaxResult int `json:"max_result,omitempty"`
}

// plus combines two views. The tools of more count.
func (v View) plus(more View) View {
	v.Skip, v.Cleared, v.Note = union(v.Skip, more.Skip), union(v.Cleared, more.Cleared), join(v.Note, more.Note)
	if v.MaxResult == 0 || more.MaxResult > 0 && more.MaxResult < v.MaxResult {
		v.MaxResult = more.MaxResult
	}
	if len(more.Tools) > 0 {
		v.Tools = more.Tools
	}
	return v
}

// A Sent is a call that was sent to its tool's node.
type Sent struct {
	llm.ToolCall
	Message string `json:"message"` // ID of the message for its result
	Round   int    `json:"round"`
	Edited  bool   `json:"edited,omitempty"` // a person changed the arguments
}

// Channels are the channels of a State inside S.
type Channels[S any] struct {
	Messages *graph.KeyedChannel[S, Message]
	Asked    *graph.EphemeralChannel[S, []Message]
	Rounds   *graph.LastValueChannel[S, int]
	Allowed  *graph.ReduceChannel[S, []string]
	Ended    *graph.LastValueChannel[S, string]
	View     *graph.LastValueChannel[S, View]
	Usage    *graph.ReduceChannel[S, state.ModelUsage]
	Active   *graph.LastValueChannel[S, string]
	Decided  *graph.LastValueChannel[S, []Sent]
	Todos    *graph.LastValueChannel[S, []Todo]
	Files    *graph.ReduceChannel[S, map[string]files.File]

	part func(*S) *State
	deep bool // Todos and Files are channels of the graph
}

// NewChannels makes the channels of a State in S; part returns its address.
func NewChannels[S any](part func(*S) *State) *Channels[S] {
	return &Channels[S]{
		Messages: graph.Keyed("messages", func(s *S) *[]Message { return &part(s).Messages }, func(m *Message) *string { return &m.ID }),
		Asked:    graph.Ephemeral("asked", func(s *S) *[]Message { return &part(s).Asked }),
		Rounds:   graph.LastValue("rounds", func(s *S) *int { return &part(s).Rounds }),
		Allowed:  graph.Reduce("allowed", func(s *S) *[]string { return &part(s).Allowed }, union),
		Ended:    graph.LastValue("ended", func(s *S) *string { return &part(s).Ended }),
		View:     graph.LastValue("view", func(s *S) *View { return &part(s).View }),
		Usage:    graph.Reduce("usage", func(s *S) *state.ModelUsage { return &part(s).Usage }, state.ModelUsage.Plus),
		Active:   graph.LastValue("active", func(s *S) *string { return &part(s).Active }),
		Decided:  graph.LastValue("decided", func(s *S) *[]Sent { return &part(s).Decided }),
		Todos:    graph.LastValue("todos", func(s *S) *[]Todo { return &part(s).Todos }),
		Files:    graph.Reduce("files", func(s *S) *map[string]files.File { return &part(s).Files }, withFiles),
		part:     part,
	}
}

// at returns the State inside s. Where S is State, s stays on its caller's stack.
func (c *Channels[S]) at(s *S) *State {
	if whole, ok := any(s).(*State); ok {
		return whole
	}
	return c.inside(*s)
}

func (c *Channels[S]) inside(s S) *State { return c.part(&s) }

// All returns the channels, for graph.NewStateGraph.
func (c *Channels[S]) All() []graph.Channel[S] {
	all := []graph.Channel[S]{c.Messages, c.Asked, c.Rounds, c.Allowed, c.Ended, c.View, c.Usage, c.Active, c.Decided}
	if c.deep {
		all = append(all, c.Todos, c.Files)
	}
	return all
}

// Say returns the input of a turn: the person's text and images. The message gets an ID.
func (c *Channels[S]) Say(text string, images ...llm.Image) graph.Update[S] {
	return graph.Update[S]{c.Asked.Set([]Message{{Message: llm.Message{Role: llm.User, Text: text, Images: images}}})}
}

// plain are the channels of a State that is the whole state.
var plain = NewChannels(func(s *State) *State { return s })

// Messages is the channel of State.Messages, for graphs of New.
var Messages = plain.Messages

// Say returns the input of a turn, for graphs of New.
func Say(text string, images ...llm.Image) graph.Update[State] { return plain.Say(text, images...) }

// Answer returns the text of the last turn's answer. It is empty if the turn ended without one; see
// State.Ended.
func Answer(s State) string {
	if m := last(s.Messages); s.Ended == "" && m.Role == llm.Assistant && len(m.Calls) == 0 {
		return m.Text
	}
	return ""
}

// last returns the last message, or an empty one.
func last(list []Message) Message {
	if len(list) == 0 {
		return Message{}
	}
	return list[len(list)-1]
}

func union(cur, more []string) []string {
	out := slices.Concat(cur, more)
	slices.Sort(out)
	return slices.Compact(out)
}

// freshID returns an unused message ID. It depends only on the task's place in its run.
func freshID(ctx context.Context, taken []Message) string {
	at, _ := graph.CurrentTask(ctx)
	id := "m" + strconv.Itoa(at.Step)
	for n := 1; has(taken, id); n++ {
		id = fmt.Sprintf("m%d.%d", at.Step, n)
	}
	return id
}

// has reports whether a message has this ID.
func has(list []Message, id string) bool {
	for i := range list {
		if list[i].ID == id {
			return true
		}
	}
	return false
}
