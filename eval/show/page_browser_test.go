package show

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/studytest"
	"example.com/assay/internal/browsertest"
)

// In a real browser a page is readable on a telephone and on a desk, in light and in
// dark, with every case open and without scripts: nothing is wider than the page, no text is
// hard to read, the keyboard reaches everything in order, nothing is asked of the network or
// complained about, and no text runs as a script, though scripts may run.
func TestPageInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens each page in many views")
	}
	p := browsertest.Open(t)
	attacked, changes := hostile(t)
	for name, text := range map[string]string{"studies": render(t, studytest.Results(t), nil), "hostile": render(t, attacked, changes)} {
		p.Inspect(t, "eval-"+name, file(t, text), nil)
	}
}

// file writes a page, for a browser to open.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The words of the page are there when scripts are disabled, quotes in their
// passages among them.
func TestPageWithoutScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("it unfolds the page of all case studies")
	}
	p := browsertest.Open(t)
	p.Look(browsertest.View{NoScript: true})
	p.Goto(file(t, render(t, studytest.Results(t), nil)))
	p.Unfold()
	text := p.Text()
	for _, want := range []string{"cases passed", "battery_ricochet", "What must an applicant show to be granted asylum?", "The privilege of self-defense extends to unintended contact with third persons.", "five (5) years", "execute/synthesize"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	var page struct {
		Marks, Scripts int
		Figures        []string
	}
	p.Eval(`({Marks: document.querySelectorAll('mark').length, Scripts: document.scripts.length,
		Figures: [...document.querySelectorAll('svg[role=img]')].map(s => s.querySelector('title').textContent + ': ' + s.querySelector('desc').textContent)})`, &page)
	if page.Marks < 50 || page.Scripts != 0 || len(page.Figures) != 2 {
		t.Errorf("%+v", page)
	}
}

// By the keyboard alone the skip link leads to the results, and a case opens and closes.
func TestPageByKeyboard(t *testing.T) {
	p := browsertest.Open(t)
	p.Goto(file(t, render(t, studytest.Results(t), nil)))
	p.Press("Tab")
	p.Wait(`document.activeElement.getAttribute('href') === '#main'`)
	p.Press("Enter")
	p.Wait(`document.activeElement.tagName === 'MAIN'`)
	p.Focus("details.case > summary")
	p.Press("Enter")
	p.Wait(`document.activeElement.parentElement.open`)
	p.Press(" ")
	p.Wait(`!document.activeElement.parentElement.open`)
}

// No text of the table of hostile texts is more than text as a case's name, question, answer,
// choice, note or miss.
func TestHostileTextsInBrowser(t *testing.T) {
	var items []eval.Item
	for _, h := range browsertest.HostileTexts() {
		items = append(items, eval.Item{ID: h.Text, Repeat: len(items), Pipeline: eval.Research, Question: h.Text, Answer: h.Text, Choice: h.Text, Notes: h.Text, Misses: []string{h.Text}, Timeline: []eval.Stay{{Node: h.Text, MS: 2}}})
	}
	r, err := eval.Summarise(items, eval.Made{})
	if err != nil {
		t.Fatal(err)
	}
	p := browsertest.Open(t)
	p.Goto(file(t, render(t, r, nil)))
	p.Unfold()
	if found := slices.Concat(p.Ran(), p.Armed(), p.Turning(), p.Wide(), p.Strangers()); len(found) > 0 {
		t.Errorf("%d cases: %s", len(items), strings.Join(found, "\n"))
	}
}
