package telemetry_test

import (
	stdcmp "cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/state"
	"example.com/assay/state/event"
	"example.com/assay/telemetry"
)

type count struct{ N int }

var n = graph.Reduce("n", func(s *count) *int { return &s.N }, func(a, b int) int { return a + b })

func node(do func(ctx context.Context) error) graph.Node[count] {
	return func(ctx context.Context, _ count) (graph.Update[count], error) {
		return graph.Update[count]{n.Add(1)}, do(ctx)
	}
}

const private = "the private prompt"

// answering answers after a time, or fails.
type answering struct {
	after time.Duration
	resp  llm.Response
	err   error
}

func (a answering) Generate(context.Context, llm.Request) (llm.Response, error) {
	time.Sleep(a.after)
	return a.resp, a.err
}

// ask calls a model and publishes the call as llm.Ask does.
func ask(ctx context.Context, m llm.Model, skill string) error {
	time.Sleep(time.Second) // what a node does before it asks
	resp, err := m.Generate(ctx, llm.Request{Skill: skill, Messages: []llm.Message{{Role: llm.System, Text: private}, {Role: llm.User, Text: private}}})
	made := event.Call{Skill: skill, Model: resp.Model, OK: err == nil, Usage: state.ModelUsage{InputTokens: resp.Usage.InputTokens, OutputTokens: resp.Usage.OutputTokens}}
	if resp.Model == "openai:fast-2" {
		made.Usage.Cost, made.Usage.Unpriced, made.Fallback = state.MoneyOf(.25), 1, private
	}
	if err != nil {
		made.Error = err.Error()
	}
	return errors.Join(graph.Emit(ctx, event.ModelCall, made), err)
}

// spans runs a graph and returns its spans as lines of a tree: name, seconds
// from the run's start, error.
func spans(t *testing.T, g *graph.StateGraph[count], opts *telemetry.Options) (tree string, all tracetest.SpanStubs) {
	t.Helper()
	app, err := g.Compile(&graph.CompileOptions{Name: "root"})
	if err != nil {
		t.Fatal(err)
	}
	exporter := tracetest.NewInMemoryExporter()
	provider := sdk.NewTracerProvider(sdk.WithSyncer(exporter))
	rec := telemetry.NewRecorder(t.Context(), provider.Tracer("test"), opts)
	for ev, err := range app.Stream(rec.Context(t.Context()), graph.Update[count]{n.Add(1)}, &graph.RunOptions{Modes: graph.Debug}) {
		if err == nil {
			telemetry.Observe(rec, ev)
		}
	}
	rec.End()
	all = exporter.GetSpans()
	return draw(all), all
}

func draw(all tracetest.SpanStubs) string {
	began := time.Time{}
	for _, s := range all {
		if began.IsZero() || s.StartTime.Before(began) {
			began = s.StartTime
		}
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b tracetest.SpanStub) int {
		return stdcmp.Or(a.StartTime.Compare(b.StartTime), strings.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	var below func(parent string, depth int)
	below = func(parent string, depth int) {
		for _, s := range all {
			if s.Parent.SpanID().String() != parent {
				continue
			}
			fmt.Fprintf(&b, "%s%s %v-%v", strings.Repeat("  ", depth), s.Name, s.StartTime.Sub(began).Seconds(), s.EndTime.Sub(began).Seconds())
			for _, a := range s.Attributes {
				if a.Key == "error.type" {
					fmt.Fprintf(&b, " %s", a.Value.AsString())
				}
			}
			b.WriteByte('\n')
			below(s.SpanContext.SpanID().String(), depth+1)
		}
	}
	below("0000000000000000", 0)
	return b.String()
}

// Nodes side by side, a subgraph, a retry and calls that overlap: each span is
// below what made it and has its time.
func TestSpansOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fast := telemetry.Watch("openai:fast", answering{after: 2 * time.Second, resp: llm.Response{Model: "openai:fast-2", Usage: llm.Usage{InputTokens: 5, OutputTokens: 1}}})
		slow := answering{after: 4 * time.Second, resp: llm.Response{Model: "offline"}} // not watched
		limited := telemetry.Watch("gemini:g", answering{err: &llm.StatusError{Provider: "gemini", Status: 429, Message: private}})

		inner := graph.NewStateGraph[count](n)
		inner.AddNode("search", node(func(ctx context.Context) error {
			time.Sleep(3 * time.Second)
			return graph.Emit(ctx, event.Retrieval, map[string][]string{"queries": {private}})
		}))
		inner.AddEdge(graph.Start, "search")
		child, err := inner.Compile(&graph.CompileOptions{Name: "inner"})
		if err != nil {
			t.Fatal(err)
		}
		attempts := 0
		g := graph.NewStateGraph[count](n)
		g.AddNode("a", node(func(ctx context.Context) error { return errors.Join(ask(ctx, fast, "s"), ask(ctx, fast, "s")) }))
		g.AddNode("b", node(func(ctx context.Context) error { return errors.Join(ask(ctx, slow, "s"), ask(ctx, slow, "s")) }))
		g.AddSubgraph("sub", child)
		g.AddNode("again", node(func(ctx context.Context) error {
			if attempts++; attempts == 1 {
				return ask(ctx, limited, "s")
			}
			return nil
		}), graph.NodeOptions[count]{Retry: []graph.RetryPolicy{{MaxAttempts: 2, InitialInterval: time.Second}}})
		g.AddEdge(graph.Start, "a")
		g.AddEdge(graph.Start, "b")
		g.AddJoin([]string{"a", "b"}, "sub")
		g.AddEdge("sub", "again")
		g.AddNode("rescued", node(func(context.Context) error {
			time.Sleep(time.Second)
			return &llm.ParseError{Skill: "s", Text: private, Err: errors.New(private)}
		}), graph.NodeOptions[count]{OnError: func(context.Context, count, error) (graph.Update[count], error) {
			time.Sleep(time.Second)
			return nil, nil
		}})
		g.AddEdge("again", "rescued")
		got, all := spans(t, g, &telemetry.Options{Corpus: "c"})
		want := `invoke_workflow root 0-17
  node a 0-6
    chat fast 1-3
    chat fast 4-6
  node b 0-10
    chat offline 0-5
    chat offline 5-10
  node sub 10-13
    node search 10-13
      retrieval c 10-13
  node again 13-14 429
    chat g 14-14 429
  node again 15-15
  node rescued 15-16 misfit
  node rescued 16-17
`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n%s", diff, got)
		}
		for _, s := range all {
			attributes := fmt.Sprint(s.Attributes, s.Status)
			if strings.Contains(attributes, private) {
				t.Errorf("%s shows content: %s", s.Name, attributes)
			}
			if s.Name == "invoke_workflow root" {
				checkAttributes(t, s, map[string]string{"gen_ai.usage.input_tokens": "10", "gen_ai.workflow.name": "root", "assay.cost": "0.5", "assay.unpriced_calls": "2"})
			}
			if s.Name == "chat fast" {
				checkAttributes(t, s, map[string]string{
					"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "fast", "gen_ai.response.model": "fast-2",
					"gen_ai.usage.input_tokens": "5", "gen_ai.usage.output_tokens": "1", "assay.skill.name": "s", "assay.cost": "0.25", "assay.unpriced_calls": "1", "assay.model_call.fallback": "true",
				})
			}
			if s.Name == "chat g" {
				checkAttributes(t, s, map[string]string{"gen_ai.provider.name": "gcp.gemini", "gen_ai.request.model": "g"})
			}
		}
	})
}

func checkAttributes(t *testing.T, s tracetest.SpanStub, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, a := range s.Attributes {
		if _, ok := want[string(a.Key)]; ok {
			got[string(a.Key)] = a.Value.String()
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", s.Name, diff)
	}
}

// A run that fails, and one whose reader leaves, end all of their spans.
func TestSpansOfARunThatFails(t *testing.T) {
	g := graph.NewStateGraph[count](n)
	g.AddNode("a", node(func(ctx context.Context) error {
		return &llm.BudgetError{What: "calls", Max: 1}
	}))
	g.AddEdge(graph.Start, "a")
	_, all := spans(t, g, &telemetry.Options{Content: true})
	if len(all) != 2 {
		t.Fatalf("%d spans", len(all))
	}
	for _, s := range all {
		if s.Status.Code != codes.Error || !strings.Contains(s.Status.Description, "budget") {
			t.Errorf("%s: %+v", s.Name, s.Status)
		}
		checkAttributes(t, s, map[string]string{"error.type": "budget"})
	}

	app, err := g.Compile(nil)
	if err != nil {
		t.Fatal(err)
	}
	exporter := tracetest.NewInMemoryExporter()
	rec := telemetry.NewRecorder(t.Context(), sdk.NewTracerProvider(sdk.WithSyncer(exporter)).Tracer("test"), nil)
	for ev := range app.Stream(t.Context(), graph.Update[count]{n.Add(1)}, &graph.RunOptions{Modes: graph.Debug}) {
		telemetry.Observe(rec, ev)
		if ev.Kind == graph.NodeStart {
			break
		}
	}
	rec.End()
	if got := len(exporter.GetSpans()); got != 2 {
		t.Errorf("%d spans after the reader left", got)
	}
}

func TestContentOnRequest(t *testing.T) {
	m := telemetry.Watch("offline", answering{resp: llm.Response{Model: "offline", Text: "the answer"}})
	g := graph.NewStateGraph[count](n)
	g.AddNode("a", node(func(ctx context.Context) error { return ask(ctx, m, "s") }))
	g.AddEdge(graph.Start, "a")
	synctest.Test(t, func(t *testing.T) {
		_, all := spans(t, g, &telemetry.Options{Content: true})
		at := slices.IndexFunc(all, func(s tracetest.SpanStub) bool { return s.Name == "chat offline" })
		if at < 0 {
			t.Fatal("no call")
		}
		checkAttributes(t, all[at], map[string]string{
			"gen_ai.input.messages":      `[{"role":"user","parts":[{"type":"text","content":"the private prompt"}]}]`,
			"gen_ai.system_instructions": `[{"type":"text","content":"the private prompt"}]`,
			"gen_ai.output.messages":     `[{"role":"assistant","parts":[{"type":"text","content":"the answer"}]}]`,
		})
	})
}

// Spans of an edge say which it is, what was tried and what came of it. What a search
// does not say of itself is in none.
func TestSpansOfAnEdge(t *testing.T) {
	type searched struct {
		Edge       string              `json:"edge"`
		Iteration  int                 `json:"iteration"`
		Side       string              `json:"side"`
		Queries    []string            `json:"queries"`
		Error      string              `json:"error,omitempty"`
		Candidates *int                `json:"candidates,omitempty"`
		Confidence *float64            `json:"confidence,omitempty"`
		Hits       []map[string]string `json:"hits"`
	}
	candidates, confidence := 7, .5
	loop := graph.NewStateGraph[count](n)
	loop.AddNode("search", node(func(ctx context.Context) error {
		return errors.Join(
			graph.Emit(ctx, event.Retrieval, searched{Edge: "e1", Iteration: 2, Side: "support", Queries: []string{private}, Candidates: &candidates, Confidence: &confidence}),
			graph.Emit(ctx, event.Retrieval, searched{Edge: "e1", Iteration: 2, Side: "refute", Queries: []string{private}, Error: private}),
		)
	}))
	loop.AddNode("route", node(func(ctx context.Context) error {
		return graph.Emit(ctx, event.Verdict, state.AuditEntry{
			Edge: "e1", Iteration: 2, Queries: []string{private, "b", "c"}, Decision: state.EdgeAccept,
			Verdict: state.VerificationVerdict{IsGrounded: true, SupportType: state.DirectCausal, SupportingQuote: private},
		})
	}))
	loop.AddEdge(graph.Start, "search")
	loop.AddEdge("search", "route")
	inner, err := loop.Compile(&graph.CompileOptions{Name: "loop"})
	if err != nil {
		t.Fatal(err)
	}
	g := graph.NewStateGraph[count](n)
	g.AddSubgraph("verify_edge", inner)
	g.AddEdge(graph.Start, "verify_edge")
	verdict := map[string]string{
		"assay.edge.id": "e1", "assay.edge.iteration": "2", "assay.edge.tried": "3", "assay.edge.verdict": "direct_causal",
		"assay.edge.grounded": "true", "assay.edge.decision": "accept",
	}
	for _, withContent := range []bool{false, true} {
		_, all := spans(t, g, &telemetry.Options{Corpus: "c", Content: withContent})
		var searches []map[string]string
		for _, s := range all {
			attributes := map[string]string{}
			for _, a := range s.Attributes {
				attributes[string(a.Key)] = a.Value.String()
			}
			if said := fmt.Sprint(attributes, s.Status); !withContent && strings.Contains(said, private) {
				t.Errorf("%s shows content: %s", s.Name, said)
			}
			switch s.Name {
			case "retrieval c":
				searches = append(searches, attributes)
			case "node route", "node verify_edge":
				checkAttributes(t, s, verdict)
				if _, shown := attributes["assay.edge.queries"]; shown != withContent {
					t.Errorf("%s shows the queries: %v", s.Name, shown)
				}
			}
		}
		if len(searches) != 2 {
			t.Fatalf("%d searches", len(searches))
		}
		for key, want := range map[string][2]string{
			"assay.edge.id": {"e1", "e1"}, "assay.edge.iteration": {"2", "2"}, "assay.edge.side": {"support", "refute"}, "assay.retrieval.hits": {"0", "0"},
			"assay.retrieval.candidates": {"7", ""}, "assay.retrieval.confidence": {"0.5", ""}, "assay.retrieval.failed": {"", "true"},
		} {
			if got := [2]string{searches[0][key], searches[1][key]}; got != want {
				t.Errorf("%s is %q, want %q", key, got, want)
			}
		}
	}
}
