package main

import (
	"context"
	"fmt"
)

// job is the state of all graphs: four fields, one of them a list.
type job struct {
	Count int
	Sum   int
	Name  string
	Log   []int
}

// work stands for what a node computes: about 20 ns.
//
//go:noinline
func work(s job) int {
	x := uint64(s.Count) + uint64(s.Sum) + uint64(len(s.Name)) + uint64(len(s.Log)) | 1
	for range 10 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	if x == 0 { // never
		return 0
	}
	return s.Count + 1
}

// A workload is one row of the table.
type workload struct {
	name  string // as -only takes it, and as the script in langgraph knows it
	title string
	units int // of the title's unit in one run
	batch int // runs that are timed together
}

// workloads returns the rows in the table's order. A batch is long enough for
// the clock not to matter, and for LangGraph.js to be warm after one of them.
func workloads() []workload {
	return []workload{
		{name: "work", title: "the function alone, per call", units: 1000, batch: 10},
		{name: "loop", title: "loop of two nodes, 1,000 supersteps, per superstep", units: 1000, batch: 10},
		{name: "checkpoint", title: "the same, a checkpoint in memory after each superstep", units: 1000, batch: 5},
		{name: "fanout", title: "fan-out of 100 tasks into an ordered list, per task", units: 100, batch: 10},
		{name: "chain", title: "chain of 10 nodes, whole run", units: 1, batch: 100},
		{name: "agent", title: "prebuilt agent, 10 rounds with a call each, per round", units: agentRounds, batch: 20},
		{name: "tools", title: "prebuilt agent, 100 calls at once of a tool that waits 10 ms, whole turn", units: 1, batch: 2},
	}
}

const (
	loopSteps   = 1000
	fanOutWidth = 100
	chainLength = 10
)

// A run executes a graph once and checks what came out.
type run func(ctx context.Context) error

// A maker compiles a graph, before the clock runs.
type maker func() (run, error)

// makers maps the name of a workload to its graph.
type makers map[string]maker

// An absent is an error that says why an engine has no figure for a workload.
// The table shows it in place of one.
type absent struct{ reason string }

func (a absent) Error() string { return a.reason }

// missing is the maker of a workload that an engine has no figure for.
func missing(reason string) maker {
	return func() (run, error) { return nil, absent{reason} }
}

func checkCount(s job, want int) error {
	if s.Count != want {
		return fmt.Errorf("the count is %d, not %d", s.Count, want)
	}
	return nil
}

// checkList wants the results of the tasks in the tasks' order.
func checkList(list []int) error {
	if len(list) != fanOutWidth {
		return fmt.Errorf("the list has %d elements, not %d", len(list), fanOutWidth)
	}
	for i, v := range list {
		if v != i+1 {
			return fmt.Errorf("element %d of the list is %d, not %d: the order is wrong", i, v, i+1)
		}
	}
	return nil
}
