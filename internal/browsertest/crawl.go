package browsertest

import (
	"fmt"
	"strings"
	"time"
)

// A CrawlOptions says how far [Page.Crawl] goes.
type CrawlOptions struct {
	Most int    // pages of one kind, and forms
	Text string // written into empty fields
	Skip func(address string) bool
}

// Crawl follows the links of pages from an address of a path on, and then sends their forms, once of
// each kind, and calls look at every page that it comes to. Addresses are of one kind if they differ
// only in identifiers and values. It returns the paths that it asked for.
func (p *Page) Crawl(site, from string, opts CrawlOptions, look func(path string)) []string {
	p.t.Helper()
	type form struct {
		on string
		n  int
	}
	var asked []string
	var forms []form
	known, kinds, todo := map[string]bool{from: true}, map[string]int{}, []string{from}
	read := func() {
		var found struct {
			Links []struct{ Kind, To string }
			Forms []string
		}
		p.check("leads()", &found)
		var path string
		p.Eval(`location.pathname + location.search`, &path)
		for _, to := range found.Links {
			if kind := "GET " + to.Kind; !known[to.To] && kinds[kind] < opts.Most && (opts.Skip == nil || !opts.Skip(to.To)) {
				known[to.To] = true
				kinds[kind]++
				todo = append(todo, to.To)
			}
		}
		for i, kind := range found.Forms {
			if kinds[kind]++; kinds[kind] == 1 && (opts.Skip == nil || !opts.Skip(kind)) {
				forms = append(forms, form{path, i})
			}
		}
		look(path)
	}
	for len(todo)+len(forms) > 0 {
		if len(todo) > 0 {
			asked, todo = append(asked, todo[0]), todo[1:]
			if p.shows(site + asked[len(asked)-1]) {
				read()
			}
			continue
		}
		f := forms[0]
		forms = forms[1:]
		p.Goto(site + f.on)
		var n int
		if p.Eval(`document.forms.length`, &n); f.n >= n {
			continue // it is on an answer to a form only
		}
		before := p.loaded()
		p.check(fmt.Sprintf("send(%d, %q)", f.n, strings.ToValidUTF8(opts.Text, "")), nil)
		for range 60 { // a script may send the form, and say on the same page what was refused
			if p.Eval(`0`, nil); p.loaded() != before {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		read()
	}
	return asked
}
