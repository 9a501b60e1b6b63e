package evidence

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"example.com/assay/serve/page/look"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

//go:embed evidence.tmpl
var pageText string

var page = look.Parse(template.FuncMap{"sign": sign, "outcome": func(s state.Status) string { word, _ := look.Outcome(string(s)); return word }}, pageText)

// Options adjust Section. Nil is the zero value.
type Options struct {
	Prefix string // prefix of all ids, for a page with several answers: letters, digits and hyphens. Default: none
	Of     string // id of the element with the question, on a page with several answers. Default: none
	Level  int    // level of its headings. Default: 2
	Alone  bool   // only the documents: the page itself has elements with the ids of the findings
	Saved  bool   // the page is read without its server, and so without pages of PDFs. Default: with them
	Close  string // id of the element that a reader returns to who closes the documents. Default: they stay open
}

// Section shows an answer next to its source documents. Each part of the answer with a finding
// links to the finding and to its bytes in the document, and these link back. Docs reads the
// documents. If docs is nil, or a document cannot be read or has changed, its recorded passages are
// shown. Only the template can fail.
func Section(ctx context.Context, p proof.Proof, docs proof.Documents, opts *Options) (template.HTML, error) {
	e := section{Proof: p, Level: 2}
	if opts != nil {
		e.prefix, e.Of, e.Level, e.Close, e.Alone, e.saved = opts.Prefix, opts.Of, cmp.Or(opts.Level, e.Level), opts.Close, opts.Alone, opts.Saved
	}
	e.ID = e.id("documents")
	e.lay(ctx, docs)
	return look.Section(page, "evidence", &e)
}

// A section is an answer and its documents, for the template.
type section struct {
	proof.Proof
	Of      string
	Alone   bool
	Close   string
	ID      string // id of the documents' heading
	Level   int
	Blocks  []block
	Groups  []*group
	Plain   []*group // groups of findings that say nothing that the answer does not show
	Sheets  []*sheet
	Near    string // id of the nearest passage's card
	Closest string // id of its mark; empty if it has none
	Notices []notices

	prefix string
	saved  bool
	ids    map[string]*card // by the IDs of findings
	said   map[string]bool  // findings that the answer links to
}

// id joins parts to an id of the page, after the prefix.
func (e *section) id(parts ...any) string {
	id := e.prefix
	for _, part := range parts {
		if id != "" {
			id += "-"
		}
		id += fmt.Sprint(part)
	}
	return id
}

// A link links to an element of the page.
type link struct{ Text, ID string }

// A group holds the findings of one kind.
type group struct {
	Title  string
	Level  int
	ID     string
	Counts []tally
	Cards  []*card
	Aside  []*card
}

// telling reports whether a finding says something that the answer does not show: a doubt, or a
// quote against it. Without an answer of its own, each finding does.
func (e *section) telling(c *card) bool {
	against := slices.ContainsFunc(c.Finding.Quotes, func(q proof.Quote) bool { return q.Stand == proof.Against })
	return !e.said[c.Finding.ID] || e.Given || c.Tone == proof.Warn || c.Tone == proof.Bad || against
}

// A tally counts a verdict.
type tally struct {
	Verdict string
	Tone    proof.Tone
	N       int
}

// notices are the notes of a group.
type notices struct {
	Title string
	Aside bool
	Notes []notice
}

type notice struct {
	proof.Note
	About []link
}

var titles = map[proof.Kind]string{
	proof.Claim: "Claims", proof.Reason: "Reasons for the choice", proof.Statement: "Statements", proof.Requirement: "Requirements",
	proof.Edge: "Edges", proof.Field: "Fields", proof.Quoted: "Quotations",
}

// Fold says how much is folded in a group.
func (g *group) Fold() string {
	return "Not used in the answer: " + look.Count(len(g.Aside), string(g.Aside[0].Kind))
}

func (e *section) lay(ctx context.Context, docs proof.Documents) {
	e.ids, e.said = map[string]*card{}, map[string]bool{}
	sheets := e.sheetsOf(ctx, docs)
	cards := e.cards(sheets)
	if n := e.Nearest; n != nil {
		e.Near = e.id("nearest")
		e.Closest = sheets[n.Doc].nearest(n.Quote, e.id("nearest", "quote"), back{link: link{"nearest", e.Near}, Name: "nearest passage", Stand: proof.Weighed})
	}
	e.Blocks = e.blocksOf(e.anchors(sheets, cards))
	room := mostOfAll
	for _, s := range sheets {
		if !e.saved {
			s.paper(ctx)
		}
		if s.finish(room); !s.shown() && !e.Alone {
			continue
		}
		if e.Sheets = append(e.Sheets, s); s.Whole {
			room -= s.Bytes
		}
	}
	e.group(cards)
	e.notice()
}

// anchors returns the link targets of the answer's source marks. A mark of several passages links
// to the first.
func (e *section) anchors(sheets []*sheet, cards []*card) map[string]string {
	out := map[string]string{}
	for _, s := range sheets {
		for _, p := range s.passages {
			id := s.passage(p)
			for _, mark := range p.Marks {
				if out[mark] == "" {
					out[mark] = id
				}
			}
		}
	}
	for _, c := range cards {
		if c.Kind == proof.Requirement {
			out["["+c.Label+"]"] = c.ID
		}
	}
	return out
}

// Repeated reports whether the answer itself has the nearest passage's words.
func (e *section) Repeated() bool { return strings.Contains(e.Answer, e.Nearest.Text) }

// Telling returns the measures that say more than that all is well, and Usual the others.
func (e *section) Telling() []proof.Measure { return e.measures(false) }
func (e *section) Usual() []proof.Measure   { return e.measures(true) }

func (e *section) measures(usual bool) (out []proof.Measure) {
	for _, m := range e.Measures {
		if (m.Usual || m.Aside) == usual {
			out = append(out, m)
		}
	}
	return out
}

// Unfound reports whether the documents were searched for nothing.
func (e *section) Unfound() bool { return e.Status == state.StatusNoEvidence && e.Corpus != "" }

// Long reports whether the documents are probably longer than a window.
func (e *section) Long() bool {
	n := 0
	for _, s := range e.Sheets {
		n += s.Bytes + 1500*len(s.Pages)
		for _, r := range s.Read {
			n += len(r.Passage.Text)
		}
	}
	return n > 2000
}

func (e *section) group(cards []*card) {
	for _, c := range cards {
		if e.said[c.Finding.ID] {
			c.Said = c.ID + "-said"
		}
		if c.Said != "" && c.bare() {
			continue
		}
		groups, suffix := &e.Groups, ""
		if !e.telling(c) {
			groups, suffix = &e.Plain, "-plain"
		}
		at := slices.IndexFunc(*groups, func(g *group) bool { return g.Title == titles[c.Kind] })
		if at < 0 {
			at = len(*groups)
			*groups = append(*groups, &group{Title: titles[c.Kind], Level: e.Level, ID: e.id(string(c.Kind)+"s") + suffix})
		}
		g := (*groups)[at]
		if c.Aside {
			g.Aside = append(g.Aside, c)
		} else {
			g.Cards = append(g.Cards, c)
		}
		if c.Verdict == "" {
			continue
		}
		n := slices.IndexFunc(g.Counts, func(t tally) bool { return t.Verdict == c.Verdict })
		if n < 0 {
			n = len(g.Counts)
			g.Counts = append(g.Counts, tally{Verdict: c.Verdict, Tone: c.Tone})
		}
		g.Counts[n].N++
	}
}

func (e *section) notice() {
	for _, n := range e.Notes {
		one := notice{Note: n}
		for _, id := range n.About {
			if c := e.ids[id]; c != nil {
				one.About = append(one.About, link{c.Label, c.ID})
			}
		}
		at := slices.IndexFunc(e.Notices, func(x notices) bool { return x.Title == n.Group && x.Aside == n.Aside })
		if at < 0 {
			at = len(e.Notices)
			e.Notices = append(e.Notices, notices{Title: n.Group, Aside: n.Aside})
		}
		e.Notices[at].Notes = append(e.Notices[at].Notes, one)
	}
}

// sign returns the sign of a tone, for readers who do not see its colour.
func sign(t proof.Tone) string {
	return map[proof.Tone]string{proof.Good: "✓", proof.Warn: "!", proof.Bad: "✗"}[t]
}
