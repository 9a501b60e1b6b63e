package react

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/state"
)

// A Message is one entry of a conversation.
type Message struct {
	ID string `json:"id,omitempty"`
	llm.Message
	Check *state.ClaimCheck `json:"check,omitempty"` // of an answer, with Grounded
	Again bool              `json:"again,omitempty"` // a step, not the person, asks the model again
}

// State is a conversation. A struct of the caller that holds one is given to Into.
type State struct {
	Messages []Message `json:"messages"`
	// Asked is what the person says in this turn; begin moves it to Messages.
	Asked []Message `json:"asked,omitempty"`
	// Rounds counts the calls of the model in this turn.
	Rounds int `json:"rounds,omitempty"`
	// Allowed are the tools that need no approval on this thread any more.
	Allowed []string `json:"allowed,omitempty"`
	// Ended says why the turn ended without an answer; empty when it has one.
	Ended string `json:"ended,omitempty"`
	// View is how the next call of the model sees the conversation.
	View  View             `json:"view,omitzero"`
	Usage state.ModelUsage `json:"usage"`
	// Active is the agent of a Swarm that has the conversation.
	Active string `json:"active,omitempty"`

	// Sent is a call of a tool. Only the tasks of tools have one.
	Sent *Sent `json:"sent,omitempty"`
}

// A View is how a call of the model sees the conversation. Steps before the model
// set it, and it holds for one call.
type View struct {
	Skip    []string `json:"skip,omitempty"`    // ids of messages that the model does not see
	Cleared []string `json:"cleared,omitempty"` // ids of messages whose text and images it does not see
	Tools   []string `json:"tools,omitempty"`   // the tools that it is offered; none means all
	Note    string   `json:"note,omitempty"`    // added to the system prompt
}

// plus is a view in which both hold. Tools of more count.
func (v View) plus(more View) View {
	v.Skip, v.Cleared, v.Note = union(v.Skip, more.Skip), union(v.Cleared, more.Cleared), join(v.Note, more.Note)
	if len(more.Tools) > 0 {
		v.Tools = more.Tools
	}
	return v
}

// A Sent is a call of a tool on its way to the tool's node.
type Sent struct {
	llm.ToolCall
	Message string `json:"message"` // the id of its result
	Round   int    `json:"round"`
}

// Channels are the channels of a State that is a part of S.
type Channels[S any] struct {
	Messages *graph.KeyedChannel[S, Message]
	Asked    *graph.EphemeralChannel[S, []Message]
	Rounds   *graph.LastValueChannel[S, int]
	Allowed  *graph.ReduceChannel[S, []string]
	Ended    *graph.LastValueChannel[S, string]
	View     *graph.LastValueChannel[S, View]
	Usage    *graph.ReduceChannel[S, state.ModelUsage]
	Active   *graph.LastValueChannel[S, string]

	part func(*S) *State
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
		part:     part,
	}
}

// All lists the channels, for graph.NewStateGraph.
func (c *Channels[S]) All() []graph.Channel[S] {
	return []graph.Channel[S]{c.Messages, c.Asked, c.Rounds, c.Allowed, c.Ended, c.View, c.Usage, c.Active}
}

// Say is the input of a turn: what the person says and shows. Its message gets an id.
func (c *Channels[S]) Say(text string, images ...llm.Image) graph.Update[S] {
	return graph.Update[S]{c.Asked.Set([]Message{{Message: llm.Message{Role: llm.User, Text: text, Images: images}}})}
}

// own are the channels of a State by itself.
var own = NewChannels(func(s *State) *State { return s })

// Messages is the channel of State.Messages, in graphs that New makes.
var Messages = own.Messages

// Say is the input of a turn, for graphs that New makes.
func Say(text string, images ...llm.Image) graph.Update[State] { return own.Say(text, images...) }

// Answer is the text of the last turn's answer. It is empty when the turn ended
// without one: State.Ended then says why.
func Answer(s State) string {
	if m := last(s.Messages); s.Ended == "" && m.Role == llm.Assistant && len(m.Calls) == 0 {
		return m.Text
	}
	return ""
}

// last is the last message, or an empty one.
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

// freshID returns an id that no message has. It depends on the place of the task in
// its run alone.
func freshID(ctx context.Context, taken []Message) string {
	at, _ := graph.CurrentTask(ctx)
	for id, n := fmt.Sprintf("m%d", at.Step), 1; ; id, n = fmt.Sprintf("m%d.%d", at.Step, n), n+1 {
		if !has(taken, id) {
			return id
		}
	}
}

// has reports whether a message has an id.
func has(list []Message, id string) bool {
	for i := range list {
		if list[i].ID == id {
			return true
		}
	}
	return false
}
