package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Defaults of CircuitOptions.
const (
	// DefaultCircuitFailures is three times the default number of concurrent calls. That is more
	// than one call fails with its retries, and fewer calls than a whole run makes.
	DefaultCircuitFailures = 3 * DefaultLimit
	DefaultCircuitPause    = 30 * time.Second
)

// CircuitOptions configure Circuit. Nil and the zero value mean the defaults.
type CircuitOptions struct {
	// Failures is how many attempts in a row must fail to open the circuit.
	// Default DefaultCircuitFailures; a negative value never opens it.
	Failures int
	// Pause is how long the circuit stays open. Default DefaultCircuitPause.
	Pause time.Duration
}

// A CircuitError reports that a call was not made because earlier calls failed. It is not
// Retryable: asking again before Until fails too.
type CircuitError struct {
	Failures int       // attempts in a row that failed
	Until    time.Time // when the next attempt is allowed
	Last     error     // the last attempt's error; not unwrapped, since it belongs to another call
}

func (e *CircuitError) Error() string {
	return fmt.Sprintf("the circuit to the model is open until %s, after %d failures in a row, the last: %v", e.Until.Format(time.TimeOnly), e.Failures, e.Last)
}

// Circuit returns a wrapper that stops asking a model that is down. After this many failures in a
// row the circuit opens, and calls are refused with a *CircuitError. After the pause, one call is
// allowed. The circuit closes when that call is answered, and otherwise stays open for another
// pause.
//
// A failure is a lost connection, a timeout, or a status 408 or 5xx. A status 429 and other
// refusals show that the model is up, and close the circuit. A call that its caller cancelled, or
// that a bound on this side refused, does not count.
//
// Each model that the function wraps has its own circuit.
func Circuit(opts *CircuitOptions) func(Model) Model {
	o := CircuitOptions{}
	if opts != nil {
		o = *opts
	}
	if o.Failures == 0 {
		o.Failures = DefaultCircuitFailures
	}
	if o.Pause <= 0 {
		o.Pause = DefaultCircuitPause
	}
	if o.Failures < 0 {
		return func(m Model) Model { return m }
	}
	return func(m Model) Model { return &circuit{model: m, opts: o} }
}

type circuit struct {
	model Model
	opts  CircuitOptions

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // when an open circuit allows a call; zero while closed
	probing  bool      // that call is under way
	opened   int       // counts openings, so calls that began before one do not count after it
	last     error
}

func (c *circuit) Generate(ctx context.Context, req Request) (Response, error) {
	opened, probe, err := c.enter()
	if err != nil {
		return Response{}, err
	}
	told := untold // also of a call that panics
	defer func() { c.leave(opened, probe, told, err) }()
	var resp Response
	resp, err = c.model.Generate(ctx, req)
	told = tell(ctx, err)
	return resp, err
}

// A verdict is what a call's outcome says about its model.
type verdict int

const (
	untold verdict = iota
	alive
	dead
)

func tell(ctx context.Context, err error) verdict {
	switch {
	case err == nil:
		return alive
	case ctx.Err() != nil:
		return untold
	}
	if e, ok := errors.AsType[*StatusError](err); ok {
		if e.Status == http.StatusRequestTimeout || e.Status >= 500 && e.Status <= 599 {
			return dead
		}
		return alive
	}
	if _, ok := errors.AsType[*PriceError](err); ok {
		return untold
	}
	if _, ok := errors.AsType[*BudgetError](err); ok {
		return untold
	}
	if _, ok := errors.AsType[*BucketsError](err); ok {
		return untold
	}
	if Retryable(err) {
		return dead
	}
	return alive
}

// enter allows or refuses a call.
func (c *circuit) enter() (opened int, probe bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.until.IsZero() {
		return c.opened, false, nil
	}
	if c.probing || time.Now().Before(c.until) {
		return 0, false, &CircuitError{c.failures, c.until, c.last}
	}
	c.probing = true
	return c.opened, true, nil
}

// leave counts the outcome of a call.
func (c *circuit) leave(opened int, probe bool, told verdict, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if opened != c.opened {
		return
	}
	if probe {
		c.probing = false
	}
	switch told {
	case alive:
		c.failures, c.until, c.last = 0, time.Time{}, nil
	case dead:
		c.failures++
		c.last = err
		if c.failures >= c.opts.Failures { // also after a failed probe: the count continues
			c.until = time.Now().Add(c.opts.Pause)
			c.opened++
		}
	}
}
