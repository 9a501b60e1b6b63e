// Package mcp calls the tools of servers that speak the Model Context Protocol: as tools of a
// model, and as nodes of a graph.
//
//	session, err := mcp.Open(ctx, mcp.Server{Name: "shop", Command: "shop-server", Tools: []string{"price"}}, nil)
//	…
//	defer session.Close()
//	tools := react.Tools(session.Tools()...)                              // for a model
//	node, err := mcp.Node(session, "price", State.Wanted, Price.Set)      // for a graph
//
// # Trust
//
// A server is not trusted. Its output is data: a model gets it between marks, and prompt injection
// in it is detected and reported (Options.Inspect). Only the tools in Server.Tools exist. Their
// definitions are checked when the session opens, and stay fixed until it closes: arguments and
// results must fit these schemas, whatever the server lists later. Prompt injection in a
// description is removed.
//
// A server that hangs, floods, dies, or returns too much or a wrong result causes a *CallError,
// which says what to do. Its requests for a model's answers, for folders or for a person's input
// are refused. Each call has limits on time and output, and counts in the run's budget.
//
// # Traces and cassettes
//
// Each call publishes a "mcp_call" event with its arguments before it is made, and a "mcp_result"
// event after it. With Options.Tape, calls and lists of tools are recorded, or answered without the
// server.
//
// # What it does not do
//
// It does not run servers in a sandbox: a command has the rights of this program, but only the
// environment in Server.Env. It does not read resources and prompts of servers, follow links in
// results, or show pictures to models: a result says what was left out. It does not retry calls: a
// node's retry policy does. Integers above 2^53 in structured results lose digits, since the SDK
// decodes them so.
package mcp
