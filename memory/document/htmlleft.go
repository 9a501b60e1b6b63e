package document

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Rules by which an element leads elsewhere and says nothing itself.
const (
	linkShare   = .8  // of a list's text is in links
	linkItems   = 3   // items, no fewer
	menuLink    = 20  // mean bytes of a link in a one-line menu
	linkCaption = 80  // greatest bytes of a caption around such lists
	turnBytes   = 600 // greatest bytes of a block with links to the previous and next page
	turnAlone   = 120 // bytes of such a block on a page that declares one neighbour, no more
	formBytes   = 500 // greatest bytes of a form's text
)

// A weight summarises the content of an element. Text is counted in bytes without white space.
type weight struct {
	text, links int // text, and that in links
	left        int // text in skipped elements
	anchors     int // links
	turns       int // links to the page's declared neighbours, and links with an access key
	items       int // of lists and tables
	heads       int // headings
	tops        int // headings of the first level
	tables      int
	parts       int // elements that begin a block
	widest      int // cells of a row
	terms       int // of description lists
	termText    int // text in them
	termLinks   int // terms that end with a link, as those of contents and of an index do
	described   int // text of descriptions besides terms
	endsLinked  bool
}

func (w *weight) add(o weight) {
	w.text += o.text
	w.links += o.links
	w.left += o.left
	w.anchors += o.anchors
	w.turns += o.turns
	w.items += o.items
	w.heads += o.heads
	w.tops += o.tops
	w.tables += o.tables
	w.parts += o.parts
	w.widest = max(w.widest, o.widest)
	w.terms += o.terms
	w.termText += o.termText
	w.termLinks += o.termLinks
	w.described += o.described
	if o.text > 0 {
		w.endsLinked = o.endsLinked
	}
}

// leaveOut marks elements that only lead elsewhere: lists and tables of links, blocks with links to
// the previous and next page, and forms without text.
func (p *htmlPage) leaveOut(root *html.Node) {
	p.weigh(root, p.neighbours(root), false)
}

// neighbours are the pages that a page's head names as previous, next and above.
func (p *htmlPage) neighbours(root *html.Node) map[string]bool {
	out := map[string]bool{}
	p.find(root, func(n *html.Node) bool {
		if n.DataAtom != atom.Link {
			return n.DataAtom == atom.Body
		}
		switch attr(n, "rel") {
		case "prev", "previous", "next", "up", "home", "start", "top", "first", "last", "contents", "index":
			out[attr(n, "href")] = true
		}
		return false
	})
	return out
}

// weigh returns the weight of n and marks the elements below it that are left out.
func (p *htmlPage) weigh(n *html.Node, turns map[string]bool, linked bool) weight {
	p.step()
	var w weight
	if n.Type == html.TextNode {
		for field := range strings.FieldsSeq(n.Data) {
			w.text += len(field)
		}
		if linked {
			w.links, w.endsLinked = w.text, true
		}
		return w
	}
	if n.Type == html.ElementNode && p.hidden(n) {
		return w
	}
	href := ""
	if n.DataAtom == atom.A {
		if href = attr(n, "href"); href != "" {
			linked, w.anchors = true, 1
			if turns[href] || attr(n, "accesskey") != "" {
				w.turns = 1
			}
		}
	}
	cells := 0
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.add(p.weigh(c, turns, linked))
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			cells++
		}
	}
	if n.DataAtom == atom.Table {
		p.tables[n] = w
		w.widest = 0
	}
	if p.leads(n, w, len(turns)) {
		p.left[n] = true
		w.left, w.heads, w.tops, w.tables, w.parts, w.widest, w.described = w.text, 0, 0, 0, 0, 0, 0
		return w
	}
	switch n.DataAtom {
	case atom.Li:
		w.items++
	case atom.Dt:
		w.items++
		w.terms++
		w.termText = w.text
		if w.endsLinked {
			w.termLinks++
		}
	case atom.Dd:
		w.described = w.text - w.termText
	case atom.Tr:
		w.items++
		w.widest = max(w.widest, cells)
	case atom.H1:
		w.heads++
		w.tops++
	case atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.heads++
	case atom.Table:
		w.tables++
	}
	if isBlock(n.DataAtom) {
		w.parts++
	}
	return w
}

// leads reports whether an element only leads elsewhere.
func (p *htmlPage) leads(n *html.Node, w weight, neighbours int) bool {
	links := float64(w.links) > linkShare*float64(w.text) && w.items >= linkItems
	turns := w.turns*2 >= w.anchors && w.heads == 0 &&
		(w.turns >= 2 && w.text <= turnBytes || w.turns == 1 && (neighbours == 1 || w.anchors == 1) && w.text <= turnAlone)
	menu := w.parts == 0 && w.anchors >= linkItems && float64(w.links) > linkShare*float64(w.text) && w.links <= menuLink*w.anchors && !listed(n) && !introduced(n)
	switch n.DataAtom {
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Table:
		contents := n.DataAtom == atom.Dl && w.terms > 0 && float64(w.termLinks) > linkShare*float64(w.terms) && w.described == 0
		return turns || (links || contents) && !introduced(n)
	case atom.P:
		return turns && 2*w.links >= w.text || menu
	case atom.Form:
		return w.heads == 0 && w.text <= formBytes
	case atom.Div, atom.Section:
		if turns && w.parts == 0 && 2*w.links >= w.text || menu {
			return true
		}
		return w.left > 0 && w.tops == 0 && w.text-w.left <= min(linkCaption, w.left)
	}
	return false
}

// listed reports whether commas separate the parts of an element, as in a sentence.
func listed(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && strings.Contains(c.Data, ",") {
			return true
		}
	}
	return false
}

// introduced reports whether the text before an element ends with a colon, so that
// the element belongs to it.
func introduced(n *html.Node) bool {
	for {
		for n.PrevSibling == nil {
			if n = n.Parent; n == nil || n.DataAtom == atom.Body {
				return false
			}
		}
		n = n.PrevSibling
		for n.LastChild != nil {
			n = n.LastChild
		}
		if n.Type == html.TextNode {
			if s := strings.TrimSpace(n.Data); s != "" {
				return strings.HasSuffix(s, ":")
			}
		}
	}
}
