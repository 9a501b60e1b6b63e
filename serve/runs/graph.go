package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"example.com/assay/graph"
)

// A Graph is a graph that callers run by its name.
type Graph struct {
	Name        string
	Title       string // for pages; default: Name
	Description string
	// Offer says what a person can do with the graph, in a list of things to do: "Check a text
	// against my documents". Default: no list offers it.
	Offer string
	// Wants names the text that the graph takes: "The text to check". Default: a question or a text.
	Wants string
	// App is the graph. With Open, App only reads threads, and runs use the graph that Open
	// returns.
	App graph.App
	// Settings are the settings that callers may choose for a run. A run's record has all that its
	// caller chose; nodes read it with FromContext.
	Settings []Setting
	// Open prepares one run. It is called when a run begins or continues after a stop. Default:
	// App.
	Open func(ctx context.Context, tenant string, r Run) (Opening, error)
	// Outcome returns from the state at the end what became of a run, in a word such as "answered" or
	// "no_evidence"; "" if the state does not say. Default: no run has one.
	Outcome func(state json.RawMessage) string
	// Steps returns a line of text for an event of a graph inside a node, or "". Readers of tokens
	// get it in events of KindSteps; no state keeps it. Default: none.
	Steps func(graph.Event[json.RawMessage]) string
}

// A Setting is a value that callers choose for a run.
type Setting struct {
	Name   string
	Schema json.RawMessage // JSON Schema of the values, with a description
	// Values returns the texts that a tenant can choose. Default: the values cannot be listed.
	Values func(tenant string) ([]string, error)
	// Accepts returns an error for a value that a tenant cannot choose. Default: every value is
	// accepted.
	Accepts func(tenant string, value json.RawMessage) error
}

// Converses reports whether the graph holds a conversation: a list of messages, as in package
// conversation.
func (g Graph) Converses() bool {
	return slices.Contains(g.App.Channels(), graph.ChannelInfo{Name: "messages", Kind: graph.KindKeyed})
}

// An Opening is the graph and the context for one run.
type Opening struct {
	Context context.Context // the run's context; default: the context given to Open
	App     graph.App       // must have the fingerprint of Graph.App
	// Observe is called for every event, also for events that nobody asked for. Default: none.
	Observe func(graph.Event[json.RawMessage])
	Close   func() error // called after the run; nil for nothing
}

// CheckSettings returns an *InvalidError for a value that a setting does not accept. The graph may
// read values of other names; see Graph.Unknown.
func (s *Space) CheckSettings(g Graph, chosen map[string]json.RawMessage) error {
	for _, one := range g.Settings {
		value, ok := chosen[one.Name]
		if !ok || one.Accepts == nil {
			continue
		}
		if err := one.Accepts(s.tenant, value); err != nil {
			return &InvalidError{err}
		}
	}
	return nil
}

// Unknown returns the names in chosen that are not settings of the graph, sorted.
func (g Graph) Unknown(chosen map[string]json.RawMessage) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		if !slices.ContainsFunc(g.Settings, func(s Setting) bool { return s.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

type contextKey struct{}

// FromContext returns the run whose node has this context; false outside of one.
func FromContext(ctx context.Context) (Run, bool) {
	r, ok := ctx.Value(contextKey{}).(Run)
	return r, ok
}

// open prepares a graph for a run.
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
	o.Context = context.WithValue(o.Context, contextKey{}, r)
	if o.Close == nil {
		o.Close = func() error { return nil }
	}
	if was, is := g.App.Fingerprint(), o.App.Fingerprint(); was != is {
		err := fmt.Errorf("graph %q was opened with fingerprint %.12s, and is registered with %.12s", g.Name, is, was)
		return o, errors.Join(err, o.Close())
	}
	return o, nil
}
