// Package a2a serves runs to the clients of the Agent2Agent protocol (A2A), version 1.0, over
// JSON-RPC. Each graph is a skill of one agent, and an agent of its own below its name.
//
//	http.Handle("/", a2a.Handler(a2a.Options{
//		Space: func(*http.Request) *runs.Space { return manager.Space(runs.DefaultTenant) },
//	}))
//
// Push notifications need Tell among runs.Options.Tell.
//
// A context is a thread. A task is a run, and its ID is the run's. A run that asks a person leaves
// its task waiting (TASK_STATE_INPUT_REQUIRED). A message to the task answers the question with a
// further run, whose metadata names the first one, so the task keeps its ID. A task that waits while
// its thread goes on without an answer is canceled.
//
// Text parts of a message are a person's message, if the graph has messages. Data parts are values
// of further channels. The answer is one artifact: a text part for each block of text, and a data
// part for what the graph returns as JSON. The artifact's metadata has the citations of the text.
// Tasks are kept as long as their runs.
//
// The package checks no token and limits no body: the program that mounts it does. It serves
// neither version 0.3, nor gRPC, nor the REST binding, and signs no card. It reads no files in
// messages, has no extensions, and ignores acceptedOutputModes.
package a2a
