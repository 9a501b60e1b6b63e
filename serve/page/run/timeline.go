package run

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/serve/view"
)

// timelineData is what timeline.tmpl shows.
type timelineData struct {
	Pager   look.Pager
	Nodes   []nodeLine
	Lanes   []lane
	Tasks   []barLine
	Timed   bool
	From    string // start and end of the shown tasks, after the run's first event
	To      string
	Elapsed string
	Total   string // tokens and cost of all model calls
}

// A nodeLine summarises the tasks of a node.
type nodeLine struct {
	view.Ran
	Class, Tone, Word string
	Note, Href        string
	Sum, Max          string
	Share             float64 // share of the longest sum, out of 1000
	Tokens            int
	Depth             int
}

// A lane shows the tasks of one node as bars, in as many rows as ran at the same time.
type lane struct {
	Path   string
	Label  string // "judge ×8"
	Depth  int
	Bars   []bar
	Height int
}

// A bar is a task, positioned from 0 to 1000 across.
type bar struct {
	X, W  float64
	Y, H  int
	Class string
	Title string
}

// A barLine is a task's row in the table.
type barLine struct {
	*view.Node
	Step  int
	Href  string
	Began string
	Took  string
	Class string
	Tone  string
	Word  string
}

// Measures of a lane, in pixels.
const (
	barHeight = 10
	thinBar   = 4 // when several run at the same time
	mostRows  = 64
	leastBar  = 2 // out of 1000
)

// Timeline shows when tasks ran: a summary of each node, and the tasks of a page, from a position
// on.
func (r *Run) Timeline(from int) (template.HTML, error) {
	tasks := 0
	for _, s := range r.View.Steps {
		tasks += len(s.Nodes)
	}
	from, to := window(from, TasksPerPage, tasks)
	return r.timeline(from, to, pages("tasks", r.Links.Timeline, from, TasksPerPage, tasks))
}

func (r *Run) timeline(from, to int, p look.Pager) (template.HTML, error) {
	v := &r.View
	data := timelineData{Pager: p, Nodes: r.nodeLines(), Total: totals(v)}
	if v.Ended {
		data.Elapsed = look.Duration(v.ElapsedMS)
	}
	var nodes []*view.Node
	position := 0
	for i := range v.Steps {
		for k := range v.Steps[i].Nodes {
			n := &v.Steps[i].Nodes[k]
			if position >= from && position < to {
				nodes = append(nodes, n)
				line := barLine{Node: n, Step: v.Steps[i].Step, Href: r.step(i), Took: took(n.Timed && !n.Unfinished, n.Stop-n.Start)}
				line.Class, line.Word = r.outcome(n)
				line.Tone = tone(line.Class)
				if n.Timed {
					line.Began = look.Duration(n.Start)
				}
				data.Tasks = append(data.Tasks, line)
			}
			position++
		}
	}
	fans := map[string]int{}
	for _, n := range data.Nodes {
		fans[n.Path] = n.AtOnce
	}
	data.lay(nodes, fans, v.LastMS, r.Live)
	return section("timeline", data)
}

func totals(v *view.View) string {
	if v.Total.Calls == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %d tokens in, %d out; cost: %s", look.Count(v.Total.Calls, "model call"), v.Total.InputTokens, v.Total.OutputTokens, cost(v.Total))
}

func (r *Run) nodeLines() []nodeLine {
	all := r.View.Ran()
	most := 0.0
	for _, n := range all {
		most = max(most, n.MS)
	}
	var out []nodeLine
	for _, n := range all {
		l := nodeLine{Ran: n, Class: r.class(n), Note: r.note(n), Href: r.step(n.First), Tokens: n.Usage.InputTokens + n.Usage.OutputTokens, Depth: depth(n.Path)}
		l.Tone = tone(l.Class)
		if n.MaxMS > 0 || n.Untimed+n.Asked+n.Unfinished == 0 {
			l.Sum, l.Max = look.Duration(n.MS), look.Duration(n.MaxMS)
		}
		if most > 0 {
			l.Share = 1000 * n.MS / most
		}
		out = append(out, l)
	}
	return out
}

// depth returns the number of nodes around a node, as far as pages show it.
func depth(path string) int { return min(strings.Count(path, "/"), 3) }

// lay places the tasks of a page in lanes. fans is the largest number of tasks of a node in one
// superstep; last is the time of the last event.
func (d *timelineData) lay(nodes []*view.Node, fans map[string]int, last float64, live bool) {
	var first, end float64
	for _, n := range nodes {
		if !n.Timed {
			continue
		}
		stop := stopOf(n, last)
		if !d.Timed || n.Start < first {
			first = n.Start
		}
		end, d.Timed = max(end, stop), true
	}
	if !d.Timed {
		return
	}
	d.From, d.To = look.Duration(first), look.Duration(end)
	scale := 1000 / max(end-first, .001)
	at := map[string]int{}
	free := map[string][]float64{} // the time when each row of a lane becomes free
	rows := map[string][]int{}     // the row of each bar
	for _, n := range nodes {
		if !n.Timed {
			continue
		}
		i, ok := at[n.Name]
		if !ok {
			i = len(d.Lanes)
			at[n.Name] = i
			d.Lanes = append(d.Lanes, lane{Path: n.Name, Depth: depth(n.Name)})
		}
		stop := stopOf(n, last)
		row := slices.IndexFunc(free[n.Name], func(until float64) bool { return until <= n.Start })
		switch {
		case row >= 0:
			free[n.Name][row] = stop
		case len(free[n.Name]) == mostRows:
			row = mostRows - 1
			free[n.Name][row] = max(free[n.Name][row], stop)
		default:
			row = len(free[n.Name])
			free[n.Name] = append(free[n.Name], stop)
		}
		rows[n.Name] = append(rows[n.Name], row)
		w := max((stop-n.Start)*scale, leastBar)
		d.Lanes[i].Bars = append(d.Lanes[i].Bars, bar{X: min((n.Start-first)*scale, 1000-w), W: w, Class: barClass(n, live)})
	}
	for i := range d.Lanes {
		l := &d.Lanes[i]
		height := barHeight
		if len(free[l.Path]) > 1 {
			height = thinBar
		}
		l.Height = len(free[l.Path])*(height+1) - 1
		for k, row := range rows[l.Path] {
			l.Bars[k].Y, l.Bars[k].H = row*(height+1), height
		}
		l.Label = split(l.Path).Name
		if fans[l.Path] > 1 {
			l.Label += fmt.Sprintf(" ×%d", fans[l.Path])
		}
		if len(free[l.Path]) == mostRows {
			l.Label += fmt.Sprintf(", in %d rows", mostRows)
		}
	}
}

func stopOf(n *view.Node, last float64) float64 {
	if n.Unfinished {
		return max(n.Start, last)
	}
	return n.Stop
}

func barClass(n *view.Node, live bool) string {
	class, _ := (&Run{Live: live}).outcome(n)
	return class
}

// A nodePath is a node's name and the names of the nodes around it.
type nodePath struct{ Before, Name string }

func split(path string) nodePath {
	at := strings.LastIndex(path, "/") + 1
	return nodePath{path[:at], path[at:]}
}
