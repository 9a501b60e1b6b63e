package document

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// parseMarkdown finds headings and blocks; the text stays the file's bytes.
// Only block structure is parsed: links, their definitions and emphasis do not
// matter to offsets, and take quadratic time where the file is hostile.
func parseMarkdown(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	d.Text, d.Plain = string(raw), true
	base := bodyStart(d.Text)
	length, declared := frontMatter(d.Text[base:])
	d.Title = declaredTitle(declared)
	delete(declared, "title")
	d.Metadata = declared
	base += length
	nodes := topLevel(ctx, raw[base:], base)
	var sections outline
	first := "" // heading of the first level
	group := 0
	for i, n := range nodes {
		end := len(raw)
		if i+1 < len(nodes) {
			end = nodes[i+1].start
		}
		if n.kind == ast.KindHeading {
			title := headingText(n.title)
			if n.level == 1 && first == "" {
				first = title
			}
			sections.add(n.level, title)
			group++
			n.start = headingEnd(d.Text, n)
			n.kind = ast.KindParagraph // of following text that is not a separate block
		}
		if n.kind == ast.KindThematicBreak {
			n.start = lineEnd(d.Text, n.start)
		}
		like := Block{Group: group, Section: sections.String()}
		switch n.kind {
		case ast.KindCodeBlock, ast.KindFencedCodeBlock, extast.KindTable:
			like.ByLine = true
		}
		d.Blocks = appendBlock(d.Blocks, d.Text, n.start, end, like)
	}
	d.Title = cmp.Or(d.Title, first)
	return nil
}

// declaredTitle returns the declared citation title, else the declared title. It precedes the first
// heading, which passages have in their section anyway.
func declaredTitle(declared metadata) string {
	title, citation := declared["title"], declared["citation"]
	switch {
	case citation == "" || strings.Contains(title, citation):
		return title
	case title == "":
		return citation
	}
	return citation + ", " + title
}

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
func topLevel(ctx context.Context, body []byte, base int) []mdNode {
	p := parser.NewParser(
		parser.WithBlockParsers(mdParsers...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
	)
	root := p.Parse(mdReader{gtext.NewReader(body), &watch{ended: ctx.Err}})
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

// mdParsers are the library's own, with a bound to how deep blocks are nested: its
// time grows with the depth times the length.
var mdParsers = []util.PrioritizedValue{
	util.Prioritized(parser.NewSetextHeadingParser(), 100),
	util.Prioritized(parser.NewThematicBreakParser(), 200),
	util.Prioritized(shallow{parser.NewListParser()}, 300),
	util.Prioritized(parser.NewListItemParser(), 400),
	util.Prioritized(parser.NewCodeBlockParser(), 500),
	util.Prioritized(parser.NewATXHeadingParser(), 600),
	util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
	util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
	util.Prioritized(parser.NewHTMLBlockParser(), 900),
	util.Prioritized(parser.NewParagraphParser(), 1000),
}

// deepestMarkdown is the greatest nesting of lists and quotes. Deeper ones are text of the
// innermost.
const deepestMarkdown = 24

type shallow struct{ parser.BlockParser }

func (s shallow) Open(parent ast.Node, reader gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	depth := 0
	for n := parent; n != nil && depth < deepestMarkdown; n = n.Parent() {
		depth++
	}
	if depth == deepestMarkdown {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// An mdReader stops the parser once its context has ended.
type mdReader struct {
	gtext.Reader
	watch *watch
}

func (r mdReader) PeekLine() ([]byte, gtext.Segment) {
	r.watch.step()
	return r.Reader.PeekLine()
}

var atx = pattern.New(`^ {0,3}#{1,6}([ \t\r\n]|$)`)

// headingEnd returns the offset after the line, or the underline, that ends a heading.
func headingEnd(s string, n mdNode) int {
	if n.last == 0 || atx.MatchString(s[n.start:lineEnd(s, n.start)]) {
		return lineEnd(s, n.start)
	}
	end := n.last
	if end == 0 || s[end-1] != '\n' {
		end = lineEnd(s, end)
	}
	return lineEnd(s, end)
}

// lineEnd returns the offset after the next line break.
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(s)
}

var (
	mdLink     = pattern.New(`!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`)
	mdMarks    = pattern.New("\\*+|`+|~~|\\b_+|_+\\b")
	mdEscape   = pattern.New(`\\([[:punct:]])`)
	mdAttrs    = pattern.New(`\s*\{[#.][^{}]*\}\s*$`)
	mdComments = pattern.New(`<!--.*?-->`)
)

// headingText removes the usual markup of a heading.
func headingText(s string) string {
	if !strings.ContainsAny(s, "<{[*`~_\\") {
		return text.OneLine(s)
	}
	s = mdComments.ReplaceAllString(s, "")
	s = mdAttrs.ReplaceAllString(s, "")
	s = mdLink.ReplaceAllString(s, "$1")
	s = mdMarks.ReplaceAllString(s, "")
	s = mdEscape.ReplaceAllString(s, "$1")
	return text.OneLine(s)
}
