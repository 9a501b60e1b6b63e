// Package langgraph serves runs to the clients of LangGraph: its SDK, useStream, RemoteGraph, and
// programs built on them.
//
//	h := langgraph.Handler(langgraph.Options{Space: func(*http.Request) (*runs.Space, error) { return mine, nil }})
//	http.ListenAndServe("127.0.0.1:2024", h)
//
// It speaks two protocols. In the first, a request begins a run and streams it. In the second,
// clients send commands to a thread and read the events of all its runs from one stream that stays
// open.
//
// It serves assistants, threads, runs with their streams, states and histories, and the store. What
// it does not know it keeps with the run, or refuses if it is strict. Errors are {"detail": …}.
//
// A graph of messages in LangChain's form (package message) works with chat clients: the text of a
// model has the ID of its message, and an agent's question about calls is an HITLRequest.
//
// The package does not authenticate callers and sets no limits: see package serve. It has no
// feedback keys or WebSockets. [Plan] and [Tell] connect crons and webhooks with package runs. Messages
// come from the channel "messages"; a graph without it has none.
package langgraph
