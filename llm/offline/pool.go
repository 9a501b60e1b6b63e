package offline

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"example.com/assay/decide/injection"
	"example.com/assay/memory/text"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// A sentence is a candidate for a quote: source.Text[start:end].
type sentence struct {
	source  int    // index into the request's sources
	start   int    // bytes in the source's text
	text    string // verbatim, without a list marker
	terms   []string
	counts  map[string]int
	context []string // stems of the title and section above it
	place   float64  // its position in its source, 0 … 1
	item    bool     // an item of a list
	lead    int      // index of the sentence that introduces the list; −1 without one
	order   bool     // a prompt injection; never quoted
	opens   bool     // it begins a paragraph
	whole   bool     // fit to be quoted: balanced quotes, long enough, no imitation of a citation
}

// A pool is all sentences of the sources, in order, and their idf.
type pool struct {
	sentences []sentence
	df        map[string]int
}

// newPool splits the sources into sentences, without headings, table rows and lines of markup.
func newPool(sources []skills.Source) *pool {
	p := &pool{df: map[string]int{}}
	orders := make([][]injection.Instruction, len(sources))
	var wg sync.WaitGroup // detecting injections is most of the work
	for i, src := range sources {
		wg.Go(func() { orders[i] = injection.Instructions(src.Text) })
	}
	wg.Wait()
	for i, src := range sources {
		p.add(i, src, orders[i])
	}
	for _, s := range p.sentences {
		for term := range s.counts {
			p.df[term]++ // integers: the order does not matter
		}
	}
	return p
}

func (p *pool) add(index int, src skills.Source, orders []injection.Instruction) {
	context := text.Distinct(text.Terms(src.Title+" "+src.Section, text.DocStops))
	first, lead, last := len(p.sentences), -1, 0
	spans := text.Sentences(src.Text)
	for n, span := range spans {
		raw := src.Text[span.Start:span.End]
		gap := src.Text[last:span.Start]
		last = span.End
		if strings.HasPrefix(raw, "#") || strings.HasPrefix(raw, "|") || strings.HasPrefix(raw, "<") {
			lead = -1
			continue
		}
		body, item := trimMarker(raw)
		// A further sentence of an item belongs to the list, too.
		if k := len(p.sentences); !item && k > first && p.sentences[k-1].item && !strings.Contains(gap, "\n") {
			item = true
		}
		if !item {
			lead = -1
		}
		terms := text.Terms(body, text.DocStops)
		if len(terms) == 0 {
			continue
		}
		s := sentence{
			source: index, start: span.End - len(body), text: body,
			terms: terms, counts: map[string]int{}, context: context,
			place: float64(n) / float64(len(spans)),
			item:  item, lead: lead, opens: n == 0 || strings.Contains(gap, "\n\n"), whole: quotable(body, item) && (item || n == 0 || !fragment(body)),
		}
		for _, term := range terms {
			s.counts[term]++
		}
		for _, o := range orders {
			s.order = s.order || o.Start < span.End && span.Start < o.End
		}
		if leadsIn(body) {
			lead = len(p.sentences)
		}
		p.sentences = append(p.sentences, s)
	}
	p.dropHanging(first)
}

// ordersIn returns the prompt injections in a text.
func ordersIn(s string) []text.Span {
	var out []text.Span
	for _, o := range injection.Instructions(s) {
		out = append(out, text.Span{Start: o.Start, End: o.End})
	}
	return out
}

// leadsIn reports whether a sentence announces the text after it.
func leadsIn(s string) bool { return strings.HasSuffix(strings.TrimRight(s, "*_ "), ":") }

// fragment reports whether a supposed sentence begins within one: with a lower-case letter.
func fragment(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLower(r)
}

// dropHanging excludes from quoting, from the sentence at first on, a lead-in without a quotable
// item and a short item without its lead-in.
func (p *pool) dropHanging(first int) {
	for i := first; i < len(p.sentences); i++ {
		s := &p.sentences[i]
		switch {
		case leadsIn(s.text):
			s.whole = s.whole && len(items(p, i)) > 0
		case s.item && s.lead < 0:
			s.whole = s.whole && !fragment(s.text) && len(s.terms) >= 4
		}
	}
}

// idf is ln(1 + (N − df + .5) / (df + .5)) over the pool's sentences.
func (p *pool) idf(term string) float64 {
	n, df := float64(len(p.sentences)), float64(p.df[term])
	return math.Log(1 + (n-df+.5)/(df+.5))
}

// trimMarker cuts the marker off a list item: "- ", "1. ", "(a) ".
func trimMarker(s string) (string, bool) {
	for _, bullet := range []string{"- ", "* ", "• ", "> "} {
		if rest, ok := strings.CutPrefix(s, bullet); ok {
			return strings.TrimSpace(rest), bullet != "> "
		}
	}
	rest := strings.TrimPrefix(s, "(")
	n := strings.IndexAny(rest, ".)")
	if n < 1 || n > 4 || n+1 >= len(rest) || !strings.ContainsRune(" \t\n", rune(rest[n+1])) {
		return s, false
	}
	label := rest[:n]
	if strings.Trim(label, "0123456789") == "" || len(rest) < len(s) && strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return strings.TrimSpace(rest[n+1:]), true
	}
	return s, false
}

// maxQuote bounds a quoted sentence, in bytes.
const maxQuote = 900

// quotable reports whether a sentence can be put between “ and ” and found again: its own curly
// quotes are balanced and never closed before they are opened, no character was lost in decoding,
// and nothing in it looks like a citation, a heading or a line of an answer. A single word is not a
// sentence, but may be an item of a list.
func quotable(s string, item bool) bool {
	if len(s) > maxQuote || !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError) || strings.Contains(s, state.Withheld) || strings.Contains(s, "[Source") || strings.Contains(s, "\n#") || strings.Contains(s, "\n- ") {
		return false
	}
	depth := 0
	for _, r := range s {
		switch r {
		case '“':
			depth++
		case '”':
			depth--
		}
		if depth < 0 {
			return false
		}
	}
	return depth == 0 && (item || len(strings.Fields(s)) >= 4)
}
