package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// A View is a run, reconstructed from its trace.
type View struct {
	Schema      int           `json:"schema"`
	Graph       string        `json:"graph"`
	Fingerprint string        `json:"fingerprint"`
	Started     string        `json:"started,omitempty"` // RFC 3339; empty for a normalised trace
	Header      *trace.Header `json:"header,omitempty"`
	Steps       []Step        `json:"supersteps"`
	// Usage holds the model calls of each node that made any; Total is their sum.
	Usage     map[string]state.ModelUsage `json:"node_usage,omitempty"`
	Total     state.ModelUsage            `json:"usage"`
	Ended     bool                        `json:"ended"` // false when the run was killed
	ElapsedMS float64                     `json:"elapsed_ms"`
	Error     string                      `json:"error,omitempty"`
	// Interrupts are the questions that the run stopped for.
	Interrupts []graph.PendingInterrupt `json:"interrupts,omitempty"`
	End        json.RawMessage          `json:"end,omitempty"` // the end of the run, in the form of its pipeline
}

// A Step is a superstep of the outermost graph.
type Step struct {
	Step  int    `json:"step"`
	Nodes []Node `json:"nodes"`
}

// A Node is one task of a node. The nodes of a subgraph follow the subgraph's own node,
// whose changes include theirs.
type Node struct {
	Name       string            `json:"node"` // "execute/rewrite" for a node inside another
	MS         float64           `json:"ms"`
	Attempts   int               `json:"attempts"`
	Replayed   bool              `json:"replayed,omitempty"` // taken from an earlier trace
	ModelCalls []llm.CallEvent   `json:"model_calls,omitempty"`
	Retrievals []retrieval.Event `json:"retrievals,omitempty"`
	Custom     []string          `json:"custom,omitempty"` // names of other events
	Changed    []Change          `json:"changed,omitempty"`
	Error      string            `json:"error,omitempty"`
	Unfinished bool              `json:"unfinished,omitempty"` // the trace ends before the task does
}

// A Change is a write to a channel.
type Change struct {
	Channel string          `json:"channel"`
	Op      string          `json:"op"`
	Value   json.RawMessage `json:"value"`
}

// New groups the records of one run. It returns an error for records of several runs or of
// none.
func New(records []trace.Record) (View, error) {
	v := View{Schema: 1, Steps: []Step{}}
	if len(records) == 0 {
		return v, fmt.Errorf("viewing trace: it is empty")
	}
	b := builder{View: &v, open: map[string][2]int{}}
	for _, rec := range records {
		if err := b.add(rec); err != nil {
			return v, fmt.Errorf("viewing trace, event %d: %w", rec.Seq, err)
		}
	}
	v.count()
	return v, nil
}

// count sums up the model calls of the view, without those of an earlier trace.
func (v *View) count() {
	v.Usage, v.Total = map[string]state.ModelUsage{}, state.ModelUsage{}
	for _, s := range v.Steps {
		for _, n := range s.Nodes {
			if n.Replayed {
				continue
			}
			for _, c := range n.ModelCalls {
				v.Usage[n.Name] = v.Usage[n.Name].Plus(c.Usage)
				v.Total = v.Total.Plus(c.Usage)
			}
		}
	}
}

// builder fills a View.
type builder struct {
	*View
	open map[string][2]int // task to its step and node in the view
}

func (b *builder) add(rec trace.Record) error {
	switch rec.Kind {
	case "run_start":
		if rec.Namespace == "" {
			if b.Graph != "" {
				return fmt.Errorf("a second run begins: show one trace at a time")
			}
			b.Graph, b.Fingerprint, b.Started, b.Header = rec.Graph, rec.Fingerprint, rec.Time, rec.Header
		}
		return nil
	case "run_end":
		if rec.Namespace == "" {
			b.Ended, b.ElapsedMS, b.Error, b.End = true, float64(rec.ElapsedUS)/1000, rec.Error, rec.End
		}
		return nil
	case "interrupt":
		if rec.Namespace == "" {
			b.Interrupts = rec.Interrupts
		}
		return nil
	case "step_start":
		return nil
	}
	if rec.Node == "" || len(rec.Places) == 0 {
		return nil
	}
	return b.event(b.node(rec), rec)
}

// event adds an event to the node that it belongs to.
func (b *builder) event(n *Node, rec trace.Record) error {
	switch rec.Kind {
	case "node_start":
		n.Attempts = max(rec.Attempt, 1)
	case "node_retry":
		n.Error = rec.Error
	case "node_error":
		n.Error, n.MS, n.Unfinished = rec.Error, float64(rec.ElapsedUS)/1000, false
	case "node_update":
		n.Error, n.MS, n.Unfinished, n.Replayed = "", float64(rec.ElapsedUS)/1000, false, rec.Replayed
		if len(rec.Update) > 0 {
			if err := json.Unmarshal(rec.Update, &n.Changed); err != nil {
				return fmt.Errorf("reading the update of node %q: %w", n.Name, err)
			}
		}
	case llm.EventModelCall:
		return decodeTo(&n.ModelCalls, rec)
	case retrieval.EventName:
		return decodeTo(&n.Retrievals, rec)
	default:
		n.Custom = append(n.Custom, rec.Kind)
	}
	return nil
}

func decodeTo[T any](list *[]T, rec trace.Record) error {
	var v T
	if err := json.Unmarshal(rec.Data, &v); err != nil {
		return fmt.Errorf("reading a %s event of node %q: %w", rec.Kind, rec.Node, err)
	}
	*list = append(*list, v)
	return nil
}

// node finds the run of a node that a record belongs to, or begins it.
func (b *builder) node(rec trace.Record) *Node {
	key := taskKey(rec.Places)
	if at, ok := b.open[key]; ok {
		return &b.Steps[at[0]].Nodes[at[1]]
	}
	step := rec.Places[0].Step
	at := slices.IndexFunc(b.Steps, func(s Step) bool { return s.Step == step })
	if at < 0 {
		at = len(b.Steps)
		b.Steps = append(b.Steps, Step{Step: step})
	}
	name := rec.Node
	if rec.Namespace != "" {
		name = rec.Namespace + "/" + name
	}
	b.open[key] = [2]int{at, len(b.Steps[at].Nodes)}
	b.Steps[at].Nodes = append(b.Steps[at].Nodes, Node{Name: name, Attempts: 1, Unfinished: true})
	return &b.Steps[at].Nodes[len(b.Steps[at].Nodes)-1]
}

func taskKey(places []graph.Place) string {
	var b strings.Builder
	for _, p := range places {
		fmt.Fprintf(&b, "%d.%d/", p.Step, p.Task)
	}
	return b.String()
}

// Nodes lists the names of all nodes that ran, each once, in order.
func (v View) Nodes() []string {
	var out []string
	for _, s := range v.Steps {
		for _, n := range s.Nodes {
			if !slices.Contains(out, n.Name) {
				out = append(out, n.Name)
			}
		}
	}
	return out
}

// Only returns the view with the runs of one node: "execute/rewrite", or
// "rewrite" for short. It reports whether there are any.
func (v View) Only(name string) (View, bool) {
	all := v.Steps
	v.Steps = []Step{}
	for _, s := range all {
		var kept []Node
		for _, n := range s.Nodes {
			if n.Name == name || strings.HasSuffix(n.Name, "/"+name) {
				kept = append(kept, n)
			}
		}
		if kept != nil {
			v.Steps = append(v.Steps, Step{s.Step, kept})
		}
	}
	v.count()
	return v, len(v.Steps) > 0
}
