package telemetry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

const (
	attrSkill      = attribute.Key("assay.skill.name")
	attrSkillHash  = attribute.Key("assay.skill.hash")
	attrRepair     = attribute.Key("assay.model_call.repair")   // the call repairs an answer that did not fit
	attrFallback   = attribute.Key("assay.model_call.fallback") // another model answered than was asked first
	attrCost       = attribute.Key("assay.cost")                // in the currency of the prices, of the calls that have one
	attrUnpriced   = attribute.Key("assay.unpriced_calls")      // calls of unknown cost
	attrQueries    = attribute.Key("assay.retrieval.queries")   // how many
	attrCandidates = attribute.Key("assay.retrieval.candidates")
	attrHits       = attribute.Key("assay.retrieval.hits")
	attrConfidence = attribute.Key("assay.retrieval.confidence")
	attrFailed     = attribute.Key("assay.retrieval.failed") // the search failed, so that nobody looked

	attrEdge      = attribute.Key("assay.edge.id")
	attrIteration = attribute.Key("assay.edge.iteration")
	attrSide      = attribute.Key("assay.edge.side")    // the kind of evidence searched for
	attrTried     = attribute.Key("assay.edge.tried")   // how many queries so far
	attrSearched  = attribute.Key("assay.edge.queries") // the queries; only with Content
	attrVerdict   = attribute.Key("assay.edge.verdict") // the support type
	attrGrounded  = attribute.Key("assay.edge.grounded")
	attrDecision  = attribute.Key("assay.edge.decision") // the decision after the verdict
)

// custom makes the span of an event that a node published; it ends now.
func (r *Recorder) custom(ev graph.Event[struct{}]) {
	o := r.nodes[place(ev.Places)]
	if o == nil {
		return
	}
	switch ev.Name {
	case event.ModelCall:
		var call event.Call
		if json.Unmarshal(ev.Data, &call) == nil {
			r.modelCall(ev, call, o)
		}
	case event.Retrieval:
		var search event.EdgeSearch // of other pipelines too, whose events say less of it
		if json.Unmarshal(ev.Data, &search) == nil {
			r.retrieval(ev, search, o)
		}
	case event.Verdict:
		var entry state.AuditEntry
		if json.Unmarshal(ev.Data, &entry) == nil && entry.Edge != "" {
			r.verdict(ev, entry, o)
		}
	}
	o.last = ev.Time
}

// modelCall makes the span of a call. Its times are those of the watched call behind the event, the
// first remaining one to end; without one the span begins when the previous one ended.
func (r *Recorder) modelCall(ev graph.Event[struct{}], of event.Call, o *open) {
	usage := llm.Usage{InputTokens: of.Usage.InputTokens, OutputTokens: of.Usage.OutputTokens}
	r.usage = r.usage.Plus(usage)
	r.cost += of.Usage.Cost
	r.unpriced += of.Usage.Unpriced
	made := call{asked: of.Model, began: o.last, ended: ev.Time}
	if at := slices.IndexFunc(r.calls, func(c call) bool {
		return c.node == ev.Node && c.place == ev.Places[len(ev.Places)-1] && c.attempt == ev.Attempt && c.skill == of.Skill
	}); at >= 0 {
		made = r.calls[at]
		r.calls = slices.Delete(r.calls, at, at+1)
	}
	provider, model := split(made.asked)
	name := strings.TrimSpace("chat " + model)
	attributes := []attribute.KeyValue{
		semconv.GenAIOperationNameChat, attrSkill.String(of.Skill), attrSkillHash.String(of.SkillHash),
		semconv.GenAIUsageInputTokens(usage.InputTokens), semconv.GenAIUsageOutputTokens(usage.OutputTokens),
	}
	if model != "" {
		attributes = append(attributes, semconv.GenAIProviderNameKey.String(provider), semconv.GenAIRequestModel(model))
	}
	if _, answered := split(of.Model); answered != "" {
		attributes = append(attributes, semconv.GenAIResponseModel(answered))
	}
	attributes = append(attributes, paid(of.Usage.Cost, of.Usage.Unpriced)...)
	if of.Fallback != "" {
		attributes = append(attributes, attrFallback.Bool(true))
	}
	if of.Repaired {
		attributes = append(attributes, attrRepair.Bool(true))
	}
	span := r.start(o.span, name, trace.SpanKindClient, made.began, append(attributes, made.content...)).span
	switch {
	case made.err != nil:
		r.fail(span, made.err)
	case !of.OK:
		text, kind := "", kindMisfit
		if of.Model == "" {
			kind = kindOther
		}
		if r.opts.Content {
			text = of.Error
		}
		span.SetStatus(codes.Error, text)
		span.SetAttributes(semconv.ErrorTypeKey.String(kind))
	}
	span.End(trace.WithTimestamp(made.ended))
}

// paid returns the attributes of the known cost of calls.
func paid(cost state.Money, unpriced int) []attribute.KeyValue {
	var out []attribute.KeyValue
	if cost != 0 {
		out = append(out, attrCost.Float64(cost.Amount()))
	}
	if unpriced != 0 {
		out = append(out, attrUnpriced.Int(unpriced))
	}
	return out
}

// split splits a model's label into provider and model. Some providers have other names in the
// conventions.
func split(label string) (provider, model string) {
	provider, model, ok := strings.Cut(label, ":")
	if !ok {
		model = label
	}
	if provider == "gemini" {
		provider = semconv.GenAIProviderNameGCPGemini.Value.AsString()
	}
	return provider, model
}

// document is a found passage in the form of the conventions.
type document struct {
	ID string `json:"id"`
}

func (r *Recorder) retrieval(ev graph.Event[struct{}], search event.EdgeSearch, o *open) {
	name := strings.TrimSpace("retrieval " + r.opts.Corpus)
	attributes := []attribute.KeyValue{
		semconv.GenAIOperationNameRetrieval, attrQueries.Int(len(search.Queries)), attrHits.Int(len(search.Hits)),
	}
	if search.Candidates != nil {
		attributes = append(attributes, attrCandidates.Int(*search.Candidates))
	}
	if search.Confidence != nil {
		attributes = append(attributes, attrConfidence.Float64(*search.Confidence))
	}
	if search.Edge != "" {
		attributes = append(attributes, attrEdge.String(search.Edge), attrIteration.Int(search.Iteration), attrSide.String(search.Side))
		r.outerOf(ev, o).SetAttributes(attrEdge.String(search.Edge))
	}
	if r.opts.Corpus != "" {
		attributes = append(attributes, semconv.GenAIDataSourceID(r.opts.Corpus))
	}
	if r.opts.Content {
		found := make([]document, len(search.Hits))
		for i, h := range search.Hits {
			found[i].ID = h.Passage
		}
		attributes = append(attributes, semconv.GenAIRetrievalQueryText(strings.Join(search.Queries, "\n")), text(semconv.GenAIRetrievalDocumentsKey, found))
	}
	span := r.start(o.span, name, trace.SpanKindClient, o.last, attributes).span
	if search.Error != "" {
		span.SetAttributes(attrFailed.Bool(true))
		text := ""
		if r.opts.Content {
			text = search.Error
		}
		span.SetStatus(codes.Error, text)
	}
	span.End(trace.WithTimestamp(ev.Time))
}

// outerOf returns the span of the node whose subgraph an event is in, or that of its own node.
func (r *Recorder) outerOf(ev graph.Event[struct{}], o *open) trace.Span {
	if n := len(ev.Places) - 1; n > 0 {
		if outer := r.nodes[place(ev.Places[:n])]; outer != nil {
			return outer.span
		}
	}
	return o.span
}

// verdict adds a verdict to the span of the node that gave or routed it, and to that of the edge's
// loop, which has the last one.
func (r *Recorder) verdict(ev graph.Event[struct{}], entry state.AuditEntry, o *open) {
	attributes := []attribute.KeyValue{
		attrEdge.String(entry.Edge), attrIteration.Int(entry.Iteration), attrTried.Int(len(entry.Queries)),
		attrVerdict.String(string(entry.Verdict.SupportType)), attrGrounded.Bool(entry.Verdict.IsGrounded), attrDecision.String(string(entry.Decision)),
	}
	if r.opts.Content {
		attributes = append(attributes, attrSearched.StringSlice(entry.Queries))
	}
	o.span.SetAttributes(attributes...)
	r.outerOf(ev, o).SetAttributes(attributes...)
}

// text returns an attribute with a JSON value.
func text[T any](key attribute.Key, v T) attribute.KeyValue {
	data, err := json.Marshal(v)
	if err != nil { // strings and structs of them encode
		data = []byte("null")
	}
	return key.String(string(data))
}

// A call is a call of a watched model.
type call struct {
	asked   string // the model's name, such as "openai:gpt-4.1"
	node    string
	place   graph.Place
	attempt int
	skill   string

	began, ended time.Time
	err          error
	content      []attribute.KeyValue
}

type recorderKey struct{}

// Context returns a context by which watched models find the recorder.
func (r *Recorder) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, recorderKey{}, r)
}

// Watch wraps a model so that the recorder of the context records the exact times of its calls;
// without a recorder it does nothing. name is the requested model, such as "openai:gpt-4.1";
// another one may answer.
func Watch(name string, m llm.Model) llm.Model { return watched{name, m} }

type watched struct {
	name  string
	model llm.Model
}

func (w watched) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	r, _ := ctx.Value(recorderKey{}).(*Recorder)
	at, running := graph.CurrentTask(ctx)
	if r == nil || !running {
		return w.model.Generate(ctx, req)
	}
	c := call{asked: w.name, node: at.Node, place: graph.Place{Step: at.Step, Task: at.Task}, attempt: at.Attempt, skill: req.Skill, began: time.Now()}
	resp, err := w.model.Generate(ctx, req)
	c.ended, c.err = time.Now(), err
	if r.opts.Content {
		c.content = content(req, resp, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
	return resp, err
}
