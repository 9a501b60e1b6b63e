package serve_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/cmd/agent/internal/clitest"
	"example.com/assay/internal/browsertest"
)

// views are the windows of a phone and of a desk.
var views = []browsertest.View{{Width: 1280}, {Width: 390, Dark: true}}

// dropping is a script that drops files on the form, by their names and texts.
func dropping(files ...string) string {
	script := "const d = new DataTransfer();"
	for i := 0; i+1 < len(files); i += 2 {
		script += fmt.Sprintf("d.items.add(new File([%q], %q));", files[i+1], files[i])
	}
	return "(() => {" + script + `const f = document.querySelector('[data-upload]');
for (const name of ['dragover', 'drop']) f.dispatchEvent(new DragEvent(name, {dataTransfer: d, bubbles: true, cancelable: true})); })()`
}

// A person names documents, drops two files and a folder, is told why one is left out, asks about the other, chooses a
// third with the keyboard, and removes one after being asked.
func TestUploadInBrowser(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(t.TempDir(), "papers")
	for _, name := range []string{"boats.md", "old/boats.md", ".hidden/x.md"} {
		at := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte("Boats of "+name+" rest in winter."), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, home, "--allow-upload", "--upload-mib", "1")
	p := s.browser(home)
	for i, v := range views {
		p.Look(v)
		corpus := fmt.Sprintf("harbour-%d", i)
		p.Goto(s.url + "/ui/corpora")
		p.Sees("or drop them here")
		p.Focus("#corpus")
		p.Type(corpus)
		p.Loads(func() { p.Eval(dropping("permits.md", clitest.Permits, "broken.pdf", "no PDF"), nil) })
		p.Wait(`document.readyState === 'complete' && !document.querySelector('[data-reading]') && document.querySelector('#add li .good')`)
		p.Sees("1 file added")
		p.Sees("does not begin with %PDF-")
		p.Shoot("documents-added")
		for _, fault := range p.Wide() {
			t.Error(fault)
		}
		p.Loads(func() { p.Drop("[data-upload]", folder) })
		p.Wait(`document.readyState === 'complete' && !document.querySelector('[data-reading]') && document.querySelectorAll('#add li .good').length === 3`)
		p.Sees("papers - old - boats.md")
		for _, name := range []string{"boats.md", "papers - old - boats.md"} {
			p.Loads(func() { p.Click(fmt.Sprintf(`a[aria-label="Remove %s"]`, name)) })
			p.Loads(func() { p.Click("button.danger") })
			p.Wait(`document.readyState === 'complete' && !document.querySelector('[data-reading]')`)
		}
		p.Eval(dropping("long.md", strings.Repeat("too long ", 150_000)), nil)
		p.Sees("send them in parts")
		p.Click(`a[aria-label="Ask about this file: permits.md"]`)
		p.Wait(`document.querySelector('#question')?.value === 'In permits.md: '`)
		p.Wait(fmt.Sprintf(`[...document.querySelectorAll('select, input')].some(e => e.value === %q)`, corpus))
		p.Goto(s.url + "/ui/corpora/" + corpus)
		p.Eval(`(() => { const d = new DataTransfer(); d.items.add(new File(['Ferries run on Monday.'], 'ferries.md')); document.querySelector('#file').files = d.files; })()`, nil)
		p.Focus("[data-upload] button")
		p.Press("Enter")
		p.Wait(`document.readyState === 'complete' && !document.querySelector('[data-reading]') && document.querySelectorAll('#add li .good').length === 2`)
		p.Click(`a[aria-label="Remove ferries.md"]`)
		p.Wait(`location.pathname.endsWith('/remove') && document.querySelector('button.danger')`)
		p.Shoot("documents-remove")
		p.Focus("button.danger")
		p.Press("Enter")
		p.Wait(`document.readyState === 'complete' && !document.querySelector('[data-reading]') && document.querySelectorAll('#add li').length === 2`)
		p.Sees("1 file removed")
		sound(t, p)
	}
	for name, path := range map[string]string{"documents": "corpora", "documents-files": "corpora/harbour-1", "documents-new": "corpora/new", "documents-sure": "corpora/harbour-1/remove?file=broken.pdf"} {
		p.Inspect(t, name, s.url+"/ui/"+path, &browsertest.InspectOptions{Differs: true}) // files are dropped with scripts only
	}
}

// A person pastes a text, sees what is wrong in it, goes from a sentence to its bytes in the document,
// accepts a correction, takes it back, accepts two, and has the text for downloading.
func TestCheckTextInBrowser(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	s := start(t, home)
	p := s.browser(home)
	accepted := func(n int) {
		p.Wait(fmt.Sprintf(`document.querySelector('#corrections .badge').textContent === '%d of 2 accepted'`, n))
	}
	at := ""
	for _, v := range append(slices.Clone(views), browsertest.View{Width: 390, NoScript: true}) {
		p.Look(v)
		p.Goto(s.url + "/ui/check")
		p.Click("#text")
		p.Type(strings.ReplaceAll(draft, "\r", ""))
		p.Focus("main form button")
		p.Loads(func() { p.Press("Enter") })
		if v.NoScript {
			p.Eval(`location.href`, &at)
			s.enters(token(t, home)).ended(strings.TrimPrefix(at, s.url))
			p.Goto(at)
		}
		p.Wait(`document.querySelector('.draft') && !document.querySelector('[data-live]')`)
		p.Eval(`location.href`, &at)
		p.Sees("The documents support 1 of 3 sentences.")
		p.Sees("<b>giants</b>")
		for _, fault := range p.Wide() {
			t.Error(fault)
		}
		accepted(0)
		p.Click(".quotes a")
		p.Wait(`document.querySelector('.documents :target')?.closest('mark, .documents').textContent.includes('two winters')`)
		p.Goto(at)
		p.Focus(`button[value="claim-1"]`)
		p.Loads(func() { p.Press("Enter") })
		accepted(1)
		p.Wait(`document.querySelector('[data-corrected]').textContent.includes('two winters') && location.hash === '#repair-claim-1'`)
		p.Loads(func() { p.Click("#corrections button.plain") })
		accepted(0)
		p.Loads(func() { p.Click(`button[value="claim-1"]`) })
		p.Loads(func() { p.Click(`button[value="claim-3"]`) })
		accepted(2)
		p.Shoot("checked-two")
		var link string
		p.Eval(`document.querySelector('a[download]').getAttribute('href')`, &link)
		if _, text, _ := s.enters(token(t, home)).load("GET", link, nil); !strings.Contains(text, "two winters") || strings.Contains(text, "giants") {
			t.Errorf("%s sends %q", link, text)
		}
		sound(t, p)
	}
	p.Inspect(t, "check", s.url+"/ui/check", nil)
	p.Inspect(t, "checked", at, nil)
	p.Inspect(t, "checked-one", at+"?accept=claim-1", nil)
}

// A person who knows no schema drops a paper, takes the fields that the page has found, goes from a value to
// its place, corrects one with Enter, and has the table and a case for downloading.
func TestReadFieldsInBrowser(t *testing.T) {
	home := t.TempDir()
	s := start(t, home)
	p := s.browser(home)
	at := ""
	for _, v := range append(slices.Clone(views), browsertest.View{Width: 1280, Dark: true}, browsertest.View{Width: 390}) {
		name := fmt.Sprintf("extract-%d-%t-", v.Width, v.Dark)
		p.Look(v)
		p.Goto(s.url + "/ui/")
		p.Click(`.begin a[href="/ui/extract"]`)
		p.Sees("or drop them here")
		p.Picture(name + "1-drop")
		p.Loads(func() { p.Eval(dropping("bill.txt", aBill), nil) })
		p.Sees("What your papers seem to have")
		p.Picture(name + "2-fields")
		p.Loads(func() { p.Click(`form button`) })
		p.Wait(`!document.querySelector('[data-reading]') && document.querySelector('.value')`)
		p.Eval(`location.href`, &at)
		p.Picture(name + "3-values")
		for _, fault := range p.Wide() {
			t.Error(fault)
		}
		place := `[...document.querySelectorAll('.value')].find(v => v.querySelector('input').value === '84.50')`
		p.Eval(place+`.querySelector('a').id = 'place'`, nil)
		p.Click("#place")
		p.Wait(fmt.Sprintf(inView, "mark:target"))
		p.Wait(`document.querySelector('mark:target').textContent.includes('84.50')`)
		p.Picture(name + "4-place")
		p.Goto(at)
		p.Focus(`input[name="value.customer"]`)
		p.Eval(`document.activeElement.select()`, nil)
		p.Type("Ann")
		p.Loads(func() { p.Press("Enter") })
		p.Wait(`document.querySelector('[name="value.customer"]').closest('.value:target').textContent.includes('Mill & Sons')`)
		p.Sees("1 corrected")
		p.Picture(name + "5-corrected")
		for kind, want := range map[string]string{"csv": "Ann", "json": `"was": "Mill \u0026 Sons"`, "case": "case.yaml"} {
			var link string
			p.Eval(fmt.Sprintf(`document.querySelector('a[download][href*="as=%s"]').getAttribute('href')`, kind), &link)
			if _, text, _ := s.enters(token(t, home)).load("GET", link, nil); !strings.Contains(text, want) {
				t.Errorf("%s sends %q", link, text)
			}
		}
		sound(t, p)
	}
	// A PDF is drawn as it looks, and a value leads to its box.
	const content = "BT /F1 12 Tf 72 700 Td (Invoice no: LW-7) Tj 0 -20 Td (Total: 84.50) Tj ET"
	pdf, table := "%PDF-1.4\n", "xref\n0 6\n0000000000 65535 f \n"
	for i, object := range []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(content), content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	} {
		table += fmt.Sprintf("%010d 00000 n \n", len(pdf))
		pdf += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	pdf += table + fmt.Sprintf("trailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(pdf))
	p.Look(browsertest.View{Width: 1280})
	p.Goto(s.url + "/ui/extract")
	p.Loads(func() { p.Eval(dropping("bill.pdf", pdf), nil) })
	p.Loads(func() { p.Click(`button[value="invoice"]`) })
	p.Wait(`!document.querySelector('[data-reading]') && document.querySelector('.sheet canvas')`)
	p.Eval(`document.querySelector('[name="value.total"]').closest('.value').querySelector('a').id = 'place'`, nil)
	p.Click("#place")
	p.Wait(`[...document.querySelectorAll('rect.marked')].some(r => r.getBoundingClientRect().height > 0 && r.getBoundingClientRect().bottom < innerHeight)`)
	p.Picture("extract-pdf")
	sound(t, p)
	p.Inspect(t, "extract", s.url+"/ui/extract", &browsertest.InspectOptions{Differs: true}) // files are dropped with scripts only
	p.Inspect(t, "extract-fields", at+"/fields", nil)
	p.Inspect(t, "extract-values", at, nil)
}
