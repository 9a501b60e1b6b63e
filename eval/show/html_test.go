package show

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/studytest"
	"example.com/assay/nodes/verify"
)

func render(t *testing.T, r eval.Results, c *eval.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r, c, studytest.Pipelines()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	idOf     = regexp.MustCompile(` id="([^"]*)"`)
	hrefOf   = regexp.MustCompile(` href="([^"]*)"`)
	headOf   = regexp.MustCompile(`<h([1-6])[ >]`)
	labelOf  = regexp.MustCompile(` aria-labelledby="([^"]*)"`)
	loadedBy = regexp.MustCompile(`(?i)<(script|link|img|iframe|object|embed|base)\b|\bsrc=|url\(|@import| on[a-z]+=`)
	markOf   = regexp.MustCompile(`(?s)<mark[^>]*>(.*?)</mark>`)
	tagOf    = regexp.MustCompile(`<[^>]*>`)
)

// A page loads nothing and runs nothing, each link and label leads to one element,
// and no level of heading is skipped, whatever the texts are.
func TestPagesHoldTogether(t *testing.T) {
	attacked, changes := hostile(t)
	for name, text := range map[string]string{"case studies": render(t, studytest.Results(t), nil), "hostile": render(t, attacked, changes)} {
		ids := map[string]int{}
		for _, m := range idOf.FindAllStringSubmatch(text, -1) {
			if ids[m[1]]++; ids[m[1]] > 1 {
				t.Errorf("%s: id %q is there twice", name, m[1])
			}
		}
		for _, m := range hrefOf.FindAllStringSubmatch(text, -1) {
			if to, inside := strings.CutPrefix(m[1], "#"); !inside || ids[to] == 0 {
				t.Errorf("%s: a link leads to %q, which is not on the page", name, m[1])
			}
		}
		for _, m := range labelOf.FindAllStringSubmatch(text, -1) {
			for id := range strings.FieldsSeq(m[1]) {
				if ids[id] == 0 {
					t.Errorf("%s: a label is %q, which is not on the page", name, id)
				}
			}
		}
		last := 0
		for _, m := range headOf.FindAllStringSubmatch(text, -1) {
			level := int(m[1][0] - '0')
			if level > last+1 || level == 1 && last > 0 {
				t.Errorf("%s: a heading of level %d follows one of %d", name, level, last)
			}
			last = level
		}
		if last == 0 || len(ids) < 10 {
			t.Errorf("%s: %d ids, and no heading", name, len(ids))
		}
		// Texts hold such signs only escaped.
		for _, tag := range tagOf.FindAllString(text, -1) {
			if loaded := loadedBy.FindString(tag); loaded != "" {
				t.Errorf("%s: %q in %s", name, loaded, tag)
			}
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.Contains(text, "url(") {
			t.Errorf("%s: markup of a text is markup of the page", name)
		}
	}
}

// What a case study is known for is on the page, in words.
func TestPageOfCaseStudies(t *testing.T) {
	r := studytest.Results(t)
	text := render(t, r, nil)
	marks := map[string]bool{}
	for _, m := range markOf.FindAllStringSubmatch(text, -1) {
		marks[html.UnescapeString(tagOf.ReplaceAllString(m[1], ""))] = true
	}
	for _, quote := range []string{
		"Brendlin v. California settled the passenger's position: a reasonable person riding in a stopped car would not feel free to walk away from the scene.", "Tobacco smoking causes lung cancer.",
		"September 14, 2021", "This Agreement shall remain in effect for a period of three (3) years from the\nEffective Date.",
	} {
		if !marks[quote] {
			t.Errorf("%q is not marked", quote)
		}
	}
	for _, want := range []string{
		fmt.Sprintf(`<h1 dir="auto">%d of %d cases passed</h1>`, r.Passed, r.N), `<time datetime="2026-01-02T03:04:05Z">`, "linux/amd64, 2 processors", "What must an applicant show to be granted asylum?",
		"“five (5) years” against “three (3) years”", `<span class="badge bad">against</span>`, "REQ-S001 says “60 minutes” and REQ-P001",
		"tobacco smoking → lung cancer", "Tallow &amp; Reed LLC", "Reliability diagram", "execute/synthesize", "20240607",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if text != render(t, studytest.Results(t), nil) {
		t.Error("the same results give other bytes")
	}
}

func TestPageOfFailuresAndChanges(t *testing.T) {
	r, c := hostile(t)
	text := render(t, r, c)
	for _, want := range []string{"What failed", "not run: no such file", "Since the baseline", "badge bad\">regression", "Cases that changed", "Metrics that changed", arabic, "Not the same in all repeats", "<details class=\"case\" id=\"case-1\" open>", "<details class=\"case\" id=\"case-2\">"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(text, html.EscapeString(attack)); n < 20 {
		t.Errorf("the attack is shown %d times as text", n)
	}
}

// A result that is not its pipeline's is an error, and nothing is written.
func TestForeignResult(t *testing.T) {
	for _, pipeline := range []string{eval.Research, eval.Comply, eval.Edges, eval.Extract, eval.Verify} {
		var b bytes.Buffer
		err := HTML(&b, eval.Results{Items: []eval.Item{{ID: "odd", Pipeline: pipeline, Result: json.RawMessage(`{"sources": 3}`)}}}, nil, studytest.Pipelines())
		if err == nil || !strings.Contains(err.Error(), `case "odd": reading the answer of`) || b.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", pipeline, err, b.Len())
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestWritersThatFail(t *testing.T) {
	r, c := hostile(t)
	for name, err := range map[string]error{"html": HTML(full{}, r, c, studytest.Pipelines()), "markdown": Markdown(full{}, r, c), "junit": JUnit(full{}, r)} {
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No result, however odd its numbers, makes the page panic.
func FuzzShow(f *testing.F) {
	f.Add(`{"answer": {}, "sources": [{"start": -5, "end": 3, "text": "abc", "quotes": [{"start": 9, "end": 1, "text": "a"}]}]}`)
	whole, err := json.Marshal(verify.Answer{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole))
	f.Fuzz(func(t *testing.T, result string) {
		if !json.Valid([]byte(result)) {
			return
		}
		for _, pipeline := range []string{eval.Research, eval.Comply, eval.Edges, eval.Extract, eval.Verify} {
			var b bytes.Buffer
			if err := HTML(&b, eval.Results{Items: []eval.Item{{Pipeline: pipeline, Result: json.RawMessage(result)}}}, nil, studytest.Pipelines()); err == nil && !strings.HasSuffix(strings.TrimSpace(b.String()), "</html>") {
				t.Errorf("%s: the page has no end", pipeline)
			}
		}
	})
}
