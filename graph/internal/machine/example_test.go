package machine_test

import (
	"fmt"

	"example.com/assay/graph/internal/machine"
)

// A driver without a state: nodes 0 and 1 run side by side, a join leads from both to 2, and 2
// sends two tasks to 3.
func Example() {
	plan := &machine.Plan{
		Nodes: []machine.Node{
			{Exits: machine.Exits{Joins: []machine.Place{{Join: 0, Source: 0}}}},
			{Exits: machine.Exits{Joins: []machine.Place{{Join: 0, Source: 1}}}},
			{Exits: machine.Exits{Asks: true}},
			{Exits: machine.Exits{Next: []int{machine.End}}},
		},
		Start: machine.Exits{Next: []int{0, 1}},
		Joins: []machine.Join{{To: 2, Sources: 2}},
	}
	var m machine.Machine
	m.Init(plan)
	m.Enter(false)
	m.Begin(machine.Options{Limit: 25, Saved: true})
	for c := m.Step(machine.Event{}); c.Do != machine.Finish; c = m.Step(machine.Event{}) {
		switch c.Do {
		case machine.Run:
			for i := range m.Due() {
				node, send := m.Task(i)
				fmt.Println("superstep", m.Superstep(), "node", node, "send", send)
				var choice machine.Choice
				if node == 2 {
					choice.Sends = []machine.Send{{To: 3, Load: "left"}, {To: 3, Load: "right"}}
				}
				m.Ended(i, machine.Returned, &choice)
			}
		case machine.SaveStep:
			fmt.Println("save, due:", m.Due())
		}
	}
	// Output:
	// superstep 1 node 0 send 0
	// superstep 1 node 1 send 0
	// save, due: 1
	// superstep 2 node 2 send 0
	// save, due: 2
	// superstep 3 node 3 send 1
	// superstep 3 node 3 send 2
	// save, due: 0
}
