package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/graph/store"
	"example.com/assay/serve/runs"
)

// An endless store lets no run end.
type endless struct{ store.Store }

func (e endless) Apply(ctx context.Context, ops ...store.Op) error {
	if slices.ContainsFunc(ops, func(op store.Op) bool {
		return slices.Equal(op.Namespace, []string{"serve", "open"}) && op.Value == nil
	}) {
		return errors.New("the process is dead")
	}
	return e.Store.Apply(ctx, ops...)
}

// A process that dies between the stop of a run and the record of its end leaves a run that
// has stopped: it is not carried on by itself, and its readers are told once.
func TestStopIsNotPassed(t *testing.T) {
	for name, spec := range map[string]runs.Spec{
		"before": {Graph: "three", Before: []string{"b"}}, "after": {Graph: "three", After: []string{"a"}}, "asks": {Graph: "asks"},
	} {
		t.Run(name, func(t *testing.T) {
			h := openHome(t, t.TempDir())
			whole := h.opts
			dead := make(chan struct{}, 100)
			h.opts.Store, h.opts.Warn = endless{whole.Store}, func(error) { dead <- struct{}{} }
			graphs := []runs.Graph{chain(t, "three", "a", "b", "c"), chain(t, "asks", "a", "ask", "c")}
			m := h.open(t, graphs...)
			spec.Input, spec.Modes = json.RawMessage(hello), graph.Values
			r := begin(t, m.Space(runs.DefaultTenant), spec)
			select {
			case <-dead:
			case <-time.After(10 * time.Second):
				t.Fatal("the run did not stop")
			}
			m.Close(t.Context())

			h.opts = whole
			m = h.open(t, graphs...)
			defer func() { m.Close(t.Context()) }()
			s := m.Space(runs.DefaultTenant)
			r = wait(t, s, r.ID)
			v, th := state(t, s, r.Thread)
			if r.Status != runs.Success || th.Status != runs.Interrupted || strings.Join(v.Lines, " ") != "hello a" {
				t.Errorf("the run is %+v, its thread %s at %v", r, th.Status, v.Lines)
			}
			count := map[string]int{}
			for _, line := range told(t, s, r.ID, 0) {
				count[line]++
			}
			for line, n := range count {
				if n != 1 && line != "checkpoint" && line != runs.KindAttempt {
					t.Errorf("told %d times: %s", n, line)
				}
			}
			if count["interrupt"] != 1 || count[runs.KindAttempt] != 2 {
				t.Errorf("told %v", count)
			}
		})
	}
}
