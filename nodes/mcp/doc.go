// Package mcp calls the tools of servers that speak the Model Context Protocol: as tools of
// a model, and as nodes of a graph.
//
//	session, err := mcp.Open(ctx, mcp.Server{Name: "shop", Command: "shop-server", Tools: []string{"price"}}, nil)
//	…
//	defer session.Close()
//	tools := react.Tools(session.Tools()...)                              // for a model
//	node, err := mcp.Node(session, "price", State.Wanted, Price.Set)      // for a graph
//
// # What a server is believed
//
// Nothing. A server's output is data: a model gets it between marks, and orders in it are
// looked for and reported (Options.Inspect). Only the tools in Server.Tools exist. Their
// definitions are checked when the session opens and hold until it closes: arguments and
// results must fit the schemas of then, whatever the server lists later. What a definition
// says in words is left out when it reads as an order.
//
// A server that hangs, floods, dies, returns too much or something else than it promised
// causes a *CallError, which says what to do. Its requests for a model's answers, for
// folders or for a person's input are refused. A call has a time, an output and a place in
// the run's budget.
//
// # Traces and cassettes
//
// Each call publishes a "mcp_call" event with its arguments before it is made, and a
// "mcp_result" event after it. With Options.Tape, calls and lists of tools are recorded, or
// answered without the server.
//
// # What it does not do
//
// It does not run servers in a sandbox: a command has the rights of this program, though
// only the environment that Server.Env names. It reads no resources and no prompts of
// servers, follows no links in results, and shows no pictures to models: a result says what
// was left out. It does not repeat calls: a node's retry policy does. Integers above 2^53 in
// structured results lose their last digits, since the SDK decodes them so.
package mcp
