// Package conversation puts a graph that answers one question behind a graph that holds a
// conversation, as chat clients know it: a list of messages.
//
//	chat, err := conversation.Graph("research", conversation.Pipeline[state.Agent]{Graph: g, Ask: ask, Reply: reply})
//
// A turn begins with a person's message. The pipeline runs as a graph inside a node, so
// that its steps are streamed, and its reply becomes a message with citations. What the
// next turn is to know of this one, the pipeline says.
//
// The package knows no pipeline and calls no model. It does not shorten a conversation.
package conversation
