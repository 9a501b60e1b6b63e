package show

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/internal/studytest"
)

var screenshots = flag.String("screenshots", "", "write pictures of the pages that the browser shows to `DIR`")

// unreadable lists texts of the page whose contrast is below level AA, as the
// browser draws them.
const unreadable = `(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m };
  const luminance = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 }); return .2126 * r + .7152 * g + .0722 * b };
  const below = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c } return [255, 255, 255, 1] };
  const out = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  for (let n; n = walk.nextNode();) {
    const e = n.parentElement, s = getComputedStyle(e);
    if (!n.data.trim() || !e.getClientRects().length || e.closest('title, desc, style')) continue;
    seen++;
    const x = luminance(parse(e.closest('svg') ? s.fill : s.color)), y = luminance(below(e));
    const ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
    if (ratio < 4.5) out.push(ratio.toFixed(2) + ' ' + n.data.trim().slice(0, 60));
  }
  return {Seen: seen, Bad: [...new Set(out)]};
})()`

// focused describes what has the focus.
const focused = `(() => {
  const e = document.activeElement, s = getComputedStyle(e);
  return {Tag: e.tagName, Text: e.textContent.trim().slice(0, 60), Href: e.getAttribute('href') || '', Outline: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2, Visible: e.getBoundingClientRect().top >= 0};
})()`

// In a real browser a page is readable on a telephone and on a desk, in light and in
// dark, with every case open: nothing is wider than the page, no text is hard to
// read, nothing is asked of the network or complained about, and no text runs as a
// script, though scripts may run.
func TestPageInBrowser(t *testing.T) {
	b := openBrowser(t)
	attacked, changes := hostile(t)
	for name, text := range map[string]string{"studies": render(t, studytest.Results(t), nil), "hostile": render(t, attacked, changes)} {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, width := range []int{375, 1400} {
			for _, scheme := range []string{"light", "dark"} {
				lookAt(t, b, file, name, width, scheme)
			}
		}
	}
}

func lookAt(t *testing.T, b *browser, file, name string, width int, scheme string) {
	t.Helper()
	at := fmt.Sprintf("%s at %d px in %s", name, width, scheme)
	b.open(file, width, scheme)
	b.shoot(name, "closed", width, scheme)
	var cases int
	b.eval(`(() => { const all = document.querySelectorAll('details'); all.forEach(d => d.open = true); return all.length })()`, &cases)
	if cases < 3 {
		t.Errorf("%s: %d parts can be opened", at, cases)
	}
	var wide []string
	b.eval(`document.documentElement.scrollWidth <= innerWidth ? [] : ['the page', ...[...document.body.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 90))].slice(0, 8)`, &wide)
	if len(wide) > 0 {
		t.Errorf("%s: wider than the page: %s", at, strings.Join(wide, "\n  "))
	}
	var text struct {
		Seen int
		Bad  []string
	}
	b.eval(unreadable, &text)
	if text.Seen < 50 || len(text.Bad) > 0 {
		t.Errorf("%s: of %d texts these have too little contrast: %q", at, text.Seen, text.Bad)
	}
	b.shoot(name, "open", width, scheme)
	if err := b.complaints(); err != nil {
		t.Errorf("%s: %v", at, err)
	}
}

// shoot writes a picture where pictures are asked for.
func (b *browser) shoot(name, state string, width int, scheme string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var height int
	b.eval(`document.documentElement.scrollHeight`, &height)
	b.screenshot(filepath.Join(*screenshots, fmt.Sprintf("%s-%s-%d-%s.png", name, state, width, scheme)), width, min(height, 12000))
}

// The words of the page are there when scripts are disabled, quotes in their
// passages among them.
func TestPageWithoutScripts(t *testing.T) {
	b := openBrowser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(render(t, studytest.Results(t), nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.open(file, 1400, "light")
	var page struct {
		Text    string
		Marks   int
		Scripts int
		Figures []string
	}
	b.eval(`(() => { document.querySelectorAll('details').forEach(d => d.open = true); return {Text: document.body.innerText, Marks: document.querySelectorAll('mark').length, Scripts: document.scripts.length,
		Figures: [...document.querySelectorAll('svg[role=img]')].map(s => s.querySelector('title').textContent + ': ' + s.querySelector('desc').textContent)} })()`, &page)
	for _, want := range []string{"cases passed", "battery_ricochet", "What must an applicant show to be granted asylum?", "The privilege of self-defense extends to unintended contact with third persons.", "five (5) years", "execute/synthesize"} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("no %q", want)
		}
	}
	if page.Marks < 50 || page.Scripts != 0 || len(page.Figures) != 2 {
		t.Errorf("%d marks, %d scripts, figures %q", page.Marks, page.Scripts, page.Figures)
	}
}

// With the Tab key alone everything that can be used is reached, in order and
// visibly; Enter follows the skip link and opens a case.
func TestPageByKeyboard(t *testing.T) {
	b := openBrowser(t)
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, []byte(render(t, studytest.Results(t), nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{375, 1400} {
		b.open(file, width, "light")
		var usable int
		b.eval(`[...document.querySelectorAll('a[href], summary')].filter(e => e.checkVisibility()).length`, &usable)
		if usable < 30 {
			t.Fatalf("%d px: only %d elements can be used", width, usable)
		}
		type focus struct {
			Tag, Text, Href  string
			Outline, Visible bool
		}
		seen := map[string]bool{}
		for i := range usable {
			b.press("Tab")
			var f focus
			b.eval(focused, &f)
			if f.Tag != "A" && f.Tag != "SUMMARY" || !f.Outline || !f.Visible {
				t.Errorf("%d px: Tab %d reaches %+v", width, i+1, f)
			}
			if i == 0 && f.Href != "#main" {
				t.Errorf("%d px: the first is %+v, not the skip link", width, f)
			}
			seen[f.Tag+f.Href+f.Text] = true
		}
		if len(seen) < usable-2 { // a case's name is linked once, and its own element
			t.Errorf("%d px: %d of %d were reached", width, len(seen), usable)
		}
		var f focus
		b.eval(focused, &f)
		var open bool
		b.press("Enter")
		b.eval(`document.activeElement.parentElement.open === true`, &open)
		if f.Tag != "SUMMARY" || !open {
			t.Errorf("%d px: Enter on %+v opens nothing", width, f)
		}
	}
	b.open(file, 1400, "light")
	b.press("Tab")
	b.press("Enter")
	var f struct{ Tag string }
	b.eval(focused, &f)
	if f.Tag != "MAIN" {
		t.Errorf("the skip link leads to %s", f.Tag)
	}
}
