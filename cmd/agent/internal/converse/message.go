package converse

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/cmd/agent/internal/render"
	"example.com/assay/state/message"
	"example.com/assay/state/proof"
)

// Message writes a proof as a message in Markdown, and returns its citations. The message has the
// answer with its quotes, the findings, and one line on how the answer was made.
func Message(p proof.Proof) (string, []message.Citation) {
	m := &writing{proof: render.OneStep(p)}
	if p.Asked != "" {
		m.note("searched for: " + p.Asked)
	}
	if words := render.SearchedFor(p.Respelt); words != "" {
		m.note(strings.TrimSpace(words))
	}
	if p.Given {
		m.findings()
		if p.Answer != "" {
			m.paragraph("### Response\n\n%s", p.Answer)
		}
	} else {
		m.answer()
		m.findings()
	}
	if len(p.Result) > 0 && string(p.Result) != "null" {
		m.paragraph("```json\n%s\n```", p.Result)
	}
	for _, n := range p.Notes {
		if !n.Aside {
			m.paragraph("%s: %s", n.Group, render.Visible(n.Text))
		}
	}
	said := m.text.String()
	for _, words := range append([]string{p.Words}, p.Warnings...) {
		if words != "" && !strings.Contains(said, words) {
			m.paragraph("%s", render.Visible(words))
		}
	}
	m.measures()
	return strings.TrimSpace(m.text.String()), m.citations
}

// A writing is a message that is being written.
type writing struct {
	proof     proof.Proof
	text      strings.Builder
	citations []message.Citation
	noted     int // length of the text after the last note
}

func (m *writing) printf(format string, args ...any) { fmt.Fprintf(&m.text, format, args...) }

// paragraph begins a paragraph.
func (m *writing) paragraph(format string, args ...any) {
	if n := m.text.Len(); n > 0 {
		m.text.WriteString(strings.Repeat("\n", 2-min(2, n-len(strings.TrimRight(m.text.String(), "\n")))))
	}
	m.printf(format, args...)
}

// note adds a line in italics. Notes in a row are lines of one paragraph.
func (m *writing) note(line string) {
	if m.noted > 0 && m.noted == m.text.Len() {
		m.printf("  \n") // Markdown's line break
	} else {
		m.paragraph("")
	}
	m.printf("*%s*", render.Line(line))
	m.noted = m.text.Len()
}

// answer writes the text of the answer. Its quotes become citations, and the passages that it
// cites are listed below.
func (m *writing) answer() {
	if m.proof.Answer == "" {
		return
	}
	m.paragraph("")
	from := m.text.Len()
	m.printf("%s", m.proof.Answer)
	for _, f := range m.proof.Findings {
		for _, q := range f.Quotes {
			if at := strings.Index(m.text.String()[from:], render.OneLine(q.Text)); f.Span != nil && at >= 0 {
				m.cite(from+at, from+at+len(render.OneLine(q.Text)), q)
				from += at + len(render.OneLine(q.Text))
			}
		}
	}
	var cited []string
	for _, s := range m.proof.Passages {
		if len(s.Marks) > 0 && strings.Contains(m.proof.Answer, s.Marks[0]) {
			at := fmt.Sprintf("bytes %d–%d", s.Start, s.End)
			if s.Doc >= 0 && s.Doc < len(m.proof.Documents) {
				at = render.Line(m.proof.Documents[s.Doc].Name) + ", " + at
			}
			cited = append(cited, fmt.Sprintf("- %s %s (%s)", s.Marks[0], render.Line(s.Where), at))
		}
	}
	if len(cited) > 0 {
		m.paragraph("### Sources\n\n%s", strings.Join(cited, "\n"))
	}
}

// cite adds a citation: the bytes that a part of the message quotes.
func (m *writing) cite(start, end int, q proof.Quote) {
	text := m.text.String()
	c := message.Citation{Type: "citation", CitedText: q.Text, Start: q.Start, End: q.End, StartIndex: utf8.RuneCountInString(text[:start])}
	c.EndIndex = c.StartIndex + utf8.RuneCountInString(text[start:end])
	if q.Doc >= 0 && q.Doc < len(m.proof.Documents) {
		d := m.proof.Documents[q.Doc]
		c.Title, c.Doc, c.Path = d.Name, d.Name, d.Path
	}
	for _, s := range m.proof.Passages {
		if s.Doc == q.Doc && s.Start <= q.Start && q.End <= s.End {
			c.Title = s.Where
		}
	}
	m.citations = append(m.citations, c)
}

// quoted writes a quote with its place.
func (m *writing) quoted(q proof.Quote) {
	m.printf("“")
	at := m.text.Len()
	m.printf("%s”", render.OneLine(q.Text))
	m.cite(at, at+len(render.OneLine(q.Text)), q)
	m.printf(" (%s, bytes %d–%d)", m.citations[len(m.citations)-1].Title, q.Start, q.End)
}

// headings stand above the findings of a kind. Findings of other kinds are part of the answer.
var headings = []struct {
	kind proof.Kind
	text string
}{
	{proof.Claim, "Claims"}, {proof.Reason, "Reasons"}, {proof.Requirement, "Requirements"}, {proof.Edge, "Edges"}, {proof.Term, "Terms"},
}

// findings lists the findings. It leaves out an answer's own claims that hold.
func (m *writing) findings() {
	m.fields()
	for _, h := range headings {
		listed := slices.DeleteFunc(slices.Clone(m.proof.Findings), func(f proof.Finding) bool {
			own := (f.Kind == proof.Claim || f.Kind == proof.Reason) && !m.proof.Given
			return f.Kind != h.kind || f.Aside || own && f.Tone == proof.Good
		})
		for i, f := range listed {
			if i == 0 {
				m.paragraph("### %s\n", h.text)
			}
			m.finding(f)
		}
	}
}

var signs = map[proof.Tone]string{proof.Good: "✓ ", proof.Warn: "◐ ", proof.Bad: "✗ "}

func (m *writing) finding(f proof.Finding) {
	m.printf("\n- ")
	verdict, quotes, judged := f.Verdict, f.Quotes, f.Kind == proof.Claim || f.Kind == proof.Reason
	if f.Confidence != nil && !judged {
		verdict += fmt.Sprintf(", confidence %.2f", *f.Confidence)
	}
	switch {
	case !judged && len(quotes) > 0 && quotes[0].Text == f.Text:
		m.printf("**%s** ", f.Label)
		m.quoted(quotes[0])
		quotes = quotes[1:]
	case judged:
		m.printf("%s%s: %s", signs[f.Tone], verdict, render.Line(f.Text))
	case verdict == "":
		m.printf("**%s**", render.Line(f.Text))
	default:
		m.printf("**%s**: %s", render.Line(f.Text), verdict)
	}
	if f.Tone != proof.Good {
		for _, d := range f.Decided {
			m.printf(" (%s)", render.Line(strings.TrimPrefix(d.Label+": "+d.Text, ": ")))
		}
	}
	for _, q := range quotes {
		m.printf("\n  - ")
		if q.Stand == proof.Against || judged {
			m.printf("%s: ", q.Stand)
		}
		m.quoted(q)
	}
}

// fields writes a table of the fields that were read.
func (m *writing) fields() {
	begun := false
	for _, f := range m.proof.Findings {
		if f.Kind != proof.Field {
			continue
		}
		if !begun {
			m.paragraph("| Field | Value | Confidence | Read |\n|---|---|---|---|\n")
			begun = true
		}
		m.printf("| %s | %s | %.2f | ", cell(f.Label), cell(f.Text), *f.Confidence)
		if len(f.Quotes) == 0 {
			m.printf("%s |\n", f.Verdict)
			continue
		}
		q := f.Quotes[0]
		m.printf("“")
		at := m.text.Len()
		m.printf("%s”", cell(q.Text))
		m.cite(at, at+len(cell(q.Text)), q)
		m.printf(" bytes %d–%d |\n", q.Start, q.End)
	}
}

// cell shows a value in a cell of a table.
func cell(s string) string { return strings.ReplaceAll(render.Line(s), "|", `\|`) }

// measures writes the line on how the answer was made.
func (m *writing) measures() {
	var parts []string
	for _, x := range m.proof.Measures {
		if !x.Aside && !x.Usual {
			parts = append(parts, x.Words())
		}
	}
	if m.proof.Corpus != "" {
		parts = append(parts, "corpus "+m.proof.Corpus)
	}
	if m.proof.Model != "" {
		parts = append(parts, "model "+m.proof.Model)
	}
	if m.proof.Cost != "" {
		parts = append(parts, m.proof.Cost)
	}
	if len(parts) > 0 {
		m.note(strings.Join(parts, " · "))
	}
}
