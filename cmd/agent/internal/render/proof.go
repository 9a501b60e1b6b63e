// Package render prints results for people: answers, claims with their verdicts, sources,
// figures in words, and the progress of a run. Markdown lays out the text of an answer for
// a terminal or as plain text.
//
//	fmt.Print(render.Markdown(answer, render.Options{Width: 80, Colour: true}))
//
// Markdown handles what answers contain: headings, paragraphs, lists, block quotes, rules,
// fenced code, bold, and the marks of sources. Text between “ and ” is a quotation and
// shown unchanged. Control characters are made visible, so that a document cannot control
// the terminal.
//
// It knows no verb and no setting. It leaves links, images, tables and HTML unchanged.
package render

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/state/proof"
)

// Proof prints an answer of any pipeline for people: the answer, its sources, the findings about
// its parts, notes, and a line on how it was made. With quotes, claims have their quotes below
// them. --verbose also prints what a proof sets aside.
func Proof(a *cli.App, p proof.Proof, quotes bool) {
	w := &page{Options: Options{Width: a.Stdout.Width, Colour: a.Stdout.Colour}}
	s := sheet{page: w, proof: OneStep(p), quotes: quotes, full: a.Verbose}
	s.answer()
	s.sources()
	s.fields()
	s.edges()
	for _, h := range headings {
		s.findings(h.kind, h.text)
	}
	s.notes()
	s.measures()
	fmt.Fprint(a.Stdout, w.out.String())
}

// OneStep leaves the step out of source marks, "[Query 1][Source 2]", if all are of one step.
func OneStep(p proof.Proof) proof.Proof {
	const source = "[Source "
	step := ""
	for _, s := range p.Passages {
		for _, mark := range s.Marks {
			of, _, found := strings.Cut(mark, source)
			if !found || of == "" || step != "" && of != step {
				return p
			}
			step = of
		}
	}
	if step == "" {
		return p
	}
	plain := func(text string) string { return strings.ReplaceAll(text, step+source, source) }
	p.Answer, p.Passages = plain(p.Answer), slices.Clone(p.Passages)
	for i, s := range p.Passages {
		p.Passages[i].Marks = slices.Clone(s.Marks)
		for j, mark := range s.Marks {
			p.Passages[i].Marks[j] = plain(mark)
		}
	}
	return p
}

// A sheet is a proof that is being laid out, block by block.
type sheet struct {
	*page
	proof  proof.Proof
	quotes bool // below claims
	full   bool
}

// begin begins a block. A blank line separates it from the block before.
func (s *sheet) begin() {
	s.gap = s.out.Len() > 0
	s.separate()
}

// line writes a line that is not wrapped, so that a path in it can be copied.
func (s *sheet) line(format string, args ...any) {
	s.out.WriteString(fmt.Sprintf(format, args...) + "\n")
}

// text lays out Markdown as a block.
func (s *sheet) text(markdown string) {
	s.begin()
	s.out.WriteString(Markdown(markdown, s.Options))
}

func (s *sheet) answer() {
	if s.proof.Asked != "" {
		s.line("searched for: %s", Visible(s.proof.Asked))
	}
	if respelt := SearchedFor(s.proof.Respelt); respelt != "" {
		s.begin()
		s.out.WriteString(respelt)
	}
	if s.proof.Answer != "" {
		s.text(withLines(s.proof.Answer, s.proof))
	}
}

// sources lists the passages that the answer, or a note, cites by their marks.
func (s *sheet) sources() {
	begun := false
	for i, p := range s.proof.Passages {
		if !s.cited(p) {
			continue
		}
		if !begun {
			s.text("## Sources\n")
			begun = true
		}
		s.out.WriteString(Source(s.proof, i, s.Colour))
	}
}

func (s *sheet) cited(p proof.Passage) bool {
	return len(p.Marks) > 0 && (strings.Contains(s.proof.Answer, p.Marks[0]) || slices.ContainsFunc(s.proof.Notes, func(n proof.Note) bool {
		return strings.Contains(n.Text, p.Marks[0])
	}))
}

// fields writes the table of the fields that were read.
func (s *sheet) fields() {
	rows := [][]string{{"field", "value", "confidence", "place"}}
	for _, f := range s.proof.Findings {
		if f.Kind != proof.Field {
			continue
		}
		place := f.Verdict
		if len(f.Quotes) > 0 {
			place = placeOnPage(f.Quotes[0])
		}
		rows = append(rows, []string{Line(f.Label), cut(Line(f.Text)), fmt.Sprintf("%.2f", *f.Confidence), place})
	}
	if len(rows) > 1 {
		s.begin()
		s.line("%s\n", Line(s.proof.Documents[0].Name))
		s.table(rows)
	}
}

// edges writes the table of the edges that were verified.
func (s *sheet) edges() {
	rows := [][]string{{"edge", "status", "conf.", "cause → effect", "why"}}
	for _, f := range s.proof.Findings {
		if f.Kind != proof.Edge {
			continue
		}
		confidence, why := 0.0, ""
		if f.Confidence != nil {
			confidence = *f.Confidence
		}
		if len(f.Decided) > 0 {
			why = f.Decided[0].Label
		}
		rows = append(rows, []string{Line(f.Label), f.Verdict, fmt.Sprintf("%.2f", confidence), Line(f.Text), why})
	}
	if len(rows) > 1 {
		s.begin()
		s.table(rows)
	}
}

// headings stand above the findings of a kind. Findings of other kinds are part of the answer.
var headings = []struct {
	kind proof.Kind
	text string
}{
	{proof.Claim, "Claims"}, {proof.Reason, "Reasons"}, {proof.Requirement, "Requirements"}, {proof.Term, "Terms"},
}

var signs = map[proof.Tone]string{proof.Good: "✓", proof.Warn: "◐", proof.Bad: "✗", proof.Plain: "•"}

func (s *sheet) findings(kind proof.Kind, heading string) {
	begun := false
	for _, f := range s.proof.Findings {
		if f.Kind != kind || f.Aside {
			continue
		}
		if !begun {
			s.text("## " + heading + "\n")
			begun = true
		}
		s.finding(f)
	}
}

// finding shows a finding after its sign: its name; its text, unless the answer or its quote has
// it; the reasons, unless it holds; and its quotes with their places.
func (s *sheet) finding(f proof.Finding) {
	judged := f.Kind == proof.Claim || f.Kind == proof.Reason
	said := !judged && strings.Contains(s.proof.Answer, strings.Join(strings.Fields(f.Text), " "))
	head := []string{signs[f.Tone]}
	if !judged && f.Label != "" {
		head = append(head, Line(f.Label))
	}
	quotes := f.Quotes
	switch {
	case said && len(quotes) > 0 && quotes[0].Text == f.Text:
		head, quotes = append(head, placeOf(s.proof, quotes[0])), quotes[1:]
	case said:
	case !judged && len(f.Quotes) > 0 && f.Quotes[0].Text == f.Text:
		head, said = append(head, "“"+Line(f.Text)+"”"), true
	default:
		head = append(head, Line(f.Text))
	}
	s.line("%s", strings.Join(head, " "))
	for _, d := range f.Decided {
		if f.Tone == proof.Good && (judged || d.Label == "") {
			continue
		}
		s.line("    %s", Line(strings.TrimPrefix(d.Label+": "+d.Text, ": ")))
	}
	if judged && !s.quotes {
		return
	}
	for _, q := range quotes {
		if said && q.Text == f.Text {
			s.line("    %s", placeOf(s.proof, q))
			continue
		}
		s.line("    %s: “%s”\n      %s", q.Stand, Line(q.Text), placeOf(s.proof, q))
	}
}

// notes lists the notes, by groups.
func (s *sheet) notes() {
	group := ""
	for _, n := range s.proof.Notes {
		if n.Aside && !s.full {
			continue
		}
		if n.Group != group {
			s.text("## " + n.Group + "\n")
			group = n.Group
		}
		if strings.Contains(n.Text, "\n") {
			s.out.WriteString(Markdown(n.Text+"\n\n"+n.Label, s.Options))
			continue
		}
		s.line("• %s", Line(strings.TrimPrefix(n.Label+": "+n.Text, ": ")))
	}
}

// measures writes the lines below an answer: what was checked, the corpus and the model, and how
// the run ended if something is missing.
func (s *sheet) measures() {
	var parts, aside []string
	for _, m := range s.proof.Measures {
		if m.Aside {
			aside = append(aside, m.Words())
		} else {
			parts = append(parts, m.Words())
		}
	}
	if s.proof.Corpus != "" {
		parts = append(parts, "corpus "+s.proof.Corpus)
	}
	if s.proof.Model != "" {
		parts = append(parts, s.proof.Model)
	}
	if spent := s.proof.Cost; s.full && s.proof.Used != "" {
		parts = append(parts, s.proof.Used)
	} else if spent != "" {
		parts = append(parts, spent)
	}
	if len(parts) > 0 {
		s.text(strings.Join(parts, " · "))
	}
	if s.full && len(aside) > 0 {
		s.out.WriteString(Markdown(strings.Join(aside, " · "), s.Options))
	}
	if s.proof.Words != "" {
		s.text(Line(s.proof.Words))
	}
}
