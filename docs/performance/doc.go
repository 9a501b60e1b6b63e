// Command performance runs the same small graphs on this engine, on eino and on
// LangGraph.js, side by side in one run, and prints what they cost as a table.
//
//	cd docs/performance && go run .
//	cd docs/performance && go run . -server
//
// The second runs one graph in this process, on the server of this repository and on
// LangGraph's development server, and prints what a run over HTTP costs.
//
// It is a module of its own, so that the engines it is compared with are no
// dependencies of assay. The first measures what an engine adds to a step, with work
// so small that little else shows; it says nothing about models, networks or
// stores that keep things on disk.
package main
