// Package agui serves graphs to the clients of AG-UI (the Agent-User Interaction Protocol, 1.0):
// @ag-ui/client, and CopilotKit through it.
//
//	h := agui.Handler(agui.Options{
//		Space: func(*http.Request) *runs.Space { return manager.Space(runs.DefaultTenant) },
//	})
//	http.Handle("/agui", h)
//	http.Handle("/agui/", h)
//
// POST /agui/{graph} takes a RunAgentInput and answers with the events of one run. The thread
// keeps the conversation: of the messages in the input, only those that it does not have are added,
// by their IDs. Fields of the state that differ from the thread's replace them. Unknown fields are
// ignored.
//
// What an input asks for depends on its thread:
//
//   - The ID of one of its runs: that run's events, from the beginning. It starts no other run.
//   - Answers to all open interrupts (resume): a run that continues. It takes no messages and no state.
//   - New messages or a changed state: a new run. Open interrupts must be answered first.
//   - Nothing new, and the last message is a user's: its answer is made again, from the state in
//     which the message was added.
//   - Nothing new, otherwise: a run under way, or the thread as it is, with its open interrupts.
//
// A run is cancelled when the client that started it disconnects: AG-UI has no other way to stop a
// run. The forwarded property onDisconnect: "continue" lets it go on.
//
// The package does not call the client's tools, which are in the run's metadata for the graph. It
// shows no messages of graphs inside nodes, sends no activities, subagents or raw events, and does
// not stream reasoning or arguments of calls in pieces. It checks no token and limits no body: the
// program that mounts it does.
package agui
