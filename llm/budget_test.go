package llm_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/llm"
	"example.com/assay/state"
)

func TestBudget(t *testing.T) {
	for name, tc := range map[string]struct {
		opts  *llm.BudgetOptions
		calls int // that are made of 10
		what  string
	}{
		"none":   {nil, 10, ""},
		"calls":  {&llm.BudgetOptions{MaxCalls: 3}, 3, "calls"},
		"tokens": {&llm.BudgetOptions{MaxTokens: 7}, 3, "tokens"}, // 3 a call: 3, 6, 9
		"both":   {&llm.BudgetOptions{MaxCalls: 2, MaxTokens: 7}, 2, "calls"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &failing{usage: llm.Usage{InputTokens: 2, OutputTokens: 1}, errs: []error{nil, status(400)}} // failed calls count, too
			budget := llm.NewBudget(tc.opts)
			ask := budget.Wrap(m)
			for round := range 2 {
				for i := range 10 {
					_, err := ask.Generate(t.Context(), llm.Request{})
					e, refused := errors.AsType[*llm.BudgetError](err)
					if refused != (i >= tc.calls) || refused && e.What != tc.what {
						t.Fatalf("round %d, call %d: %v", round, i+1, err)
					}
				}
				if got, want := ofRun(budget), (state.ModelUsage{Calls: tc.calls, InputTokens: 2 * tc.calls, OutputTokens: tc.calls}); got != want {
					t.Errorf("spent %+v; want %+v", got, want)
				}
				if len(m.asked) != (round+1)*tc.calls {
					t.Errorf("%d calls were made", len(m.asked))
				}
				budget.Reset()
			}
		})
	}
}

// Calls of tools are bounded by themselves, in each run.
func TestBudgetOfTools(t *testing.T) {
	budget := llm.NewBudget(&llm.BudgetOptions{MaxToolCalls: 2, MaxCalls: 1})
	spend := func(ctx context.Context) (made int) {
		for range 5 {
			err := budget.Tool(ctx)
			if err == nil {
				made++
			} else if e, ok := errors.AsType[*llm.BudgetError](err); !ok || e.What != "tool_calls" || !strings.Contains(err.Error(), "2 tool calls") || !strings.Contains(err.Error(), "max_tool_calls") {
				t.Errorf("refused with %v", err)
			}
		}
		return made
	}
	own := budget.Begin(t.Context())
	if here, other := spend(t.Context()), spend(own); here != 2 || other != 2 {
		t.Errorf("%d and %d calls of two runs were made; want 2 and 2", here, other)
	}
	budget.Reset()
	if again, other := spend(t.Context()), spend(own); again != 2 || other != 0 {
		t.Errorf("after a reset %d and %d calls were made; want 2 and 0", again, other)
	}
	if err := (*llm.Budget)(nil).Tool(t.Context()); err != nil {
		t.Errorf("without a budget: %v", err)
	}
}

// An answer that comes after its run was ended is not the next one's.
func TestBudgetOfLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := llm.NewBudget(nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := budget.Wrap(late{}).Generate(t.Context(), llm.Request{}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		budget.Reset()
		wg.Wait()
		if got := ofRun(budget); got != (state.ModelUsage{}) {
			t.Errorf("the new run has spent %+v", got)
		}
		if got, want := ofSession(budget), (state.ModelUsage{Calls: 1, OutputTokens: 7}); got != want {
			t.Errorf("the session has spent %+v; want %+v", got, want)
		}
	})
}

// Runs that go on side by side have their bounds each, and one session.
func TestBudgetsOfRunsSideBySide(t *testing.T) {
	budget := llm.NewBudget(&llm.BudgetOptions{MaxCalls: 2, Session: llm.BudgetBounds{MaxCalls: 5}})
	ask := budget.Wrap(&failing{usage: llm.Usage{OutputTokens: 1}, errs: []error{nil}})
	first, second := budget.Begin(t.Context()), budget.Begin(t.Context())
	for i, tc := range []struct {
		ctx     context.Context
		refused bool
		session bool
	}{
		{first, false, false}, {second, false, false}, {first, false, false}, {first, true, false},
		{second, false, false}, {second, true, false}, {t.Context(), false, false}, {t.Context(), true, true},
	} {
		_, err := ask.Generate(tc.ctx, llm.Request{})
		if e, refused := errors.AsType[*llm.BudgetError](err); refused != tc.refused || refused && e.Session != tc.session {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
	if got, want := ofRun(budget), (state.ModelUsage{Calls: 1, OutputTokens: 1}); got != want {
		t.Errorf("the run of nobody has spent %+v; want %+v", got, want)
	}
	if got, want := ofSession(budget), (state.ModelUsage{Calls: 5, OutputTokens: 5}); got != want {
		t.Errorf("the session has spent %+v; want %+v", got, want)
	}
}

func ofRun(b *llm.Budget) state.ModelUsage {
	run, _ := b.Spent()
	return run
}

func ofSession(b *llm.Budget) state.ModelUsage {
	_, session := b.Spent()
	return session
}

type late struct{}

func (late) Generate(context.Context, llm.Request) (llm.Response, error) {
	time.Sleep(time.Second)
	return llm.Response{Usage: llm.Usage{OutputTokens: 7}}, nil
}

func TestBudgetCountsConcurrentCallsExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most, refused atomic.Int32
		budget := llm.NewBudget(&llm.BudgetOptions{MaxCalls: 5})
		ask := budget.Wrap(slow{&running, &most})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
					refused.Add(1)
				}
			})
		}
		wg.Wait()
		if most.Load() != 5 || refused.Load() != 15 {
			t.Errorf("%d calls made, %d refused", most.Load(), refused.Load())
		}
	})
}
