package document

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// parseMarkdown finds headings and blocks; the text stays the file's bytes.
// Only block structure is parsed: links and emphasis do not matter to
// offsets, and their parsing is where hostile markdown takes quadratic time.
func parseMarkdown(d *Document, raw []byte) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	d.Text, d.Plain = string(raw), true
	base := bodyStart(d.Text)
	length, declared := frontMatter(d.Text[base:])
	title := declared["title"]
	delete(declared, "title")
	d.Metadata = declared
	base += length
	nodes := topLevel(raw[base:], base)

	var sections outline
	group := 0
	for i, n := range nodes {
		end := len(raw)
		if i+1 < len(nodes) {
			end = nodes[i+1].start
		}
		if n.kind == ast.KindHeading {
			title := headingText(n.title)
			if n.level == 1 && d.Title == "" {
				d.Title = title
			}
			sections.add(n.level, title)
			group++
			n.start = headingEnd(raw, n)
			n.kind = ast.KindParagraph // what follows without being a block of its own: link definitions
		}
		if n.kind == ast.KindThematicBreak {
			n.start = lineEnd(raw, n.start)
		}
		like := Block{Group: group, Section: sections.String()}
		switch n.kind {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, extast.KindTable:
			like.ByLine = true
		}
		d.Blocks = appendBlock(d.Blocks, d.Text, n.start, end, like)
	}
	if d.Title == "" {
		d.Title = title
	}
	return nil
}

// A mdNode is a block at the top level of a markdown file.
type mdNode struct {
	start int // of its first line
	kind  ast.NodeKind
	level int    // of a heading
	title string // source text of a heading
	last  int    // end of a heading's last text line; 0 when it has no text
}

// topLevel returns the blocks of body in order. Offsets are moved by base.
// The first starts where the body does and every other ends where the next
// starts, so nothing falls between them.
func topLevel(body []byte, base int) []mdNode {
	p := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(
			append(parser.DefaultParagraphTransformers(),
				util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
	)
	root := p.Parse(gtext.NewReader(body))
	nodes := []mdNode{{start: base, kind: ast.KindParagraph}}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		pos := n.Pos()
		if pos < 0 || pos > len(body) {
			continue // it then belongs to the block before it
		}
		node := mdNode{start: base + bytes.LastIndexByte(body[:pos], '\n') + 1, kind: n.Kind()}
		if node.start < nodes[len(nodes)-1].start {
			continue
		}
		if h, ok := n.(*ast.Heading); ok {
			node.level = h.Level
			lines := h.Lines()
			var b strings.Builder
			for i := range lines.Len() {
				seg := lines.At(i)
				b.Write(seg.Value(body))
				b.WriteByte(' ')
				node.last = base + seg.Stop
			}
			node.title = b.String()
		}
		nodes = append(nodes, node)
	}
	return nodes
}

var atx = regexp.MustCompile(`^ {0,3}#{1,6}([ \t\r\n]|$)`)

// headingEnd returns the offset behind the line, or behind the underline,
// that ends a heading.
func headingEnd(raw []byte, n mdNode) int {
	if n.last == 0 || atx.Match(raw[n.start:lineEnd(raw, n.start)]) {
		return lineEnd(raw, n.start)
	}
	end := n.last
	if end == 0 || raw[end-1] != '\n' {
		end = lineEnd(raw, end)
	}
	return lineEnd(raw, end)
}

// lineEnd returns the offset behind the line break that follows offset i.
func lineEnd(raw []byte, i int) int {
	if n := bytes.IndexByte(raw[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(raw)
}

var (
	mdLink     = regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	mdMarks    = regexp.MustCompile("\\*+|`+|~~|\\b_+|_+\\b")
	mdEscape   = regexp.MustCompile(`\\([[:punct:]])`)
	mdAttrs    = regexp.MustCompile(`\s*\{[#.][^{}]*\}\s*$`)
	mdComments = regexp.MustCompile(`<!--.*?-->`)
)

// headingText strips the markup that a heading commonly holds.
func headingText(s string) string {
	s = mdComments.ReplaceAllString(s, "")
	s = mdAttrs.ReplaceAllString(s, "")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdMarks.ReplaceAllString(s, "")
	s = mdEscape.ReplaceAllString(s, "$1")
	return strings.Join(strings.Fields(s), " ")
}

// An outline is the path of headings above a place.
type outline []struct {
	level int
	title string
}

// add puts a heading below the nearest one of a lower level.
func (o *outline) add(level int, title string) {
	path := *o
	for len(path) > 0 && path[len(path)-1].level >= level {
		path = path[:len(path)-1]
	}
	*o = append(path, struct {
		level int
		title string
	}{level, title})
}

// String joins the titles that are not empty, outermost first.
func (o outline) String() string {
	titles := make([]string, 0, len(o))
	for _, h := range o {
		if h.title != "" {
			titles = append(titles, h.title)
		}
	}
	return strings.Join(titles, " > ")
}
