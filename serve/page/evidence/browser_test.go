package evidence_test

import (
	"context"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/studytest"
	"example.com/assay/internal/browsertest"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
	"example.com/assay/state/proof"
)

var testPage = look.Parse(nil, `{{define "body"}}<section>{{.Section}}</section>{{end}}`)

// written writes a page with a section, for a browser to open.
func written(t *testing.T, name string, p proof.Proof, docs proof.Documents) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "evidence.html"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	section, err := evidence.Section(t.Context(), p, docs, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := look.Write(file, testPage, struct {
		Frame   look.Frame
		Section template.HTML
	}{look.Frame{Title: name, Heading: name, Eyebrow: "Assay · " + p.Pipeline, Full: true}, section}); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// study is the proof of a case study.
func study(t *testing.T, id string) (proof.Proof, proof.Documents) {
	t.Helper()
	for _, item := range studytest.Results(t).Items {
		if item.ID == id {
			p, err := eval.Proof(studytest.Pipelines(), item.Pipeline, item.Result)
			if err != nil {
				t.Fatal(err)
			}
			return p, files(id, map[string]string{id: item.Document})
		}
	}
	t.Fatalf("no case study %q", id)
	return proof.Proof{}, nil
}

// In a real browser the evidence of each pipeline, and of an answer that is none, is readable
// on a telephone and on a desk, in light and in dark, and by a screen reader.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it opens each page in many views")
	}
	b := browsertest.Open(t)
	for _, id := range []string{"battery_ricochet", "county_conflicting", "public_health_edges", "contract_fields", "planted_errors", "asylum_out_of_corpus"} {
		p, docs := study(t, id)
		b.Inspect(t, "evidence-"+id, written(t, id, p, docs), nil)
	}
	p, docs := study(t, "planted_errors")
	changed := func(ctx context.Context, d proof.Document) (proof.Content, error) {
		content, err := docs(ctx, d)
		return proof.Content{Text: "A line before.\n" + content.Text}, err
	}
	b.Inspect(t, "evidence-changed", written(t, "changed", p, changed), nil)
}

// where says what a fragment leads to and where it stands in the window.
const where = `(() => {
  const e = document.querySelector(':target'), r = e.getBoundingClientRect(), box = e.closest('.documents').getBoundingClientRect();
  return {Text: e.textContent, Seen: r.top >= Math.max(0, box.top) && r.top < Math.min(innerHeight, box.bottom), Beside: Math.abs(document.querySelector('#claim-2-said').getBoundingClientRect().top - said) < 400};
})()`

// By mouse and by keyboard, without a script of the page, a sentence of the answer leads to
// its bytes, which come into view beside it, and these lead back to the claim.
func TestLeads(t *testing.T) {
	p, docs := study(t, "planted_errors")
	b := browsertest.Open(t)
	b.Look(browsertest.View{Width: 1440})
	b.Goto(written(t, "planted_errors", p, docs))
	for _, follow := range []func(){func() { b.Click("#claim-2-said") }, func() { b.Focus("#claim-2-said"); b.Press("Enter") }} {
		b.Eval(`(() => { location.hash = ''; scrollTo(0, 0); document.querySelector('.documents').scrollTo(0, 0); globalThis.said = document.querySelector('#claim-2-said').getBoundingClientRect().top; return 0 })()`, new(int))
		follow()
		b.Wait(`location.hash === '#claim-2-quote-1'`)
		var at struct {
			Text         string
			Seen, Beside bool
		}
		b.Eval(where, &at)
		if at.Text != "This Agreement shall remain in effect for a period of three (3) years from the\nEffective Date." || !at.Seen || !at.Beside {
			t.Errorf("%+v", at)
		}
	}
	b.Click(`a.back[href="#claim-2"]`)
	b.Wait(`location.hash === '#claim-2'`)
	var copied string
	b.Eval(`document.querySelector('.sheet .text').textContent`, &copied)
	content, err := docs(t.Context(), p.Documents[0])
	if err != nil || copied != content.Text {
		t.Errorf("the document in the browser is %q, %v", copied, err)
	}
}

// No text of the table of hostile texts is more than text, as a part of a proof or as a
// document.
func TestHostileInBrowser(t *testing.T) {
	p := proof.Proof{Status: "answered", Tone: proof.Good}
	documents := map[string]string{}
	for i, h := range browsertest.HostileTexts() {
		name := fmt.Sprintf("%d %s", i, h.Text)
		documents[name] = "before " + h.Text + " after"
		start := len(p.Answer)
		p.Answer += h.Text + "\n\n"
		p.Documents = append(p.Documents, proof.Document{Name: name, Original: h.Text})
		p.Passages = append(p.Passages, proof.Passage{Doc: i, Head: h.Text, Marks: []string{"[" + h.Text + "]"}, Where: h.Text, Start: 7, End: 7 + len(h.Text), Text: h.Text, Stale: h.Text})
		p.Notes = append(p.Notes, proof.Note{Group: h.Text, Label: h.Text, Text: h.Text})
		p.Measures = append(p.Measures, proof.Measure{Name: h.Text, Text: h.Text})
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: h.Text, Text: h.Text, Verdict: h.Text, Tone: proof.Bad, Span: &proof.Span{Start: start, End: start + len(h.Text)},
			Decided: []proof.Decision{{Label: h.Text, Text: h.Text, Words: h.Text, Evidence: h.Text}}, Quotes: []proof.Quote{{Doc: i, Start: 7, End: 7 + len(h.Text), Text: h.Text}}})
	}
	docs := func(_ context.Context, d proof.Document) (proof.Content, error) {
		text := documents[d.Name]
		return proof.Content{Text: text, Pieces: []proof.Piece{{Start: 0, End: len(text), Box: proof.Box{X2: 500, Y2: 20}}}}, nil
	}
	b := browsertest.Open(t)
	b.Goto(written(t, "hostile", p, docs))
	b.Unfold()
	if found := slices.Concat(b.Ran(), b.Armed(), b.Turning(), b.Wide(), b.Strangers()); len(found) > 0 {
		t.Errorf("%d texts: %s", len(p.Documents), strings.Join(found, "\n"))
	}
}
