package page_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/internal/browsertest"
	"example.com/assay/serve/runs"
)

// enter opens a browser in which ann has entered.
func (s *site) enter() *browsertest.Page {
	s.Helper()
	p := browsertest.Open(s.T)
	p.Goto(s.url + "/ui/enter?token=" + tokenOfAnn)
	p.Wait(`location.pathname === '/ui/'`)
	return p
}

// Every page is sound in a browser, with runs that ended, wait, failed and go on.
func TestBrowserPages(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens each page in seven views")
	}
	s := served(t, nil)
	p := s.enter()
	p.Inspect(t, "empty", s.url+"/ui/", nil)
	s.run("plain", `{"text":"What must a visitor wear?"}`)
	s.run("asks", `{"text":"May it be published?"}`)
	s.run("fails", `{"text":"Does the model answer?"}`)
	s.run("outer", `{"text":"What is inside?"}`)
	s.begin(runs.Spec{Graph: "held"}, `{"text":"What goes on?"}`)
	<-s.gate.reached
	for name, path := range map[string]string{
		"list": "", "search": "?q=model", "search-none": "?q=nothing+has+this", "keys": "keys",
	} {
		p.Inspect(t, name, s.url+"/ui/"+path, nil)
	}
	stranger := p.Tab(t)
	stranger.Inspect(t, "enter", s.url+"/ui/enter", nil)
}

// A person enters with a token, searches, and goes through the list of runs by keyboard.
func TestBrowserList(t *testing.T) {
	s := served(t, nil)
	for _, about := range []string{"gulls", "ferries", "lanterns"} {
		s.run("plain", fmt.Sprintf(`{"text":"question about %s"}`, about))
	}
	p := browsertest.Open(t)
	p.Goto(s.url + "/ui/?q=question")
	p.Wait(`location.pathname === '/ui/enter'`)
	p.Focus("input[name=token]")
	p.Type(tokenOfAnn)
	p.Loads(func() { p.Press("Enter") })
	p.Wait(`location.pathname + location.search === '/ui/?q=question'`)
	p.Press("/")
	p.Wait(`document.activeElement.id === 'q'`)
	p.Press("Control+a")
	p.Type("question ferries")
	p.Loads(func() { p.Press("Enter") })
	if text := p.Text(); !strings.Contains(text, "1 run with") || !strings.Contains(text, "about ferries") || strings.Contains(text, "gulls") {
		t.Errorf("a search shows %s", text)
	}
	p.Goto(s.url + "/ui/")
	at := func(want string) { p.Wait(fmt.Sprintf(`document.activeElement.textContent.endsWith(%q)`, want)) }
	p.Press("j")
	at("lanterns")
	p.Press("ArrowDown", "j", "j")
	at("gulls")
	p.Press("k")
	at("ferries")
	p.Loads(func() { p.Press("?") })
	p.Wait(`location.pathname === '/ui/keys'`)
	p.Loads(func() { p.Press("g", "r") })
	p.Wait(`location.pathname === '/ui/'`)
}
