package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/internal/browsertest"
	"example.com/assay/serve"
	"example.com/assay/serve/runs"
)

// names is the state of a graph whose channels have hostile names.
type names struct {
	All [300]string `json:"all"`
}

// named is a graph that waits at a gate, and then goes through nodes that have hostile names,
// as many as a graph may have. Each writes a channel of its name, and says its name.
func named(t *testing.T, g *gate) (out serve.Graph, count int) {
	t.Helper()
	build := func(list []string) (*graph.Compiled[names], error) {
		var channels []graph.Channel[names]
		var nodes []graph.Node[names]
		for i, name := range list {
			ch := graph.LastValue(name, func(s *names) *string { return &s.All[i] })
			channels = append(channels, ch)
			nodes = append(nodes, func(ctx context.Context, _ names) (graph.Update[names], error) {
				return graph.Update[names]{ch.Set(name)}, graph.Emit(ctx, name, name)
			})
		}
		b := graph.NewStateGraph(channels...)
		b.AddNode("gate", func(ctx context.Context, _ names) (graph.Update[names], error) {
			g.reached <- struct{}{}
			select {
			case <-g.open:
				return nil, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		})
		b.AddEdge(graph.Start, "gate")
		before := "gate"
		for i, name := range list {
			b.AddNode(name, nodes[i])
			b.AddEdge(before, name)
			before = name
		}
		return b.Compile(&graph.CompileOptions{Name: "names"})
	}
	var valid []string
	for _, h := range browsertest.HostileTexts() {
		name := h.Text
		if _, err := build([]string{name}); err != nil {
			name = strings.ReplaceAll(h.File(), ":", "∶") // without what separates names
		}
		if _, err := build([]string{name}); err == nil && !slices.Contains(valid, name) {
			valid = append(valid, name)
		}
	}
	app, err := build(valid)
	if err != nil {
		t.Fatal(err)
	}
	return serve.Register("names", app, nil), len(valid)
}

// No text is more than text, wherever it comes from: a question, a state, the name of a node,
// what a node says, an error, what a person is asked; live and afterwards.
func TestBrowserHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many pages")
	}
	texts := browsertest.HostileTexts()
	var all []string
	for _, h := range texts {
		all = append(all, strings.ReplaceAll(h.Text, "\x00", "␀")) // which no record may hold
	}
	hold := newGate()
	g, count := named(t, hold)
	if count < 130 {
		t.Errorf("only %d texts can be names", count)
	}
	fails := serve.Register("hostile-fails", compiled("hostile-fails", chain("", "try", node(func(context.Context, work) (graph.Update[work], error) {
		return nil, errors.New(strings.Join(all, "\n"))
	}))), nil)
	asks := serve.Register("hostile-asks", compiled("hostile-asks", chain("", "ask", node(func(ctx context.Context, _ work) (graph.Update[work], error) {
		options := map[string]any{"options": all, "question": strings.Join(all, " ")}
		for _, name := range all {
			options[name] = name
		}
		answer, err := graph.Interrupt[string](ctx, "key", options)
		return graph.Update[work]{lines.Add(answer)}, err
	}))), nil)
	s := served(t, func(o *serve.Options) { o.Graphs = append(o.Graphs, g, fails, asks) })
	p := s.enter()
	values, err := json.Marshal(work{Text: strings.Join(all, " "), Lines: all})
	if err != nil {
		t.Fatal(err)
	}
	look := func(path string) {
		p.Goto(s.url + "/ui/" + path)
		p.Unfold()
		for _, fault := range slices.Concat(p.Ran(), p.Armed(), p.Turning(), p.Wide(), p.Strangers(), p.Complaints()) {
			t.Errorf("%s: %s", path, fault)
		}
	}
	other := s.run("plain", `{"text":"x"}`)
	live := s.begin(runs.Spec{Graph: "names"}, `{}`)
	<-hold.reached
	p.Goto(s.url + "/ui/runs/" + live.ID)
	p.Sees("gate begins")
	for range 3 {
		hold.open <- struct{}{}
	}
	s.wait(live.ID)
	p.Wait(`!document.querySelector('[data-live]')`)
	for _, fault := range slices.Concat(p.Ran(), p.Armed(), p.Turning(), p.Wide(), p.Complaints()) {
		t.Errorf("live: %s", fault)
	}
	for name, input := range map[string]string{"plain": string(values), "names": `{}`, "hostile-fails": string(values), "hostile-asks": string(values)} {
		r := s.run(name, input)
		for _, part := range []string{"", "/graph", "/steps", "/timeline"} {
			look("runs/" + r.ID + part)
			var shown int
			if p.Eval(`document.body.textContent.split('ran=1').length - 1`, &shown); shown < 20 && part == "" {
				t.Errorf("%s shows %d texts", name, shown)
			}
		}
		look("threads/" + r.Thread)
		look("compare?" + url.Values{"a": {r.ID}, "b": {other.ID}}.Encode())
	}
	for _, text := range all {
		data, err := json.Marshal(work{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		s.run("plain", string(data))
	}
	for from := 0; from < len(texts); from += 50 {
		look(fmt.Sprintf("?from=%d", from))
	}
	look("?q=" + url.QueryEscape(all[0]))
}
