package graph

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/graph/internal/machine"
)

// A Router chooses the next nodes after a node. It sees the state with the
// node's own writes, without those of concurrent nodes.
type Router[S any] func(ctx context.Context, state S) (Route, error)

// A Route is a router's decision. The zero Route is an error; Nowhere ends a
// path.
type Route struct {
	first   string
	rest    *further
	nowhere bool
}

// A further holds the rarer parts of a route. It never changes.
type further struct {
	names []string
	sends []sendList
}

// To routes to nodes, or to keys that AddConditionalPaths declared. Duplicates
// run once. End adds nothing to other targets.
func To(target string, more ...string) Route {
	if len(more) == 0 {
		return Route{first: target}
	}
	return Route{first: target, rest: &further{names: more}}
}

// Nowhere ends this path.
func Nowhere() Route { return Route{nowhere: true} }

// And routes to the targets of both routes. The Sends of r come first. Nowhere
// and the zero Route add nothing to the other.
func (r Route) And(other Route) Route {
	switch {
	case other.undecided():
		return r
	case r.undecided() || r.nowhere:
		return other
	}
	var both further
	out := Route{}
	for _, part := range []Route{r, other} {
		if part.first != "" {
			both.names = append(both.names, part.first)
		}
		if part.rest != nil {
			both.names = append(both.names, part.rest.names...)
			both.sends = append(both.sends, part.rest.sends...)
		}
	}
	if len(both.names) > 0 {
		out.first, both.names = both.names[0], both.names[1:]
	}
	out.rest = &both
	return out
}

func (r Route) undecided() bool { return r.first == "" && r.rest == nil && !r.nowhere }

// route calls routers after from, and adds their routes to chosen.
func (p *program) route(ctx context.Context, from string, branches []branch, state any, chosen *machine.Choice) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("routing from %q: %w", from, caught(v))
		}
	}()
	for i := range branches {
		b := &branches[i]
		route, err := b.route(ctx, state)
		if err != nil {
			return fmt.Errorf("routing from %q: %w", from, readableError(err))
		}
		if route.nowhere {
			continue
		}
		if route.rest == nil || route.first != "" {
			if err := b.add(chosen, from, route.first); err != nil {
				return err
			}
		}
		if route.rest == nil {
			continue
		}
		for _, name := range route.rest.names {
			if err := b.add(chosen, from, name); err != nil {
				return err
			}
		}
		for _, sends := range route.rest.sends {
			if err := p.addSends(chosen, sends, from, b.targets); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds the target of a key. No declared key is empty, so it refuses the
// zero Route and To("").
func (b *branch) add(chosen *machine.Choice, from, key string) error {
	for i := range b.paths {
		if b.paths[i].Key == key {
			chosen.Nodes = append(chosen.Nodes, b.targets[i])
			return nil
		}
	}
	allowed := make([]string, len(b.paths))
	for i, p := range b.paths {
		allowed[i] = p.Key
	}
	return &RouteError{From: from, Target: key, Allowed: allowed}
}

// declared names the nodes among targets without repetitions.
func (p *program) declared(targets []int) []string {
	var names []string
	for _, id := range targets {
		if id != end && !slices.Contains(names, p.nodes[id].name) {
			names = append(names, p.nodes[id].name)
		}
	}
	return names
}
