package machine

// A Plan is a graph by index: nodes in the order of their names, joins and channels. It never
// changes.
type Plan struct {
	Nodes []Node
	Start Exits
	Joins []Join
}

// A Node is what the rules know of a node.
type Node struct {
	Exits
	Deferred bool // edges and joins lead to it once nothing else is due
	Plain    bool // a driver may run it by Pass; not deferred
}

// Exits are the ways out of a node, or of Start.
type Exits struct {
	Next  []int   // nodes that edges lead to, sorted; End for the end
	Joins []Place // places that it has at joins
	Asks  bool    // it has routers
}

// A Join leads to a node once all its sources have run.
type Join struct{ To, Sources int }

// A Place is one source of one join.
type Place struct{ Join, Source int }

// End and Start have no index.
const (
	End   = -1
	Start = -2
)

// exits returns the exits of a node, or of Start.
func (p *Plan) exits(node int) *Exits {
	if node == Start {
		return &p.Start
	}
	return &p.Nodes[node].Exits
}

// A Send runs a node on a state of its own.
type Send struct {
	To   int
	Load any // the driver's
}

// A Choice is where a task's routers and Commands lead. The Machine empties it once it has been
// followed, and keeps its arrays.
type Choice struct {
	Nodes []int // End leads nowhere
	Sends []Send
	Jumps bool // it replaces the node's edges and joins
}

// Reset empties a choice for reuse.
func (c *Choice) Reset() {
	c.Nodes = c.Nodes[:0]
	clear(c.Sends) // releases what they carry
	c.Sends, c.Jumps = c.Sends[:0], false
}
