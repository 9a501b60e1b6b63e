package serve_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"example.com/assay/cmd/agent/internal/config"
	"example.com/assay/internal/browsertest"
	"example.com/assay/memory"
)

// see clicks a link of an answer, waits until what it leads to is there to be seen, and says what that is.
const see = `(async (id) => {
  const link = document.querySelector('.answer a[href="#' + CSS.escape(id) + '"]'), mark = document.getElementById(id), sheet = mark.closest('.sheet');
  const inside = (e) => { const r = e.getBoundingClientRect(), d = e.closest('.documents').getBoundingClientRect(); return r.width > 0 && r.top >= Math.max(0, d.top) && r.bottom <= Math.min(innerHeight, d.bottom) + 1 && r.left >= d.left - 1 && r.right <= d.right + 1; };
  const drawn = (svg) => svg.previousElementSibling?.matches('canvas');
  const from = performance.now();
  link.click();
  let boxes, place, done;
  do {
    await new Promise((next) => setTimeout(next, 5));
    boxes = sheet.dataset.view === 'page' ? [...sheet.querySelectorAll('.here rect')] : [];
    place = boxes[0] ?? [mark, ...mark.querySelectorAll('*')].find((e) => e.getClientRects().length);
    done = place && inside(place) && (!boxes.length || drawn(boxes[0].ownerSVGElement));
  } while (!done && performance.now() - from < 10000);
  const took = performance.now() - from;
  for (const until = performance.now() + 10000; boxes.some((b) => !drawn(b.ownerSVGElement)) && performance.now() < until;) {
    boxes.find((b) => !drawn(b.ownerSVGElement)).scrollIntoView({ block: 'center' });
    await new Promise((next) => setTimeout(next, 20));
  }
  const shown = sheet.querySelector('.text');
  const pieces = [...shown.querySelectorAll('#' + CSS.escape(id) + ', [data-of="' + CSS.escape(id) + '"]')], before = new Range();
  before.setStart(shown, 0);
  before.setEnd(pieces[0], 0);
  return { Text: pieces.map((x) => x.textContent).join(''), Before: before.toString(), Seen: done, Took: took, View: sheet.dataset.view ?? 'text', Sheet: shown.querySelector('.left') ? '' : shown.textContent, Boxes: boxes.map((b) => {
    const svg = b.ownerSVGElement, canvas = svg.previousElementSibling, view = svg.viewBox.baseVal, at = b.getBBox(), by = canvas ? canvas.width / view.width : 0;
    let ink = 0;
    if (by) {
      const { data } = canvas.getContext('2d').getImageData(at.x * by, at.y * by, Math.max(1, at.width * by), Math.max(1, at.height * by));
      for (let i = 0; i < data.length; i += 4) ink = Math.max(ink, Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]));
    }
    return { Page: Number(svg.dataset.page), X: at.x / 10, Y: at.y / 10, W: at.width / 10, H: at.height / 10, Ink: ink };
  }) };
})(%q)`

// A sight is what a reader sees who has clicked a number.
type sight struct {
	Text, View string
	Before     string // what the document shows before the mark
	Sheet      string // its whole text; empty if it is not shown whole
	Seen       bool
	Took       float64 // milliseconds
	Boxes      []struct {
		Page, Ink  int
		X, Y, W, H float64
	}
}

// faults compares a sight with its citation, and returns what is wrong.
func (s sight) faults(t *testing.T, cited map[string]any, folder string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(cited["path"].(string))
	if err != nil {
		t.Fatal(err)
	}
	cut := func(key string) string { return asShown(string(data[:int(cited[key].(float64))])) }
	whole, from, quoted := asShown(string(data)), len(cut("start")), asShown(cited["cited_text"].(string))
	if at := strings.Index(s.Text, quoted); at >= 0 { // the mark has more than the citation
		from -= at
	} else {
		from += strings.Index(quoted, s.Text)
	}
	if s.Sheet != "" && (s.Sheet != whole || len(s.Before) != from) {
		out = append(out, fmt.Sprintf("the text is not that of the document, or the mark is at %d and not at %d: %q, %q", len(s.Before), from, s.Sheet, whole))
	}
	if from < 0 || !strings.HasPrefix(whole[from:], s.Text) || s.Text == "" {
		out = append(out, fmt.Sprintf("the mark is %q, which is not at %d", s.Text, from))
	}
	if !s.Seen {
		out = append(out, "the mark is not in view")
	}
	name := cited["doc"].(string)
	if filepath.Ext(name) != ".pdf" {
		return out
	}
	if s.View != "page" || len(s.Boxes) == 0 {
		return append(out, "the page is not shown as it looks, with boxes")
	}
	for _, b := range s.Boxes {
		if b.Ink < 60 {
			out = append(out, fmt.Sprintf("nothing is drawn in the box %+v", b))
		}
	}
	if found, ok := s.inBoxes(t, filepath.Join(folder, name)); ok && found != letters(s.Text) {
		out = append(out, fmt.Sprintf("the boxes hold %q, the mark is %q", found, letters(s.Text)))
	}
	return out
}

// asShown is a text with the ends of lines that every browser has.
func asShown(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// letters is a text without what lines and fonts change.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("-\u00ad‐", r) {
			return -1
		}
		return r
	}, s)
}

// inBoxes returns the letters that pdftotext finds in the boxes, if it is here. In a word that a box
// holds in part, all letters are as wide.
func (s sight) inBoxes(t *testing.T, file string) (string, bool) {
	t.Helper()
	if _, err := exec.LookPath("pdftotext"); err != nil {
		return "", false
	}
	var out strings.Builder
	for i, b := range s.Boxes {
		number := fmt.Sprint(b.Page)
		data, err := exec.CommandContext(t.Context(), "pdftotext", "-bbox", "-f", number, "-l", number, file, "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && s.Boxes[i-1] == b {
			continue
		}
		var page struct {
			Words []struct {
				X0   float64 `xml:"xMin,attr"`
				Y0   float64 `xml:"yMin,attr"`
				X1   float64 `xml:"xMax,attr"`
				Y1   float64 `xml:"yMax,attr"`
				Text string  `xml:",chardata"`
			} `xml:"body>doc>page>word"`
		}
		d := xml.NewDecoder(bytes.NewReader(data))
		d.Strict, d.Entity = false, xml.HTMLEntity
		if err := d.Decode(&page); err != nil {
			t.Fatal(err)
		}
		for _, w := range page.Words {
			if middle := (w.Y0 + w.Y1) / 2; middle < b.Y || middle > b.Y+b.H {
				continue
			}
			r := []rune(w.Text)
			for k, c := range r {
				if x := w.X0 + (w.X1-w.X0)*(float64(k)+.5)/float64(len(r)); x > b.X-.5 && x < b.X+b.W+.5 {
					out.WriteRune(c)
				}
			}
		}
	}
	return letters(out.String()), true
}

// A reader asks a server, and clicks the numbers of the answers.
type reader struct {
	*started
	page   *browsertest.Page
	key    string
	folder string // of the documents
}

// asks asks a question in a conversation of its own, clicks each number that leads to a citation, and
// returns what was seen for each, by the names of the documents.
func (r *reader) asks(t *testing.T, graph, question string, open func(doc string) bool) (all map[string][]sight, faults []string) {
	t.Helper()
	_, made := r.post(r.key, "/threads", "{}")
	thread := made["thread_id"].(string)
	_, citations := r.ask(turn{token: r.key, graph: graph, thread: thread, text: question})
	wanted := func(c map[string]any) bool { doc, _ := c["doc"].(string); return open(doc) }
	if !slices.ContainsFunc(citations, wanted) {
		return nil, nil
	}
	all = map[string][]sight{}
	r.page.Goto(r.url + "/ui/ask/" + thread)
	var places []string
	r.page.Eval(`[...new Set([...document.querySelectorAll('.answer a[href*="quote"]')].map((a) => a.hash.slice(1)).filter((id) => document.getElementById(id)?.matches('.documents mark')))]`, &places)
	for _, id := range places {
		r.page.Goto(r.url + "/ui/ask/" + thread)
		var got sight
		r.page.Eval(fmt.Sprintf(see, id), &got)
		at := -1
		for i, c := range citations {
			quoted, _ := c["cited_text"].(string)
			if quoted == got.Text {
				at = i
			} else if quoted = asShown(quoted); at < 0 && quoted != "" && (strings.Contains(quoted, got.Text) || strings.Contains(got.Text, quoted)) {
				at = i
			}
		}
		if at < 0 {
			faults = append(faults, fmt.Sprintf("%s: no citation is %q", question, got.Text))
			continue
		}
		if !wanted(citations[at]) {
			continue
		}
		name := citations[at]["doc"].(string)
		for _, fault := range got.faults(t, citations[at], r.folder) {
			faults = append(faults, fmt.Sprintf("%s (%s): %s", question, name, fault))
		}
		all[name] = append(all[name], got)
	}
	return all, faults
}

// reads starts a server with the documents of a folder, and enters.
func reads(t *testing.T, folder string) *reader {
	t.Helper()
	browsertest.Open(t) // or skips
	home := t.TempDir()
	if _, err := memory.Ingest(t.Context(), memory.IngestOptions{Home: home, Corpus: config.DefaultCorpus, Paths: []string{folder}}); err != nil {
		t.Fatal(err)
	}
	s := start(t, home)
	return &reader{s, s.browser(home), token(t, home), folder}
}

// questionsIn reads the questions of a folder that have an answer.
func questionsIn(t *testing.T, folder string) (out []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var q struct {
			Question   string
			Answerable bool
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if q.Answerable {
			out = append(out, q.Question)
		}
	}
	return out
}

// For each format a number of an answer leads to the mark, which is in view and is exactly the cited
// bytes; on the page of a PDF the boxes lie on these words.
func TestMarksOfFormatsBrowser(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "..", "case_studies", "desk", "dev")
	r := reads(t, filepath.Join(folder, "documents"))
	missing := map[string]int{".md": 1, ".txt": 1, ".html": 1, ".docx": 1, ".pptx": 1, ".xlsx": 1, ".eml": 1, ".csv": 1, ".pdf": 3}
	for _, question := range questionsIn(t, folder) {
		if len(missing) == 0 {
			break
		}
		seen, faults := r.asks(t, "research", question, func(doc string) bool { return missing[filepath.Ext(doc)] > 0 })
		for _, fault := range faults {
			t.Error(fault)
		}
		for name := range seen {
			if ext := filepath.Ext(name); missing[ext] > 1 {
				missing[ext]--
			} else {
				delete(missing, ext)
			}
		}
		if len(seen) > 0 {
			sound(t, r.page)
		}
	}
	if len(missing) > 0 {
		t.Errorf("no answer cites %v", missing)
	}
}

// The marks of all answers to a folder's questions: how many are in view and right, and how long after
// a click. ASSAY_TEST_PAPERS names the folder: documents, and questions.jsonl.
func TestPapersMeasuredBrowser(t *testing.T) {
	folder := os.Getenv("ASSAY_TEST_PAPERS")
	if folder == "" {
		t.Skip("ASSAY_TEST_PAPERS is not set: it names a folder with documents and questions.jsonl")
	}
	r := reads(t, filepath.Join(folder, "documents"))
	marks, wrong, boxes := 0, 0, 0
	took := map[string][]float64{} // by format
	for _, question := range questionsIn(t, folder) {
		seen, faults := r.asks(t, "research", question, func(string) bool { return true })
		for _, fault := range faults {
			t.Error(fault)
		}
		wrong += len(faults)
		for name, all := range seen {
			for _, s := range all {
				marks, boxes = marks+1, boxes+len(s.Boxes)
				took[filepath.Ext(name)] = append(took[filepath.Ext(name)], s.Took)
			}
		}
		sound(t, r.page)
	}
	t.Logf("%d marks, %d boxes on pages, %d faults", marks, boxes, wrong)
	for _, ext := range slices.Sorted(maps.Keys(took)) {
		all := took[ext]
		slices.Sort(all)
		t.Logf("%s: %d marks, %.0f ms (p50), %.0f ms (p95), %.0f ms (longest) from click to mark", ext, len(all), all[len(all)/2], all[len(all)*95/100], all[len(all)-1])
	}
}

// picture is eight by eight pixels in JPEG 2000, whose decoder is WebAssembly: red above, blue below.
const picture = "/0//UQAvAAAAAAAIAAAACAAAAAAAAAAAAAAACAAAAAgAAAAAAAAAAAADBwEBBwEBBwEB/1IADAAAAAEBAAQEAAH/XAAEQED/ZAAlAAFDcmVhdGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAABeAAH/k8+0bDsNDSvqxXGgGEhBh9AMJCPcMGEhL4l7AAAYR9+AmDu5DseN/jouqAABhIS4jUDCQl/fgMgUAFsfIFfZMQAYSBS/RIHnQEgcBESBGExH/9k="

// hostilePDF is a PDF of one page that says some lines, and tries to run code: when it is opened, when
// its page is shown, in a font's matrix, in a function of a colour, by a link and a form.
func hostilePDF(lines ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(text string) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), text)
	}
	stream := func(dict, data string) {
		object(fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data))
	}
	b.WriteString("%PDF-1.7\n")
	script := "<< /S /JavaScript /JS (document.title = 'ran'; globalThis.ran = 1; app.alert\\('ran'\\)) >>"
	object("<< /Type /Catalog /Pages 2 0 R /OpenAction " + script + " /Names << /JavaScript << /Names [(a) " + script + "] >> >> /AcroForm << /Fields [8 0 R] /XFA (<script>ran = 1</script>) >> >>")
	object("<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
	object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 400 300] /Contents 4 0 R /Annots [7 0 R 8 0 R] /AA << /O " + script + " >> /Resources << /Font << /F1 5 0 R >> /XObject << /Im 9 0 R >> /ColorSpace << /C [/Separation /X /DeviceRGB 6 0 R] >> >> >>")
	content := "q 100 0 0 100 300 100 cm /Im Do Q /C cs .5 scn 20 20 50 50 re f 0 g BT /F1 10 Tf 14 TL 20 250 Td"
	for _, l := range lines {
		content += " (" + l + ") Tj T*"
	}
	stream("", content+" ET")
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /FontMatrix [.001 0 0 .001 0 (0\\); globalThis.ran = 1; alert\\('ran'\\))] >>")
	stream("/FunctionType 4 /Domain [0 1] /Range [0 1 0 1 0 1]", "{ dup 2 mul exch dup }")
	object("<< /Type /Annot /Subtype /Link /Rect [0 0 400 300] /A << /S /URI /URI (javascript:ran=1) >> >>")
	object("<< /Type /Annot /Subtype /Widget /FT /Tx /T (x) /V (<img src=x onerror=ran=1>) /Rect [100 20 200 40] /AA << /F " + script + " >> >>")
	image, err := base64.StdEncoding.DecodeString(picture)
	if err != nil {
		panic(err) // it is a constant
	}
	stream("/Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /JPXDecode", string(image))
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, table)
	return b.Bytes()
}

// A PDF that tries to run code is shown and does not. Its page can be read by keyboard and by a screen
// reader, in every view; the text is a press of a button away; and a file that has changed is not shown.
func TestHostilePaperBrowser(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "permits.pdf")
	if err := os.WriteFile(file, hostilePDF("The fee for a lantern permit is forty crowns.", "A permit expires after two winters."), 0o600); err != nil {
		t.Fatal(err)
	}
	r := reads(t, folder)
	seen, faults := r.asks(t, "research", "When does a permit expire?", func(string) bool { return true })
	if len(faults) > 0 || len(seen["permits.pdf"]) == 0 || len(seen["permits.pdf"][0].Boxes) != 1 {
		t.Fatalf("%+v, %v\n%s", seen, faults, r.page.Text())
	}
	p := r.page
	sound(t, p)
	var ran bool
	if p.Eval(`'ran' in globalThis || document.title === 'ran' || document.querySelector('.paper a:not([href^="#"]), .paper iframe, .paper input') !== null`, &ran); ran {
		t.Error("the PDF has run code, or put elements on the page")
	}
	var colours string
	p.Eval(`(canvas => [125, 175].map((y) => { const by = canvas.width / 400, [r, , b] = canvas.getContext('2d').getImageData(350 * by, y * by, 1, 1).data; return r > 150 && b < 80 ? 'red' : b > 100 && r < 80 ? 'blue' : r + ' ' + b; }).join())(document.querySelector('.paper canvas'))`, &colours)
	if colours != "red,blue" {
		t.Errorf("the picture is %s", colours)
	}
	p.Wait(`document.activeElement.matches('.paper a.here')`)
	p.Press("Shift+Tab", "Shift+Tab")
	p.Press("Enter")
	p.Wait(`document.querySelector('.sheet').dataset.view === 'text' && document.activeElement.value === 'text' && document.activeElement.ariaPressed === 'true' && document.querySelector('.paper').getClientRects().length === 0`)
	p.Sees("expires after two winters")
	var address, run string
	p.Eval(`location.href`, &address)
	p.Eval(`document.querySelector('.how a').href`, &run)
	p.Inspect(t, "paper", run, &browsertest.InspectOptions{Differs: true})
	if err := os.WriteFile(file, hostilePDF("A permit expires after nine winters."), 0o600); err != nil {
		t.Fatal(err)
	}
	p.Goto(address)
	p.Sees("its file is no longer the one that was read")
	p.Sees("expires after two winters")
}
