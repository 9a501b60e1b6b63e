package causal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/follow"
	"example.com/assay/skills"
)

func manyEdges(n int) []causal.Edge {
	edges := make([]causal.Edge, n)
	for i := range edges {
		edges[i] = edge(fmt.Sprintf("e%d", i+1), fmt.Sprintf("cause%d", i), "lung cancer", causal.Weak)
	}
	return edges
}

var errHalfWay = errors.New("half way")

// 500 edges before 32 slow judges, cancelled half way: verdicts that were given
// are kept, nobody is judged twice, and no goroutine is left (synctest would not
// end).
func TestManyEdgesCancelledHalfWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, judges = 500, 32
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, wait: time.Second}
		m.each = func(total int) {
			if total == n/2 {
				cancel(errHalfWay)
			}
		}
		opts := &causal.Options{MaxConcurrent: judges, Checkpointer: memory.New()}
		p := pipeline(t, m, &shelf{}, opts)
		var kept causal.Kept
		in, err := json.Marshal(causal.Input(manyEdges(n)))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = follow.App(ctx, p.Graph().App(), in, &follow.Options[json.RawMessage]{Observe: kept.Observe, Run: graph.RunOptions{Thread: "t"}})
		if !errors.Is(err, errHalfWay) {
			t.Fatalf("the run ended with %v", err)
		}
		synctest.Wait()
		halfWay(t, &kept, n, judges)
		before := m.calls
		m.calls, m.each = nil, nil
		final, err := p.Graph().Resume(context.Background(), nil, &graph.RunOptions{Thread: "t"})
		if err != nil {
			t.Fatal(err)
		}
		if len(final.Edges) != n || len(final.DAG.Edges) != n || len(final.Audit) != n {
			t.Errorf("after resuming: %d edges, %d in the graph, %d audit entries", len(final.Edges), len(final.DAG.Edges), len(final.Audit))
		}
		again := 0
		for cause := range m.calls {
			again += before[cause]
		}
		// The last answer of each judge may have come as the run was cancelled.
		if len(before) < n/2 || again > judges {
			t.Errorf("%d edges were judged before, and %d of them again", len(before), again)
		}
		if len(m.calls) < n/2-judges {
			t.Errorf("only %d edges were left: the run was not cancelled half way", len(m.calls))
		}
		if m.peak > judges {
			t.Errorf("%d calls at once; the limit is %d", m.peak, judges)
		}
	})
}

// halfWay holds what was kept of a stopped run to half of its edges, in order.
func halfWay(t *testing.T, kept *causal.Kept, n, judges int) {
	t.Helper()
	got, err := kept.State(manyEdges(n))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Edges) < n/2-judges || len(got.Edges) > n/2+judges || len(got.Audit) != len(got.Edges) || len(got.DAG.Edges) != len(got.Edges) || len(got.Drafts) != n {
		t.Errorf("kept %d edges, %d audit entries and %d in the graph, of %d", len(got.Edges), len(got.Audit), len(got.DAG.Edges), len(got.Drafts))
	}
	place := map[string]int{}
	for i, e := range manyEdges(n) {
		place[e.ID] = i
	}
	for i, e := range got.Edges {
		if e.Status != causal.EdgeGrounded || i > 0 && place[e.ID] <= place[got.Edges[i-1].ID] {
			t.Fatalf("edge %d kept is %s, %s", i, e.ID, e.Status)
		}
	}
}

func TestDefaultLimitOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &scripted{verdicts: map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}, wait: time.Second}
		run(t, m, &shelf{}, nil, manyEdges(50)...)
		if m.peak != 8 {
			t.Errorf("%d calls at once, want 8", m.peak)
		}
	})
}

// The same edges give the same result, whatever runs beside what.
func TestParallelismChangesNothing(t *testing.T) {
	var first causal.State
	for i, procs := range []int{1, 8, 1, 8} {
		was := runtime.GOMAXPROCS(procs)
		verdicts := map[string][]skills.JudgeEdgeOutput{"*": {direct(.9)}}
		for k := 0; k < 40; k += 3 {
			verdicts[fmt.Sprintf("cause%d", k)] = []skills.JudgeEdgeOutput{refine("tar"), direct(.7)}
		}
		final := run(t, &scripted{verdicts: verdicts}, &shelf{}, &causal.Options{MaxConcurrent: procs}, manyEdges(40)...)
		runtime.GOMAXPROCS(was)
		if i == 0 {
			first = final
		} else if !reflect.DeepEqual(final, first) {
			t.Fatalf("run %d differs", i)
		}
	}
}
