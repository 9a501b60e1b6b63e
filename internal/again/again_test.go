package again

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestDo: a passing error is retried until the call succeeds, the time is over or the context
// ends. Any other error ends it at once.
func TestDo(t *testing.T) {
	passing, final, cause := errors.New("passing"), errors.New("final"), errors.New("cause")
	for name, tc := range map[string]struct {
		errs  []error // the results of the calls in turn; the last one repeats
		waits Waits
		calls int
		want  []error
	}{
		"at once": {[]error{nil}, Waits{}, 1, nil},
		"later":   {[]error{passing, passing, nil}, Waits{}, 3, nil},
		"final":   {[]error{passing, final}, Waits{}, 2, []error{final}},
		"over":    {[]error{passing}, Waits{Total: time.Second}, 0, []error{passing}},
		"ended":   {[]error{passing}, Waits{}, 0, []error{passing, cause}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithTimeoutCause(t.Context(), time.Minute, cause)
			defer stop()
			tc.waits.First, tc.waits.Most = 10*time.Millisecond, 100*time.Millisecond
			calls, began := 0, time.Now()
			err := Do(ctx, tc.waits, func() error {
				calls++
				return tc.errs[min(calls, len(tc.errs))-1]
			}, func(err error) bool { return errors.Is(err, passing) })
			if tc.calls > 0 && calls != tc.calls || (err == nil) != (tc.want == nil) {
				t.Errorf("%s: %d calls, %v", name, calls, err)
			}
			for _, want := range tc.want {
				if !errors.Is(err, want) {
					t.Errorf("%s: %v is not %v", name, err, want)
				}
			}
			if took := time.Since(began); tc.waits.Total > 0 && took > tc.waits.Total || took > time.Minute {
				t.Errorf("%s: took %v", name, took)
			}
		})
	}
}
