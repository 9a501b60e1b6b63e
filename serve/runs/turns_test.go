package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// A gate is a graph whose runs say who they are, and go on until they are let through.
type gate struct {
	runs.Graph
	began   chan string
	through chan struct{}
}

func newGate(t testing.TB) *gate {
	t.Helper()
	g := &gate{began: make(chan string, 1000), through: make(chan struct{})}
	s := graph.NewStateGraph(talkLines, talkWho, talkWait)
	s.AddNode("gate", func(ctx context.Context, s talk) (graph.Update[talk], error) {
		g.began <- s.Who
		select {
		case <-g.through:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
	s.AddEdge(graph.Start, "gate")
	app, err := s.Compile(&graph.CompileOptions{Name: "gate"})
	if err != nil {
		t.Fatal(err)
	}
	g.Graph = runs.Graph{Name: "gate", App: app.App()}
	return g
}

// next is who begins next.
func (g *gate) next(t testing.TB) string {
	t.Helper()
	select {
	case who := <-g.began:
		return who
	case <-time.After(30 * time.Second):
		t.Fatal("no run begins")
		return ""
	}
}

func as(who string) runs.Spec {
	return runs.Spec{Graph: "gate", Input: json.RawMessage(fmt.Sprintf(`[{"channel":"who","op":"set","value":%q}]`, who))}
}

// A tenant with very many runs leaves room to another, whose runs take turns with its own.
func TestTenantsTakeTurns(t *testing.T) {
	h, g := openHome(t, t.TempDir()), newGate(t)
	h.opts.AtOnce, h.opts.Quota = 3, runs.Quota{AtOnce: 2, Waiting: 10}
	m := h.open(t, g.Graph)
	defer m.Close(context.Background())
	ann, bob := m.Space("ann"), m.Space("bob")
	var all []runs.Run
	for range 12 {
		all = append(all, begin(t, ann, as("ann")))
	}
	if _, err := ann.Begin(t.Context(), as("ann")); !errors.Is(err, runs.ErrFull) {
		t.Errorf("a run too many of a tenant: %v", err)
	}
	for range 2 {
		if who := g.next(t); who != "ann" {
			t.Fatalf("%s begins", who)
		}
	}
	if running, waiting := m.Counts(); running != 2 || waiting != 10 {
		t.Errorf("%d runs go on, %d wait; want 2 and 10, and a slot for others", running, waiting)
	}
	for range 4 {
		all = append(all, begin(t, bob, as("bob")))
	}
	order := []string{g.next(t)} // at once, in the slot that ann cannot have
	for range 3 {
		g.through <- struct{}{}
		order = append(order, g.next(t))
	}
	if order[0] != "bob" || !slices.Contains(order[1:], "bob") {
		t.Errorf("they begin as %v", order)
	}
	close(g.through)
	for i, s := range []*runs.Space{ann, bob} {
		for _, r := range [][]runs.Run{all[:12], all[12:]}[i] {
			if r := wait(t, s, r.ID); r.Status != runs.Success {
				t.Errorf("%+v", r)
			}
		}
	}
	if running, waiting := m.Counts(); running != 0 || waiting != 0 {
		t.Errorf("in the end %d runs go on, %d wait", running, waiting)
	}
}

// Runs that wait for a time, or for one before them, are bounded as others are; and a run
// that is refused or cancelled takes no room.
func TestWaitingIsBounded(t *testing.T) {
	h, g := openHome(t, t.TempDir()), newGate(t)
	h.opts.AtOnce, h.opts.Waiting = 1, 2
	m := h.open(t, g.Graph)
	defer m.Close(context.Background())
	s := m.Space(runs.DefaultTenant)
	later := as("later")
	later.Delay = time.Hour
	first := begin(t, s, as("first"))
	g.next(t)
	behind := as("behind")
	behind.Thread, behind.Strategy = first.Thread, runs.Enqueue
	waits := []runs.Run{begin(t, s, behind), begin(t, s, later)}
	if _, err := s.Begin(t.Context(), as("more")); !errors.Is(err, runs.ErrFull) {
		t.Fatalf("a run too many: %v", err)
	}
	for _, r := range waits {
		if err := s.Cancel(t.Context(), r.ID); err != nil {
			t.Fatal(err)
		}
		if r := wait(t, s, r.ID); r.Status != runs.Cancelled {
			t.Errorf("%+v", r)
		}
		bad := as("more")
		bad.Metadata = json.RawMessage(`[]`)
		if _, err := s.Begin(t.Context(), bad); !errors.As(err, new(*runs.InvalidError)) {
			t.Errorf("metadata that is a list: %v", err)
		}
	}
	last := begin(t, s, as("last"))
	close(g.through)
	for _, r := range []runs.Run{first, last} {
		if r := wait(t, s, r.ID); r.Status != runs.Success {
			t.Errorf("%+v", r)
		}
	}
}
