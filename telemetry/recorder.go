package telemetry

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/state"
)

// Attributes that the conventions have no name for.
const (
	attrRunID     = attribute.Key("assay.run.id")
	attrNode      = attribute.Key("assay.node.name")
	attrNamespace = attribute.Key("assay.node.namespace") // nodes whose subgraphs enclose it
	attrStep      = attribute.Key("assay.node.step")      // superstep in its graph
	attrAttempt   = attribute.Key("assay.node.attempt")
	attrCached    = attribute.Key("assay.node.cached")
	attrHandler   = attribute.Key("assay.node.handler") // the node failed, and this is its error handler
)

// Options configure spans. Nil means the zero value.
type Options struct {
	// Content adds prompts, answers, queries, ids of passages and texts of errors.
	// Default: only names, counts, times and kinds of errors.
	Content bool
	// RunID is the run's ID. Default: not recorded.
	RunID string
	// Corpus is the name of the searched corpus. Default: not recorded.
	Corpus string
}

// A Recorder makes the spans of one run. It is safe for concurrent use.
type Recorder struct {
	tracer trace.Tracer
	opts   Options
	outer  trace.Span // parent of the run's span

	mu       sync.Mutex
	root     *open
	nodes    map[string]*open // by place
	calls    []call           // made, and not yet seen in an event
	usage    llm.Usage        // of all calls
	cost     state.Money      // of those whose cost is known
	unpriced int              // those of unknown cost
}

// open is a span that has not ended.
type open struct {
	span trace.Span
	last time.Time // when the last thing in it ended
}

// NewRecorder returns the recorder of a run that is about to begin. The span of ctx, if any, is the
// parent of its span.
func NewRecorder(ctx context.Context, tracer trace.Tracer, opts *Options) *Recorder {
	r := &Recorder{tracer: tracer, outer: trace.SpanFromContext(ctx), nodes: map[string]*open{}}
	if opts != nil {
		r.opts = *opts
	}
	return r
}

// Observe takes the next event of the run. Events of the mode graph.Debug make
// all spans.
func Observe[S any](r *Recorder, ev graph.Event[S]) {
	r.observe(graph.Event[struct{}]{
		Kind: ev.Kind, Namespace: ev.Namespace, Places: ev.Places, Step: ev.Step, Node: ev.Node, Attempt: ev.Attempt,
		Time: ev.Time, Elapsed: ev.Elapsed, Graph: ev.Graph, Cached: ev.Cached, Name: ev.Name, Data: ev.Data, Err: ev.Err,
	})
}

func (r *Recorder) observe(ev graph.Event[struct{}]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev.Kind {
	case graph.RunStart:
		if r.root == nil {
			r.begin(ev)
		}
	case graph.NodeStart:
		r.node(ev, ev.Time)
	case graph.NodeCustom:
		r.custom(ev)
	case graph.NodeUpdate, graph.NodeRetry, graph.NodeHandled, graph.NodeFailed:
		r.endNode(ev)
	case graph.RunEnd:
		if ev.Namespace == "" {
			r.end(ev.Time, ev.Err)
		}
	}
}

// begin starts the run's span.
func (r *Recorder) begin(ev graph.Event[struct{}]) {
	attributes := []attribute.KeyValue{semconv.GenAIOperationNameInvokeWorkflow, semconv.GenAIWorkflowName(ev.Graph)}
	if r.opts.RunID != "" {
		attributes = append(attributes, attrRunID.String(r.opts.RunID))
	}
	r.root = r.start(r.outer, "invoke_workflow "+ev.Graph, trace.SpanKindInternal, ev.Time, attributes)
}

func (r *Recorder) start(parent trace.Span, name string, kind trace.SpanKind, at time.Time, attributes []attribute.KeyValue) *open {
	ctx := trace.ContextWithSpan(context.Background(), parent)
	_, span := r.tracer.Start(ctx, name, trace.WithTimestamp(at), trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
	return &open{span, at}
}

// place identifies a task of a run: the supersteps and tasks that lead to it.
func place(places []graph.Place) string {
	var b strings.Builder
	for _, p := range places {
		fmt.Fprintf(&b, "%d.%d/", p.Step, p.Task)
	}
	return b.String()
}

// node starts the span of an attempt.
func (r *Recorder) node(ev graph.Event[struct{}], at time.Time) *open {
	parent := r.outer
	if r.root != nil {
		parent = r.root.span
	}
	if n := len(ev.Places) - 1; n > 0 {
		if enclosing := r.nodes[place(ev.Places[:n])]; enclosing != nil {
			parent = enclosing.span
		}
	}
	attributes := []attribute.KeyValue{attrNode.String(ev.Node), attrStep.Int(ev.Step), attrAttempt.Int(ev.Attempt)}
	if ev.Namespace != "" {
		attributes = append(attributes, attrNamespace.String(ev.Namespace))
	}
	key := place(ev.Places)
	if before := r.nodes[key]; before != nil { // nobody said how it ended
		before.span.End(trace.WithTimestamp(at))
	}
	o := r.start(parent, "node "+ev.Node, trace.SpanKindInternal, at, attributes)
	r.nodes[key] = o
	return o
}

// endNode ends an attempt; that of an error handler may follow. An attempt without a start event,
// whose result came from a cache, has the duration in the event.
func (r *Recorder) endNode(ev graph.Event[struct{}]) {
	key := place(ev.Places)
	o := r.nodes[key]
	if o == nil {
		o = r.node(ev, ev.Time.Add(-ev.Elapsed))
	}
	delete(r.nodes, key)
	if ev.Cached {
		o.span.SetAttributes(attrCached.Bool(true))
	}
	if ev.Kind != graph.NodeUpdate {
		r.fail(o.span, ev.Err)
	}
	o.span.End(trace.WithTimestamp(ev.Time))
	if ev.Kind == graph.NodeHandled {
		r.node(ev, ev.Time).span.SetAttributes(attrHandler.Bool(true))
	}
}

// fail marks a span as failed.
func (r *Recorder) fail(span trace.Span, err error) {
	if err == nil {
		return
	}
	text := ""
	if r.opts.Content {
		text = err.Error()
	}
	span.SetStatus(codes.Error, text)
	span.SetAttributes(semconv.ErrorTypeKey.String(kindOf(err)))
}

// end ends the run's span and all open spans below it.
func (r *Recorder) end(at time.Time, err error) {
	var keys []string
	for key := range r.nodes {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range slices.Backward(keys) { // inner ones first: they are longer
		r.nodes[key].span.End(trace.WithTimestamp(at))
	}
	clear(r.nodes)
	if r.root == nil {
		return
	}
	r.fail(r.root.span, err)
	r.root.span.SetAttributes(semconv.GenAIUsageInputTokens(r.usage.InputTokens), semconv.GenAIUsageOutputTokens(r.usage.OutputTokens))
	r.root.span.SetAttributes(paid(r.cost, r.unpriced)...)
	r.root.span.End(trace.WithTimestamp(at))
	r.root = nil
}

// End ends open spans; there are none after the last event of a run. No event may follow.
func (r *Recorder) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(time.Now(), nil)
}
