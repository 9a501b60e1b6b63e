// Package langgraph serves runs to the clients of LangGraph: its SDK, useStream,
// RemoteGraph, and what is built on them.
//
//	h := langgraph.Handler(langgraph.Options{Space: func(*http.Request) (*runs.Space, error) { return mine, nil }})
//	http.ListenAndServe("127.0.0.1:2024", h)
//
// It speaks two protocols. The first begins a run and streams it. In the second, clients send
// commands to a thread and read the events of all its runs from one stream that stays open.
//
// It serves assistants, threads, runs with their streams, states and histories, and the
// store. A field of a request that is not understood is refused by its name with status
// 422: nothing that a caller asks for is dropped silently. Errors are {"detail": …}.
//
// The package does not know who a caller is, and has no limits: see package serve. It has
// no crons, no webhooks, no feedback keys and no WebSockets. Messages are those of a channel named
// "messages"; a graph without one has none.
package langgraph
