package evidence

import (
	"fmt"
	"strings"

	"example.com/assay/state/proof"
)

// A card shows a finding.
type card struct {
	proof.Finding
	ID     string  // id of its element
	Said   string  // id of its part of the answer; empty for none
	Words  []words // its text
	Quotes []quote
	Rests  []link
	For    []*card // findings that depend on it
}

// bare reports whether a finding has nothing to show except its sources.
func (c *card) bare() bool { return c.Verdict == "" && len(c.Decided)+len(c.Finding.Quotes) == 0 }

// Uses returns the places that depend on a finding: cards, or parts of the answer without a card.
func (c *card) Uses() []link {
	var out []link
	text := "in the answer"
	for _, by := range c.For {
		if by.Said == "" || !by.bare() {
			out = append(out, link{by.Name(), by.ID})
			continue
		}
		out = append(out, link{text, by.Said})
		text = "again"
	}
	return out
}

// words are a stretch of text; words that decided a verdict are strong.
type words struct {
	Text   string
	Strong bool
}

// A quote is a quote of a proof, with its marks on the page.
type quote struct {
	proof.Quote
	Words  []words
	Same   bool   // it equals the finding's text
	Place  string // id of its mark; empty if it has none
	Drawn  string // id of its box in the drawing of its page
	Where  string
	Absent string // why it has no mark
}

// cards returns the findings, with their quotes marked in the documents.
func (e *section) cards(sheets []*sheet) []*card {
	var out []*card
	for _, f := range e.Findings {
		c := &card{Finding: f, ID: e.id(f.ID)}
		c.Words = stressed(f.Text, f.Decided, func(d proof.Decision) string { return d.Words })
		e.ids[f.ID] = c
		out = append(out, c)
	}
	for _, c := range out {
		for i, q := range c.Finding.Quotes {
			c.Quotes = append(c.Quotes, e.quoteOf(c, q, i, sheets[q.Doc]))
		}
		for _, id := range c.Finding.Rests {
			if on := e.ids[id]; on != nil {
				c.Rests = append(c.Rests, link{on.Label, on.ID})
				on.For = append(on.For, c)
			}
		}
	}
	return out
}

// quoteOf marks a quote in its document.
func (e *section) quoteOf(c *card, q proof.Quote, n int, s *sheet) quote {
	out := quote{Quote: q, Words: stressed(q.Text, c.Decided, func(d proof.Decision) string { return d.Evidence }), Same: strings.Join(strings.Fields(q.Text), " ") == strings.Join(strings.Fields(c.Text), " ")}
	out.Where = fmt.Sprintf("bytes %d–%d", q.Start, q.End)
	if q.Page > 0 {
		out.Where = fmt.Sprintf("page %d, %s", q.Page, out.Where)
	}
	where := e.whereOf(q)
	if where == "" && len(e.Documents) > 1 {
		where = s.Name
	}
	if where != "" {
		out.Where = where + ", " + out.Where
	}
	back := back{link: link{c.Label, c.ID}, Name: c.Name() + ", " + c.Verdict, Stand: q.Stand, Aside: c.Aside}
	if c.Verdict == "" {
		back.Name = c.Name()
	}
	s.wanted = s.wanted || !c.Aside
	out.Place = s.quote(q, e.id(c.Finding.ID, "quote", n+1), back)
	out.Drawn = s.draw(q, e.id(c.Finding.ID, "box", n+1), back)
	if out.Place == "" {
		out.Absent = s.absent()
	}
	return out
}

// whereOf names the passage of a quote.
func (e *section) whereOf(q proof.Quote) string {
	for _, p := range e.Passages {
		if p.Doc == q.Doc && p.Start <= q.Start && q.End <= p.End {
			return p.Where
		}
	}
	return ""
}

// first returns the link target for a part of the answer: the first mark of its finding's quotes,
// else of the findings that it depends on, else the first of these with its own card.
func (e *section) first(c *card) string {
	shown := ""
	for _, id := range append([]string{c.Finding.ID}, c.Finding.Rests...) {
		on := e.ids[id]
		if on == nil {
			continue
		}
		for _, q := range on.Quotes {
			if q.Place != "" {
				return q.Place
			}
		}
		if shown == "" && !on.bare() {
			shown = on.ID
		}
	}
	return shown
}

// stressed splits a text at its decisive words.
func stressed(text string, list []proof.Decision, of func(proof.Decision) string) []words {
	var out []words
	for _, d := range list {
		w := of(d)
		if w == "" {
			continue
		}
		if before, after, found := strings.Cut(text, w); found {
			out = append(out, words{before, false}, words{w, true})
			text = after
		}
	}
	return append(out, words{text, false})
}
