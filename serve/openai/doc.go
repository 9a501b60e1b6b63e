// Package openai serves runs to the clients of OpenAI's chat completions. A graph whose state is a
// conversation (nodes/conversation) appears as a model with the graph's name.
//
//	http.Handle("/v1/", openai.Handler(openai.Options{
//		Space: func(*http.Request) *runs.Space { return manager.Space(runs.DefaultTenant) },
//	}))
//
// A request contains the whole conversation. The handler finds the thread of the earlier messages
// and continues it, so a turn knows the turns before it; otherwise it creates a thread. It refuses
// an unknown field by name. A caller that disconnects cancels its run.
//
// The package checks no token and limits no body: the program that mounts it does. It has no
// embeddings, tools or responses API, and does not count tokens itself.
package openai
