package document

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestElement follows each passage's selector back into the page, step by
// step, and looks for the passage's first words there.
func TestElement(t *testing.T) {
	const source = `<html><body><main><p>First paragraph of the page.</p>
		<section><h2>Rules</h2><p>Rule one binds <b>every</b> owner.</p><p>Rule two binds tenants.</p></section>
		<section id="fees"><h2>Fees</h2><div><p>A fee is due.</p></div><ul><li>in cash</li><li>by card</li></ul>
		<table><tr><td>item</td><td>price</td></tr></table></section>
		<p id='odd "id"'>Last words.</p></main></body></html>`
	d := mustRead(t, "page.html", source, nil)
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	page := newPage(t.Context())
	var got []string
	for _, p := range check(t, d, &SplitOptions{Target: 20, Max: 64}) {
		got = append(got, p.Element)
		n := follow(t, page, root, p.Element)
		first := strings.TrimRight(strings.Fields(strings.Trim(p.Text, "-| "))[0], ":")
		if n == nil || !strings.Contains(page.inlineText(n), first) {
			t.Errorf("%q does not stand at %q", p.Text, p.Element)
		}
	}
	want := []string{
		"html > body > main > p:nth-of-type(1)",
		"html > body > main > section:nth-of-type(1) > p:nth-of-type(1)",
		"html > body > main > section:nth-of-type(1) > p:nth-of-type(2)",
		`[id="fees"] > div > p`,
		`[id="fees"] > ul > li:nth-of-type(1)`,
	}
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Errorf("element %d is not %q: %q", i, w, got)
		}
	}
	if last := got[len(got)-1]; last != "html > body > main > p:nth-of-type(2)" {
		t.Errorf("an id that cannot be quoted gives %q", last)
	}
}

// follow is a reader of the selectors that this package writes.
func follow(t *testing.T, page *htmlPage, root *html.Node, path string) *html.Node {
	t.Helper()
	at := root
	for i, step := range strings.Split(path, " > ") {
		if id, ok := strings.CutPrefix(step, `[id="`); ok && i == 0 {
			id = strings.TrimSuffix(id, `"]`)
			at = page.find(root, func(n *html.Node) bool {
				for _, a := range n.Attr {
					if a.Key == "id" && a.Val == id {
						return true
					}
				}
				return false
			})
			continue
		}
		tag, rest, _ := strings.Cut(step, ":nth-of-type(")
		place := 1
		for _, r := range strings.TrimSuffix(rest, ")") {
			place = int(r - '0')
		}
		var found *html.Node
		for c := at.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode && c.Data == tag {
				if place--; place == 0 {
					found = c
				}
			}
		}
		if found == nil {
			return nil
		}
		at = found
	}
	return at
}
