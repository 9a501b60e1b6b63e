package evidence

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/memory/retrieval"
	"example.com/assay/nodes/publish"
	"example.com/assay/state"
	"example.com/assay/state/event"
)

// Metadata keys that filters use.
const (
	keyTopic      = "topic"
	keySection    = "section"
	keyCategory   = "category"
	keySourceType = "source_type"
)

// statutes are the words with which a document declares itself to be law.
var statutes = []string{"statute", "statutes", "law", "laws", "code", "act", "regulation", "regulations", "rule", "rules", "ordinance", "legislation"}

// sourceTypeOf is the kind of a passage's source, from its metadata, else from a word of its
// directory. The default is a policy.
func sourceTypeOf(p state.Passage) SourceType {
	declared := strings.ToLower(p.Metadata[keySourceType])
	if declared == "" {
		for _, part := range strings.FieldsFunc(strings.ToLower(p.Metadata["dir"]), func(r rune) bool { return strings.ContainsRune("/-_ ", r) }) {
			if slices.Contains(statutes, part) {
				return Statute
			}
		}
		return Policy
	}
	if slices.Contains(statutes, strings.TrimSpace(declared)) {
		return Statute
	}
	return Policy
}

// widest is how many passages' headings are compared with a section.
const widest = 200

// retrieveNode searches statutes and policies separately, so that neither crowds out the
// other, and takes the best passages of each. If the passages of a corpus do not declare
// their kind, it is searched as a whole and the hits are sorted by kind. Prompt injection
// in passages is reported.
func retrieveNode(corpus retrieval.Retriever, passages int, inspect retrieval.Inspect) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		f := finder{corpus: retrieval.AsOf(corpus, s.Filter.AsOf), s: s, most: passages}
		metered, asked := llm.Open(ctx) // a reranker may ask a model
		kinds := []SourceType{Statute, Policy}
		if s.Filter.SourceType != "" {
			kinds = []SourceType{s.Filter.SourceType}
		}
		var hits []state.Hit
		for _, kind := range kinds {
			of, err := f.search(metered, kind)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				return nil, &retrieval.SearchError{Query: s.Question, Err: err}
			}
			hits = append(hits, of...)
		}
		orders, err := publish.Orders(ctx, inspect, 0, hits)
		if err != nil {
			return nil, err
		}
		update := graph.Update[State]{
			hitsChannel.Set(hits), warningsChannel.Add(append(f.warnings, orders...)...), searchConfidenceChannel.Set(f.confidence),
		}
		update = append(update, lost(f.losses)...)
		if usage := asked.Close().ModelUsage; usage != (state.ModelUsage{}) {
			update = append(update, usageChannel.Add(usage))
		}
		var sends []graph.Send[State]
		for some := range slices.Chunk(hits, batch) {
			sends = append(sends, graph.Send[State]{Node: NodeExtract, State: State{Question: s.Question, Filter: s.Filter, Hits: some}})
		}
		if len(sends) == 0 {
			return append(update, missingChannel.Add(nothingRead(s.Filter)), graph.Goto[State](NodeFinalize)), nil
		}
		return append(update, graph.Goto[State]().Sends(sends...)), nil
	}
}

// nothingRead says that the search found no passage, and what it searched.
func nothingRead(f Filter) string {
	var of []string
	for _, c := range []struct{ key, value string }{{keyTopic, f.Topic}, {keySection, f.Section}, {keyCategory, f.Category}, {keySourceType, string(f.SourceType)}} {
		if c.value != "" {
			of = append(of, fmt.Sprintf("%s %q", c.key, c.value))
		}
	}
	if len(of) == 0 {
		return "no passage of the corpus has a word of the question"
	}
	return "no passage with " + strings.Join(of, " and ") + " has a word of the question"
}

// A finder searches for one question.
type finder struct {
	corpus     retrieval.Retriever
	s          State
	most       int
	warnings   []string
	losses     []state.Loss
	confidence float64
	whole      []state.Hit // hits of a search of the whole corpus, if it cannot be filtered by kind
	unkinded   bool
}

// search returns the best passages of a kind, ranked from 1.
func (f *finder) search(ctx context.Context, kind SourceType) ([]state.Hit, error) {
	var found []state.Hit
	if !f.unkinded {
		kinds := []string{string(kind)}
		if kind == Statute {
			kinds = statutes
		}
		r, err := f.ask(ctx, f.most, &retrieval.Condition{Key: keySourceType, OneOf: kinds})
		unknown, ok := errors.AsType[*retrieval.UnknownKeyError](err)
		switch {
		case ok && unknown.Key == keySourceType:
			f.unkinded = true
			if f.whole, err = f.ask(ctx, 2*f.most, nil); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, err
		default:
			found = r
		}
	}
	for _, h := range f.whole {
		if sourceTypeOf(h.Passage) == kind {
			found = append(found, h)
		}
	}
	found = found[:min(len(found), f.most)]
	for i := range found {
		found[i].Rank = i + 1
	}
	return found, nil
}

// ask searches once. It looks for a section in headings if no metadata name it.
func (f *finder) ask(ctx context.Context, k int, kind *retrieval.Condition) ([]state.Hit, error) {
	q := retrieval.Query{Primary: f.s.Question, K: k, Repeats: true, Read: f.s.Question}
	if kind != nil {
		q.Filter = append(q.Filter, *kind)
	}
	for _, c := range []struct{ key, value string }{{keyTopic, f.s.Filter.Topic}, {keyCategory, f.s.Filter.Category}} {
		if c.value != "" {
			q.Filter = append(q.Filter, retrieval.Condition{Key: c.key, OneOf: []string{c.value}})
		}
	}
	bySection := q
	if f.s.Filter.Section != "" {
		bySection.Filter = append(slices.Clone(q.Filter), retrieval.Condition{Key: keySection, OneOf: []string{f.s.Filter.Section}})
	}
	r, err := f.corpus.Search(ctx, bySection)
	unknown, ok := errors.AsType[*retrieval.UnknownKeyError](err)
	if f.s.Filter.Section != "" && (ok && unknown.Key == keySection || err == nil && len(r.Hits) == 0) {
		q.K = widest
		if r, err = f.corpus.Search(ctx, q); err == nil {
			r.Hits = slices.DeleteFunc(slices.Clone(r.Hits), func(h state.Hit) bool {
				return !strings.Contains(strings.ToLower(h.Passage.Section), strings.ToLower(f.s.Filter.Section))
			})
			r.Hits = r.Hits[:min(len(r.Hits), k)]
		}
	}
	if err != nil {
		return nil, err
	}
	f.warnings = append(f.warnings, retrieval.Warnings(r)...)
	f.losses = append(f.losses, retrieval.Lost(r, f.s.Question)...)
	f.confidence = max(f.confidence, r.Confidence)
	return r.Hits, publish.Search(ctx, event.Search{Queries: []string{f.s.Question}}, r)
}
