package serve_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
)

const (
	// inView says whether an element is wholly inside the window.
	inView = `(e => { const r = e.getBoundingClientRect(); return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight && r.left >= 0 && r.right <= innerWidth; })(document.querySelector(%q))`
	// uncovered says whether the middle of an element's first line is not behind another element.
	uncovered = `(e => { const r = e.getClientRects()[0], at = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2); return e === at || e.contains(at); })(document.querySelector(%q))`
)

// A person asks by Enter and reads the answer, opens its proof with a number, asks further, and goes
// back to a conversation of before: on a desk and on a telephone, also in the dark.
func TestAskInBrowser(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home, "--allow-write")
	p := s.browser(home)
	for _, view := range []browsertest.View{{Width: 1280}, {Width: 390}, {Width: 1280, Dark: true}, {Width: 390, Dark: true}} {
		name := fmt.Sprintf("ask-%d-%t-", view.Width, view.Dark)
		p.Look(view)
		p.Goto(s.url + "/ui/")
		p.Wait(`document.activeElement.id === 'question'`)
		p.Picture(name + "1-begin")
		p.Type(clitest.PermitQuestion)
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`location.pathname.startsWith('/ui/ask/') && document.querySelector('.turn .answer')`)
		p.Wait(`!document.querySelector('[data-live]')`)
		p.Wait(fmt.Sprintf(inView, ".answer .ref"))
		p.Picture(name + "2-answer")
		if text := p.Text(); !strings.Contains(text, "payment of the lantern fee in full") || strings.Contains(text, "[Query") || strings.Contains(text, "relevance") {
			t.Errorf("%+v: the answer is %s", view, text)
		}
		p.Wait(`getComputedStyle(document.querySelector('.documents')).display === 'none'`)
		p.Click(".answer .ref")
		p.Wait(fmt.Sprintf(inView, ".documents mark:target"))
		p.Wait(fmt.Sprintf(uncovered, ".documents mark:target"))
		p.Picture(name + "3-proof")
		var mark string
		p.Eval(`document.querySelector('.documents mark:target').textContent`, &mark)
		if !strings.Contains(clitest.Permits, mark) || mark == "" {
			t.Errorf("%+v: the number leads to %q", view, mark)
		}
		p.Press("Escape")
		p.Wait(`getComputedStyle(document.querySelector('.documents')).display === 'none'`)
		p.Click("#question")
		p.Type("And when does it expire?")
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`!document.querySelector('[data-live]') && document.querySelectorAll('.turn .answer').length === 2`)
		p.Sees("expires after two winters")
		p.Wait(fmt.Sprintf(inView, "#turn-2 .answer .ref"))
		p.Picture(name + "4-further")
		p.Eval(`scrollTo(0, 0)`, nil)
		p.Wait(fmt.Sprintf(inView, "#question")) // the field is at hand, and hides less than a third
		p.Wait(`document.querySelector('.composer').getBoundingClientRect().height < innerHeight / 3`)
		p.Look(browsertest.View{Width: view.Width, Dark: view.Dark, Zoom: 200})
		p.Wait(`getComputedStyle(document.querySelector('.composer')).position === 'static'`)
		p.Look(view)
		var first string
		p.Eval(`location.pathname`, &first)
		p.Goto(s.url + "/ui/")
		p.Click("#question")
		p.Type("Who inspects the harbour ferries of Quay Street?")
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`!document.querySelector('[data-live]')`)
		p.Sees("do not")
		p.Sees("nearest passage")
		p.Picture(name + "5-refusal")
		if view.Width < 960 {
			p.Click("header .to-past a")
			p.Wait(fmt.Sprintf(inView, ".past li a"))
			p.Picture(name + "6-past")
		}
		p.Goto(s.url + "/ui/ask?graph=chat") // the agent, which asks by a tool
		p.Wait(`document.activeElement.id === 'question'`)
		p.Type(clitest.PermitQuestion)
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`!document.querySelector('[data-live]')`)
		p.Click(".answer .ref")
		p.Wait(fmt.Sprintf(inView, ".documents mark:target"))
		p.Click(".documents .close")
		if view.Width < 960 {
			p.Click("header .to-past a")
		}
		p.Loads(func() { p.Click(fmt.Sprintf(".past a[href=%q]", first)) })
		p.Sees("payment of the lantern fee in full")
		sound(t, p)
	}
}
