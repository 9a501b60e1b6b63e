package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// A View is a run, reconstructed from its trace or from the events of a server.
type View struct {
	Schema      int           `json:"schema"`
	Graph       string        `json:"graph"`
	Fingerprint string        `json:"fingerprint"`
	Started     string        `json:"started,omitempty"` // RFC 3339; empty for a normalised trace
	Header      *trace.Header `json:"header,omitempty"`
	Steps       []Step        `json:"supersteps"`
	// Usage holds the model calls of each node that made any; Total is their sum.
	Usage map[string]state.ModelUsage `json:"node_usage,omitempty"`
	Total state.ModelUsage            `json:"usage"`
	// Continued is the superstep after which the run continued its thread; 0 for a run from the
	// beginning.
	Continued int  `json:"continued_after,omitempty"`
	Live      bool `json:"-"` // see Options.Live
	// Attempts is how often the run was begun because its process died; 0 for a trace.
	Attempts  int     `json:"attempts,omitempty"`
	Ended     bool    `json:"ended"` // false if the run was killed or has not ended
	ElapsedMS float64 `json:"elapsed_ms"`
	// LastMS is the time of the last event, in milliseconds after the first.
	LastMS float64 `json:"-"`
	Error  string  `json:"error,omitempty"`
	// Interrupts are the interrupts that the run waits for.
	Interrupts []graph.PendingInterrupt `json:"interrupts,omitempty"`
	End        json.RawMessage          `json:"end,omitempty"` // how the run ended, in the form of its pipeline
	// Channels are the written channels, by graph and name.
	Channels []Channel `json:"channels,omitempty"`
	// First is the state before the first superstep, and Last the newest state; nil if they are not
	// known.
	First json.RawMessage `json:"-"`
	Last  json.RawMessage `json:"-"`
}

// A Channel lists its writers. Its readers are unknown: a node gets the whole state.
type Channel struct {
	Namespace string   `json:"ns,omitempty"` // of its graph: outer nodes, joined by "/"
	Name      string   `json:"channel"`
	Writers   []Writer `json:"writers"` // in the order of their first writes
	// Last is the value written last; nil if it was not recorded.
	Last json.RawMessage `json:"-"`
}

// A Writer is a node that wrote a channel.
type Writer struct {
	Node  string `json:"node"`
	Times int    `json:"times"` // number of tasks that wrote it
}

// A Step is a superstep of the outermost graph.
type Step struct {
	Step       int    `json:"step"`
	Attempt    int    `json:"attempt,omitempty"` // attempt at the run, from 2 on; see View.Attempts
	Checkpoint string `json:"checkpoint,omitempty"`
	Nodes      []Node `json:"nodes"`
	// Fields are the state's fields that the superstep changed, in the order of the state. They are
	// known if States is true.
	Fields []Field `json:"-"`
	States bool    `json:"-"`
}

// A Field is a field of the state before and after a superstep.
type Field struct {
	Name    string
	Was, Is json.RawMessage // nil if the field did not exist
	// Added are the elements that a list gained at its end; nil when it changed in another way.
	Added json.RawMessage
	By    []string // nodes that wrote the channel with that name
}

// A Node is one task of a node. The tasks of a subgraph follow the subgraph's own task, whose
// changes include theirs.
type Node struct {
	Name       string         `json:"node"` // "execute/rewrite" for a node inside another
	MS         float64        `json:"ms"`
	Attempts   int            `json:"attempts"`
	Replayed   bool           `json:"replayed,omitempty"` // taken from an earlier trace
	Cached     bool           `json:"cached,omitempty"`   // it did not run: see graph.Event
	ModelCalls []event.Call   `json:"model_calls,omitempty"`
	Retrievals []event.Search `json:"retrievals,omitempty"`
	Custom     []string       `json:"custom,omitempty"` // names of other events; calls of other servers' tools with what they say
	Changed    []Change       `json:"changed,omitempty"`
	Error      string         `json:"error,omitempty"`
	Handled    string         `json:"handled_error,omitempty"` // an error that its handler took over
	Asked      []string       `json:"asked,omitempty"`         // keys of the questions that it stopped for
	Unfinished bool           `json:"unfinished,omitempty"`    // the trace ends before the task does
	// Usage is the sum of its model calls, without those of an earlier trace; nil without any.
	Usage *state.ModelUsage `json:"-"`
	// Timed says that Start and Stop are known, in milliseconds after the first event. An
	// unfinished task has no Stop.
	Timed       bool    `json:"-"`
	Start, Stop float64 `json:"-"`
	Class       Class   `json:"-"`
	Inside      int     `json:"-"` // position of the task around it; -1 at the root
	Superstep   int     `json:"-"` // superstep of its own graph
	places      []graph.Place
}

// A Change is a write to a channel.
type Change struct {
	Channel string          `json:"channel"`
	Op      string          `json:"op"`
	Value   json.RawMessage `json:"value"`
}

// New groups the records of one run. It returns an error for no records, and for records of several
// runs.
func New(records []trace.Record) (View, error) {
	b := NewBuilder(nil)
	if len(records) == 0 {
		return b.View(), fmt.Errorf("viewing trace: it is empty")
	}
	for _, rec := range records {
		if err := b.Trace(rec); err != nil {
			return b.View(), fmt.Errorf("viewing trace, event %d: %w", rec.Seq, err)
		}
	}
	return b.View(), nil
}

// count sums the view's model calls, without those of an earlier trace.
func (v *View) count() {
	v.Usage, v.Total = map[string]state.ModelUsage{}, state.ModelUsage{}
	for _, s := range v.Steps {
		for _, n := range s.Nodes {
			if n.Usage != nil {
				v.Usage[n.Name] = v.Usage[n.Name].Plus(*n.Usage)
				v.Total = v.Total.Plus(*n.Usage)
			}
		}
	}
}

// Nodes returns the names of all nodes that ran, each once, in order.
func (v View) Nodes() (out []string) {
	for _, n := range v.Ran() {
		out = append(out, n.Path)
	}
	return out
}

// Only returns the view with only the tasks of one node: "execute/rewrite", or "rewrite" for short.
// It reports whether there are any.
func (v View) Only(name string) (View, bool) {
	all := v.Steps
	v.Steps = []Step{}
	for _, s := range all {
		kept := slices.DeleteFunc(slices.Clone(s.Nodes), func(n Node) bool {
			return n.Name != name && !strings.HasSuffix(n.Name, "/"+name)
		})
		if len(kept) > 0 {
			s.Nodes = kept
			v.Steps = append(v.Steps, s)
		}
	}
	v.count()
	return v, len(v.Steps) > 0
}
