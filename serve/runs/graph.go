package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// A Graph is a graph that callers run by its name.
type Graph struct {
	Name        string
	Description string
	// App is the graph. With Open, threads are read by it, and runs are carried out by
	// what Open returns.
	App graph.App
	// Settings are what callers may choose for a run.
	Settings []Setting
	// Open returns what one run is carried out with. It is called when a run begins or
	// goes on after a stop. Default: App.
	Open func(ctx context.Context, tenant string, r Run) (Opening, error)
	// Steps says what a graph inside a node does, by an event of it; empty for nothing. It is
	// told in events of KindSteps to those who ask for tokens, and no state keeps it.
	// Default: nothing.
	Steps func(graph.Event[json.RawMessage]) string
}

// A Setting is something that callers choose for a run.
type Setting struct {
	Name   string
	Schema json.RawMessage // JSON Schema of its values, with a description
	// Values are those that a tenant can choose, if they can be listed: texts. Default: they
	// cannot.
	Values func(tenant string) ([]string, error)
	// Accepts says why a tenant cannot choose a value. Default: every value is accepted.
	Accepts func(tenant string, value json.RawMessage) error
}

// Converses reports whether the graph holds a conversation: a list of messages, as package
// conversation makes it.
func (g Graph) Converses() bool {
	return slices.Contains(g.App.Channels(), graph.ChannelInfo{Name: "messages", Kind: graph.KindKeyed})
}

// An Opening is what a run is carried out with.
type Opening struct {
	Context context.Context // of the run; default: the one that Open was given
	App     graph.App       // of the same fingerprint as the graph's own
	// Observe is called for each event, also for those that nobody asked for. Default: not.
	Observe func(graph.Event[json.RawMessage])
	Close   func() error // called after the run; nil for nothing
}

// CheckSettings refuses settings that a graph does not have, and values that it does not
// accept, by an *InvalidError.
func (s *Space) CheckSettings(g Graph, chosen map[string]json.RawMessage) error {
	known := make([]string, len(g.Settings))
	for i, one := range g.Settings {
		known[i] = one.Name
		value, ok := chosen[one.Name]
		if !ok || one.Accepts == nil {
			continue
		}
		if err := one.Accepts(s.tenant, value); err != nil {
			return &InvalidError{err}
		}
	}
	var unknown []string
	for name := range chosen {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	slices.Sort(unknown)
	has := "it has none"
	if len(known) > 0 {
		has = "it has " + strings.Join(known, ", ")
	}
	return &InvalidError{fmt.Errorf("graph %q has no setting %q: %s", g.Name, unknown[0], has)}
}

// open opens a graph for a run.
func (l *live) open(g Graph, r Run) (Opening, error) {
	o := Opening{App: g.App}
	if g.Open != nil {
		var err error
		if o, err = g.Open(l.ctx, l.space.tenant, r); err != nil {
			return o, err
		}
		o.App = o.App.With(l.space.Checkpointer)
	}
	if o.Context == nil {
		o.Context = l.ctx
	}
	if o.Close == nil {
		o.Close = func() error { return nil }
	}
	if was, is := g.App.Fingerprint(), o.App.Fingerprint(); was != is {
		err := fmt.Errorf("graph %q was opened with fingerprint %.12s, and is registered with %.12s", g.Name, is, was)
		return o, errors.Join(err, o.Close())
	}
	return o, nil
}
