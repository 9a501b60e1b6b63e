package view

import (
	"slices"

	"example.com/assay/state"
)

// A Class is what became of a task, or of the tasks of a node together: the worst of them.
type Class int

// The classes, the worst last.
const (
	Never Class = iota // no task
	Done
	Stopped // without an end, in a run that has ended
	Running
	Asked // it waits for an answer
	Failed
)

// class returns what became of a task of a run that has ended, or not.
func (n *Node) class(live bool) Class {
	switch {
	case len(n.Asked) > 0:
		return Asked
	case n.Unfinished && live:
		return Running
	case n.Unfinished:
		return Stopped
	case n.Error != "":
		return Failed
	}
	return Done
}

// Took returns the duration of a task in milliseconds, and whether it is known.
func (n *Node) Took() (ms float64, known bool) { return n.Stop - n.Start, n.Timed && !n.Unfinished }

// Wrote returns the channels that the task wrote, each once.
func (n *Node) Wrote() (names []string) {
	for _, c := range n.Changed {
		if c.Channel != "" && !slices.Contains(names, c.Channel) {
			names = append(names, c.Channel)
		}
	}
	return names
}

// Ran summarises the tasks of a node, for drawings and tables.
type Ran struct {
	Path       string
	Class      Class
	Tasks      int
	Supersteps int // supersteps in which the node ran
	AtOnce     int // most tasks in one superstep
	Again      int // retries
	Replayed   int // tasks replayed from an earlier trace
	Cached     int // tasks with a cache hit
	Handled    int // errors that a handler took over
	Error      string
	Usage      state.ModelUsage
	Timed      int     // tasks with known durations
	MS, MaxMS  float64 // their sum and maximum
	First      int     // position of its first superstep in View.Steps
}

// Ran returns the nodes in the order in which they first ran.
func (v View) Ran() []Ran {
	var out []Ran
	at := map[string]int{}
	type group struct {
		node              string
		inside, superstep int
	}
	for i, s := range v.Steps {
		together := map[group]int{}
		for _, n := range s.Nodes {
			k, ok := at[n.Name]
			if !ok {
				k = len(out)
				at[n.Name] = k
				out = append(out, Ran{Path: n.Name, First: i})
			}
			g := group{n.Name, n.Inside, n.Superstep}
			together[g]++
			if together[g] == 1 {
				out[k].Supersteps++
			}
			out[k].AtOnce = max(out[k].AtOnce, together[g])
			out[k].add(n)
		}
	}
	return out
}

func (r *Ran) add(n Node) {
	count := func(to *int, when bool) {
		if when {
			*to++
		}
	}
	r.Tasks++
	r.Class = max(r.Class, n.Class)
	r.Again += n.Attempts - 1
	count(&r.Replayed, n.Replayed)
	count(&r.Cached, n.Cached)
	count(&r.Handled, n.Handled != "")
	if n.Error != "" {
		r.Error = n.Error
	}
	if n.Usage != nil {
		r.Usage = r.Usage.Plus(*n.Usage)
	}
	if took, known := n.Took(); known {
		r.Timed, r.MS, r.MaxMS = r.Timed+1, r.MS+took, max(r.MaxMS, took)
	}
}
