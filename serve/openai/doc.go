// Package openai serves runs to the clients of OpenAI's chat completions. A graph whose
// state is a conversation (nodes/conversation) is a model by its name.
//
//	http.Handle("/v1/", openai.Handler(openai.Options{
//		Space: func(*http.Request) *runs.Space { return manager.Space(runs.DefaultTenant) },
//	}))
//
// A request has the whole conversation. The handler goes on with the thread that the
// conversation so far is from, so that a turn knows of those before it, or makes one. A
// field that it does not understand is refused by name. A caller that leaves cancels its
// run.
//
// The package checks no token and bounds no body: what mounts it does. It knows no
// embeddings, no tools and no responses API, and counts no tokens itself.
package openai
