package serve_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
)

// browser is a browser whose person has entered with the token of a home's server.
func (s *started) browser(home string) *browsertest.Page {
	s.t.Helper()
	p := browsertest.Open(s.t)
	p.Goto(s.url + "/ui/enter?token=" + token(s.t, home))
	p.Wait(`location.pathname === '/ui/'`)
	return p
}

// sound reports what the page complained of since it was opened.
func sound(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for _, fault := range slices.Concat(p.Complaints(), p.Strangers(), p.Ran(), p.Armed()) {
		t.Error(fault)
	}
}

// A person asks by keyboard, sees the steps while they happen, and then the answer with its
// evidence; looks at corpora, searches one, and finds the answer remembered, with what was
// cited marked in its document. What is remembered is forgotten by mouse.
func TestPageInBrowser(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	p := s.browser(home)
	p.Loads(func() { p.Press("g", "a") })
	p.Focus("#question")
	p.Type(clitest.PermitQuestion)
	p.Focus("main form button")
	p.Loads(func() { p.Press("Enter") })
	p.Sees("payment of the lantern fee in full")
	p.Wait(`document.querySelector('header .badge').textContent === 'done'`)
	sound(t, p)
	p.Loads(func() { p.Press("g", "c") })
	p.Press("j")
	p.Loads(func() { p.Press("Enter") })
	p.Press("/")
	p.Type("expiry of a permit")
	p.Loads(func() { p.Press("Enter") })
	p.Sees("expires after two winters")
	p.Loads(func() { p.Click(".cards h3 a") })
	p.Wait(`document.querySelector('mark').textContent.includes('two winters')`)
	sound(t, p)
	p.Loads(func() { p.Press("g", "m") })
	p.Loads(func() { p.Click("[data-list] a") })
	p.Loads(func() { p.Click("[aria-labelledby=chosen] a") })
	p.Sees("would be served now")
	p.Loads(func() { p.Click("button.danger") })
	p.Sees("Nothing is remembered")
	sound(t, p)
}

// Every page of a server with runs of all pipelines is sound in a browser.
func TestPagesInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens many pages, each in five views")
	}
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	key := token(t, home)
	schema := `,"context":{"schema":{"type":"object","properties":{"invoice_number":{"type":"string"},"total":{"type":"number"}}}}`
	p := s.browser(home)
	for _, u := range []turn{
		{graph: "research", text: clitest.PermitQuestion},
		{graph: "comply", text: "What must be paid for a permit?"},
		{graph: "verify", text: "A lantern permit expires after two winters. A permit expires after nine winters."},
		{graph: "edges", text: "inspection => expiry"},
		{graph: "extract", text: "Invoice number: 77\nTotal: 12.50", more: schema},
	} {
		u.token = key
		s.ask(u)
		p.Goto(s.url + "/ui/")
		var run string
		p.Eval(`document.querySelector('[data-list] tbody a').getAttribute('href')`, &run)
		for _, part := range []string{"", "/graph", "/steps", "/timeline"} {
			p.Inspect(t, u.graph+strings.ReplaceAll(part, "/", "-"), s.url+run+part, nil)
		}
	}
	for name, path := range map[string]string{
		"asking": "ask", "asking-extract": "ask?graph=extract", "corpora": "corpora", "corpus": "corpora/default", "search": "corpora/default?q=permit+fee", "memory": "memory?corpus=default", "evals": "evals", "keys": "keys",
	} {
		p.Inspect(t, "serve-"+name, s.url+"/ui/"+path, nil)
	}
}
