package index

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// How many candidates of each kind a server is asked for. The index then chooses fewer: a
// server weighs words a little differently.
const (
	askedLexical = 150 // by the words of the primary query
	askedOther   = 100 // by those of another wording
	askedAbout   = 60  // by those of a text of Query.About: its hits and their background
	askedInside  = 100 // of a document that the query seems to name
	askedCited   = 300 // of a numbered part
	documentLead = .25 // what a document's score must be worth to ask for its passages
	mostInside   = 3   // documents
)

// candidatesOf asks the server for what a query may find, and makes an index of it.
func (x *Index) candidatesOf(ctx context.Context, q retrieval.Query, list []string, citations []citation.Citation, r respelling) (*Index, error) {
	where, err := x.conditions(ctx, q.Filter)
	if err != nil || len(list) == 0 {
		return x, err
	}
	g := &gathering{x: x, ctx: ctx, where: where, more: min(len(q.Exclude), poolLexical)}
	if err := g.word(q, list, r); err != nil {
		return nil, err
	}
	for _, group := range q.About {
		for _, text := range group {
			g.ask(askedAbout, nil, withOthers(r.terms(text), r.same))
			citations = append(slices.Clip(citations), citation.Parse(text)...)
		}
	}
	g.cite(citations)
	found, err := g.find()
	if err != nil {
		return nil, err
	}
	g.wider(citations, found)
	if err := g.mention(list, r); err != nil {
		return nil, err
	}
	if len(g.asks) > 0 {
		if _, err := g.find(); err != nil {
			return nil, err
		}
	}
	return g.pool()
}

// conditions are a filter as a server reads it.
func (x *Index) conditions(ctx context.Context, filter []retrieval.Condition) ([]Where, error) {
	var out []Where
	for _, c := range filter {
		terms, err := x.conditionTerms(ctx, c)
		if err != nil {
			return nil, err
		}
		out = append(out, Where{FieldMeta, terms})
	}
	return out, nil
}

// A gathering is what one search asks a server for, and what it found.
type gathering struct {
	x       *Index
	ctx     context.Context
	where   []Where
	more    int // asked for beyond what is needed, since they may be excluded
	asks    []Ask
	records []Record
}

// ask adds a question by words.
func (g *gathering) ask(limit int, where []Where, terms []string) {
	if len(terms) > 0 {
		g.asks = append(g.asks, Ask{Terms: terms, Where: append(slices.Clone(g.where), where...), Limit: limit + g.more})
	}
}

// list adds a question for what has one of some values.
func (g *gathering) list(field string, values []string) {
	if len(values) > 0 {
		g.asks = append(g.asks, Ask{Where: append(slices.Clone(g.where), Where{field, values}), Limit: askedCited})
	}
}

// find asks the server, and forgets the questions.
func (g *gathering) find() ([][]Record, error) {
	found, err := g.x.server.Find(g.ctx, g.asks)
	if err != nil {
		return nil, err
	}
	g.asks = nil
	for _, list := range found {
		g.records = append(g.records, list...)
	}
	return found, nil
}

func (g *gathering) pool() (*Index, error) {
	y, err := g.x.pooled(g.records)
	if err == nil {
		y.where = g.where
	}
	return y, err
}

// word asks by the words of a query and its other wordings, by their vectors, and for
// the passages of documents that they seem to name.
func (g *gathering) word(q retrieval.Query, list []string, r respelling) error {
	x := g.x
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	wordings, err := x.wordings(g.ctx, asked{terms: list, respelt: r}, q.Alternatives, &s.lists)
	if err != nil {
		return err
	}
	for i, w := range wordings {
		limit := askedOther
		if i == 0 {
			limit = askedLexical
		}
		terms := make([]string, len(w.terms))
		for j, t := range w.terms {
			terms[j] = t.term
		}
		terms = withOthers(terms, r.same)
		g.ask(limit, nil, terms)
		sig, _ := x.scoreScoped(w, &s.lists, s)
		if sig.latent != nil {
			g.asks = append(g.asks, Ask{Vector: sig.latent, Where: g.where, Limit: poolCosine + g.more})
		}
		for _, doc := range x.leading(sig) {
			inside := []Where{{FieldDoc, []string{x.table.docs[doc]}}}
			g.ask(askedInside, inside, terms)
			if x.sizes[doc] <= askedInside {
				g.asks = append(g.asks, Ask{Where: append(inside, g.where...), Limit: askedInside})
			}
		}
	}
	return nil
}

// withOthers adds the terms of other forms of what a text says.
func withOthers(terms []string, same []otherForm) []string {
	out := slices.Clone(terms)
	for _, o := range same {
		if slices.ContainsFunc(o.terms, func(t string) bool { return slices.Contains(terms, t) }) {
			out = append(out, o.other...)
		}
	}
	return distinct(out)
}

// leading lists the documents whose score alone may make candidates of their passages.
func (x *Index) leading(sig *signals) []int {
	var out []int
	if sig.top == 0 {
		return nil
	}
	for doc := range x.table.docs {
		if documentWeight*sig.gate*sig.docs[doc]/sig.top >= documentLead {
			out = append(out, doc)
		}
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(sig.docs[b], sig.docs[a]), cmp.Compare(a, b)) })
	return out[:min(len(out), mostInside)]
}

// cite asks for what texts name by its number: two questions for each citation.
func (g *gathering) cite(citations []citation.Citation) {
	for _, c := range citations {
		for _, field := range []string{FieldOwn, FieldWithin} {
			g.asks = append(g.asks, Ask{Where: append(slices.Clone(g.where), Where{field, c.Exact()}), Limit: askedCited})
		}
	}
}

// wider asks for the parts around those of which nothing was found.
func (g *gathering) wider(citations []citation.Citation, found [][]Record) {
	found = found[len(found)-2*len(citations):]
	for i, c := range citations {
		if len(found[2*i])+len(found[2*i+1]) > 0 {
			continue
		}
		for _, w := range c.Wider() {
			g.list(FieldOwn, w.Exact())
			g.list(FieldWithin, w.Exact())
		}
	}
}

// mention asks for the passages whose titles the best ones mention.
func (g *gathering) mention(list []string, r respelling) error {
	l := g.x.lexicon
	if len(l.titles) == 0 {
		return nil
	}
	y, err := g.pool()
	if err != nil {
		return err
	}
	s := y.scratch.Get().(*scratch)
	defer y.scratch.Put(s)
	s.lists.reset(r.same)
	sig, _, err := y.score(g.ctx, list, nil, s)
	if err != nil {
		return err
	}
	var keys []string
	for _, ord := range sig.bestPlain(bridges, nil) {
		p, err := y.store.passage(y.table.id(ord))
		if err != nil {
			return err
		}
		eachRun(p.Text, func(key uint64) {
			if _, ok := slices.BinarySearch(l.titles, key); ok {
				keys = append(keys, titleValue(key))
			}
		})
	}
	g.list(FieldTitle, distinct(keys))
	return nil
}

// titleValue is the key of a title as a server keeps it.
func titleValue(key uint64) string { return strconv.FormatUint(key, 16) }

// around asks for up to n passages on each side of one.
func (x *Index) around(ctx context.Context, r Record, n int) (before, after []state.Passage, err error) {
	where := append(slices.Clone(x.where), Where{FieldDoc, []string{r.Passage.Doc}})
	found, err := x.server.Find(ctx, []Ask{{Where: where, Before: &r.Place, Limit: n}, {Where: where, After: &r.Place, Limit: n}})
	if err != nil {
		return nil, nil, err
	}
	for _, b := range found[0] {
		before = append(before, b.Passage)
	}
	slices.Reverse(before)
	for _, a := range found[1] {
		after = append(after, a.Passage)
	}
	return before, after, nil
}

// fetched returns the passage with an id.
func (x *Index) fetched(id string) (p state.Passage, ok bool, err error) {
	err = x.read(func() error {
		found, err := x.server.Find(context.Background(), []Ask{{Where: []Where{{FieldID, []string{id}}}, Limit: 1}})
		if err == nil && len(found[0]) > 0 {
			p, ok = found[0][0].Passage, true
		}
		return err
	})
	return p, ok, err
}
