// Package performance runs the same small graphs by hand, on this engine, on eino, langgraphgo,
// trpc-agent-go and LangGraph.js, as benchmarks:
//
//	cd docs/performance
//	for i in 1 2 3 4 5; do go test -run - -bench Engines -benchtime 300ms; done | tee figures.txt
//	go run golang.org/x/perf/cmd/benchstat@latest -row /workload -col /engine figures.txt
//
// The loop makes the engines take turns, so that what disturbs the machine disturbs all of them.
// One test measures runs over HTTP, on the server of this repository and on LangGraph's
// development server, and prints a table:
//
//	go test -run Served -turns 100 -v
//
// The programs that docs/langgraph.md compares are programs_test.go and langgraph/programs.py.
//
// The package is a module of its own, so that assay does not depend on the engines it is compared
// with. It measures what an engine adds to a step, with work so small that little else shows.
// LangGraph's columns need node and npm; the first run installs its packages.
package performance
