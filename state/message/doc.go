// Package message is the JSON of a conversation's messages, as LangChain and its clients have it.
//
//	var list []message.Message
//	err := json.Unmarshal(state["messages"], &list)
//
// A graph with a list of these in its channel "messages" works with chat clients of every protocol
// that package serve speaks. Of and Message.Event translate to and from the messages that a model
// gets.
//
// The package reads what clients write in other forms, too: a role instead of a type, a list of
// texts as content, a function with its arguments as text. It drops fields of a message that it does
// not know. It does not load images.
package message
