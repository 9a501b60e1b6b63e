package document

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// parseHTML extracts the main content: one line per heading, paragraph, list
// item and table row, a blank line between paragraphs.
func parseHTML(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	page, root, err := parsePage(ctx, d.Path, raw)
	if err != nil {
		return err
	}
	w := htmlWriter{page: page}
	w.content(root)
	d.Text, d.Blocks = w.out.String(), w.blocks
	d.Title, d.Metadata = page.title(root), page.declared(root)
	return nil
}

func (w *htmlWriter) content(root *html.Node) {
	w.walk(w.page.body(root))
	w.endBlock()
}

func (p *htmlPage) inlineText(n *html.Node) string {
	w := htmlWriter{page: p, inline: true}
	w.children(n)
	return strings.TrimSpace(w.out.String())
}

// An htmlWriter writes the text of a tree and records its blocks. White space is folded as in a
// browser: a run becomes one space; none is added or lost between inline elements.
type htmlWriter struct {
	page     *htmlPage
	out      strings.Builder
	blocks   []Block
	sections outline
	like     Block
	start    int        // of the open block
	first    *html.Node // the element in which the open block's text begins
	links    []string   // the texts of the open block's links, the first of them
	space    bool       // a space is due before the next word
	inline   bool       // write one line, note no blocks
	pre      int        // depth of preformatted elements
	depth    int        // of lists
	marked   bool       // the line has only the mark of a list item
	script   script     // of the text being written
	mail     bool       // the quoted text is an earlier mail
	office   bool       // the document is an office file, not a page
	items    itemCount  // of the innermost list
	outer    *entry     // of the description list around the innermost one
	termed   bool       // the last item of the innermost description list was a term
	parts    []Block    // terms and descriptions of the open block
}

// mostLinks is the number of links whose texts are recorded per block.
const mostLinks = 20

// endBlock closes the open block and leaves a blank line after it.
func (w *htmlWriter) endBlock() {
	w.space = false
	if w.inline {
		w.space = w.out.Len() > 0
		return
	}
	if w.marked { // the start of the list item
		return
	}
	s := w.out.String()
	n := len(w.blocks)
	w.like.Element, w.like.links = w.page.of(w.first), w.links
	w.blocks = appendBlock(w.blocks, s, w.start, len(s), w.like)
	if len(w.blocks) > n {
		w.blocks[n].Blocks = w.parts
	}
	w.first, w.links, w.parts = nil, nil, nil
	if len(w.blocks) > n {
		w.like.joins = joinsNothing
	}
	if len(w.blocks) > n || w.start < len(s) {
		w.newline()
		w.out.WriteByte('\n')
	}
	w.start = w.out.Len()
}

// newline ends the line that is being written, if it has any text.
func (w *htmlWriter) newline() {
	w.space = false
	if w.inline {
		w.space = w.out.Len() > 0
		return
	}
	if s := w.out.String(); len(s) > w.start && s[len(s)-1] != '\n' && !w.marked {
		w.out.WriteByte('\n')
	}
}

func (w *htmlWriter) text(s string) {
	s = strings.ReplaceAll(s, "\u00ad", "") // soft hyphens are not text
	if w.pre > 0 && !w.inline {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		w.out.WriteString(s)
		w.marked = false
		return
	}
	if w.script != onLine {
		before := w.out.String()
		if s = scripted(s, w.script, before[min(w.start, len(before)):]); w.space {
			s = strings.TrimLeft(s, " ")
		}
	}
	for _, r := range s {
		w.page.step()
		// Folded are ASCII's spaces and the no-break space, which pages use
		// for layout.
		if r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' || r == '\u00a0' {
			w.space = true
			continue
		}
		w.flushSpace()
		w.out.WriteRune(r)
		w.marked = false
	}
}

func (w *htmlWriter) flushSpace() {
	if w.space && w.out.Len() > w.start {
		if last, _ := utf8.DecodeLastRuneInString(w.out.String()); !unicode.IsSpace(last) {
			w.out.WriteByte(' ')
		}
	}
	w.space = false
}

// mark writes the mark of a list item or table cell.
func (w *htmlWriter) mark(s string) {
	if !w.inline {
		w.out.WriteString(s)
	}
	w.space = false
}

func (w *htmlWriter) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.walk(c)
	}
}

// walk writes a node. The parser bounds the depth of a tree.
func (w *htmlWriter) walk(n *html.Node) {
	w.page.step()
	switch {
	case n.Type == html.TextNode:
		if w.first == nil && strings.TrimSpace(n.Data) != "" {
			w.first = n.Parent
		}
		w.text(n.Data)
		return
	case n.Type != html.ElementNode:
		w.children(n)
		return
	case w.page.hidden(n):
		return
	}
	if mark, ok := noteMark(n); ok {
		w.text("[" + mark + "]")
		return
	}
	if n.Namespace == "math" && w.math(n) {
		return
	}
	switch n.DataAtom {
	case atom.Sup, atom.Sub:
		outer := w.script
		if w.script = above; n.DataAtom == atom.Sub {
			w.script = below
		}
		w.children(n)
		w.script = outer
	case atom.Details:
		sections := w.sections
		w.sections.headings = slices.Clone(w.sections.headings)
		w.apart(n)
		if w.sections.section != sections.section {
			w.like.Group++
		}
		w.sections, w.like.Section = sections, sections.String()
	case atom.Summary:
		w.heading(n)
	case atom.Blockquote:
		outer := w.like.Kind
		w.endBlock()
		if w.mail {
			w.like.Kind = state.BlockQuoted
			w.like.Group++
			defer func() { w.like.Group++ }()
		}
		w.children(n)
		w.endBlock()
		w.like.Kind = outer
	case atom.A:
		from := w.out.Len()
		w.children(n)
		if w.out.Len() > from && len(w.links) < mostLinks {
			w.links = append(w.links, text.Clip(strings.TrimSpace(w.out.String()[from:]), longestHeader))
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heading(n)
	case atom.Br:
		w.newline()
	case atom.Hr:
		w.endBlock()
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu:
		w.list(n)
	case atom.Dt, atom.Dd:
		if w.page.hasText(n) {
			w.description(n)
		}
	case atom.Li:
		if !w.page.hasText(n) {
			return
		}
		w.newline()
		w.mark(w.items.sign(n))
		w.marked = true
		w.children(n)
		w.newline()
	case atom.Table:
		w.table(n)
	case atom.Td, atom.Th:
		if w.inline {
			w.space = true
			w.children(n)
			w.space = true
			return
		}
		w.apart(n)
	case atom.Pre:
		w.endBlock()
		w.pre++
		w.like.ByLine, w.like.joins = true, joinsAlways
		w.children(n)
		w.endBlock()
		w.like.ByLine, w.like.joins = false, joinsNothing
		w.pre--
	default:
		if !isBlock(n.DataAtom) {
			w.children(n)
			return
		}
		if w.depth > 0 { // a paragraph inside a list item
			w.newline()
			w.children(n)
			w.newline()
			return
		}
		w.apart(n)
	}
}

func (w *htmlWriter) apart(n *html.Node) {
	w.endBlock()
	w.children(n)
	w.endBlock()
}

// heading writes a heading's line between blocks and opens its section.
func (w *htmlWriter) heading(n *html.Node) {
	if w.inline {
		w.text(" ")
		w.children(n)
		w.text(" ")
		return
	}
	title := caption(w.page.inlineText(n))
	w.endBlock()
	w.marked = false
	if title != "" {
		w.out.WriteString(title)
		w.out.WriteString("\n\n")
	}
	w.start, w.first, w.links = w.out.Len(), nil, nil
	level := 7 // of the content under a summary
	if n.DataAtom != atom.Summary {
		level = int(n.Data[1] - '0')
	}
	w.sections.add(level, title)
	w.like.Section = w.sections.String()
	w.like.Group++
}

// list writes a list as one block, its items as lines; each entry of a description
// list is a block of its own. A nested list stays in the block of the outer one.
func (w *htmlWriter) list(n *html.Node) {
	if w.depth == 0 {
		w.endBlock()
		w.like.joins = joinsColon
	}
	w.newline()
	w.depth++
	items, outer, termed, within := w.items, w.outer, w.termed, w.like.entry
	w.items, w.outer, w.termed = countItems(n), within, false
	w.children(n)
	w.items, w.outer, w.termed = items, outer, termed
	if w.like.entry != within {
		w.endBlock()
		w.like.entry = within
	}
	w.depth--
	w.newline()
	if w.depth == 0 {
		w.endBlock()
		w.like.joins = joinsNothing
	}
}

// description writes a term or a description as a line. A term opens an entry;
// terms that follow each other share one.
func (w *htmlWriter) description(n *html.Node) {
	if n.DataAtom == atom.Dt && !w.inline {
		head := w.page.inlineText(n)
		if w.termed {
			head = w.like.entry.head + ", " + head
		} else {
			w.endBlock()
		}
		w.like.entry = w.outer.open(head)
	}
	w.termed = n.DataAtom == atom.Dt && !w.inline
	termed, entry := w.termed, w.like.entry
	w.newline()
	from, blocks := w.out.Len(), len(w.blocks)
	w.children(n)
	w.newline()
	if w.termed = termed; len(w.blocks) > blocks || w.inline || entry == nil { // it has nested blocks
		return
	}
	like := Block{Kind: state.BlockDefinition, Label: entry.head}
	if termed {
		like = Block{Kind: state.BlockHeading}
	}
	w.parts = appendBlock(w.parts, w.out.String(), from, w.out.Len(), like)
}

func isBlock(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Body, atom.Html,
		atom.Blockquote, atom.Figure, atom.Figcaption, atom.Address, atom.Details, atom.Summary,
		atom.Fieldset, atom.Legend, atom.Form, atom.Center, atom.Dialog, atom.Caption, atom.Thead,
		atom.Tbody, atom.Tfoot, atom.Ul, atom.Ol, atom.Dl, atom.Li, atom.Dt, atom.Dd, atom.Table, atom.Tr,
		atom.Pre, atom.Hr, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Hgroup, atom.Menu, atom.Option:
		return true
	}
	return false
}
