package document

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isNotes reports whether an element contains footnotes, by the roles of the
// digital publishing vocabulary or the class that generators of pages use.
// Such elements are content wherever they stand.
func isNotes(n *html.Node) bool {
	switch attr(n, "role") {
	case "doc-footnote", "doc-endnote", "doc-endnotes":
		return true
	}
	for _, class := range strings.Fields(attr(n, "class")) {
		if class == "footnotes" || class == "footnote" || class == "endnotes" {
			return n.DataAtom != atom.A && n.DataAtom != atom.Sup
		}
	}
	return false
}

// longestMark is the greatest length of a note's mark in bytes.
const longestMark = 6

// noteMark returns the mark of the note that an element refers to, "1" for a raised link within the
// page; false for any other element. Written as text, the mark would join the word before it.
func noteMark(n *html.Node) (string, bool) {
	link := n
	if n.DataAtom == atom.Sup {
		link = nil
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			switch {
			case c.Type == html.ElementNode && c.DataAtom == atom.A && link == nil:
				link = c
			case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "":
			default:
				return "", false
			}
		}
	}
	if link == nil || link.DataAtom != atom.A || !strings.HasPrefix(attr(link, "href"), "#") {
		return "", false
	}
	only := link.FirstChild
	raised := n != link || only != nil && only.NextSibling == nil && only.DataAtom == atom.Sup
	if !raised && attr(link, "role") != "doc-noteref" && !strings.Contains(attr(link, "class"), "footnote-ref") {
		return "", false
	}
	mark := strings.Trim(signText(link), "[]()")
	return mark, mark != "" && len(mark) <= longestMark
}

// isBacklink reports whether a link leads from a note back to the text.
func isBacklink(n *html.Node) bool {
	if n.DataAtom != atom.A || !strings.HasPrefix(attr(n, "href"), "#") {
		return false
	}
	if attr(n, "role") == "doc-backlink" || strings.Contains(attr(n, "class"), "footnote-back") {
		return true
	}
	switch strings.TrimRight(signText(n), "\ufe0e\ufe0f") {
	case "↩", "↑", "^", "⏎":
		return true
	}
	return false
}

// isPermalink reports whether a link is the sign by which a heading or term offers
// its own address, such as "¶".
func isPermalink(n *html.Node) bool {
	if n.DataAtom != atom.A || attr(n, "href") == "" {
		return false
	}
	sign := signText(n)
	if sign == "" || len(sign) > longestMark || strings.ContainsFunc(sign, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) {
		return false
	}
	if (sign == "¶" || sign == "#") && strings.HasPrefix(attr(n, "href"), "#") {
		return true
	}
	for up := n.Parent; up != nil; up = up.Parent {
		switch up.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt, atom.Caption, atom.Figcaption:
			return true
		}
		if isBlock(up.DataAtom) {
			return false
		}
	}
	return false
}

// signText returns the text below a node without white space, as far as it may be the mark of a
// note.
func signText(n *html.Node) string {
	var b strings.Builder
	var read func(n *html.Node)
	read = func(n *html.Node) {
		if n.Type == html.TextNode {
			for field := range strings.FieldsSeq(n.Data) {
				if b.WriteString(field[:min(len(field), 4*longestMark)]); b.Len() > 4*longestMark {
					return
				}
			}
		}
		for c := n.FirstChild; c != nil && b.Len() <= 4*longestMark; c = c.NextSibling {
			read(c)
		}
	}
	read(n)
	return b.String()
}

type itemCount struct {
	next   int
	format string // as in inFormat; empty for a list without numbers
}

func countItems(n *html.Node) itemCount {
	if n.DataAtom != atom.Ol {
		return itemCount{}
	}
	c := itemCount{next: 1, format: "decimal"}
	if start, ok := numberBelow(attr(n, "start"), mostStart); ok {
		c.next = start
	}
	for _, a := range n.Attr {
		if a.Key == "type" { // its case matters
			c.format = cmp.Or(map[string]string{"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}[a.Val], c.format)
		}
	}
	return c
}

func (c *itemCount) sign(item *html.Node) string {
	if c.format == "" {
		return "- "
	}
	if value, ok := numberBelow(attr(item, "value"), mostStart); ok {
		c.next = value
	}
	c.next++
	return inFormat(c.next-1, c.format) + ". "
}
