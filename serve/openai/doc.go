// Package openai serves runs to the clients of OpenAI's chat completions and responses. A graph with
// a list of messages appears as a model with the graph's name: a conversation (nodes/conversation) or
// an agent (nodes/react).
//
//	http.Handle("/v1/", openai.Handler(openai.Options{
//		Space: func(*http.Request) *runs.Space { return manager.Space(runs.DefaultTenant) },
//	}))
//
// A request contains the whole conversation, or names the response that it continues. The handler
// finds the thread of the earlier messages and continues it, so a turn knows the turns before it;
// otherwise it creates a thread. An answer names the fields of the request that had no effect. A
// caller that disconnects cancels its run.
//
// The package checks no token and limits no body: the program that mounts it does. It calls no tools
// of the client's, has no embeddings, and does not count tokens itself.
package openai
