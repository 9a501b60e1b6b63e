package document

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode"

	"example.com/assay/memory/text"
)

// A docxWriter writes the text of a Word document and records its blocks.
type docxWriter struct {
	officeWriter
	styles map[string]docxStyle
	list   numbering
	paged  bool // the document notes where pages end
	page   int  // from 0
	items  bool // the open block is a list

	title, firstHeading, declared string

	para   []*docxPara  // open paragraphs: a text box is one inside another
	tables []*docxTable // open tables, one inside another
	inT    bool

	noted  []docxNote
	noteAt map[docxRef][]int // places in noted
}

type docxPara struct {
	text    strings.Builder
	style   string
	outline int // 1 to 9, 10 for body text, 0 for that of the style
	number  string
	level   int
	leveled bool
	page    int

	in     bool // inside a run; the next fields belong to it
	hidden bool
	bold   bool
	script script
	plain  bool // some of the text is not bold

	base script             // of the runs of a formula
	math []*strings.Builder // halves of fractions, one inside another
	over []string           // the numerators of open fractions
}

func (p *docxPara) out() *strings.Builder {
	if n := len(p.math); n > 0 {
		return p.math[n-1]
	}
	return &p.text
}

// endHalf ends the numerator or denominator of a fraction, which is written after both have ended.
func (p *docxPara) endHalf(under bool) {
	n, m := len(p.math), len(p.over)
	if n == 0 {
		return
	}
	s := p.math[n-1].String()
	p.math = p.math[:n-1]
	switch {
	case !under:
		p.over = append(p.over, s)
	case m > 0:
		p.over = p.over[:m-1]
		p.out().WriteString(fraction(p.over[:m][m-1], s))
	default:
		p.out().WriteString(s)
	}
}

type docxTable struct {
	grid  grid
	cells [][]docxLine // of the rows before the open one
	row   gridRow
	below bool // the open cell continues the one above
	lines []docxLine
}

type docxLine struct {
	text   string
	level  int // of a heading
	listed bool
	page   int
}

type docxNote struct {
	section string
	page    int
	text    string
}

type docxRef struct{ kind, id string }

// leftOut are elements whose text is not the document's: earlier places of moved text, fallbacks
// for older programs, phonetic guides, comments.
var leftOut = text.Set(`moveFrom del Fallback rt annotationRef sectPr instrText delText`)

// shown calls fn for the tokens of a part outside of skipped elements.
func shown(part io.Reader, fn func(xml.Token)) error {
	skip := 0
	return tokens(part, func(t xml.Token) error {
		e, begins := t.(xml.StartElement)
		_, ends := t.(xml.EndElement)
		switch {
		case begins && (skip > 0 || leftOut[e.Name.Local]):
			skip++
		case skip == 0:
			fn(t)
		case ends:
			skip--
		}
		return nil
	})
}

func (w *docxWriter) body(part io.Reader) error {
	return shown(part, func(t xml.Token) {
		switch e := t.(type) {
		case xml.StartElement:
			w.open(e)
		case xml.EndElement:
			w.close(e.Name.Local)
		case xml.CharData:
			if !w.inT || len(w.para) == 0 || w.top().hidden {
				return
			}
			p, s := w.top(), string(e)
			if p.script != onLine {
				s = scripted(s, p.script, p.out().String())
			}
			p.plain = p.plain || !p.bold && strings.TrimSpace(s) != ""
			p.out().WriteString(s)
		}
	})
}

func (w *docxWriter) top() *docxPara { return w.para[len(w.para)-1] }

func (w *docxWriter) open(e xml.StartElement) {
	val := attribute(e, "val")
	switch e.Name.Local {
	case "p":
		w.para = append(w.para, &docxPara{page: w.page})
		return
	case "tbl":
		w.tables = append(w.tables, &docxTable{})
		return
	case "lastRenderedPageBreak":
		w.paged = true
		w.page++
		if len(w.para) > 0 && strings.TrimSpace(w.top().text.String()) == "" {
			w.top().page = w.page
		}
		return
	case "t":
		w.inT = true
		return
	}
	if t := w.table(); t != nil {
		t.open(e, w.page)
	}
	if len(w.para) == 0 {
		return
	}
	p := w.top()
	switch e.Name.Local {
	case "r":
		p.in, p.hidden, p.bold, p.script = true, false, false, p.base
	case "rStyle":
		if style := w.styles[val]; p.in {
			p.hidden, p.script = style.hidden, style.script
		}
	case "vanish":
		p.hidden = p.in && isOn(val)
	case "b":
		p.bold = p.in && isOn(val)
	case "vertAlign":
		if p.in {
			p.script = scriptOf(val)
		}
	case "sup":
		p.base = above
	case "sub":
		p.base = below
	case "num", "den":
		p.math = append(p.math, new(strings.Builder))
	case "sym":
		p.out().WriteString(symbol(attribute(e, "char")))
	case "pStyle":
		p.style = val
	case "outlineLvl":
		if p.outline = outlineLevel(val); p.outline == 0 {
			p.outline = 10
		}
	case "numId":
		p.number = val
	case "ilvl":
		p.level, p.leveled = levelOf(val), true
	case "tab", "ptab":
		p.out().WriteByte('\t')
	case "br", "cr":
		p.out().WriteByte('\n')
	case "noBreakHyphen":
		p.out().WriteByte('-')
	case "footnoteReference", "endnoteReference":
		ref := docxRef{strings.TrimSuffix(e.Name.Local, "Reference"), attribute(e, "id")}
		w.noteAt[ref] = append(w.noteAt[ref], len(w.noted))
		w.noted = append(w.noted, docxNote{section: w.w.sections.String(), page: w.page})
		fmt.Fprintf(p.out(), "[%d]", len(w.noted))
	}
}

func (w *docxWriter) close(name string) {
	switch name {
	case "t":
		w.inT = false
	case "p":
		if n := len(w.para); n > 0 {
			p := w.para[n-1]
			w.para = w.para[:n-1]
			w.paragraph(p)
		}
	case "r":
		if len(w.para) > 0 {
			w.top().in = false
		}
	case "sup", "sub":
		if len(w.para) > 0 {
			w.top().base = onLine
		}
	case "num", "den":
		if len(w.para) > 0 {
			w.top().endHalf(name == "den")
		}
	case "tc":
		if t := w.table(); t != nil {
			t.closeCell()
		}
	case "tr":
		if t := w.table(); t != nil {
			t.grid.rows, t.row = append(t.grid.rows, t.row), gridRow{}
		}
	case "tbl":
		if n := len(w.tables); n > 0 {
			t := w.tables[n-1]
			if w.tables = w.tables[:n-1]; n > 1 {
				w.tables[n-2].row.inner = append(w.tables[n-2].row.inner, &t.grid)
				return
			}
			w.writeTable(t)
		}
	}
}

func (w *docxWriter) paragraph(p *docxPara) {
	p.math = nil
	p.text.WriteString(strings.Join(p.over, " "))
	lines := strings.Split(wellFormed(p.text.String()), "\n")
	for i, line := range lines {
		lines[i] = gapped(line)
	}
	said := strings.TrimSpace(strings.Join(lines, "\n"))
	style := resolveStyle(w.styles, p.style)
	if p.number != "" {
		style.number = p.number
	}
	if p.leveled {
		style.level = p.level
	}
	if p.outline > 0 {
		style.outline = p.outline
	}
	if said == "" || strings.HasPrefix(style.name, "toc ") {
		return
	}
	sign, listed := w.list.next(style.number, style.level)
	switch {
	case w.table() != nil:
		w.table().add(docxLine{text.OneLine(sign + said), style.outline % 10, listed, p.page}, !p.plain)
	case style.outline > 0 && style.outline < 10:
		w.heading(style.outline, text.OneLine(strings.TrimPrefix(sign, "- ")+said))
	case style.name == "title" && w.title == "":
		w.title = text.OneLine(said)
		w.line(w.title)
	case listed:
		w.item(sign+text.OneLine(said), p.page)
	default:
		w.block(said, p.page)
	}
}

// gapped folds white space to single spaces, and to two where it separates parts of a line, as on a
// form aligned with spaces or tabs.
func gapped(line string) string {
	var b strings.Builder
	first := true
	for rest := strings.TrimSpace(line); rest != ""; {
		word, more := rest, ""
		if n := strings.IndexFunc(rest, unicode.IsSpace); n >= 0 {
			word, more = rest[:n], rest[n:]
		}
		b.WriteString(word)
		rest = strings.TrimLeftFunc(more, unicode.IsSpace)
		switch gap := more[:len(more)-len(rest)]; {
		case gap == "":
		case first && strings.Contains(gap, "\t") && markOf(word+" X", nil).number != "": // "7.2" and its text
			b.WriteByte(' ')
		case len(gap) > 2 || strings.Contains(gap, "\t"):
			b.WriteString("  ")
		default:
			b.WriteByte(' ')
		}
		first = false
	}
	return b.String()
}

func (w *docxWriter) heading(level int, title string) {
	w.firstHeading = cmp.Or(w.firstHeading, title)
	w.line(title)
	w.w.sections.add(level, title)
	w.w.like.Section = w.w.sections.String()
	w.w.like.Group++
}

// line writes a line that is in no block.
func (w *docxWriter) line(s string) {
	w.endList()
	w.w.out.WriteString(s + "\n\n")
	w.w.start = w.w.out.Len()
}

// endList ends the list that is open.
func (w *docxWriter) endList() {
	w.w.endBlock()
	w.items, w.w.like.ByLine = false, false
}

// item adds an item to the list that is open, or begins one.
func (w *docxWriter) item(s string, page int) {
	if w.items && w.w.like.Page == page+1 {
		w.w.out.WriteByte('\n')
	} else {
		w.begin(page)
		w.items, w.w.like.ByLine = true, true
	}
	w.w.out.WriteString(s)
}

func (w *docxWriter) block(s string, page int) {
	w.begin(page)
	w.w.out.WriteString(s)
	w.w.endBlock()
}

// begin begins a block on a page. A passage lies on one page.
func (w *docxWriter) begin(page int) {
	w.endList()
	w.w.like.Page = page + 1
	if n := len(w.w.blocks); n > 0 && w.w.blocks[n-1].Page != w.w.like.Page {
		w.w.like.Group++
	}
}
