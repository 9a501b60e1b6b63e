package machine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph/internal/machine"
)

// to is the exits to these nodes.
func to(nodes ...int) machine.Exits { return machine.Exits{Next: nodes} }

// chain is a plan in which each of n nodes leads to the next.
func chain(n int) *machine.Plan {
	p := &machine.Plan{Start: to(0), Nodes: make([]machine.Node, n)}
	for i := range p.Nodes {
		p.Nodes[i].Exits, p.Nodes[i].Plain = to(i+1), true
	}
	p.Nodes[n-1].Next = nil
	return p
}

// A player is a driver that writes down what it was told. Outcomes and choices are Returned and
// none, unless they are given by superstep and task.
type player struct {
	machine.Machine
	log     []string
	outcome map[[2]int]machine.Outcome
	choice  map[[2]int]machine.Choice
	fails   machine.Do                          // this command fails
	event   func(machine.Command) machine.Event // after a command; nil for none
}

var names = []string{"", "fork", "answer", "run begins", "save input", "state", "ask", "save start", "record stop", "step", "run", "merge", "save", "halt", "wait", "close", "finish"}

func (p *player) play(plan *machine.Plan, opts machine.Options) string {
	p.Init(plan)
	p.Enter(false)
	return p.goOn(opts)
}

func (p *player) goOn(opts machine.Options) string {
	if opts.Limit == 0 {
		opts.Limit = 25
	}
	p.Begin(opts)
	e := machine.Event{}
	for {
		c := p.Step(e)
		if c.Do == machine.Finish {
			break
		}
		said := names[c.Do]
		if c.Do == machine.Run {
			said += p.tasks()
		}
		p.log = append(p.log, said)
		if e = (machine.Event{Wrote: true}); p.event != nil {
			e = p.event(c)
		}
		e.Failed = c.Do == p.fails
	}
	return strings.Join(p.log, ", ")
}

func (p *player) tasks() (said string) {
	for i := range p.Due() {
		node, send := p.Task(i)
		if said += fmt.Sprintf(" %d", node); send > 0 {
			said += fmt.Sprintf("<%v", p.Load(send))
		}
		at := [2]int{p.Superstep(), i}
		how, choice := machine.Returned, p.choice[at]
		if given, ok := p.outcome[at]; ok {
			how = given
		}
		p.Ended(i, how, &choice)
	}
	return said
}

func TestRules(t *testing.T) {
	type by[T any] = map[[2]int]T
	fork := &machine.Plan{Start: to(0, 1), Nodes: []machine.Node{{Exits: to(2)}, {Exits: to(2)}, {}}}
	for _, c := range []struct {
		what string
		plan *machine.Plan
		opts machine.Options
		player
		want string
		end  machine.Ending
		task int
	}{
		{what: "a run that nothing saves and nobody sees", plan: chain(2), want: "run 0, merge, run 1, merge, close", task: -1},
		{what: "a saved one that is watched", plan: chain(1), opts: machine.Options{Saved: true, ShowsRun: true, ShowsState: true, ShowsSteps: true},
			want: "run begins, save input, state, save start, step, run 0, merge, state, save, close", task: -1},
		{what: "a node that two lead to runs once", plan: fork, want: "run 0 1, merge, run 2, merge, close", task: -1},
		{what: "a jump instead of edges", plan: chain(3), player: player{choice: by[machine.Choice]{{1, 0}: {Nodes: []int{2}, Jumps: true}}},
			want: "run 0, merge, run 2, merge, close", task: -1},
		{what: "a choice beside edges", plan: chain(3), player: player{choice: by[machine.Choice]{{1, 0}: {Nodes: []int{2}}}},
			want: "run 0, merge, run 1 2, merge, run 2, merge, close", task: -1},
		{what: "Sends come behind nodes, in the order of their tasks", plan: fork, player: player{choice: by[machine.Choice]{
			{1, 0}: {Sends: []machine.Send{{To: 2, Load: "a"}, {To: 2, Load: "b"}}}, {1, 1}: {Sends: []machine.Send{{To: 0, Load: "c"}}, Jumps: true}}},
			want: "run 0 1, merge, run 2 2<a 2<b 0<c, merge, run 2, merge, close", task: -1},
		{what: "a deferred node runs last", plan: &machine.Plan{Start: to(0, 1), Nodes: []machine.Node{{Deferred: true}, {Exits: to(2)}, {}}},
			want: "run 1, merge, run 2, merge, run 0, merge, close", task: -1},
		{what: "a failure before an earlier cancellation", plan: fork, player: player{outcome: by[machine.Outcome]{{1, 0}: machine.Cancelled, {1, 1}: machine.Failed}},
			want: "run 0 1, close", end: machine.Broken, task: 1},
		{what: "a failure before a task that waits", plan: fork, player: player{outcome: by[machine.Outcome]{{1, 0}: machine.Waits, {1, 1}: machine.Failed}},
			want: "run 0 1, close", end: machine.Broken, task: 1},
		{what: "a task that waits", plan: fork, player: player{outcome: by[machine.Outcome]{{1, 1}: machine.Waits}}, want: "run 0 1, wait, close", end: machine.Paused, task: -1},
		{what: "tasks that did not begin", plan: fork, player: player{fails: machine.Run}, want: "run 0 1, close", end: machine.Broken, task: -1},
		{what: "writes that conflict", plan: chain(2), player: player{fails: machine.Merge}, want: "run 0, merge, close", end: machine.Broken, task: -1},
		{what: "a checkpoint that is not saved", plan: chain(2), opts: machine.Options{Saved: true}, player: player{fails: machine.SaveStep},
			want: "save input, save start, run 0, merge, save, close", end: machine.Broken, task: -1},
		{what: "the limit", plan: chain(3), opts: machine.Options{Limit: 2}, want: "run 0, merge, run 1, merge, close", end: machine.Limited, task: -1},
		{what: "a breakpoint before", plan: chain(3), opts: machine.Options{Saved: true, Before: []bool{false, true, false}},
			want: "save input, save start, run 0, merge, save, record stop, halt, close", end: machine.Paused, task: -1},
		{what: "a breakpoint after", plan: chain(3), opts: machine.Options{Saved: true, After: []bool{true, false, true}},
			want: "save input, save start, run 0, merge, save, halt, close", end: machine.Paused, task: -1},
		{what: "a breakpoint after the last", plan: chain(1), opts: machine.Options{Saved: true, After: []bool{true}},
			want: "save input, save start, run 0, merge, save, close", task: -1},
		{what: "a drain", plan: chain(2), player: player{event: func(c machine.Command) machine.Event { return machine.Event{Drain: c.Do == machine.Merge} }},
			want: "run 0, merge, close", end: machine.Drained, task: -1},
		{what: "a drain with nothing left", plan: chain(1), player: player{event: func(machine.Command) machine.Event { return machine.Event{Drain: true} }},
			want: "run 0, merge, close", task: -1},
		{what: "a cancelled call", plan: chain(2), player: player{event: func(c machine.Command) machine.Event { return machine.Event{Stop: c.Do == machine.Merge} }},
			want: "run 0, merge, close", end: machine.Stopped, task: -1},
		{what: "Start's routers that fail", plan: &machine.Plan{Start: machine.Exits{Asks: true}, Nodes: make([]machine.Node, 1)}, player: player{fails: machine.Ask},
			want: "ask, close", end: machine.Broken, task: -1},
	} {
		if got := c.play(c.plan, c.opts); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
		if end, task := c.Ending(); end != c.end || task != c.task {
			t.Errorf("%s: it ended by %d of task %d, want %d of %d", c.what, end, task, c.end, c.task)
		}
	}
}

// A join waits in any superstep for all of its sources, and then again.
func TestJoin(t *testing.T) {
	join := func(source int, next ...int) machine.Exits {
		return machine.Exits{Next: next, Joins: []machine.Place{{Join: 0, Source: source}}}
	}
	plan := &machine.Plan{
		Start: to(0, 1), Joins: []machine.Join{{To: 3, Sources: 2}},
		Nodes: []machine.Node{{Exits: join(0)}, {Exits: to(2)}, {Exits: join(1)}, {Exits: to(0)}},
	}
	p := player{}
	if got, want := p.play(plan, machine.Options{}), "run 0 1, merge, run 2, merge, run 3, merge, run 0, merge, close"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !p.Waits(0) || !slices.Equal(p.Arrived(0), []bool{true, false}) {
		t.Errorf("the join has %v", p.Arrived(0))
	}
}

// A thread goes on where it was: with its tasks, its joins and its step.
func TestResume(t *testing.T) {
	p := player{}
	p.Init(chain(3))
	p.Resume(7)
	p.Put([]int{2, 1, 2}, []machine.Send{{To: 0, Load: "s"}}, nil)
	got := p.goOn(machine.Options{Saved: true, Resumes: true, Forks: true, Stopped: true, Before: []bool{true, true, true}})
	if want := "fork, answer, run 1 2 0<s, merge, save, record stop, halt, close"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p.First() != 8 || p.Superstep() != 9 {
		t.Errorf("it is at %d, from %d", p.Superstep(), p.First())
	}
	p = player{}
	p.Init(chain(3))
	p.Put([]int{1}, nil, nil)
	if got := p.goOn(machine.Options{Saved: true, Resumes: true, StopsAgain: true}); got != "answer, halt, close" {
		t.Errorf("a repeated call: %s", got)
	}
	p = player{}
	p.Init(chain(3))
	p.Enter(true)
	if got := p.goOn(machine.Options{Saved: true, Limit: 1}); got != "save start, run 0, merge, save, close" {
		t.Errorf("an input that is saved: %s", got)
	}
}

// An edit replaces what is due by what its nodes lead to; what waits stays.
func TestEdit(t *testing.T) {
	plan := chain(4)
	plan.Nodes[3].Deferred = true
	var m machine.Machine
	m.Init(plan)
	m.Put([]int{1}, []machine.Send{{To: 2}}, []int{3})
	m.Skip()
	m.Edit([]machine.Edit{{Node: 0, Choice: &machine.Choice{Nodes: []int{2}}}})
	if !slices.Equal(m.Next(), []int{1, 2}) || len(m.Sends()) > 0 || !slices.Equal(m.Deferred(), []int{3}) || m.Leaving() {
		t.Errorf("due %v %v, deferred %v, leaving %t", m.Next(), m.Sends(), m.Deferred(), m.Leaving())
	}
	m.Skip()
	m.Edit(nil)
	if !slices.Equal(m.Next(), []int{3}) || m.Deferred() != nil {
		t.Errorf("with nothing else due: %v, deferred %v", m.Next(), m.Deferred())
	}
	m.Clear()
	m.Enter(false)
	m.Skip()
	m.Edit([]machine.Edit{{Node: machine.Start, Choice: &machine.Choice{}}})
	if !slices.Equal(m.Next(), []int{0}) || m.Entering() || !m.Leaving() {
		t.Errorf("from Start: due %v, entering %t, leaving %t", m.Next(), m.Entering(), m.Leaving())
	}
}

func TestEndedRecords(t *testing.T) {
	for _, saved := range []bool{false, true} {
		for _, wide := range []bool{false, true} {
			plan := &machine.Plan{Start: to(0), Nodes: make([]machine.Node, 2)}
			if wide {
				plan.Start = to(0, 1)
			}
			var m machine.Machine
			m.Init(plan)
			m.Enter(false)
			m.Begin(machine.Options{Limit: 1, Saved: saved})
			for m.Step(machine.Event{}).Do != machine.Run {
			}
			for how := machine.Returned; how <= machine.Failed; how++ {
				if got := m.Ended(0, how, &machine.Choice{}); got != (saved && wide && how == machine.Returned) {
					t.Errorf("saved %t, several tasks %t, outcome %d: record %t", saved, wide, how, got)
				}
			}
		}
	}
}

// Pass goes the same way as Step.
func TestPass(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := 1 + r.IntN(12)
		plan := &machine.Plan{Nodes: make([]machine.Node, n), Start: to(0)}
		some := func(most int) (out []int) {
			for range r.IntN(most + 1) {
				out = append(out, r.IntN(n))
			}
			slices.Sort(out)
			return slices.Compact(out)
		}
		for i := range plan.Nodes {
			plan.Nodes[i] = machine.Node{Exits: to(some(2)...), Plain: r.IntN(5) > 0}
			if r.IntN(8) == 0 {
				plan.Nodes[i].Plain, plan.Nodes[i].Deferred = false, true
			}
		}
		if r.IntN(3) == 0 {
			plan.Joins = []machine.Join{{To: r.IntN(n), Sources: 2}}
			for place := range 2 {
				x := &plan.Nodes[r.IntN(n)].Exits
				x.Joins = append(x.Joins, machine.Place{Join: 0, Source: place})
			}
		}
		way := func(pass bool) (log []string) {
			choices := rand.New(rand.NewPCG(seed, 2))
			choice := func() machine.Choice {
				c := machine.Choice{Jumps: choices.IntN(4) == 0}
				if c.Jumps || choices.IntN(4) == 0 {
					c.Nodes = []int{choices.IntN(n+1) - 1}
				}
				if choices.IntN(12) == 0 {
					c.Sends = []machine.Send{{To: choices.IntN(n), Load: "s"}}
				}
				return c
			}
			var m machine.Machine
			m.Init(plan)
			m.Enter(false)
			m.Begin(machine.Options{Limit: 20})
			for c := m.Step(machine.Event{}); c.Do != machine.Finish; c = m.Step(machine.Event{}) {
				if c.Do != machine.Run {
					continue
				}
				for {
					var said []int
					for i := range m.Due() {
						node, _ := m.Task(i)
						said = append(said, node)
					}
					log = append(log, fmt.Sprint(m.Superstep(), said))
					node, send := m.Task(0)
					if pass && m.Due() == 1 && send == 0 && plan.Nodes[node].Plain {
						own := choice()
						if _, more := m.Pass(&own, true); more {
							continue
						}
						break
					}
					for i := range m.Due() {
						own := choice()
						m.Ended(i, machine.Returned, &own)
					}
					break
				}
			}
			end, _ := m.Ending()
			return append(log, fmt.Sprint("end ", end))
		}
		if step, pass := way(false), way(true); !slices.Equal(step, pass) {
			t.Fatalf("seed %d:\nstep %v\npass %v", seed, step, pass)
		}
	}
}

func TestTally(t *testing.T) {
	type write struct {
		channel int
		op      machine.Op
	}
	var tally machine.Tally
	for _, c := range []struct {
		writes   []write
		conflict string
		applied  string
	}{
		{nil, "", ""},
		{[]write{{0, machine.Set}, {1, machine.Set}}, "", "0 1 "},
		{[]write{{0, machine.Add}, {0, machine.Add}}, "", "0 0 "},
		{[]write{{1, machine.Set}, {0, machine.Set}, {1, machine.Set}}, "1 set", ""},
		{[]write{{0, machine.Set}, {0, machine.Overwrite}, {0, machine.Set}}, "", "0! "},
		{[]write{{0, machine.Add}, {0, machine.Overwrite}, {1, machine.Add}}, "", "0! 1 "},
		{[]write{{1, machine.Overwrite}, {1, machine.Set}, {1, machine.Overwrite}, {0, machine.Set}, {0, machine.Set}}, "0 set", ""},
		{[]write{{1, machine.Overwrite}, {1, machine.Overwrite}}, "1 overwrite", ""},
	} {
		tally.Begin(3)
		for _, w := range c.writes {
			tally.Count(w.channel, w.op)
		}
		said := ""
		if channel, op, found := tally.Conflict(); found {
			said = fmt.Sprintf("%d %s", channel, map[machine.Op]string{machine.Set: "set", machine.Overwrite: "overwrite"}[op])
		}
		if said != c.conflict {
			t.Errorf("%v: conflict %q, want %q", c.writes, said, c.conflict)
		}
		applied := ""
		for _, w := range c.writes {
			if !tally.Wrote(w.channel) || *tally.Owned(w.channel) {
				t.Errorf("%v: channel %d is not written, or owned", c.writes, w.channel)
			}
			if tally.Counts(w.channel, w.op) {
				applied += fmt.Sprintf("%d%s ", w.channel, map[machine.Op]string{machine.Overwrite: "!"}[w.op])
			}
		}
		if c.conflict == "" && applied != c.applied {
			t.Errorf("%v: applied %q, want %q", c.writes, applied, c.applied)
		}
		if tally.Wrote(2) {
			t.Errorf("%v: nothing writes channel 2", c.writes)
		}
	}
}
