package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/assay/serve/runs"
)

// A run is carried out with what was opened for it, which is closed after it, also when it
// fails. Settings that the graph does not have are refused.
func TestOpenedForEachRun(t *testing.T) {
	g, other := chain(t, "g", "a"), chain(t, "g", "a", "b")
	var opened, closed []string
	g.Settings = []runs.Setting{{Name: "corpus"}}
	g.Open = func(ctx context.Context, tenant string, r runs.Run) (runs.Opening, error) {
		choice := string(r.Spec.Settings["corpus"])
		opened = append(opened, tenant+" "+choice)
		o := runs.Opening{App: g.App, Close: func() error {
			closed = append(closed, choice)
			return nil
		}}
		switch choice {
		case `"none"`:
			return o, errors.New("there is no such corpus")
		case `"other"`:
			o.App = other.App
		case `"late"`:
			late, cancel := context.WithCancel(ctx)
			cancel()
			o.Context = late
		}
		return o, nil
	}
	s := manager(t, g)
	run := func(choice string) runs.Run {
		t.Helper()
		r := begin(t, s, runs.Spec{Graph: "g", Input: json.RawMessage("[]"), Settings: map[string]json.RawMessage{"corpus": json.RawMessage(choice)}})
		return wait(t, s, r.ID)
	}
	if r := run(`"mine"`); r.Status != runs.Success {
		t.Errorf("%+v", r)
	}
	if r := run(`"none"`); r.Status != runs.Errored || !strings.Contains(r.Error, "no such corpus") {
		t.Errorf("%+v", r)
	}
	if r := run(`"other"`); r.Status != runs.Errored || !strings.Contains(r.Error, "fingerprint") {
		t.Errorf("%+v", r)
	}
	if r := run(`"late"`); r.Status != runs.Errored || !strings.Contains(r.Error, "context canceled") {
		t.Errorf("%+v", r)
	}
	if got := strings.Join(opened, ", "); got != `default "mine", default "none", default "other", default "late"` {
		t.Errorf("opened %s", got)
	}
	if got := strings.Join(closed, ", "); got != `"mine", "other", "late"` {
		t.Errorf("closed %s", got)
	}
	invalid := (*runs.InvalidError)(nil)
	_, err := s.Begin(t.Context(), runs.Spec{Graph: "g", Input: json.RawMessage("[]"), Settings: map[string]json.RawMessage{"colour": nil}})
	if !errors.As(err, &invalid) || !strings.Contains(err.Error(), `no setting "colour": it has corpus`) {
		t.Errorf("%v", err)
	}
}
