package research_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/graph/checkpoint/checkpointtest"
	"example.com/assay/graph/checkpoint/memory"
	"example.com/assay/llm"
	"example.com/assay/nodes/research"
)

// rote answers what it was asked before as it did then.
type rote struct {
	from  llm.Model
	mu    sync.Mutex // claims are judged side by side
	known map[string]llm.Response
	calls int
}

func (m *rote) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	key := req.Skill + string(req.Vars)
	if resp, ok := m.known[key]; ok {
		return resp, nil
	}
	resp, err := m.from.Generate(ctx, req)
	m.known[key] = resp
	return resp, err
}

// TestARunThatDiesAtAnyPointGoesOn: at every call of the checkpointer the run
// is given up; what another process makes of the thread is the state that a run
// without mishap ends with, and no model call that was committed is made again.
func TestARunThatDiesAtAnyPointGoesOn(t *testing.T) {
	m := &rote{from: script(multi), known: map[string]llm.Response{}}
	whole := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, withChoices)
	for n := 1; ; n++ {
		m.calls = 0
		saver := memory.New()
		faulty := checkpointtest.Faulty(saver, n)
		start := func(c graph.Checkpointer) *research.Pipeline {
			p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &shelf{}}, &research.Options{Checkpointer: c})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		opts := &research.AskOptions{Run: graph.RunOptions{Thread: "t"}}
		final, _, err := start(faulty).Ask(t.Context(), withChoices, opts)
		if err == nil {
			if n < 10 || !reflect.DeepEqual(final, whole) {
				t.Errorf("after %d calls of the checkpointer the run ends with %+v", n-1, final)
			}
			return
		}
		if !errors.Is(err, checkpointtest.ErrFault) {
			t.Fatalf("call %d: %v", n, err)
		}
		opts.Resume = true
		final, _, err = start(saver).Ask(t.Context(), "", opts)
		if errors.Is(err, graph.ErrEmptyInput) { // it died before the question was saved
			opts.Resume = false
			final, _, err = start(saver).Ask(t.Context(), withChoices, opts)
		}
		if err != nil {
			t.Fatalf("call %d, resumed: %v", n, err)
		}
		if !reflect.DeepEqual(final, whole) {
			t.Errorf("call %d: the run that was resumed ends with\n%+v, not\n%+v", n, final, whole)
		}
		if calls := whole.Metrics.Calls; m.calls > calls+3 { // the calls whose superstep was lost: claims are judged side by side
			t.Errorf("call %d: %d model calls, %d in a run without mishap", n, m.calls, calls)
		}
	}
}

// TestASpentBudgetStopsTheRun: with what it has, and another budget goes on
// from there to the answer of a run without one.
func TestASpentBudgetStopsTheRun(t *testing.T) {
	m := &rote{from: script(multi), known: map[string]llm.Response{}}
	whole := mustRun(t, research.Deps{Model: m, Corpus: &shelf{}}, nil, withChoices)
	for most := 1; most < whole.Metrics.Calls; most++ {
		m.calls = 0
		saver := memory.New()
		start := func(budget *llm.Budget) *research.Pipeline {
			p, err := research.New(research.Deps{Model: budget.Wrap(m), Skills: set(t), Corpus: &shelf{}}, &research.Options{Checkpointer: saver})
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		opts := &research.AskOptions{Run: graph.RunOptions{Thread: "t"}}
		part, _, err := start(llm.NewBudget(&llm.BudgetOptions{MaxCalls: most})).Ask(t.Context(), withChoices, opts)
		if !errors.As(err, new(*llm.BudgetError)) || m.calls != most {
			t.Fatalf("budget of %d calls: %d were made, error %v", most, m.calls, err)
		}
		if part.Usage.Calls > most {
			t.Errorf("budget of %d calls: the state says %d", most, part.Usage.Calls)
		}
		opts.Resume = true
		final, _, err := start(llm.NewBudget(nil)).Ask(t.Context(), "", opts)
		// Claims are judged side by side: a call may be answered whose task the budget
		// of another has stopped.
		if err != nil || !reflect.DeepEqual(final, whole) || m.calls < whole.Metrics.Calls || m.calls > whole.Metrics.Calls+2 {
			t.Errorf("budget of %d calls, then none: %d calls, error %v, state\n%+v", most, m.calls, err, final)
		}
	}
}
