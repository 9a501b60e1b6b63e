package document

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"example.com/assay/memory/text/pattern"
)

// parsePage parses a page and marks the elements that are left out.
func parsePage(ctx context.Context, path string, raw []byte) (page *htmlPage, root *html.Node, err error) {
	if raw, err = htmlText(ctx, path, raw); err != nil {
		return nil, nil, err
	}
	if raw, err = htmlTags(ctx, raw); err == nil {
		root, err = html.Parse(stoppable(ctx, bytes.NewReader(raw)))
	}
	if err != nil {
		return nil, nil, &InputError{Path: path, Msg: "it cannot be read as HTML: " + err.Error(), Hint: "simplify the page or save its text"}
	}
	page = newPage(ctx)
	page.leaveOut(root)
	return page, root, nil
}

// An htmlPage is a parsed page, and the findings about its nodes.
type htmlPage struct {
	watch
	nodePlaces
	shows  map[*html.Node]bool   // whether a node shows any text
	spoken map[*html.Node]bool   // whether headers and asides have text of their own
	left   map[*html.Node]bool   // elements that lead elsewhere and say nothing themselves
	tables map[*html.Node]weight // weights of tables
}

func newPage(ctx context.Context) *htmlPage {
	return &htmlPage{watch: watch{ended: ctx.Err}, nodePlaces: nodePlaces{known: map[*html.Node]*Element{}, places: map[*html.Node]int{}}, shows: map[*html.Node]bool{}, spoken: map[*html.Node]bool{},
		left: map[*html.Node]bool{}, tables: map[*html.Node]weight{}}
}

// title returns the first non-empty first-level heading, else the declared title.
func (p *htmlPage) title(root *html.Node) string {
	for _, a := range []atom.Atom{atom.H1, atom.Title} {
		title := ""
		p.find(root, func(n *html.Node) bool {
			if n.DataAtom == a && n.Namespace == "" && p.hasTextBelow(n) {
				title = p.inlineText(n)
			}
			return title != ""
		})
		if title != "" {
			return title
		}
	}
	return ""
}

// pageDates are the names by which pages declare their dates, the last change first.
var pageDates = []string{"article:modified_time", "og:updated_time", "dcterms.modified", "dc.date.modified", "last-modified", "date", "dc.date", "dcterms.date", "article:published_time",
	"datepublished", "dcterms.created", "dc.date.created", "dcterms.issued"}

// declared returns the metadata of a page: its date.
func (p *htmlPage) declared(root *html.Node) metadata {
	found := map[string]string{}
	p.find(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Meta {
			for _, key := range []string{"name", "property", "itemprop", "http-equiv"} {
				if name := attr(n, key); name != "" && found[name] == "" {
					found[name] = attr(n, "content")
				}
			}
		}
		return n.DataAtom == atom.Body
	})
	m := metadata{}
	for _, name := range pageDates {
		m.setDate(found[name])
	}
	return m
}

// xmlEncoding is the declaration that opens XHTML.
var xmlEncoding = pattern.New(`^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)`)

// htmlText returns the page in UTF-8: unchanged if it is, else converted from the declared or the
// guessed encoding.
func htmlText(ctx context.Context, path string, raw []byte) ([]byte, error) {
	if checkText(path, raw) == nil {
		return bytes.TrimPrefix(raw, []byte(bom)), nil
	}
	head := raw[:min(len(raw), 1024)]
	_, name, certain := charset.DetermineEncoding(head, "")
	declared := certain || bytes.Contains(bytes.ToLower(head), []byte("charset"))
	if m := xmlEncoding.FindStringSubmatch(string(head)); m != nil && !declared {
		name, declared = m[1], true
	}
	if !declared || name == "utf-8" {
		out, _, err := inUTF8(ctx, path, raw)
		if err == nil {
			err = checkText(path, out)
		}
		return out, err
	}
	out, err := decode(ctx, raw, name)
	if err != nil || !utf8.Valid(out) || bytes.IndexByte(out, 0) >= 0 {
		return nil, &InputError{Path: path, Msg: fmt.Sprintf("it says it is encoded in %s but is not", name), Hint: "save it as UTF-8"}
	}
	return bytes.TrimPrefix(out, []byte(bom)), nil
}
