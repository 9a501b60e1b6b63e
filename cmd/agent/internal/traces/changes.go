package traces

import (
	"fmt"

	"example.com/assay/graph"
	"example.com/assay/graph/trace"
	"example.com/assay/serve/view"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// A replayed is the result of agent trace replay.
type replayed struct {
	Schema     int               `json:"schema"`
	Trace      string            `json:"trace"`
	Graph      string            `json:"graph"`
	From       string            `json:"from,omitempty"`
	Skill      string            `json:"skill,omitempty"`
	Given      []view.Value      `json:"given"` // skills and settings that differ from the trace
	Nodes      counted           `json:"nodes"`
	Calls      counted           `json:"model_calls"`
	Searches   counted           `json:"searches"`
	Equal      bool              `json:"equal"`
	Difference *difference       `json:"difference,omitempty"`
	Changed    []view.NodeChange `json:"changed"`
	Before     replayedAnswer    `json:"before"`
	After      replayedAnswer    `json:"after"`
}

// counted is how much was taken from the trace, and how much was done.
type counted struct {
	Taken int `json:"taken"`
	Made  int `json:"made"`
}

func (c *counted) add(rec trace.Record) {
	if rec.Replayed {
		c.Taken++
	} else {
		c.Made++
	}
}

// replayedAnswer is the answer of a run.
type replayedAnswer struct {
	Status     state.Status `json:"status"`
	Choice     string       `json:"choice,omitempty"`
	Confidence float64      `json:"confidence"`
	Answer     string       `json:"answer"`
	Error      string       `json:"error,omitempty"`
}

// newReplay compares a run with its replay.
func newReplay(path string, was, is []trace.Record) (replayed, error) {
	r := replayed{Schema: 1, Trace: path, Graph: was[0].Graph}
	nested := map[string]bool{} // tasks that graphs ran in
	for _, rec := range is {
		if n := len(rec.Places); n > 1 {
			nested[fmt.Sprint(rec.Places[:n-1])] = true
		}
	}
	for _, rec := range is {
		switch rec.Kind {
		case graph.NodeUpdate.String():
			if !nested[fmt.Sprint(rec.Places)] { // its nodes are counted
				r.Nodes.add(rec)
			}
		case event.ModelCall:
			r.Calls.add(rec)
		case event.Retrieval:
			r.Searches.add(rec)
		}
	}
	c, err := view.Compare(was, is)
	if err != nil {
		return r, err
	}
	r.Given, r.Changed, r.Equal = c.Given, c.Nodes, c.First == nil
	if d := c.First; d != nil {
		r.Difference = &difference{d.Index, d.Event, d.Field, d.Was, d.Is, d.Path}
	}
	return r, nil
}
