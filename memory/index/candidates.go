package index

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/citation"
	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/index/internal/ranking"
	"example.com/assay/memory/index/internal/served"
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
)

// candidatesOf asks the server for what a query may find, and makes a corpus of it.
func (x *Index) candidatesOf(ctx context.Context, q retrieval.Query, a ranking.Asked) (*ranking.Corpus, error) {
	where, err := x.conditions(ctx, q.Filter)
	if err != nil || len(a.Terms) == 0 {
		return x.corpus, err
	}
	g := &gathering{x: x, ctx: ctx, where: where, more: min(len(q.Exclude), ranking.PoolLexical)}
	if err := g.word(q, a); err != nil {
		return nil, err
	}
	citations := a.Citations
	for _, group := range q.About {
		for _, text := range group {
			g.ask(askedAbout, nil, a.Respelt.WithOthers(a.Respelt.Terms(text)))
			citations = append(slices.Clip(citations), citation.Parse(text)...)
		}
	}
	g.cite(citations)
	found, err := g.find()
	if err != nil {
		return nil, err
	}
	g.wider(citations, found)
	if err := g.mention(a); err != nil {
		return nil, err
	}
	if len(g.asks) > 0 {
		if _, err := g.find(); err != nil {
			return nil, err
		}
	}
	return x.pooled(g.records, where)
}

// conditions are a filter as a server reads it.
func (x *Index) conditions(ctx context.Context, filter []retrieval.Condition) ([]Where, error) {
	var out []Where
	for _, c := range filter {
		terms, err := x.corpus.ConditionTerms(ctx, c)
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

// word asks by the words of a query and its other wordings, by their vectors, and for
// the passages of documents that they seem to name.
func (g *gathering) word(q retrieval.Query, a ranking.Asked) error {
	limit := askedLexical
	return g.x.corpus.EachWording(g.ctx, a, q.Alternatives, func(terms []string, latent []float32, leading []ranking.LeadingDocument) {
		terms = a.Respelt.WithOthers(terms)
		g.ask(limit, nil, terms)
		limit = askedOther
		if latent != nil {
			g.asks = append(g.asks, Ask{Vector: latent, Where: g.where, Limit: ranking.PoolCosine + g.more})
		}
		for _, doc := range leading {
			inside := []Where{{FieldDoc, []string{doc.ID}}}
			g.ask(askedInside, inside, terms)
			if doc.Passages <= askedInside {
				g.asks = append(g.asks, Ask{Where: append(inside, g.where...), Limit: askedInside})
			}
		}
	})
}

// cite asks for what texts name by its number: two questions for each citation.
func (g *gathering) cite(citations []citation.Citation) {
	for _, c := range citations {
		for _, field := range []string{FieldOwn, FieldWithin} {
			g.list(field, c.Exact())
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
func (g *gathering) mention(a ranking.Asked) error {
	if !g.x.corpus.Lexicon.HasTitles() {
		return nil
	}
	y, err := g.x.pooled(g.records, nil)
	if err != nil {
		return err
	}
	keys, err := y.TitlesMentioned(g.ctx, a)
	if err != nil {
		return err
	}
	values := make([]string, len(keys))
	for i, key := range keys {
		values[i] = titleValue(key)
	}
	g.list(FieldTitle, analysis.Distinct(values))
	return nil
}

// titleValue is the key of a title as a server keeps it.
func titleValue(key uint64) string { return strconv.FormatUint(key, 16) }

// around asks for up to n passages on each side of one, for which some conditions hold.
func (x *Index) around(ctx context.Context, r Record, n int, where []Where) (before, after []state.Passage, err error) {
	where = append(slices.Clone(where), Where{FieldDoc, []string{r.Passage.Doc}})
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

// pooled makes the corpus of what a server found, of too many records the first ones. Where
// are the conditions that they were found by.
func (x *Index) pooled(records []Record, where []Where) (*ranking.Corpus, error) {
	seen := make(map[string]bool, len(records))
	records = slices.DeleteFunc(slices.Clone(records), func(r Record) bool {
		before := seen[r.Passage.ID]
		seen[r.Passage.ID] = true
		return before
	})
	records = records[:min(len(records), ranking.PoolSize)]
	slices.SortFunc(records, func(a, b Record) int { return strings.Compare(a.Passage.ID, b.Passage.ID) })
	found, opens := make([]served.FoundPassage, len(records)), make([]bool, len(records))
	for i, r := range records {
		found[i] = served.FoundPassage{Passage: r.Passage, Labels: citation.Labels{Own: r.Own, Within: r.Within}, Titled: r.Title != ""}
		opens[i] = r.Opens
	}
	p, err := served.NewPool(x.corpus.Lexicon, found, &x.corpus.Reader.Stems)
	if err != nil {
		return nil, err
	}
	return x.corpus.Among(p, &ranking.Gathered{Opens: opens, Around: func(ctx context.Context, ord int32, n int) (before, after []state.Passage, err error) {
		return x.around(ctx, records[ord], n, where)
	}})
}
