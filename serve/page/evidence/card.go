package evidence

import (
	"fmt"
	"strings"

	"example.com/assay/state/proof"
)

// A card is a finding as it is shown.
type card struct {
	proof.Finding
	ID     string  // of its element
	Said   string  // of the element that is its part of the answer; empty for none
	Words  []words // its text
	Quotes []quote
	Rests  []link
	For    []*card // findings that stand on it
}

// bare reports whether there is no more to say of a finding than what it stands on.
func (c *card) bare() bool { return c.Verdict == "" && len(c.Decided)+len(c.Finding.Quotes) == 0 }

// Uses are the places that stand on a finding: cards, or parts of the answer that have none.
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

// Words are a stretch of text. What decided a verdict is strong.
type words struct {
	Text   string
	Strong bool
}

// A quote is a proof's, with the places where the page marks it.
type quote struct {
	proof.Quote
	Words  []words
	Same   bool   // it is what the finding says, word for word
	Place  string // id of its mark; empty when it is marked nowhere
	Drawn  string // id of its box on the drawing of its page
	Where  string
	Absent string // why it is marked nowhere
}

// cards are the findings, with their quotes marked in the documents.
func (e *beside) cards(sheets []*sheet) []*card {
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

// quoteOf marks a quote where it stands.
func (e *beside) quoteOf(c *card, q proof.Quote, n int, s *sheet) quote {
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

// whereOf names the passage that a quote stands in.
func (e *beside) whereOf(q proof.Quote) string {
	for _, p := range e.Passages {
		if p.Doc == q.Doc && p.Start <= q.Start && q.End <= p.End {
			return p.Where
		}
	}
	return ""
}

// first is what a part of the answer leads to: the first place of its finding's quotes, or
// of the findings that it stands on, else the first of these that is shown by itself.
func (e *beside) first(c *card) string {
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

// stressed divides a text at the words of it that decided.
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
