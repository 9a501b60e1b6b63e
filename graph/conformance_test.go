package graph_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"example.com/assay/graph"
)

// The conformance cases hold this engine beside LangGraph's behaviour, case by
// case, under the ids of the list that both are read against. Those that need
// a checkpointer run on every one; the others run without, and see through
// events what a checkpoint would hold.

// A row is a case with a graph, an input and the expected result.
type row struct {
	id    string
	build func() *graph.StateGraph[board]
	in    update
	want  board
	steps string // the nodes of each superstep: "s | l1 r1 | j"
	check func(t *testing.T, p played)
}

// A fact is a case that takes more than one run to state.
type fact struct {
	id    string
	check func(t *testing.T)
}

func TestConformance(t *testing.T) { conform(t) }

// TestConformanceSimulated is TestConformance on the driver of one goroutine, which
// ends tasks in an order of its own.
func TestConformanceSimulated(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	order := rand.New(rand.NewPCG(19, 1))
	simulating = &graph.Simulation{Pick: order.IntN, Crash: func() bool { return false }}
	defer func() { simulating = nil }()
	conform(t)
}

// atOnce are the cases of tasks that run at the same time, which one goroutine
// cannot do: they wait for each other, or one is stopped while it runs.
var atOnce = []string{"E9", "E9/first_in_order", "E9/retry_wait_is_cut", "E13/whole_superstep", "G6/tokens"}

func conform(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				app := mustCompile(t, r.build())
				p := play(t.Context(), app, r.in, graph.RunOptions{})
				if p.err != nil {
					t.Fatal(p.err)
				}
				if diff := differ(r.want, p.final); diff != "" {
					t.Errorf("final state (-want +got):\n%s", diff)
				}
				if got := p.steps(); got != r.steps {
					t.Errorf("supersteps:\n got %s\nwant %s", got, r.steps)
				}
				out, err := app.Invoke(t.Context(), r.in, nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := differ(p.final, out); diff != "" {
					t.Errorf("Invoke and Stream differ:\n%s", diff)
				}
				if r.check != nil {
					r.check(t, p)
				}
			})
		})
	}
	for _, facts := range [][]fact{factsA, factsB, factsC, factsSend, factsCommand, factsScratch, factsTimeout, factsHandler, factsDrain, factsCache, factsTokens, factsE, factsG, factsH} {
		for _, f := range facts {
			if simulating != nil && slices.Contains(atOnce, f.id) {
				continue
			}
			t.Run(f.id, func(t *testing.T) { synctest.Test(t, f.check) })
		}
	}
	for _, cases := range [][]durable{durableState, durableF, durableUpdate, durableD, durableE, durableH} {
		for _, c := range cases {
			t.Run(c.id, func(t *testing.T) { onSavers(t, c.check) })
		}
	}
}

// rows are made anew for every reader, since nodes may count.
func rows() []row {
	rows := rowsA()
	rows = append(rows, rowsB()...)
	rows = append(rows, rowsC()...)
	rows = append(rows, rowsSend()...)
	rows = append(rows, rowsCommand()...)
	rows = append(rows, rowsScratch()...)
	return append(rows, rowsH()...)
}

// sameLines compares what was printed of two runs, or of a run and a golden.
func sameLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := differ(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
