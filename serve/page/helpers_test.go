package page_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/serve"
	"example.com/assay/serve/internal/servetest"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
)

const (
	tokenOfAnn = "the-token-of-ann"
	tokenOfBob = "the-token-of-bob"
)

// work is the state of the test graphs.
type work struct {
	Text  string   `json:"text"`
	Lines []string `json:"lines"`
	Until int      `json:"until"` // how many lines the graph "steps" adds
}

var (
	text  = graph.LastValue("text", func(s *work) *string { return &s.Text })
	lines = graph.Append("lines", func(s *work) *[]string { return &s.Lines })
	until = graph.LastValue("until", func(s *work) *int { return &s.Until })
)

type node = func(context.Context, work) (graph.Update[work], error)

// chain is a graph of nodes one after another.
func chain(name string, nodes ...any) *graph.StateGraph[work] {
	g := graph.NewStateGraph(text, lines, until)
	before := graph.Start
	for i := 0; i < len(nodes); i += 2 {
		g.AddNode(nodes[i].(string), nodes[i+1].(node))
		g.AddEdge(before, nodes[i].(string))
		before = nodes[i].(string)
	}
	return g
}

func compiled(name string, g *graph.StateGraph[work]) *graph.Compiled[work] {
	app, err := g.Compile(&graph.CompileOptions{Name: name})
	if err != nil {
		panic(err)
	}
	return app
}

func adds(line string) node {
	return func(context.Context, work) (graph.Update[work], error) {
		return graph.Update[work]{lines.Add(line)}, nil
	}
}

// A gate lets tests hold a node until they let it go on.
type gate struct {
	reached, open chan struct{}
	calls         atomic.Int64 // of the node that returns something else each time
}

func newGate() *gate { return &gate{reached: make(chan struct{}, 100), open: make(chan struct{}, 100)} }

func (g *gate) node(ctx context.Context, _ work) (graph.Update[work], error) {
	g.reached <- struct{}{}
	select {
	case <-g.open:
		return graph.Update[work]{lines.Add("gate")}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// graphs are those of the tests: "plain" runs through, "asks" waits for a person, "fails"
// fails, "held" waits at the gate, "steps" takes as many supersteps as its input says,
// "outer" has a graph inside a node, and "varies" returns something else each time.
func graphs(g *gate) []serve.Graph {
	inner := compiled("inner", chain("inner", "think", node(func(ctx context.Context, _ work) (graph.Update[work], error) {
		graph.Emit(ctx, "model_call", map[string]any{"model": "m", "skill": "s"})
		return graph.Update[work]{lines.Add("thought")}, nil
	})))
	outer := graph.NewStateGraph(text, lines, until)
	graph.AddMappedSubgraph(outer, "mind", inner,
		func(s work) graph.Update[work] { return graph.Update[work]{text.Set(s.Text)} },
		func(s work) graph.Update[work] { return graph.Update[work]{text.Set(strings.Join(s.Lines, ","))} })
	outer.AddEdge(graph.Start, "mind")
	steps := graph.NewStateGraph(text, lines, until)
	steps.AddNode("step", adds("step"))
	steps.AddEdge(graph.Start, "step")
	steps.AddConditionalEdges("step", func(_ context.Context, s work) (graph.Route, error) {
		if len(s.Lines) < s.Until {
			return graph.To("step"), nil
		}
		return graph.To(graph.End), nil
	}, "step", graph.End)
	all := map[string]*graph.StateGraph[work]{
		"plain": chain("plain", "first", adds("first"), "second", adds("second"), "third", adds("third")),
		"asks": chain("asks", "draft", adds("draft"), "review", node(func(ctx context.Context, s work) (graph.Update[work], error) {
			ok, err := graph.Interrupt[bool](ctx, "publish", map[string]any{"question": "Publish it?", "draft": s.Lines})
			if err != nil {
				return nil, err
			}
			return graph.Update[work]{lines.Add(fmt.Sprint("published ", ok))}, nil
		})),
		"fails": chain("fails", "try", node(func(context.Context, work) (graph.Update[work], error) {
			return nil, errors.New("the model does not answer")
		})),
		"writes": chain("writes", "write", node(func(ctx context.Context, s work) (graph.Update[work], error) {
			graph.EmitToken(ctx, "thrown away")
			graph.Emit(ctx, event.ModelText, event.Text{Skill: "s"})
			graph.EmitToken(ctx, "Wear ")
			graph.EmitToken(ctx, "<b>boots</b>")
			return g.node(ctx, s)
		})),
		"held":  chain("held", "before", adds("before"), "gate", node(g.node), "after", adds("after")),
		"outer": outer,
		"varies": chain("varies", "first", adds("first"), "second", node(func(context.Context, work) (graph.Update[work], error) {
			return graph.Update[work]{lines.Add(fmt.Sprint("call ", g.calls.Add(1)))}, nil
		})),
		"steps": steps,
	}
	var out []serve.Graph
	for name, g := range all {
		out = append(out, serve.Register(name, compiled(name, g), nil))
	}
	return out
}

// A site is a server with pages, and ann's browser.
type site struct {
	*testing.T
	url    string
	server *serve.Server
	gate   *gate
	ann    *http.Client
}

// served is a server with two tenants. Ann has entered.
func served(t *testing.T, change func(*serve.Options)) *site {
	t.Helper()
	s := opened(t, t.TempDir(), change)
	s.ann = s.enters(tokenOfAnn)
	return s
}

// opened is a server on files of a folder.
func opened(t *testing.T, folder string, change func(*serve.Options)) *site {
	t.Helper()
	ctx := context.Background()
	files, err := servetest.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	g := newGate()
	o := serve.Options{
		Checkpointer: files.Saver, Store: files.Rows, Log: files.Log, Graphs: graphs(g), Page: &page.Options{Write: true}, Version: "test",
		Tenants: []serve.Tenant{{Name: "ann", Token: tokenOfAnn}, {Name: "bob", Token: tokenOfBob}},
		Runs:    runs.Options{Warn: func(err error) { t.Log(err) }},
	}
	if change != nil {
		change(&o)
	}
	s, err := serve.New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewUnstartedServer(nil)
	h.Config = s.HTTP()
	h.Start()
	t.Cleanup(func() {
		h.CloseClientConnections()
		now, stop := context.WithCancel(ctx)
		stop()
		s.Close(now)
		h.Close()
		if err := files.Close(); err != nil {
			t.Error(err)
		}
	})
	return &site{T: t, url: h.URL, server: s, gate: g}
}

// enters is a browser that has entered with a token.
func (s *site) enters(token string) *http.Client {
	s.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	c := &http.Client{Jar: jar}
	if status, body, answer := s.do(c, "POST", "/ui/enter", url.Values{"token": {token}}); status != http.StatusOK || answer.Request.URL.Path != "/ui/" {
		s.Fatalf("entering: %d\n%s", status, body)
	}
	return c
}

// do sends a request, with a form if there is one, and follows where it leads.
func (s *site) do(c *http.Client, method, path string, form url.Values) (int, string, *http.Response) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := c.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, string(data), answer
}

// get is a page that ann sees.
func (s *site) get(path string) string {
	s.Helper()
	status, body, _ := s.do(s.ann, "GET", path, nil)
	if status != http.StatusOK {
		s.Fatalf("%s: %d\n%s", path, status, body)
	}
	return body
}

var ticketOf = regexp.MustCompile(`name="ticket" value="([^"]+)"`)

// ticket is what the forms of a browser carry.
func (s *site) ticket(c *http.Client) string {
	s.Helper()
	_, body, _ := s.do(c, "GET", "/ui/keys", nil)
	found := ticketOf.FindStringSubmatch(body)
	if found == nil {
		s.Fatalf("no ticket in\n%s", body)
	}
	return found[1]
}

// post sends a form of ann's, and returns the page to which it leads.
func (s *site) post(path string, form url.Values) (int, string, *http.Response) {
	s.Helper()
	form = url.Values(http.Header(form).Clone())
	if form == nil {
		form = url.Values{}
	}
	form.Set("ticket", s.ticket(s.ann))
	return s.do(s.ann, "POST", path, form)
}

// begin begins a run of ann's.
func (s *site) begin(spec runs.Spec, values string) runs.Run {
	s.Helper()
	if values != "" {
		for _, g := range s.server.Runs().Graphs() {
			if g.Name == spec.Graph {
				data, err := g.App.Values(json.RawMessage(values))
				if err != nil {
					s.Fatal(err)
				}
				spec.Input = data
			}
		}
	}
	r, err := s.space().Begin(s.Context(), spec)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

// run carries out a run of ann's.
func (s *site) run(graph, values string) runs.Run {
	s.Helper()
	return s.wait(s.begin(runs.Spec{Graph: graph}, values).ID)
}

func (s *site) wait(id string) runs.Run {
	s.Helper()
	r, err := s.space().Wait(s.Context(), id)
	if err != nil {
		s.Fatal(err)
	}
	return r
}

func (s *site) space() *runs.Space { return s.server.Runs().Space("ann") }
