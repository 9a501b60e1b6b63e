package page_test

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/assay/memory/retrieval"
	"example.com/assay/serve"
	"example.com/assay/serve/page"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

// shelves are corpora by name, of which everything that is a text is given. Bob may read none.
type shelves map[string]*shelfCorpus

func (c shelves) List(_ context.Context, tenant string) ([]page.Corpus, error) {
	var out []page.Corpus
	for _, one := range c {
		if tenant == "ann" {
			out = append(out, one.About())
		}
	}
	slices.SortFunc(out, func(a, b page.Corpus) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (c shelves) Open(_ context.Context, tenant, name string) (page.OpenCorpus, error) {
	if one := c[name]; one != nil && tenant == "ann" {
		if one.fault != nil {
			return nil, one.fault
		}
		return one, nil
	}
	return nil, &runs.NotFoundError{What: "corpus", ID: name}
}

// A shelfCorpus has one text for each of some words, which stand everywhere in it, too.
type shelfCorpus struct {
	name  string
	words []string          // hostile ones, or just words
	texts map[string]string // by name
	now   map[string]string // what some texts are now
	stale string
	fault error

	originals map[string][]byte // by the names of their texts
}

func (c *shelfCorpus) word(i int) string { return c.words[i%len(c.words)] }

func (c *shelfCorpus) About() page.Corpus {
	out := page.Corpus{Name: c.name, Note: c.word(0), Files: len(c.texts), Documents: len(c.texts), Passages: len(c.texts), Bytes: 3 << 20, Generation: "gen-1", Fingerprint: c.word(1), Embedder: c.word(2)}
	if c.fault != nil {
		out.Fault = c.fault.Error()
	}
	return out
}

func (c *shelfCorpus) Ingested() (time.Time, error) { return time.Unix(1e9, 0), nil }

func (c *shelfCorpus) Facts() (out []page.Fact) {
	for i := range c.words {
		out = append(out, page.Fact{Name: c.word(i), Value: c.word(i + 1)})
	}
	return out
}

func (c *shelfCorpus) Facets(context.Context, int) (out []page.Facet, err error) {
	for i, w := range c.words {
		out = append(out, page.Facet{Key: w, Passages: 3, Distinct: 4, Values: []page.FacetValue{{Value: c.word(i + 2), Passages: 2}}})
	}
	return out, nil
}

func (c *shelfCorpus) Unread() (out []page.Fact, all int) { return c.Facts(), len(c.words) + 1 }

func (c *shelfCorpus) Sources() (out []string) {
	for name := range c.texts {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

func (c *shelfCorpus) Source(_ context.Context, name string) (page.Source, error) {
	text, ok := c.texts[name]
	if !ok {
		return page.Source{}, &runs.NotFoundError{What: "document", ID: name}
	}
	return page.Source{Name: name, Path: "/docs/" + name, From: c.word(4), Format: c.word(5), Bytes: len(text), Stale: c.stale, Lost: c.words[:min(3, len(c.words))], LostRecords: 3, Empty: 1}, nil
}

func (c *shelfCorpus) Text(_ context.Context, name string, from, to int) ([]byte, error) {
	text := cmp.Or(c.now[name], c.texts[name])
	return []byte(text[min(from, len(text)):min(to, len(text))]), nil
}

// Passage is the one whose ID is "NAME:START:END".
func (c *shelfCorpus) Original(_ context.Context, name string) ([]byte, error) {
	if data, ok := c.originals[name]; ok {
		return data, nil
	}
	return nil, &runs.NotFoundError{What: "PDF", ID: name}
}

func (c *shelfCorpus) Passage(id string) (state.Passage, bool, error) {
	at := strings.LastIndex(id[:max(0, strings.LastIndex(id, ":"))], ":")
	if at < 0 {
		return state.Passage{}, false, nil
	}
	var start, end int
	if _, err := fmt.Sscanf(id[at:], ":%d:%d", &start, &end); err != nil {
		return state.Passage{}, false, err
	}
	name := id[:at]
	return state.Passage{ID: id, Doc: name, Title: name, Section: c.word(7), Source: name, Start: start, End: end, Text: c.texts[name][start:end]}, true, nil
}

func (c *shelfCorpus) Search(_ context.Context, q retrieval.Query) (r retrieval.Result, err error) {
	if len(q.Filter) > 0 && q.Filter[0].Key == "none" {
		return r, fmt.Errorf("searching: %w", &retrieval.UnknownKeyError{Key: q.Filter[0].Key})
	}
	if q.Primary == "nothing" {
		return r, nil
	}
	r = retrieval.Result{Confidence: .5, Similarity: .4, Strength: .3, Candidates: 9, Widened: 2, Reranker: c.word(0), Fallback: c.word(1), Uninspected: c.word(2), Respelt: []state.Respelling{{Word: c.word(3), As: c.word(4)}, {Word: c.word(5), As: c.word(6), Also: true}}, Citations: []retrieval.Cited{{Text: c.word(7)}, {Text: c.word(8), Found: c.word(9), Passages: 2}}}
	for i, name := range c.Sources() {
		if i == q.K {
			break
		}
		p, _, err := c.Passage(fmt.Sprintf("%s:0:%d", name, len(c.texts[name])))
		if err != nil {
			return r, err
		}
		p.Orders = []state.Order{{Kind: c.word(i), Start: 0, End: 1}}
		r.Hits = append(r.Hits, state.Hit{Passage: p, Rank: i + 1, Copies: []string{c.word(i + 1)}, Scores: []state.Score{{Ranker: "fused", Value: 2}, {Ranker: "bm25", Value: 1.5}, {Ranker: c.word(i + 2), Value: .5}, {Ranker: "lsa"}, {Ranker: "rerank", Value: .7}}})
	}
	return r, nil
}

func (c *shelfCorpus) Close() error { return nil }

// recollections are remembered answers of ann's, of one corpus.
type recollections struct {
	*shelfCorpus
	forgotten bool
}

func (m *recollections) shelf() page.Shelf {
	s := page.Shelf{Corpus: m.name}
	for i := range m.words {
		if !m.forgotten {
			s.Entries = append(s.Entries, page.Entry{ID: fmt.Sprint(i), Question: m.word(i), Confidence: .9, Stored: time.Unix(1e9, 0), Stale: i%2 == 0})
		}
	}
	s.Total, s.Stale, s.Served = len(s.Entries), len(s.Entries)/2, 3
	return s
}

func (m *recollections) Corpora(context.Context, string) ([]page.Shelf, error) {
	s := m.shelf()
	s.Entries, s.Fault = nil, m.word(3)
	return []page.Shelf{s}, nil
}

func (m *recollections) List(_ context.Context, tenant, corpus string, limit int) (page.Shelf, error) {
	if corpus != m.name || tenant != "ann" {
		return page.Shelf{}, &runs.NotFoundError{What: "corpus", ID: corpus}
	}
	s := m.shelf()
	s.Entries = s.Entries[:min(limit, len(s.Entries))]
	return s, nil
}

func (m *recollections) Show(_ context.Context, tenant, corpus, id string) (page.Remembered, error) {
	for _, e := range m.shelf().Entries {
		if e.ID == id && corpus == m.name && tenant == "ann" {
			r := page.Remembered{Entry: e, Corpus: corpus, Answer: strings.Join(m.words, "\n"), WhyNot: m.words, Proof: &proof.Proof{Answer: strings.Join(m.words, "\n")}}
			for i, w := range m.words {
				r.Conditions = append(r.Conditions, page.Condition{Name: w, Then: m.word(i + 1), Now: m.word(i + i%2)})
				r.Proof.Documents = append(r.Proof.Documents, proof.Document{Name: w})
				r.Proof.Passages = append(r.Proof.Passages, proof.Passage{Doc: i, Head: m.word(i + 1), Where: m.word(i + 2), Text: m.word(i + 3), End: len(m.word(i + 3))})
			}
			r.Documents = func(_ context.Context, d proof.Document) (proof.Content, error) {
				return proof.Content{Text: d.Name + m.word(3)}, nil
			}
			return r, nil
		}
	}
	return page.Remembered{}, &runs.NotFoundError{What: "remembered answer", ID: id}
}

func (m *recollections) Forget(ctx context.Context, tenant, corpus, id string) error {
	_, err := m.Show(ctx, tenant, corpus, id)
	m.forgotten = err == nil
	return err
}

// reports are results of cases.
type reports struct{ words []string }

func (e reports) List(context.Context, string) (out []page.Report, unread []page.Fact, err error) {
	for i, w := range e.words {
		f := float64(i%7) / 10
		out = append(out, page.Report{ID: w + fmt.Sprint(i), Date: w, Model: e.words[i%min(3, len(e.words))], Version: w, Cases: 10, Passed: i % 11, Set: e.words[i%2], Figures: []page.Figure{
			{Name: "pass_rate", Value: f, Lo: f - .1, Hi: f + .2, IsShare: f >= .1}, {Name: w, Value: 1},
		}})
		unread = append(unread, page.Fact{Name: w, Value: w})
	}
	return out, unread, nil
}

func (e reports) Write(_ context.Context, _, id string, w io.Writer) error {
	for i, word := range e.words {
		if id == word+fmt.Sprint(i) {
			_, err := fmt.Fprintf(w, "<!doctype html><html lang=en><title>Report</title><style>h1{color:#123456;overflow-wrap:anywhere}</style><h1 dir=auto>%s</h1>", html.EscapeString(word))
			return err
		}
	}
	return &runs.NotFoundError{What: "report", ID: id}
}

// furnished is a server with all rooms, in which some words stand everywhere, and with further graphs.
func furnished(t *testing.T, words []string, more ...serve.Graph) *site {
	t.Helper()
	texts := map[string]string{}
	for i, w := range words {
		texts[fmt.Sprintf("%d %s", i, w)] = fmt.Sprintf("Before. %s After.", w)
	}
	c := &shelfCorpus{name: "law", words: words, texts: texts}
	broken := &shelfCorpus{name: "broken", words: words, fault: fmt.Errorf("it is damaged: %s", words[0])}
	return served(t, func(o *serve.Options) {
		o.Graphs = append(o.Graphs, more...)
		o.Page.Corpora, o.Page.Memory, o.Page.Evals, o.Page.Usual = shelves{"law": c, "broken": broken}, &recollections{shelfCorpus: c}, reports{words}, "plain"
	})
}

var plainWords = []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}

// rooms are the paths of all pages of a furnished server.
func rooms(words []string) map[string]string {
	name := "0 " + words[0]
	document := "/ui/corpora/law/document?" + url.Values{"source": {name}, "passage": {fmt.Sprintf("%s:8:%d", name, 8+len(words[0]))}}.Encode()
	return map[string]string{
		"ask": "/ui/ask", "ask-graph": "/ui/ask?graph=outer", "corpora": "/ui/corpora", "corpus": "/ui/corpora/law", "corpus-broken": "/ui/corpora/broken",
		"search": "/ui/corpora/law?q=one", "search-filter": "/ui/corpora/law?q=one&filter=none%3Dx", "search-none": "/ui/corpora/law?q=nothing",
		"document": document, "memory": "/ui/memory", "remembered": "/ui/memory/law/1", "evals": "/ui/evals",
	}
}
