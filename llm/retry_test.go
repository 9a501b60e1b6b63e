package llm_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/llm"
)

// failing returns its errors in turn, then answers. It notes when it was asked.
type failing struct {
	mu    sync.Mutex
	errs  []error
	asked []time.Time
	usage llm.Usage
}

func (m *failing) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, time.Now())
	if n := len(m.asked); n <= len(m.errs) && m.errs[n-1] != nil {
		return llm.Response{Usage: m.usage}, m.errs[n-1]
	}
	return llm.Response{Text: "ok", Usage: m.usage}, nil
}

func (m *failing) waits() []time.Duration {
	var out []time.Duration
	for i := 1; i < len(m.asked); i++ {
		out = append(out, m.asked[i].Sub(m.asked[i-1]))
	}
	return out
}

func status(code int) error { return &llm.StatusError{Provider: "p", Status: code} }

func TestRetryable(t *testing.T) {
	for _, tc := range []struct {
		err  error
		want bool
	}{
		{status(408), true}, {status(409), true}, {status(429), true}, {status(500), true}, {status(502), true}, {status(503), true}, {status(529), true},
		{status(400), false}, {status(401), false}, {status(403), false}, {status(404), false}, {status(422), false}, {status(302), false}, {status(600), false},
		{&llm.StatusError{Status: 429, Code: "insufficient_quota"}, false},
		{&llm.StatusError{Status: 400, Message: "429 500 retry"}, false}, // the text does not decide
		{&llm.ConnectionError{Err: io.ErrUnexpectedEOF}, true},
		{&llm.ConnectionError{Err: &tls.CertificateVerificationError{Err: errors.New("unknown authority")}}, false},
		{&llm.TimeoutError{After: time.Second}, true},
		{&llm.ResponseError{Err: errors.New("x")}, false}, {&llm.TruncatedError{}, false}, {&llm.BlockedError{}, false},
		{&llm.ParseError{Err: errors.New("x")}, false}, {&llm.BudgetError{}, false},
		{context.Canceled, false}, {context.DeadlineExceeded, false}, {errors.New("status 429"), false}, {nil, false},
	} {
		wrapped := tc.err
		if wrapped != nil {
			wrapped = fmt.Errorf("asking: %w", tc.err)
		}
		if got := llm.Retryable(wrapped); got != tc.want {
			t.Errorf("Retryable(%v) = %v", wrapped, got)
		}
	}
}

func TestRetryWaits(t *testing.T) {
	s := time.Second
	later := func(d time.Duration) error { return &llm.StatusError{Status: 429, RetryAfter: d} }
	for name, tc := range map[string]struct {
		opts *llm.RetryOptions
		errs []error
		want []time.Duration // the least waits; each may be longer by the jitter
		fail bool
	}{
		"defaults":             {nil, []error{status(500), status(500), status(500), status(500), status(500)}, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s}, false},
		"gives up":             {nil, []error{status(500), status(500), status(500), status(500), status(500), status(500)}, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s}, true},
		"never":                {&llm.RetryOptions{MaxRetries: -1}, []error{status(500)}, nil, true},
		"bounded":              {&llm.RetryOptions{Base: 4 * s, MaxWait: 5 * s, MaxRetries: 3}, []error{status(500), status(500), status(500)}, []time.Duration{4 * s, 5 * s, 5 * s}, false},
		"server asks for more": {nil, []error{later(20 * s), later(1 * s)}, []time.Duration{20 * s, 4 * s}, false},
		"server asks too much": {nil, []error{later(3 * time.Minute)}, nil, true},
		"not retryable":        {nil, []error{status(401)}, nil, true},
		"then not retryable":   {nil, []error{status(500), status(400)}, []time.Duration{2 * s}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &failing{errs: tc.errs, usage: llm.Usage{InputTokens: 2, OutputTokens: 1}}
				var told []time.Duration
				opts := llm.RetryOptions{}
				if tc.opts != nil {
					opts = *tc.opts
				}
				opts.OnRetry = func(e llm.RetryEvent) { told = append(told, e.Wait) }
				resp, err := llm.Retry(&opts)(m).Generate(t.Context(), llm.Request{})
				last := tc.errs[len(tc.errs)-1]
				if tc.fail != (err != nil) || tc.fail && !errors.Is(err, last) {
					t.Fatalf("error %v", err)
				}
				if n := len(m.asked); resp.Usage.InputTokens != 2*n {
					t.Errorf("usage %+v of %d attempts", resp.Usage, n)
				}
				got := m.waits()
				if len(got) != len(tc.want) || len(told) != len(got) {
					t.Fatalf("waited %v, told %v; want %v", got, told, tc.want)
				}
				for i, d := range got {
					if d < tc.want[i] || d > tc.want[i]+5*s || d != told[i] {
						t.Errorf("wait %d was %v (told %v); want %v and at most 5 s more", i+1, d, told[i], tc.want[i])
					}
				}
			})
		})
	}
}

func TestRetryIsCancellable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the user left")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, why)
		defer cancel()
		m := &failing{errs: []error{status(503)}}
		start := time.Now()
		_, err := llm.Retry(nil)(m).Generate(ctx, llm.Request{})
		if _, ok := errors.AsType[*llm.StatusError](err); !ok || !errors.Is(err, why) || len(m.asked) != 1 {
			t.Errorf("error %v after %d attempts", err, len(m.asked))
		}
		if time.Since(start) != time.Second {
			t.Errorf("gave up after %v", time.Since(start))
		}
	})
}

func TestRetrySpreadsCallers(t *testing.T) {
	run := func(seed uint64) map[time.Duration]bool {
		seen := map[time.Duration]bool{}
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			wrap := llm.Retry(&llm.RetryOptions{Seed: seed, OnRetry: func(e llm.RetryEvent) {
				mu.Lock()
				defer mu.Unlock()
				if seen[e.Wait] {
					t.Errorf("two callers wait %v", e.Wait)
				}
				seen[e.Wait] = true
			}})
			var wg sync.WaitGroup
			for range 200 {
				wg.Go(func() {
					m := &failing{errs: []error{&llm.StatusError{Status: 429, RetryAfter: 10 * time.Second}}}
					if _, err := wrap(m).Generate(t.Context(), llm.Request{}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		})
		return seen
	}
	first, again, other := run(7), run(7), run(8)
	same := 0
	for d := range first {
		if !again[d] {
			t.Fatalf("the seed does not repeat the wait %v", d)
		}
		if other[d] {
			same++
		}
	}
	if len(first) != 200 || same > 2 {
		t.Errorf("%d waits, %d of them also with another seed", len(first), same)
	}
}

// deaf reports the end of its context without its cause, as some clients do.
type deaf struct{}

func (m deaf) Generate(ctx context.Context, _ llm.Request) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, fmt.Errorf("deaf: %w", ctx.Err())
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for d, want := range map[time.Duration]time.Duration{time.Second: time.Second, 0: time.Minute} {
			start := time.Now()
			_, err := llm.Timeout(d)(deaf{}).Generate(t.Context(), llm.Request{})
			e, ok := errors.AsType[*llm.TimeoutError](err)
			if !ok || e.After != want || time.Since(start) != want || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Timeout(%v): %v after %v", d, err, time.Since(start))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := llm.Timeout(time.Minute)(deaf{}).Generate(ctx, llm.Request{})
		if _, ok := errors.AsType[*llm.TimeoutError](err); ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's deadline is reported as the call's: %v", err)
		}
		if resp, err := llm.Timeout(time.Minute)(&failing{}).Generate(t.Context(), llm.Request{}); err != nil || resp.Text != "ok" {
			t.Errorf("got %+v, %v", resp, err)
		}
	})
}

func TestErrorsSayWhatToDo(t *testing.T) {
	for want, err := range map[string]error{
		"check the key":     status(401),
		"model's name":      status(404),
		"base URL":          &llm.ResponseError{Provider: "p", Err: errors.New("x")},
		"network":           &llm.ConnectionError{Provider: "p", Err: io.EOF},
		"root certificates": &llm.ConnectionError{Provider: "p", Err: &tls.CertificateVerificationError{Err: errors.New("x")}},
		"larger limit":      &llm.TruncatedError{},
		"leave it out":      &llm.UnsupportedError{},
		"max_calls":         &llm.BudgetError{What: "calls"},
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}
