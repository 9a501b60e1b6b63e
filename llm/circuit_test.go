package llm_test

import (
	"context"
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

// each returns an error for its next call, and counts the calls.
type each struct {
	mu    sync.Mutex
	next  func(call int) error
	calls int
}

func (m *each) Generate(context.Context, llm.Request) (llm.Response, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if err := m.next(m.calls); err != nil {
		return llm.Response{}, err
	}
	return llm.Response{Text: "ok", Model: "each"}, nil
}

func isOpen(err error) bool { _, ok := errors.AsType[*llm.CircuitError](err); return ok }

func TestCircuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := true
		m := &each{next: func(int) error {
			if broken {
				return status(503)
			}
			return nil
		}}
		ask := llm.Circuit(&llm.CircuitOptions{Failures: 3, Pause: time.Minute})(m)
		try := func() error { _, err := ask.Generate(t.Context(), llm.Request{}); return err }
		for i := range 3 {
			if err := try(); isOpen(err) || err == nil {
				t.Fatalf("call %d: %v", i+1, err)
			}
		}
		err := try()
		open, ok := errors.AsType[*llm.CircuitError](err)
		if !ok || open.Failures != 3 || !open.Until.Equal(time.Now().Add(time.Minute)) || !strings.Contains(err.Error(), "503") || !strings.Contains(err.Error(), open.Until.Format(time.TimeOnly)) {
			t.Fatalf("error %v", err)
		}
		if llm.Retryable(err) || m.calls != 3 {
			t.Errorf("retryable, or %d calls", m.calls)
		}
		time.Sleep(time.Minute - time.Nanosecond)
		if err := try(); !isOpen(err) {
			t.Errorf("before the pause is over: %v", err)
		}
		time.Sleep(time.Nanosecond)
		if err := try(); isOpen(err) || err == nil || m.calls != 4 { // half open: one call, which fails
			t.Errorf("the probe: %v after %d calls", err, m.calls)
		}
		if err := try(); !isOpen(err) {
			t.Errorf("after a failed probe: %v", err)
		}
		time.Sleep(time.Minute)
		broken = false
		for range 2 {
			if err := try(); err != nil {
				t.Errorf("after the model came back: %v", err)
			}
		}
		broken = true
		for range 2 { // counting begins anew
			if err := try(); isOpen(err) {
				t.Errorf("a circuit that was closed: %v", err)
			}
		}
	})
}

// While the probe is on its way all others are refused, and a caller who ends
// the probe leaves the next one the chance.
func TestCircuitProbesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &switching{models: []llm.Model{&failing{errs: []error{status(500)}}, deaf{}, deaf{}, &failing{}}}
		ask := llm.Circuit(&llm.CircuitOptions{Failures: 1, Pause: time.Second})(m)
		if _, err := ask.Generate(t.Context(), llm.Request{}); err == nil {
			t.Fatal("no error")
		}
		time.Sleep(time.Second)
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			probe := make(chan error)
			go func() { _, err := ask.Generate(ctx, llm.Request{}); probe <- err }()
			synctest.Wait()
			if _, err := ask.Generate(t.Context(), llm.Request{}); !isOpen(err) {
				t.Errorf("beside the probe: %v", err)
			}
			cancel()
			if err := <-probe; isOpen(err) || err == nil {
				t.Errorf("the probe: %v", err)
			}
		}
		if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
			t.Errorf("the next probe: %v", err)
		}
	})
}

// switching asks its models in turn.
type switching struct {
	mu     sync.Mutex
	models []llm.Model
}

func (m *switching) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	m.mu.Lock()
	next := m.models[0]
	m.models = m.models[1:]
	m.mu.Unlock()
	return next.Generate(ctx, req)
}

func TestCircuitCounts(t *testing.T) {
	for name, tc := range map[string]struct {
		errs []error // in turn, for ever
		open bool
	}{
		"503":               {[]error{status(503)}, true},
		"408":               {[]error{status(408)}, true},
		"lost":              {[]error{&llm.ConnectionError{Err: io.EOF}}, true},
		"timeout":           {[]error{&llm.TimeoutError{}}, true},
		"mixed":             {[]error{status(500), &llm.TimeoutError{}, fmt.Errorf("x: %w", status(502))}, true},
		"429":               {[]error{status(429)}, false},
		"401":               {[]error{status(401)}, false},
		"interrupted by ok": {[]error{status(500), status(500), nil}, false},
		"by a 400":          {[]error{status(500), status(500), status(400)}, false},
		"price":             {[]error{status(500), &llm.PriceError{}}, true}, // says nothing either way
	} {
		m := &each{next: func(call int) error { return tc.errs[(call-1)%len(tc.errs)] }}
		ask := llm.Circuit(&llm.CircuitOptions{Failures: 3})(m)
		other := llm.Circuit(&llm.CircuitOptions{Failures: -1})(m)
		opened := false
		for range 12 {
			_, err := ask.Generate(t.Context(), llm.Request{})
			opened = opened || isOpen(err)
			if _, err := other.Generate(t.Context(), llm.Request{}); isOpen(err) {
				t.Fatalf("%s: a circuit that never opens is open", name)
			}
			m.calls-- // other's call is not counted
		}
		if opened != tc.open {
			t.Errorf("%s: opened %v", name, opened)
		}
	}
}

// Calls that were under way when the circuit opened do not count after it.
func TestCircuitIgnoresLateCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &switching{models: []llm.Model{late{}, &failing{errs: []error{status(500)}}}}
		ask := llm.Circuit(&llm.CircuitOptions{Failures: 1, Pause: time.Hour})(m)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := ask.Generate(t.Context(), llm.Request{}); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		if _, err := ask.Generate(t.Context(), llm.Request{}); err == nil {
			t.Error("no error")
		}
		wg.Wait() // the first call's success comes after the opening
		if _, err := ask.Generate(t.Context(), llm.Request{}); !isOpen(err) {
			t.Errorf("a late success closed the circuit: %v", err)
		}
	})
}

// Under Controls the calls that waited for a place when the circuit opened are
// refused at once, and each model has its own circuit.
func TestCircuitInControls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controls := llm.NewControls(&llm.ControlOptions{
			Concurrency: 2, Timeout: time.Second, Retry: llm.RetryOptions{MaxRetries: -1}, Circuit: llm.CircuitOptions{Failures: 2, Pause: time.Hour},
		})
		stuck, well := controls.Wrap(deaf{}), controls.Wrap(&failing{})
		var wg sync.WaitGroup
		start := time.Now()
		for range 32 {
			wg.Go(func() {
				if _, err := stuck.Generate(t.Context(), llm.Request{}); err == nil {
					t.Error("no error")
				}
			})
		}
		wg.Wait()
		// A place can be handed on between the first failure and the second, so
		// that one more call is let through. Without a circuit it is 16 s.
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("32 calls to a model that hangs took %v", took)
		}
		if _, err := well.Generate(t.Context(), llm.Request{}); err != nil {
			t.Errorf("another model: %v", err)
		}
	})
}
