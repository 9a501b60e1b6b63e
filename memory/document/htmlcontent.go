package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mainContent returns the page's <main>, else its only <article>, else its
// body.
func (p *htmlPage) mainContent(root *html.Node) *html.Node {
	if n := p.find(root, func(n *html.Node) bool {
		return n.DataAtom == atom.Main || attr(n, "role") == "main"
	}); n != nil {
		return n
	}
	isArticle := func(n *html.Node) bool { return n.DataAtom == atom.Article }
	if n := p.find(root, isArticle); n != nil {
		others := 0
		p.find(root, func(m *html.Node) bool {
			if m != n && isArticle(m) {
				others++
			}
			return false
		})
		if others == 0 {
			return n
		}
	}
	if n := p.find(root, func(n *html.Node) bool { return n.DataAtom == atom.Body }); n != nil {
		return n
	}
	return root
}

// find returns the first element in document order that is wanted, or nil.
func (p *htmlPage) find(n *html.Node, wanted func(*html.Node) bool) *html.Node {
	p.step()
	if n.Type == html.ElementNode && wanted(n) {
		return n
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if got := p.find(c, wanted); got != nil {
			return got
		}
	}
	return nil
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == key {
			return strings.ToLower(strings.TrimSpace(a.Val))
		}
	}
	return ""
}

// hasText reports whether a node shows any text.
func (p *htmlPage) hasText(n *html.Node) bool {
	p.step()
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	return (n.Type != html.ElementNode || !p.hidden(n)) && p.hasTextBelow(n)
}

// hasTextBelow is hasText of what a node holds. It remembers its answer for the
// elements that are asked about by themselves, because they may be nested.
func (p *htmlPage) hasTextBelow(n *html.Node) bool {
	if shows, known := p.shows[n]; known {
		return shows
	}
	shows := false
	for c := n.FirstChild; c != nil && !shows; c = c.NextSibling {
		shows = p.hasText(c)
	}
	switch n.DataAtom {
	case atom.Li, atom.Dt, atom.Dd, atom.Tr, atom.Td, atom.Th, atom.H1, atom.Title:
		p.shows[n] = shows
	}
	return shows
}

// hidden reports whether an element is not shown, or not part of the content.
func (p *htmlPage) hidden(n *html.Node) bool {
	if p.left[n] || isBacklink(n) || isPermalink(n) {
		return true
	}
	switch n.DataAtom {
	case atom.Footer, atom.Aside:
		if !isNotes(n) {
			return true
		}
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Nav,
		atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Audio, atom.Video,
		atom.Button, atom.Select, atom.Textarea, atom.Input, atom.Datalist, atom.Map:
		return true
	case atom.Header:
		// The header of an article holds its heading; the page's holds its logo.
		for up := n.Parent; up != nil; up = up.Parent {
			if up.DataAtom == atom.Article || up.DataAtom == atom.Main || up.DataAtom == atom.Section {
				return false
			}
		}
		return true
	}
	for _, a := range n.Attr {
		if a.Key == "hidden" {
			return true
		}
	}
	if attr(n, "aria-hidden") == "true" {
		return true
	}
	switch attr(n, "role") {
	case "navigation", "banner", "contentinfo", "complementary", "search":
		return true
	}
	style := strings.Join(strings.Fields(attr(n, "style")), "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}
