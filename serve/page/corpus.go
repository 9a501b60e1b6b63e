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
	"example.com/assay/serve/runs"
	"example.com/assay/state"
)

var (
	corporaPage = parsed("corpora.tmpl", "adding.tmpl")
	corpusPage  = parsed("corpus.tmpl", "adding.tmpl")
)

// corpora lists the corpora.
func (v *visit) corpora() error {
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
	Facets    []Facet
	Unread    []Fact
	UnreadAll int
	Sources   []Source
	Total     int // number of texts
	Stale     int // stale ones among the shown texts
	Pager     pager
}

// corpus shows a corpus: its content, or the results of a search.
func (v *visit) corpus() error {
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
	if out.Facets, err = c.Facets(ctx, valuesShown); err != nil {
		return err
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

// A searched is the result of a search, with the hits of the page.
type searched struct {
	retrieval.Result
	Corpus string
	Says   string // what the confidence means, in words
	Tone   string
	Pager  pager
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
	s := &searched{Result: found, Corpus: name}
	s.Says, s.Tone = confidence(found)
	s.Hits = found.Hits[min(from, len(found.Hits)):min(from+hitsPerPage, len(found.Hits))]
	s.Pager = pages("passages", join("corpora", name), from, hitsPerPage, len(found.Hits), "q", out.Query, "filter", out.Filter)
	s.Pager.Pages = nil // how many there are is not known
	s.Pager.Says = fmt.Sprintf("%d to %d", from+1, from+len(s.Hits))
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

// injections are the kinds of prompt injection in a passage.
func injections(p state.Passage) (kinds []string) {
	for _, o := range p.Orders {
		if !slices.Contains(kinds, o.Kind) {
			kinds = append(kinds, o.Kind)
		}
	}
	return kinds
}

// part returns how much of a sum a score is, in percent.
func part(score, sum float64) float64 { return min(max(0, score/max(sum, 1e-9)*100), 100) }

// excerpt cuts a text in two, at a space if one is near.
func excerpt(text string) [2]string {
	at := excerptBytes
	if len(text) <= at {
		return [2]string{text, ""}
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	if space := strings.LastIndexAny(text[:at], " \n"); space > at/2 {
		at = space
	}
	return [2]string{text[:at], text[at:]}
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
	c, err := v.Corpora.Open(ctx, v.tenant, name)
	if err != nil {
		return err
	}
	return errors.Join(do(c), c.Close())
}
