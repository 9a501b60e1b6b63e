package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/retrieval"
	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
	"example.com/assay/state"
)

var (
	corporaPage = parsed("corpora.tmpl", "adding.tmpl")
	corpusPage  = parsed("corpus.tmpl", "adding.tmpl")
)

// off refuses a page that the options do not provide.
func off(has bool, what string) error {
	if has {
		return nil
	}
	return refusal.New(http.StatusNotFound, "this server shows no %s", what)
}

// corpora lists the corpora.
func (v *visit) corpora() error {
	if err := off(v.Corpora != nil, "corpora"); err != nil {
		return err
	}
	if name := strings.TrimSpace(v.r.URL.Query().Get("name")); name != "" {
		return v.named(name)
	}
	list, err := v.Corpora.List(v.r.Context(), v.tenant)
	if err != nil {
		return err
	}
	a, err := v.adding("")
	if err != nil {
		return err
	}
	a.Known = list
	frame := v.corpusFrame("Documents", a)
	frame.Eyebrow = ""
	return v.show(corporaPage, "Documents", frame, a)
}

const (
	// hitsPerPage is the number of hits on a page, and hitsAtMost the number shown for a search.
	hitsPerPage, hitsAtMost = 10, 500
	// excerptBytes is how much of a passage is shown unfolded.
	excerptBytes = 600
	// valuesShown is how many values of a metadata key are shown.
	valuesShown = 12
	// unreadShown is how many left-out files are listed.
	unreadShown = 200
)

// A reading is the page of a corpus.
type reading struct {
	Corpus
	Query, Filter string
	Refused       string // why the search was refused
	Searched      *searched
	New           bool    // it does not exist
	Adding        *adding // not for a search

	// Set without a search.
	Ingested  string
	Facts     []Fact
	Facets    []facetRow
	Unread    []Fact
	UnreadAll int
	Sources   []Source
	Total     int // number of texts
	Stale     int // stale ones among the shown texts
	Pager     pager
}

// A facetRow is a metadata key whose values link to searches.
type facetRow struct {
	Facet
	Links []look.Link
}

// corpus shows a corpus: its content, or the results of a search.
func (v *visit) corpus() error {
	if err := off(v.Corpora != nil, "corpora"); err != nil {
		return err
	}
	name, q := v.r.PathValue("corpus"), v.r.URL.Query()
	out := reading{Query: strings.TrimSpace(q.Get("q")), Filter: strings.TrimSpace(q.Get("filter"))}
	frame := v.corpusFrame(name, nil)
	c, err := v.Corpora.Open(v.r.Context(), v.tenant, name)
	if err != nil {
		if err = v.fresh(name, err); err == nil || errors.As(err, new(*runs.NotFoundError)) {
			return err
		}
		if out.Corpus, err = v.unopened(name, err); err != nil {
			return err
		}
		return v.show(corpusPage, "Documents", frame, out)
	}
	out.Corpus = c.About()
	status := http.StatusOK
	if out.Query != "" {
		err = v.search(c, name, &out)
		if refused := new(refusal.Error); errors.As(err, &refused) {
			status, out.Refused, err = refused.Status, refused.Text, nil
		}
	} else {
		if out.Adding, err = v.adding(name); err == nil {
			frame = v.corpusFrame(name, out.Adding)
			err = v.contents(c, name, &out)
		}
	}
	if err = errors.Join(err, c.Close()); err != nil {
		return err
	}
	return v.answer(status, corpusPage, "Documents", frame, out)
}

// unopened describes a corpus that cannot be opened.
func (v *visit) unopened(name string, fault error) (Corpus, error) {
	list, err := v.Corpora.List(v.r.Context(), v.tenant)
	for _, c := range list {
		if c.Name == name {
			c.Fault = fault.Error()
			return c, err
		}
	}
	return Corpus{}, errors.Join(err, fault)
}

// contents fills in the content of a corpus.
func (v *visit) contents(c OpenCorpus, name string, out *reading) error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	ctx, path := v.r.Context(), join("corpora", name)
	when, err := c.Ingested()
	if err != nil {
		return err
	}
	out.Ingested, out.Facts = moment(when), c.Facts()
	facets, err := c.Facets(ctx, valuesShown)
	if err != nil {
		return err
	}
	for _, f := range facets {
		row := facetRow{Facet: f}
		for _, value := range f.Values {
			row.Links = append(row.Links, look.Link{Text: fmt.Sprintf("%s (%d)", value.Value, value.Passages), Href: query(path, "filter", condition(f.Key, value.Value))})
		}
		out.Facets = append(out.Facets, row)
	}
	out.Unread, out.UnreadAll = c.Unread()
	out.Unread = out.Unread[:min(len(out.Unread), unreadShown)]
	names := c.Sources()
	out.Total, from = len(names), min(from, len(names))
	for _, n := range names[from:min(from+perPage, len(names))] {
		s, err := c.Source(ctx, n)
		if err != nil {
			return err
		}
		if s.Stale != "" {
			out.Stale++
		}
		out.Sources = append(out.Sources, s)
	}
	out.Pager = pages("texts", path, from, perPage, len(names))
	return nil
}

// condition returns a filter in the syntax of a search.
func condition(key, value string) string {
	return key + "=" + strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`).Replace(value)
}

// A searched is the result of a search.
type searched struct {
	retrieval.Result
	Says    string // what the confidence means, in words
	Tone    string
	Hits    []hitRow
	Respelt []string
	Pager   pager
}

// A hitRow is a hit with the parts of its score.
type hitRow struct {
	state.Hit
	Href          string
	Excerpt, Rest string
	Sum           string // "fused 1.234 = bm25 1.000 + …"
	Scores        []scoreRow
	Orders        []string // kinds of prompt injection found in it
}

// A scoreRow is a score, with its share of the sum. Only summands have a share.
type scoreRow struct {
	Name, Value, Meaning string
	Part                 float64 // width in percent of the largest summand
	Summand              bool
}

// search fills in the results of a search.
func (v *visit) search(c OpenCorpus, name string, out *reading) error {
	from, err := v.number("from", 0)
	if err != nil {
		return err
	}
	if from >= hitsAtMost {
		return refusal.New(http.StatusBadRequest, "a search shows %d passages at most: ask for something narrower", hitsAtMost)
	}
	q := retrieval.Query{Primary: out.Query, K: min(from+hitsPerPage+1, hitsAtMost)}
	if out.Filter != "" {
		one, err := retrieval.ParseCondition(out.Filter)
		if err != nil {
			return refusal.New(http.StatusBadRequest, "%v", err)
		}
		q.Filter = []retrieval.Condition{one}
	}
	found, err := c.Search(v.r.Context(), q)
	if unknown, ok := errors.AsType[*retrieval.UnknownKeyError](err); ok {
		return refusal.New(http.StatusBadRequest, "%v", unknown)
	}
	if err != nil {
		return err
	}
	s := &searched{Result: found}
	s.Says, s.Tone = confidence(found)
	for _, r := range found.Respelt {
		if r.Also {
			s.Respelt = append(s.Respelt, fmt.Sprintf("also %s, for %s", r.As, r.Word))
		} else {
			s.Respelt = append(s.Respelt, fmt.Sprintf("%s, not %s", r.As, r.Word))
		}
	}
	shown := found.Hits[min(from, len(found.Hits)):min(from+hitsPerPage, len(found.Hits))]
	for _, h := range shown {
		s.Hits = append(s.Hits, hitOf(h, name))
	}
	s.Pager = pages("passages", join("corpora", name), from, hitsPerPage, len(found.Hits), "q", out.Query, "filter", out.Filter)
	s.Pager.Pages = nil // how many there are is not known
	s.Pager.Says = fmt.Sprintf("%d to %d", from+1, from+len(shown))
	out.Searched = s
	return nil
}

// confidence explains the confidence of a search.
func confidence(r retrieval.Result) (words, tone string) {
	switch {
	case len(r.Hits) == 0:
		return "nothing was found", "bad"
	case r.Confidence >= .7:
		return "the passages are about this", "good"
	case r.Confidence < .35:
		return "the corpus does not hold this", "bad"
	}
	return "the passages may be about this", "warn"
}

func hitOf(h state.Hit, corpus string) hitRow {
	row := hitRow{Hit: h, Href: documentAt(corpus, h.Passage.Source, h.Passage.ID)}
	row.Excerpt, row.Rest = cutText(h.Passage.Text, excerptBytes)
	for _, o := range h.Passage.Orders {
		if !slices.Contains(row.Orders, o.Kind) {
			row.Orders = append(row.Orders, o.Kind)
		}
	}
	e := retrieval.Explain(h.Scores)
	if e.Sum.Ranker == "" {
		return row
	}
	parts, largest := []string{}, 0.0
	for _, s := range e.Summands {
		parts = append(parts, fmt.Sprintf("%s %.3f", s.Ranker, s.Value))
		largest = max(largest, s.Value)
	}
	row.Sum = fmt.Sprintf("%s %.3f", e.Sum.Ranker, e.Sum.Value)
	if len(parts) > 0 {
		row.Sum += " = " + strings.Join(parts, " + ")
	}
	for _, s := range e.Summands {
		row.Scores = append(row.Scores, scoreRow{s.Ranker, fmt.Sprintf("%.3f", s.Value), retrieval.Meaning(s.Ranker), max(0, s.Value) / largest * 100, true})
	}
	for _, s := range e.Others {
		row.Sum += fmt.Sprintf(" · %s %.3f", s.Ranker, s.Value)
		row.Scores = append(row.Scores, scoreRow{Name: s.Ranker, Value: fmt.Sprintf("%.3f", s.Value), Meaning: retrieval.Meaning(s.Ranker)})
	}
	return row
}

// cutText cuts a text in two, at a space if one is near.
func cutText(text string, at int) (first, rest string) {
	if len(text) <= at {
		return text, ""
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	if space := strings.LastIndexAny(text[:at], " \n"); space > at/2 {
		at = space
	}
	return text[:at], text[at:]
}

// documentAt returns the address of a passage in its document.
func documentAt(corpus, source, passage string) string {
	path := query(join("corpora", corpus, "document"), "source", source, "passage", passage)
	if passage != "" {
		path += "#passage"
	}
	return path
}

// use calls a function with an open corpus, and closes it.
func (v *visit) use(ctx context.Context, name string, do func(OpenCorpus) error) error {
	if err := off(v.Corpora != nil, "corpora"); err != nil {
		return err
	}
	c, err := v.Corpora.Open(ctx, v.tenant, name)
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}
