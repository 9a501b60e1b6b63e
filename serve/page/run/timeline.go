package run

import (
	"html/template"
	"math"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// timelineData is what timeline.tmpl shows.
type timelineData struct {
	*Run
	Pager    look.Pager
	Nodes    []view.Ran
	Most     float64 // time of the node that took longest, in milliseconds
	Tasks    []bar
	Timed    bool
	From, To float64 // start and end of the shown tasks, in milliseconds after the run's first event
}

// A bar is a task, drawn from X on, W wide, out of 1000.
type bar struct {
	*view.Node
	Step int
	Href string
	X, W float64
}

// leastBar is the width of the narrowest bar.
const leastBar = 2

// Timeline shows when tasks ran: a summary of each node, and the tasks of a page, from a position
// on.
func (r *Run) Timeline(from int) (template.HTML, error) {
	n := r.tasks()
	from, to := window(from, TasksPerPage, n)
	return r.timeline(from, to, pages("tasks", r.Links.Timeline, from, TasksPerPage, n))
}

// tasks returns the number of the run's tasks.
func (r *Run) tasks() (n int) {
	for _, s := range r.View.Steps {
		n += len(s.Nodes)
	}
	return n
}

func (r *Run) timeline(from, to int, p look.Pager) (template.HTML, error) {
	data := timelineData{Run: r, Pager: p, Nodes: r.View.Ran(), From: math.Inf(1)}
	for _, n := range data.Nodes {
		data.Most = max(data.Most, n.MS)
	}
	stop := func(n *view.Node) float64 {
		if n.Unfinished {
			return max(n.Start, r.View.LastMS)
		}
		return n.Stop
	}
	position := 0
	for i := range r.View.Steps {
		for k := range r.View.Steps[i].Nodes {
			if n := &r.View.Steps[i].Nodes[k]; position >= from && position < to {
				data.Tasks = append(data.Tasks, bar{Node: n, Step: r.View.Steps[i].Step, Href: r.step(i)})
				if n.Timed {
					data.Timed, data.From, data.To = true, min(data.From, n.Start), max(data.To, stop(n))
				}
			}
			position++
		}
	}
	scale := 1000 / max(data.To-data.From, .001)
	for i := range data.Tasks {
		b := &data.Tasks[i]
		b.W = max((stop(b.Node)-b.Start)*scale, leastBar)
		b.X = min((b.Start-data.From)*scale, 1000-b.W)
	}
	return section("timeline", data)
}

// Href returns the address of a superstep, by its position.
func (d timelineData) Href(position int) string { return d.step(position) }

// Share returns a time as a part of the longest, out of 1000.
func (d timelineData) Share(ms float64) float64 { return 1000 * ms / max(d.Most, .001) }
