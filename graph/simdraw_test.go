package graph_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/assay/graph"
)

// drawSimPlan draws a plan from a source of chance.
func drawSimPlan(r *rand.Rand, depth int, around []string, never bool) *simPlan {
	p := &simPlan{}
	var names []string
	for i := range 1 + r.IntN(5-depth) {
		names = append(names, string(rune('a'+i)))
	}
	one := func() string { return names[r.IntN(len(names))] }
	rarely := func(n int) bool { return r.IntN(n) == 0 }
	if depth > 0 {
		p.Persist = graph.Persistence(r.IntN(3))
		if never {
			p.Persist = graph.Persistence(r.IntN(2)) // what is always kept within what is never kept is left out
		}
		p.Private = rarely(2)
		never = never || p.Persist == graph.PersistNever
	}
	for i, name := range names {
		n := &simNode{Name: name, Deferred: rarely(8), Hello: rarely(4), Note: rarely(4), Drains: rarely(15)}
		p.Nodes = append(p.Nodes, n)
		if before := r.IntN(i+2) - 1; before < 0 || before == i {
			p.Start = append(p.Start, name)
		} else if from := p.Nodes[before]; rarely(3) {
			from.Routes = append(from.Routes, name)
		} else {
			from.Edges = append(from.Edges, name)
		}
		if rarely(6) {
			n.Over = []string{"log", "foo", "hello"}[r.IntN(3)]
		}
		if depth < 2 && rarely(5) {
			n.Sub = drawSimPlan(r, depth+1, names, never)
			continue
		}
		if n.Asks = max(0, r.IntN(9)-6); n.Asks > 0 {
			n.Together, n.Inside = rarely(2), rarely(4) && !never
		}
		n.Once = rarely(6) && !never
		if rarely(4) {
			n.Fails, n.Attempts = 1+r.IntN(3), r.IntN(4)
			n.Handler = []string{"", "", "rescue", "lead", "decline"}[r.IntN(5)]
		}
		if depth > 0 && rarely(6) {
			n.Parent = []string{around[r.IntN(len(around))]}
		}
	}
	plain := func() string {
		for range 9 {
			if i := r.IntN(len(names)); p.Nodes[i].Sub == nil {
				return names[i]
			}
		}
		return ""
	}
	add := func(list *[]string, name string, twice bool) {
		if name != "" && (twice || !slices.Contains(*list, name)) {
			*list = append(*list, name)
		}
	}
	for range r.IntN(len(names) + 1) {
		n := p.Nodes[r.IntN(len(names))]
		switch r.IntN(7) {
		case 0, 1:
			add(&n.Edges, one(), false)
		case 2:
			add(&n.Routes, one(), false)
		case 3:
			if len(n.Posts) == 0 {
				add(&n.Sends, plain(), true)
			}
		case 4:
			if n.Sub == nil {
				add(&n.Gotos, one(), false)
			}
		case 5:
			if n.Sub == nil && len(n.Sends) == 0 {
				add(&n.Posts, plain(), true)
			}
		case 6:
			from := slices.Clone(names)
			r.Shuffle(len(from), func(i, k int) { from[i], from[k] = from[k], from[i] })
			p.Joins = append(p.Joins, simJoin{from[:1+r.IntN(min(3, len(from)))], one()})
		}
	}
	if !never && rarely(4) {
		p.Before = []string{one()}
	}
	if !never && rarely(4) {
		p.After = []string{one()}
	}
	return p
}

// String tells the plan as a short story, a line for a node.
func (p *simPlan) String() string {
	var b strings.Builder
	p.tell(&b, "")
	return b.String()
}

func (p *simPlan) tell(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%sstart -> %s", indent, strings.Join(p.Start, " "))
	if len(p.Before)+len(p.After) > 0 {
		fmt.Fprintf(b, "; stops before %v after %v", p.Before, p.After)
	}
	if indent != "" {
		fmt.Fprintf(b, "; persistence %d, private %t", p.Persist, p.Private)
	}
	b.WriteString("\n")
	for _, n := range p.Nodes {
		short := *n
		short.Sub, short.Name = nil, ""
		data, err := json.Marshal(short)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(b, "%s%s %s\n", indent, n.Name, strings.TrimPrefix(string(data), `{"Name":"",`))
		if n.Sub != nil {
			n.Sub.tell(b, indent+"    ")
		}
	}
	for _, j := range p.Joins {
		fmt.Fprintf(b, "%s%s => %s\n", indent, strings.Join(j.From, " "), j.To)
	}
}

// clone copies a plan.
func (p *simPlan) clone() *simPlan {
	data, err := json.Marshal(p)
	out := &simPlan{}
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err != nil {
		panic(err)
	}
	return out
}

// shrunk lists plans that are simpler by one thing. Not all of them compile.
func (p *simPlan) shrunk() (out []*simPlan) {
	for i := 0; ; i++ {
		q := p.clone()
		at := 0
		if !q.simplify(func() bool { at++; return at == i+1 }) {
			return out
		}
		out = append(out, q)
	}
}

// simplify makes the change that now picks, and reports whether it picked one.
func (p *simPlan) simplify(now func() bool) bool {
	for i, n := range p.Nodes {
		if len(p.Nodes) > 1 && now() {
			p.Nodes = slices.Delete(p.Nodes, i, i+1)
			p.forget(n.Name)
			return true
		}
	}
	if dropOne(&p.Start, now) || dropOne(&p.Joins, now) || dropOne(&p.Before, now) || dropOne(&p.After, now) {
		return true
	}
	for _, n := range p.Nodes {
		for _, list := range []*[]string{&n.Edges, &n.Routes, &n.Sends, &n.Gotos, &n.Posts, &n.Parent} {
			if dropOne(list, now) {
				return true
			}
		}
		for _, b := range []*bool{&n.Deferred, &n.Hello, &n.Note, &n.Together, &n.Inside, &n.Once, &n.Drains} {
			if *b && now() {
				*b = false
				return true
			}
		}
		for _, i := range []*int{&n.Asks, &n.Fails, &n.Attempts} {
			if *i > 0 && now() {
				*i--
				return true
			}
		}
		for _, s := range []*string{&n.Over, &n.Handler} {
			if *s != "" && now() {
				*s = ""
				return true
			}
		}
		if n.Sub != nil && now() {
			n.Sub = nil
			return true
		}
		if n.Sub != nil && n.Sub.simplify(now) {
			return true
		}
	}
	return false
}

func dropOne[T any](list *[]T, now func() bool) bool {
	for i := range *list {
		if now() {
			*list = slices.Delete(*list, i, i+1)
			return true
		}
	}
	return false
}

// forget drops all that leads to a node.
func (p *simPlan) forget(name string) {
	drop := func(list *[]string) {
		*list = slices.DeleteFunc(*list, func(s string) bool { return s == name })
	}
	for _, list := range []*[]string{&p.Start, &p.Before, &p.After} {
		drop(list)
	}
	for _, n := range p.Nodes {
		for _, list := range []*[]string{&n.Edges, &n.Routes, &n.Sends, &n.Gotos, &n.Posts} {
			drop(list)
		}
		if n.Sub != nil {
			for _, inner := range n.Sub.Nodes {
				drop(&inner.Parent)
			}
		}
	}
	p.Joins = slices.DeleteFunc(p.Joins, func(j simJoin) bool { return j.To == name || slices.Contains(j.From, name) })
}
