package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/llm"
)

// TestCallsOtherThanQuestionsAreUnderControl: repeated, timed, and counted in
// one budget with those of models.
func TestCallsOtherThanQuestionsAreUnderControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controls := llm.NewControls(&llm.ControlOptions{Timeout: time.Second, Budget: llm.BudgetOptions{MaxCalls: 3}})
		c := llm.NewCaller("embed", controls.Wrap)
		attempts := 0
		err := c.Do(t.Context(), func(ctx context.Context) (llm.Usage, error) {
			attempts++
			switch attempts {
			case 1:
				return llm.Usage{}, status(429)
			case 2:
				<-ctx.Done()
				return llm.Usage{}, context.Cause(ctx)
			}
			llm.Book(ctx, llm.Usage{InputTokens: 3}.Entry())
			llm.Book(t.Context(), llm.Usage{InputTokens: 1000}.Entry()) // nobody's
			return llm.Usage{InputTokens: 4}, nil
		})
		if err != nil || attempts != 3 {
			t.Fatalf("%d attempts, error %v", attempts, err)
		}
		if spent := ofRun(controls.Budget()); spent.Calls != 1 || spent.InputTokens != 7 {
			t.Errorf("spent %+v", spent)
		}
		fails := func(context.Context) (llm.Usage, error) { attempts++; return llm.Usage{}, status(401) }
		for range 2 {
			if err := c.Do(t.Context(), fails); !errors.As(err, new(*llm.StatusError)) {
				t.Error(err)
			}
		}
		if err := c.Do(t.Context(), fails); !errors.As(err, new(*llm.BudgetError)) || attempts != 5 {
			t.Errorf("%d attempts, error %v", attempts, err)
		}
	})
}
