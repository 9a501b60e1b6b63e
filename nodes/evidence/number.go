package evidence

import (
	"context"
	"fmt"
	"slices"

	"example.com/assay/decide/obligation"
	"example.com/assay/graph"
	"example.com/assay/memory/answer"
	"example.com/assay/memory/citation"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// numberNode gives requirements their IDs, in the order of passages and offsets. It links
// requirements with the same words, fetches the passages that they refer to, and sends each to a
// task of verify. Above the limit it keeps the requirements of the best passages.
func numberNode(corpus retrieval.Retriever, most int) graph.Node[State] {
	return func(ctx context.Context, s State) (graph.Update[State], error) {
		all := ordered(s.Hits, s.Extracted)
		least := weigh(s.Question, s.Hits, all, s.SearchConfidence)
		var update graph.Update[State]
		if kept := capped(all, most); len(kept) < len(all) {
			f := caught(NodeNumber, state.FindLimit, fmt.Sprintf("%d of %d requirements", len(all)-len(kept), len(all)), "those that speak least of the question are not verified")
			f.Outcome = "left out"
			update = append(update, findingsChannel.Add(f))
			all = kept
		}
		number(all)
		link := linker{corpus: corpus, hits: s.Hits, known: map[string]CrossReference{}}
		for i := range all {
			for j, ref := range all[i].Refers {
				found, err := link.find(ctx, ref.Text)
				if err != nil {
					return nil, &retrieval.SearchError{Query: ref.Text, Err: err}
				}
				all[i].Refers[j] = found
			}
		}
		update = append(update, requirementsChannel.Set(all), leastChannel.Set(least))
		if len(all) == 0 {
			return append(update, graph.Goto[State](NodeFinalize)), nil
		}
		sends := make([]graph.Send[State], len(all))
		for i, r := range all {
			sends[i] = graph.Send[State]{Node: NodeVerify, State: State{Question: s.Question, Requirements: []Requirement{r}, Least: least}}
		}
		return append(update, graph.Goto[State]().Sends(sends...)), nil
	}
}

// place returns the position of a passage among the hits.
func place(hits []state.Hit, chunk string) int {
	return slices.IndexFunc(hits, func(h state.Hit) bool { return h.Passage.ID == chunk })
}

// ordered returns the requirements in the order of passages and offsets, each span once: passages
// may overlap.
func ordered(hits []state.Hit, found []Requirement) []Requirement {
	at := map[string]int{}
	for i, h := range hits {
		at[h.Passage.ID] = i
	}
	all := slices.Clone(found)
	slices.SortStableFunc(all, func(a, b Requirement) int {
		if d := at[a.Chunk] - at[b.Chunk]; d != 0 {
			return d
		}
		return a.Start - b.Start
	})
	var out []Requirement
	for _, r := range all {
		r.Refers = slices.Clone(r.Refers)
		if !slices.ContainsFunc(out, func(k Requirement) bool { return k.Source == r.Source && k.Start < r.End && r.Start < k.End }) {
			out = append(out, r)
		}
	}
	return out
}

// weigh sets the relevance of each requirement and marks the one that answers. It returns the
// minimum relevance.
func weigh(question string, hits []state.Hit, all []Requirement, confidence float64) float64 {
	places, units := make([]obligation.Place, len(all)), map[string][]obligation.Unit{}
	for i, r := range all {
		p := hits[place(hits, r.Chunk)].Passage
		if units[p.ID] == nil {
			units[p.ID] = obligation.Units(p.Text, p.Blocks)
		}
		unit := obligation.UnitAt(units[p.ID], r.Start-p.Start)
		places[i] = obligation.Place{Quote: r.Quote, Beside: r.Label, Before: unit.Before, Above: r.Title + "\n" + r.Heading}
		for _, stem := range r.Stems {
			places[i].Beside += "\n" + stem.Text
		}
	}
	asked := obligation.Weigh(question, places)
	best := 0.0
	for i := range all {
		all[i].Relevance = asked.Relevance(places[i])
		best = max(best, all[i].Relevance)
	}
	if i := answering(question, hits, all, confidence); i >= 0 {
		all[i].Answers = true
	}
	return asked.Least(best)
}

// answering returns the requirement that contains the stretch which answers the question by its
// meaning, in the way of the research pipeline. It is -1 if there is none, or if no encoder took
// part.
func answering(question string, hits []state.Hit, all []Requirement, confidence float64) int {
	sources := make([]answer.Source, len(hits))
	for i, h := range hits {
		sources[i] = answer.SourceOf(h)
	}
	within := func(i, start, end int) func(Requirement) bool {
		p := hits[i].Passage
		return func(r Requirement) bool { return r.Chunk == p.ID && r.Start < p.Start+end && p.Start+start < r.End }
	}
	r := answer.Rank(question, sources, &answer.Options{Confidence: confidence, Usable: func(source, start, end int) bool {
		return slices.ContainsFunc(all, within(source, start, end))
	}})
	if r.Chance < answer.Least || len(r.Quotes) == 0 || r.Meaning < answer.About {
		return -1
	}
	q := r.Quotes[0]
	best := -1
	for i, x := range all {
		if within(q.Source, q.Start, q.End)(x) && (best < 0 || x.Relevance > all[best].Relevance) {
			best = i
		}
	}
	return best
}

// capped keeps most requirements, the most relevant ones, in their order.
func capped(all []Requirement, most int) []Requirement {
	if len(all) <= most {
		return all
	}
	chosen := make([]int, len(all))
	for i := range chosen {
		chosen[i] = i
	}
	slices.SortStableFunc(chosen, func(a, b int) int { return all[a].compare(all[b]) })
	chosen = chosen[:most]
	slices.Sort(chosen)
	var out []Requirement
	for _, i := range chosen {
		out = append(out, all[i])
	}
	return out
}

// number sets the ids and links equal words.
func number(all []Requirement) {
	next := map[SourceType]int{}
	same := map[string][]int{}
	for i := range all {
		r := &all[i]
		next[r.SourceType]++
		letter := "P"
		if r.SourceType == Statute {
			letter = "S"
		}
		r.ID = fmt.Sprintf("REQ-%s%03d", letter, next[r.SourceType])
		same[r.Spoken()] = append(same[r.Spoken()], i)
	}
	for i := range all {
		for _, j := range same[all[i].Spoken()] {
			if j != i {
				all[i].SameAs = append(all[i].SameAs, all[j].ID)
			}
		}
	}
}

// mostLinks is the most references that one run follows.
const mostLinks = 16

// A linker finds the passages that requirements refer to, first among the hits, then in the corpus.
type linker struct {
	corpus retrieval.Retriever
	hits   []state.Hit
	known  map[string]CrossReference
}

func (l *linker) find(ctx context.Context, text string) (CrossReference, error) {
	if ref, ok := l.known[text]; ok {
		return ref, nil
	}
	ref := CrossReference{Text: text}
	if len(l.known) < mostLinks {
		r, err := l.corpus.Search(ctx, retrieval.Query{Primary: text, K: 1})
		if ctx.Err() != nil {
			return ref, context.Cause(ctx)
		}
		if err != nil {
			return ref, err
		}
		exact := slices.ContainsFunc(r.Citations, func(c retrieval.Cited) bool { return c.Exact && c.Passages > 0 })
		if exact && len(r.Hits) > 0 && names(r.Hits[0].Passage, text) {
			p := r.Hits[0].Passage
			ref.Passage, ref.Document, ref.Linked = p.ID, p.Doc, true
		}
	}
	l.known[text] = ref
	return ref, nil
}

// names reports whether a passage is the part that a reference names.
func names(p state.Passage, text string) bool {
	labels := citation.Label([]state.Passage{p})[0]
	all := slices.Concat(labels.Own, labels.Within)
	for _, c := range citation.Parse(text) {
		if slices.ContainsFunc(c.Exact(), func(key string) bool { return slices.Contains(all, key) }) {
			return true
		}
	}
	return false
}
