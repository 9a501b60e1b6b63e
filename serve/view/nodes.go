package view

import (
	"example.com/assay/state"
)

// Ran summarises the tasks of a node, for drawings and tables.
type Ran struct {
	Path       string
	Tasks      int
	Supersteps int // supersteps in which the node ran
	AtOnce     int // most tasks in one superstep
	Again      int // retries
	Replayed   int // tasks replayed from an earlier trace
	Cached     int // tasks with a cache hit
	Failed     int
	Handled    int // errors that a handler took over
	Asked      int // tasks waiting for an answer
	Unfinished int // other tasks without an end
	Error      string
	Usage      state.ModelUsage
	Untimed    int     // tasks with unknown times
	MS, MaxMS  float64 // duration of the timed tasks that ended: sum and maximum
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
	r.Tasks++
	r.Again += n.Attempts - 1
	count := func(to *int, when bool) {
		if when {
			*to++
		}
	}
	count(&r.Replayed, n.Replayed)
	count(&r.Cached, n.Cached)
	count(&r.Handled, n.Handled != "")
	count(&r.Asked, len(n.Asked) > 0)
	count(&r.Untimed, !n.Timed)
	count(&r.Failed, n.Error != "" && !n.Unfinished)
	count(&r.Unfinished, n.Unfinished && len(n.Asked) == 0)
	if n.Error != "" {
		r.Error = n.Error
	}
	if n.Usage != nil {
		r.Usage = r.Usage.Plus(*n.Usage)
	}
	if n.Timed && !n.Unfinished {
		took := n.Stop - n.Start
		r.MS, r.MaxMS = r.MS+took, max(r.MaxMS, took)
	}
}
