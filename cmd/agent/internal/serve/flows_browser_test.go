package serve_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
)

// A flow is something that people do with the page, at its end.
type flow struct {
	name, path string
	then       func(*browsertest.Page) // what is done on the page; nil for nothing
	act        func(*browsertest.Page) // what is done there; nil for Tab
	picture    string                  // a further picture of it alone, for the README
}

var changeLink = regexp.MustCompile(`<a href="(/ui/threads/[^"]*skill=synthesize_and_cite[^"]*)"`)

// flows are the flows of a server, with what was asked and added for them.
func flows(s *started, key string) []flow {
	s.t.Helper()
	b := s.enters(key)
	ask := func(questions ...string) (thread, run string) {
		_, made := s.post(key, "/threads", "{}")
		for _, text := range questions {
			s.ask(turn{token: key, thread: made["thread_id"].(string), graph: "research", text: text})
		}
		_, list, _ := b.load("GET", "/ui/runs", nil)
		return made["thread_id"].(string), runLink.FindStringSubmatch(list)[1]
	}
	b.send(b.ticket(), "harbour", sent{"permits.md", clitest.Permits}, sent{"ferries.md", "# Ferries\n\nFerries run on Monday.\n"}, sent{"broken.pdf", "no PDF"})
	b.read("harbour")
	_, _, check := b.load("POST", "/ui/check", url.Values{"text": {draft}, "corpus": {"harbour"}})
	b.ended(check)
	bundle := b.drop(sent{"bill.txt", aBill}, sent{"note.txt", strings.NewReplacer("LW-2041", "LW-2042", "GBP 84.50", "GBP 12.00").Replace(aBill)})
	_, page, _ := b.load("GET", bundle, nil)
	b.readFields(bundle, proposals(page))
	const question = "What must a plaintiff prove to win a claim for battery?"
	_, run := ask(question)
	thread, _ := ask(question)
	long, _ := ask("What are the elements of negligence?", "What is battery?")
	_, page, _ = b.load("GET", run, nil)
	at, err := url.Parse(html.UnescapeString(changeLink.FindStringSubmatch(page)[1]))
	if err != nil {
		s.t.Fatal(err)
	}
	_, form, _ := b.load("GET", at.RequestURI(), nil)
	_, _, again := b.load("POST", at.Path+"/go-on", url.Values{"checkpoint": {at.Query().Get("at")}, "skill": {"synthesize_and_cite"}, "text": {html.UnescapeString(promptField.FindStringSubmatch(form)[1]) + "\nBe brief.\n"}})
	b.ended(again)
	mark := func(p *browsertest.Page) {
		p.Click(".answer .ref")
		p.Wait(`document.querySelector('.documents mark:target')`)
	}
	click := func(selector string) func(*browsertest.Page) {
		return func(p *browsertest.Page) { p.Click(selector) }
	}
	to := func(selector string) func(*browsertest.Page) {
		return func(p *browsertest.Page) { p.Eval(`document.querySelector('`+selector+`').scrollIntoView()`, nil) }
	}
	return []flow{
		{"ask", "/ui/", nil, func(p *browsertest.Page) { p.Press("a", "b") }, "page-ask"},
		{"answer", "/ui/ask/" + thread, mark, mark, "page-answer"},
		{"conversation", "/ui/ask/" + long, to("#turn-2"), click("#turn-2 .answer .ref"), ""},
		{"documents", "/ui/corpora/harbour", nil, nil, ""},
		{"check", check + "?accept=claim-1", nil, click("#corrections li a"), ""},
		{"extract", bundle, nil, nil, ""},
		{"graph", run + "/graph", to(".drawing"), nil, "page-graph"},
		{"steps", run + "/steps", func(p *browsertest.Page) { p.Unfold(); to("table.hits")(p) }, click("main summary"), "page-steps"},
		{"change", at.RequestURI(), to("#go-on"), func(p *browsertest.Page) { p.Click("#text"); p.Press("a", "b") }, ""},
		{"compare", "/ui/compare?" + url.Values{"a": {strings.TrimPrefix(run, "/ui/runs/")}, "b": {strings.TrimPrefix(again, "/ui/runs/")}}.Encode(), nil, nil, ""},
	}
}

// Each flow is without a barrier for assistive technology, and fits, on a desk and on a telephone, in
// the light and in the dark. It is painted soon and reacts at once, in the best of its rounds: other
// programs use the machine, too. With -screenshots it becomes a picture of docs/.
func TestFlowsInBrowser(t *testing.T) {
	home := t.TempDir()
	s := start(t, home, "--allow-write", "--allow-upload")
	all := flows(s, token(t, home))
	p := s.browser(home)
	for _, f := range all {
		var pictures [][]byte
		for i, v := range []browsertest.View{{Width: 1280}, {Width: 390}, {Width: 1280, Dark: true}, {Width: 390, Dark: true}} {
			p.Look(v)
			p.Goto(s.url + f.path)
			if f.then != nil {
				f.then(p)
			}
			name := ""
			if i == 0 {
				name = f.picture
			}
			pictures = append(pictures, p.Picture(name))
			for _, fault := range slices.Concat(p.Barriers(t), p.Wide(), p.Covered(), p.Complaints(), p.Strangers(), p.Ran(), p.Armed(), p.Turning()) {
				t.Errorf("%s at %+v: %s", f.name, v, fault)
			}
		}
		p.Sheet("flow-"+f.name, .4, pictures...)
		p.Prompt(t, f.name, s.url+f.path, 10, func() {
			if f.act == nil {
				p.Press("Tab")
			} else {
				f.act(p)
			}
		})
	}
}
