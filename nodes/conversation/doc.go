// Package conversation turns a graph that answers one question into a graph that holds a
// conversation: a list of messages, as chat clients know it.
//
//	chat, err := conversation.Graph("research", conversation.Pipeline[state.Agent]{Graph: g, Ask: ask, Reply: reply})
//
// A turn begins with a person's message. The pipeline runs as a graph inside a node, so its steps
// are streamed, and its reply becomes a message with citations. The pipeline decides what the next
// turn knows about this one.
//
// The package knows no pipeline and calls no model. It does not shorten conversations.
package conversation
