package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mainShare is the least share of a page's text in its only article for that to be the page's
// content. Other articles are teasers, cards and comments.
const mainShare = .5

// body returns the page's body without navigation and other non-content. In addition to a <main>,
// or to an only <article> with most of the page's text, elements with text of their own stay.
func (p *htmlPage) body(root *html.Node) *html.Node {
	body := p.find(root, func(n *html.Node) bool { return n.DataAtom == atom.Body })
	if body == nil {
		body = root
	}
	focus := p.find(body, func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" })
	if focus == nil {
		articles := 0
		var visit func(n *html.Node)
		visit = func(n *html.Node) {
			p.step()
			if n.DataAtom == atom.Article && p.hasText(n) {
				focus = n
				articles++
			}
			for c := n.FirstChild; c != nil && articles < 2; c = c.NextSibling {
				if c.Type == html.ElementNode && !p.hidden(c) {
					visit(c)
				}
			}
		}
		visit(body)
		if focus != nil && (articles > 1 || float64(p.says(focus)) < mainShare*float64(p.says(body))) {
			focus = nil
		}
	}
	for n := focus; n != nil && n != body && n.Parent != nil; n = n.Parent {
		for s := n.Parent.FirstChild; s != nil; s = s.NextSibling {
			if s != n && p.says(s) < ownText && !isNotes(s) {
				p.left[s] = true
			}
		}
	}
	return body
}

// ownText is the number of bytes outside links that make an element outside the main content count
// as content.
const ownText = 40

// says counts the text that an element shows outside of links, without white space. It is 0
// where most of the text is in links.
func (p *htmlPage) says(n *html.Node) int {
	text, links := 0, 0
	var count func(n *html.Node, linked bool)
	count = func(n *html.Node, linked bool) {
		p.step()
		switch {
		case n.Type == html.TextNode:
			for field := range strings.FieldsSeq(n.Data) {
				if text += len(field); linked {
					links += len(field)
				}
			}
			return
		case n.Type == html.ElementNode && p.hidden(n):
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			count(c, linked || n.DataAtom == atom.A)
		}
	}
	count(n, false)
	if 2*links > text {
		return 0
	}
	return text - links
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

func (p *htmlPage) hasText(n *html.Node) bool {
	p.step()
	if n.Type == html.TextNode {
		return strings.TrimSpace(n.Data) != ""
	}
	return (n.Type != html.ElementNode || !p.hidden(n)) && p.hasTextBelow(n)
}

// hasTextBelow is hasText for the children of a node. It caches its answer for elements that are
// also asked about themselves, because they may be nested.
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

// speaks reports whether an element outside the content has text of its own: a sentence outside
// links, or a first-level heading that is not a link.
func (p *htmlPage) speaks(n *html.Node) bool {
	if known, ok := p.spoken[n]; ok {
		return known
	}
	said, title := 0, false
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s := p.says(c)
		said += s
		title = title || s > 0 && p.find(c, func(n *html.Node) bool { return n.DataAtom == atom.H1 }) != nil
	}
	p.spoken[n] = said >= ownText || title
	return p.spoken[n]
}

// hidden reports whether an element is not shown, or not part of the content.
func (p *htmlPage) hidden(n *html.Node) bool {
	if p.left[n] || isBacklink(n) || isPermalink(n) {
		return true
	}
	switch n.DataAtom {
	case atom.Footer:
		if !isNotes(n) {
			return true
		}
	case atom.Aside:
		if !isNotes(n) && !p.speaks(n) {
			return true
		}
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Nav,
		atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas, atom.Audio, atom.Video,
		atom.Button, atom.Select, atom.Textarea, atom.Input, atom.Datalist, atom.Map, atom.Del, atom.Rt, atom.Rp:
		return true
	case atom.Header:
		// The header of an article contains its heading; the page's contains its logo.
		for up := n.Parent; up != nil; up = up.Parent {
			if up.DataAtom == atom.Article || up.DataAtom == atom.Main || up.DataAtom == atom.Section {
				return false
			}
		}
		if !p.speaks(n) {
			return true
		}
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
