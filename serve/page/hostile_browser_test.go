package page_test

import (
	"context"
	"encoding/json"
	"errors"
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
// what a node says, an error, what a person is asked, a corpus, an answer, a result of cases; live and afterwards, and in what forms answer.
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
	var words []string
	for _, h := range texts {
		words = append(words, h.Text)
	}
	s := furnished(t, words, g, fails, asks)
	p := s.enter()
	p.Look(browsertest.View{Width: 320})
	values, err := json.Marshal(work{Text: strings.Join(all, " "), Lines: all})
	if err != nil {
		t.Fatal(err)
	}
	look := func(path string) {
		p.Unfold()
		refused := func(fault string) bool { return strings.Contains(fault, "with a status of 4") }
		for _, fault := range slices.Concat(p.Ran(), p.Armed(), p.Turning(), p.Wide(), p.Strangers(), slices.DeleteFunc(p.Complaints(), refused)) {
			t.Errorf("%s: %s", path, fault)
		}
	}
	for _, text := range all {
		data, err := json.Marshal(work{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		s.run("plain", string(data))
	}
	live := s.begin(runs.Spec{Graph: "names"}, `{}`)
	<-hold.reached
	p.Goto(s.url + "/ui/runs/" + live.ID)
	p.Sees("gate begins")
	for range 100 { // a form may run it again
		hold.open <- struct{}{}
	}
	s.wait(live.ID)
	p.Wait(`!document.querySelector('[data-live]')`)
	look("live")
	for name, input := range map[string]string{"plain": string(values), "names": `{}`, "hostile-fails": string(values), "hostile-asks": string(values)} {
		r := s.run(name, input)
		p.Goto(s.url + "/ui/runs/" + r.ID)
		var shown int
		if p.Eval(`document.body.textContent.split('ran=1').length - 1`, &shown); shown < 20 {
			t.Errorf("%s shows %d texts", name, shown)
		}
	}
	asked := p.Crawl(s.url, "/ui/", browsertest.CrawlOptions{Most: 6, Text: strings.Join(all[:60], " "), Skip: func(to string) bool { return strings.Contains(to, "/ui/leave") }}, look)
	t.Logf("%d pages", len(asked))
}
