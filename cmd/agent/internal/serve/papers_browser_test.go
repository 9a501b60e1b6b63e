package serve_test

import (
	"bytes"
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
  const text = (e) => e.matches('mark') ? [e, ...shown.querySelectorAll('[data-of="' + CSS.escape(id) + '"]')].map((x) => x.textContent).join('') : '';
  return { Text: text(mark), Seen: done, Took: took, View: sheet.dataset.view ?? 'text', Sheet: shown.querySelector('.left') ? '' : shown.textContent, Boxes: boxes.map((b) => {
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
	Text, View, Sheet string
	Seen              bool
	Took              float64 // milliseconds
	Boxes             []struct {
		Page, Ink  int
		X, Y, W, H float64
	}
}

// look compares a sight with a citation, and returns what is wrong.
func (s sight) faults(t *testing.T, cited map[string]any, folder string) (out []string) {
	t.Helper()
	whole, err := os.ReadFile(cited["path"].(string))
	if err != nil {
		t.Fatal(err)
	}
	from, to := int(cited["start"].(float64)), int(cited["end"].(float64))
	if want := string(whole[from:to]); s.Text != want {
		out = append(out, fmt.Sprintf("the mark is %q, not bytes %d to %d, %q", s.Text, from, to, want))
	}
	if s.Sheet != "" && s.Sheet != string(whole) {
		out = append(out, fmt.Sprintf("the text is not that of the document: %q, %q", s.Sheet, whole))
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
		at := slices.IndexFunc(citations, func(c map[string]any) bool {
			return strings.Contains(c["cited_text"].(string), got.Text) && got.Text != ""
		})
		for i, c := range citations {
			if c["cited_text"] == got.Text {
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
