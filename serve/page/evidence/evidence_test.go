package evidence_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"example.com/assay/internal/studytest"
	"example.com/assay/nodes/shown"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

func section(t interface {
	Helper()
	Fatal(...any)
}, p proof.Proof, docs proof.Documents, opts *evidence.Options) string {
	t.Helper()
	out, err := evidence.Section(context.Background(), p, docs, opts)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// of reads documents of the same text.
func of(text string) proof.Documents {
	return func(context.Context, proof.Document) (proof.Content, error) { return proof.Content{Text: text}, nil }
}

// A looked is what of a section a reader sees.
type looked struct {
	texts  []string          // of documents and passages
	quoted map[string]string // text of each mark by its id, parts that are cut off among it
	leads  map[string]string // text of each link that has one, by what it leads to
	ids    map[string]int
	tags   string
}

var (
	piece  = regexp.MustCompile(`<[^>]*>|[^<]+`)
	attr   = regexp.MustCompile(` ([a-z-]+)="([^"]*)"`)
	onPage = regexp.MustCompile(` href="#([^"]*)"`)
)

// read reads a section as a browser does.
func read(t interface{ Errorf(string, ...any) }, page string) looked {
	l := looked{quoted: map[string]string{}, leads: map[string]string{}, ids: map[string]int{}}
	var open []map[string]string
	inText, depth := -1, 0
	for _, p := range piece.FindAllString(page, -1) {
		switch {
		case strings.HasPrefix(p, "</"):
			if len(open) == 0 || !strings.HasPrefix(p, "</"+open[len(open)-1]["tag"]+">") {
				t.Errorf("%s closes %v", p, open)
				return l
			}
			if open = open[:len(open)-1]; len(open) == inText {
				inText = -1
			}
		case strings.HasPrefix(p, "<"):
			l.tags += p
			at := map[string]string{"tag": strings.FieldsFunc(p[1:], func(r rune) bool { return r == ' ' || r == '>' || r == '/' })[0]}
			for _, m := range attr.FindAllStringSubmatch(p, -1) {
				at[m[1]] = html.UnescapeString(m[2])
			}
			if id := at["id"]; id != "" {
				l.ids[id]++
			}
			if strings.HasPrefix(at["class"], "text") {
				inText, l.texts = len(open), append(l.texts, "")
			}
			if at["tag"] != "hr" && !strings.HasSuffix(p, "/>") {
				open = append(open, at)
			}
			depth = max(depth, len(open))
		default:
			text := html.UnescapeString(p)
			if inText >= 0 {
				l.texts[len(l.texts)-1] += text
			}
			for _, at := range open {
				if at["tag"] == "mark" {
					l.quoted[at["id"]+at["data-of"]] += text
				}
				if to, link := strings.CutPrefix(at["href"], "#"); link {
					l.leads[to] += text
				}
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("%v is not closed", open)
	}
	return l
}

// sound says of a section that its ids are there once, and that its links lead somewhere.
func sound(t *testing.T, page string) looked {
	t.Helper()
	l := read(t, page)
	for id, n := range l.ids {
		if n > 1 {
			t.Errorf("id %q is there %d times", id, n)
		}
	}
	for _, m := range onPage.FindAllStringSubmatch(page, -1) {
		if l.ids[m[1]] == 0 {
			t.Errorf("a link leads to %q, which is not there", m[1])
		}
	}
	return l
}

// files reads the documents of the case studies, whose paths are those of their files.
func files(item string, documents map[string]string) proof.Documents {
	return func(_ context.Context, d proof.Document) (proof.Content, error) {
		if text := documents[item]; d.Path == "" && text != "" {
			return proof.Content{Text: text}, nil
		}
		data, err := os.ReadFile(d.Path)
		return proof.Content{Text: string(data)}, err
	}
}

// Of each case study the documents are shown as they stand, each quote is marked there, and
// each part of the answer that something was found about leads to its bytes.
func TestCaseStudies(t *testing.T) {
	documents := map[string]string{}
	marks, leads := 0, 0
	for _, item := range studytest.Results(t).Items {
		documents[item.ID] = item.Document
		p, err := shown.Of(item.Pipeline, item.Result)
		if err != nil {
			t.Fatal(err)
		}
		docs := files(item.ID, documents)
		page := section(t, p, docs, nil)
		l := sound(t, page)
		for _, text := range l.texts {
			found := false
			for _, d := range p.Documents {
				content, _ := docs(t.Context(), d)
				found = found || content.Text == text
			}
			if !found {
				t.Errorf("%s: what is shown is no document: %q", item.ID, text)
			}
		}
		for _, f := range p.Findings {
			for _, q := range f.Quotes {
				found := false
				for _, text := range l.quoted {
					found = found || text == q.Text
				}
				if !found {
					t.Errorf("%s: %q is not marked", item.ID, q.Text)
				}
			}
			if f.Span == nil {
				continue
			}
			if leads++; !leadsTo(l, f.Text, firstOf(p, f)) {
				t.Errorf("%s: %s does not lead to %q", item.ID, f.Name(), firstOf(p, f))
			}
		}
		marks += len(l.quoted)
		if page != section(t, p, docs, nil) {
			t.Errorf("%s: the same proof gives other bytes", item.ID)
		}
		if strings.Contains(page, "changed since") || strings.Contains(page, "could not be read") {
			t.Errorf("%s: a document is said to have changed", item.ID)
		}
	}
	if marks < 80 || leads < 50 {
		t.Errorf("%d marks, %d leads", marks, leads)
	}
}

// bare is a text without what layout changes.
func bare(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "**", "") }

// firstOf is the first quote that a finding stands on.
func firstOf(p proof.Proof, f proof.Finding) string {
	if len(f.Quotes) > 0 {
		return f.Quotes[0].Text
	}
	for _, other := range p.Findings {
		if len(f.Rests) > 0 && other.ID == f.Rests[0] {
			return other.Quotes[0].Text
		}
	}
	return ""
}

// leadsTo reports whether a text leads to a mark of a quote; without a quote it need not.
func leadsTo(l looked, text, quote string) bool {
	for id, marked := range l.quoted {
		if marked == quote && strings.Contains(bare(l.leads[id]), bare(text)) {
			return true
		}
	}
	return quote == ""
}

// What decided is there in words, and its words are strong.
func TestWordsThatDecided(t *testing.T) {
	for _, item := range studytest.Results(t).Items {
		p, err := shown.Of(item.Pipeline, item.Result)
		if err != nil {
			t.Fatal(err)
		}
		page := section(t, p, files(item.ID, map[string]string{item.ID: item.Document}), nil)
		for _, want := range map[string][]string{
			"planted_errors":       {`<strong class="decided">five (5) years</strong>`, `<strong class="decided">three (3) years</strong>`, "“five (5) years” against “three (3) years”", `<span class="badge bad">against</span>`, "4 unsupported", "Not grounded: 4 of 8 claims"},
			"county_conflicting":   {"REQ-S001 says “60 minutes” and REQ-P001 “90 minutes”", "Not used in the answer: 12 requirements", `<span class="badge bad" dir="auto">✗ rejected</span>`},
			"public_health_edges":  {"tobacco smoking → lung cancer", "Source 1 finds no such effect.", "9 rejected"},
			"contract_fields":      {"effective_date", "2021-09-14", "5 in the document"},
			"asylum_out_of_corpus": {"nearest passage", `<mark id="nearest-quote" class="weighed">If the lease grants the use of “equipment,” the conversation may be heard to show what that word means.</mark><a class="back weighed" href="#nearest"`, "no passage that was read has “asylum”", "! no evidence"},
			"battery_ricochet":     {`<span class="badge plain" dir="auto">C</span>`, "Reasons for the choice"},
		}[item.ID] {
			if !strings.Contains(page, want) {
				t.Errorf("%s: no %s", item.ID, want)
			}
		}
	}
}

// The line of a passage that came nearest is marked also where white space is other, or its
// end was cut off.
func TestNearest(t *testing.T) {
	for line, want := range map[string]string{"Salt is white.": "Salt\n  is white.", "Salt is …": "Salt\n  is", "Salt is…": "Salt\n  is", "Salt was white.": "", "": "", "…": ""} {
		doc := "Before. Salt is. Salt\n  is white. After."
		p := proof.Proof{Documents: []proof.Document{{Name: "d"}}, Nearest: &proof.Nearest{Where: "d", Quote: proof.Quote{Start: 17, End: len(doc) + 9, Text: line}}}
		l := sound(t, section(t, p, of(doc), nil))
		if l.quoted["nearest-quote"] != want {
			t.Errorf("%q: %q is marked, want %q", line, l.quoted, want)
		}
	}
}

// simple is an answer with a claim that is quoted at two places of a document.
func simple() proof.Proof {
	return proof.Proof{
		Answer: "Größe zählt.", Status: state.StatusAnswered, Tone: proof.Good, Documents: []proof.Document{{Name: "a.md", Path: "/a.md"}},
		Passages: []proof.Passage{{Head: "Source 1", Start: 3, End: 3 + len("Größe zählt. Mehr nicht."), Text: "Größe zählt. Mehr nicht."}},
		Findings: []proof.Finding{{ID: "claim-1", Kind: proof.Claim, Label: "1", Text: "Größe zählt.", Verdict: "supported", Tone: proof.Good, Span: &proof.Span{End: len("Größe zählt.")},
			Quotes: []proof.Quote{{Stand: proof.For, Start: 3, End: 3 + len("Größe zählt."), Text: "Größe zählt."}, {Stand: proof.Against, Start: 3 + len("Größe zählt. "), End: 3 + len("Größe zählt. Mehr nicht."), Text: "Mehr nicht."}}}},
	}
}

// Where a document holds the words no longer, nothing is marked in it, and the page says so
// and shows what was read.
func TestChanged(t *testing.T) {
	now := "# Größe zählt. Mehr nicht.\n"
	for name, c := range map[string]struct {
		docs  proof.Documents
		says  string
		texts []string
	}{
		"unchanged": {of("?! Größe zählt. Mehr nicht.\n"), "each mark was compared byte for byte", []string{"?! Größe zählt. Mehr nicht.\n"}},
		"moved":     {of(now), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", now}},
		"cut":       {of("?! Größe"), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", "?! Größe"}},
		"empty":     {of(""), "nothing is marked in it", []string{"Größe zählt. Mehr nicht."}},
		"one byte":  {of("?! Grösse zählt. Mehr nicht.\n"), "nothing is marked in it", []string{"Größe zählt. Mehr nicht.", "?! Grösse zählt. Mehr nicht.\n"}},
		"unread": {func(context.Context, proof.Document) (proof.Content, error) {
			return proof.Content{}, errors.New("it is not in the corpus")
		}, "could not be read: it is not in the corpus", []string{"Größe zählt. Mehr nicht."}},
		"recorded": {nil, "as it was read", []string{"Größe zählt. Mehr nicht."}},
	} {
		page := section(t, simple(), c.docs, nil)
		l := sound(t, page)
		if !strings.Contains(page, c.says) || fmt.Sprintf("%q", l.texts) != fmt.Sprintf("%q", c.texts) {
			t.Errorf("%s: %q\n%s", name, l.texts, page)
		}
		if l.quoted["claim-1-quote-1"] != "Größe zählt." || l.quoted["claim-1-quote-2"] != "Mehr nicht." || len(l.quoted) != 2 {
			t.Errorf("%s: marked are %q", name, l.quoted)
		}
		before, _, _ := strings.Cut(page, "<details>")
		if strings.Contains(page, "<details>") && strings.Count(before, "<mark") != 2 {
			t.Errorf("%s: the document is marked", name)
		}
	}
	p := simple()
	p.Passages = nil
	page := section(t, p, of(now), nil)
	if l := sound(t, page); len(l.quoted) > 0 || strings.Count(page, "does not hold these words at their bytes") != 2 || l.leads["claim-1"] == "" {
		t.Errorf("a quote without a passage: %q\n%s", l.quoted, page)
	}
	// Of two passages one has changed: the other is marked in the document.
	p = simple()
	p.Passages = append(p.Passages, proof.Passage{Head: "Source 2", Start: 99, End: 104, Text: "older"})
	page = section(t, p, of("?! Größe zählt. Mehr nicht.\n"), nil)
	if l := sound(t, page); len(l.texts) != 2 || len(l.quoted) != 2 || !strings.Contains(page, "no longer holds 1 passage of 2") {
		t.Errorf("%q\n%s", l.texts, page)
	}
}

// For any document and any quotes of it, what is shown is the document, byte for byte, and
// each mark is its quote.
func TestMarksAreQuotes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := rapid.StringOfN(rapid.RuneFrom([]rune("ab <&>\"'\n\tß€𝒳ا\u202e\u00a0")), 0, 80, -1).Draw(t, "document")
		p := proof.Proof{Documents: []proof.Document{{Name: "d"}}}
		bounds := []int{}
		for i := range doc {
			bounds = append(bounds, i)
		}
		bounds = append(bounds, len(doc))
		n := rapid.IntRange(0, 12).Draw(t, "quotes")
		for i := range n {
			start, end := rapid.SampledFrom(bounds).Draw(t, "start"), rapid.SampledFrom(bounds).Draw(t, "end")
			if start >= end {
				continue
			}
			p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Stand: proof.For, Start: start, End: end, Text: doc[start:end]}}})
		}
		if start, end := rapid.SampledFrom(bounds).Draw(t, "start"), rapid.SampledFrom(bounds).Draw(t, "end"); start < end {
			p.Passages = []proof.Passage{{Start: start, End: end, Text: doc[start:end]}}
		}
		l := read(t, section(t, p, of(doc), nil))
		if len(p.Findings)+len(p.Passages) > 0 && (len(l.texts) != 1 || l.texts[0] != doc) {
			t.Fatalf("%q is shown as %q", doc, l.texts)
		}
		spans := map[string]bool{}
		for _, f := range p.Findings {
			q := f.Quotes[0]
			spans[fmt.Sprint(q.Start, q.End)] = true
			found := false
			for _, text := range l.quoted {
				found = found || text == q.Text
			}
			if !found {
				t.Fatalf("%q is not marked in %q: %q", q.Text, doc, l.quoted)
			}
		}
		if len(l.quoted) != len(spans) {
			t.Fatalf("%d marks of %d quotes", len(l.quoted), len(spans))
		}
	})
}

// A document that is too long to be shown whole is shown around its marks, from whole
// characters, and says how much is left out.
func TestLongDocument(t *testing.T) {
	for _, line := range []string{"Ein größerer Satz über Öl.\n", "größer", "語"} {
		doc := strings.Repeat(line, 400_000/len(line))
		p := simple()
		p.Answer, p.Passages, p.Findings = "", nil, p.Findings[:1]
		p.Findings[0].Span, p.Findings[0].Quotes = nil, nil
		for _, at := range []int{0, 1000, 150_000, 398_000} {
			start := at / len(line) * len(line)
			p.Findings[0].Quotes = append(p.Findings[0].Quotes, proof.Quote{Stand: proof.For, Start: start, End: start + len(line), Text: line})
		}
		page := section(t, p, of(doc), nil)
		l := sound(t, page)
		left := 0
		for _, m := range regexp.MustCompile(`aria-label="(\d+) bytes left out"`).FindAllStringSubmatch(page, -1) {
			var n int
			if _, err := fmt.Sscan(m[1], &n); err != nil {
				t.Fatal(err)
			}
			left += n
		}
		if len(l.texts) != 1 || len(l.texts[0])+left != len(doc) || len(l.texts[0]) > 30_000 || len(l.quoted) != 4 || !utf8.ValidString(page) {
			t.Errorf("%q: %d texts, %d bytes shown, %d left out of %d, %d marks", line, len(l.texts), len(l.texts[0]), left, len(doc), len(l.quoted))
		}
	}
}

// Of many documents not more is shown whole than a page can hold.
func TestManyDocuments(t *testing.T) {
	doc := strings.Repeat("One line of the document.\n", 7000)
	p := proof.Proof{}
	for i := range 12 {
		p.Documents = append(p.Documents, proof.Document{Name: fmt.Sprint(i)})
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Doc: i, Start: 2600, End: 2626, Text: doc[2600:2626]}}})
	}
	page := section(t, p, of(doc), nil)
	l := sound(t, page)
	whole := 0
	for _, text := range l.texts {
		if text == doc {
			whole++
		}
	}
	if len(l.texts) != 12 || whole != 5 || len(page) > 1_100_000 || len(l.quoted) != 12 {
		t.Errorf("%d of %d documents are whole, in %d bytes, with %d marks", whole, len(l.texts), len(page), len(l.quoted))
	}
}

// Hundreds of quotes in one document, each across the next, are all marked.
func TestManyQuotes(t *testing.T) {
	doc := strings.Repeat("A sentence of the document. ", 400)
	p := proof.Proof{Documents: []proof.Document{{Name: "d"}}}
	for i := range 300 {
		p.Findings = append(p.Findings, proof.Finding{ID: fmt.Sprintf("claim-%d", i), Kind: proof.Claim, Label: fmt.Sprint(i), Quotes: []proof.Quote{{Stand: proof.For, Start: i * 28, End: i*28 + 70, Text: doc[i*28 : i*28+70]}}})
	}
	l := sound(t, section(t, p, of(doc), nil))
	if len(l.quoted) != 300 || l.texts[0] != doc {
		t.Errorf("%d marks", len(l.quoted))
	}
	for i := range 300 {
		if got := l.quoted[fmt.Sprintf("claim-%d-quote-1", i)]; got != doc[i*28:i*28+70] {
			t.Fatalf("quote %d is %q", i, got)
		}
	}
}

// A field leads to its box on the drawing of its page, which leads back.
func TestDrawnPages(t *testing.T) {
	content := proof.Content{Text: "TOTAL 9.80\nThank you", Pieces: []proof.Piece{
		{Start: 0, End: 5, Page: 1, Box: proof.Box{X1: 10, Y1: 10, X2: 60, Y2: 20}}, {Start: 6, End: 10, Page: 1, Box: proof.Box{X1: 70, Y1: 10, X2: 100, Y2: 20}},
		{Start: 11, End: 20, Page: 2, Box: proof.Box{X1: 10, Y1: 10, X2: 90, Y2: 10}}, {Start: 15, End: 99, Page: 2},
	}}
	p := proof.Proof{Documents: []proof.Document{{Name: "scan"}}, Findings: []proof.Finding{
		{ID: "field-1", Kind: proof.Field, Label: "total", Text: "9.80", Quotes: []proof.Quote{{Stand: proof.For, Start: 6, End: 10, Text: "9.80", Page: 1}}},
		{ID: "field-2", Kind: proof.Field, Label: "date", Verdict: "not in the document", Tone: proof.Bad},
	}}
	page := section(t, p, func(context.Context, proof.Document) (proof.Content, error) { return content, nil }, nil)
	l := sound(t, page)
	for _, want := range []string{
		`<a href="#field-1-box-1">on the page</a>`, `<a href="#field-1" aria-label="field total: 9.80"><rect id="field-1-box-1" class="marked" x="70" y="10" width="30" height="10"/><text x="70" y="18" font-size="8" textLength="30" lengthAdjust="spacingAndGlyphs">9.80</text></a>`,
		`<figcaption>Page 2</figcaption>`, `viewBox="0 0 120 40"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in\n%s", want, page)
		}
	}
	if l.quoted["field-1-quote-1"] != "9.80" || strings.Count(page, "<rect") != 3 {
		t.Errorf("%q", l.quoted)
	}
}

// An answer that is none says why: failed, refused, stopped for a person.
func TestNoAnswer(t *testing.T) {
	for status, words := range map[state.Status]string{state.StatusFailed: "It failed: no model.", state.StatusRejected: "The input was refused.", state.StatusInterrupted: "It waits for a person."} {
		page := section(t, proof.Proof{Status: status, Tone: proof.Bad, Words: words}, nil, nil)
		if sound(t, page); !strings.Contains(page, words) || !strings.Contains(page, strings.ReplaceAll(string(status), "_", " ")) || strings.Contains(page, "blockquote") || strings.Contains(page, "Document") {
			t.Errorf("%s:\n%s", status, page)
		}
	}
}

// No text, wherever it comes from, is markup, and no id comes from a text.
func TestHostileTexts(t *testing.T) {
	const attack = "</textarea></script></style><img src=x onerror=alert(1)><script>alert(2)</script>\" onclick=\"x' javascript:alert(3) {{.}} &lt;b&gt; --> <![CDATA[ \u202e"
	q := proof.Quote{Stand: proof.Against, End: len(attack), Text: attack, Page: 1, Boxes: []proof.Box{{X2: 1, Y2: 1}}}
	p := proof.Proof{
		Pipeline: attack, Question: attack, Answer: attack + "\n\n- **" + attack + "**\n# " + attack, Choice: attack, Status: attack, Tone: proof.Bad, Words: "! " + attack,
		Measures: []proof.Measure{{Name: attack, Text: attack}}, Warnings: []string{attack}, Documents: []proof.Document{{Name: attack, Path: attack, Original: attack}, {Name: "unread" + attack}},
		Passages: []proof.Passage{{Head: attack, Marks: []string{attack}, Where: attack, End: len(attack), Text: attack, Stale: attack}, {Doc: 1, Head: attack, Where: attack, End: len(attack), Text: attack, Stale: attack}},
		Nearest:  &proof.Nearest{Where: attack, Why: attack, Quote: q}, Notes: []proof.Note{{Group: attack, Label: attack, Text: attack, About: []string{"claim-1"}}, {Group: attack, Aside: true, Text: attack}},
		Findings: []proof.Finding{{ID: "claim-1", Kind: proof.Claim, Label: attack, Text: attack, Verdict: attack, Tone: proof.Bad, Span: &proof.Span{End: len(attack)}, Decided: []proof.Decision{{Label: attack, Text: attack, Words: "img src=x", Evidence: "img src=x"}}, Quotes: []proof.Quote{q}}},
	}
	var plain strings.Builder
	for _, text := range []string{attack, "harmless"} {
		docs := func(_ context.Context, d proof.Document) (proof.Content, error) {
			if d.Path == "" {
				return proof.Content{}, errors.New(attack)
			}
			return proof.Content{Text: text, Pieces: []proof.Piece{{End: 8}}}, nil
		}
		page := section(t, p, docs, &evidence.Options{Prefix: "case-1", Level: 4})
		l := sound(t, page)
		for _, not := range []string{"<script", "<img", "<b>", "onclick=\"", "onerror=\"", "href=\"javascript", "style=", "<!", "{{"} {
			if strings.Contains(strings.ReplaceAll(l.tags, html.EscapeString(attack), ""), not) {
				t.Errorf("%q: there is %q", text, not)
			}
		}
		for id := range l.ids {
			if !regexp.MustCompile(`^case-1-[a-z0-9-]+$`).MatchString(id) {
				t.Errorf("id %q", id)
			}
		}
		if strings.Contains(page, "<h2") || !strings.Contains(page, "<h4") {
			t.Error("headings are not of level 4")
		}
		plain.WriteString(page)
	}
	if n := strings.Count(plain.String(), html.EscapeString(attack)); n < 30 {
		t.Errorf("the attack is shown %d times as text", n)
	}
}

// No answer of a pipeline, however odd, and no document makes it panic or breaks the page.
func FuzzSection(f *testing.F) {
	for _, file := range []string{"research", "verify"} {
		f.Add(file, `{"answer": "a [Source 1] b", "sources": [{"n": 1, "label": "Source 1", "start": 0, "end": 3, "text": "abc"}], "quotes": [{"text": "a", "shown": "a", "source": 1}]}`, "abcdef")
	}
	f.Add("comply", `{"answer": "a", "statements": [{"statement": "a", "requirement_ids": ["R"]}], "verified_requirements": [{"requirement_id": "R", "exact_quote": "b"}], "extracted_requirements": [{"requirement_id": "R", "start": 1, "end": 2, "exact_quote": "b", "source": "s"}]}`, "abc")
	f.Add("extract", `{"document": "d", "fields": [{"field": "f", "place": {"start": 1, "end": 2, "text": "b"}}]}`, "abc")
	f.Add("edges", `{"edges": [{"id": "e", "evidence": {"quotes": [{"start": -1, "end": 9, "text": "b"}]}}]}`, "\xff")
	f.Fuzz(func(t *testing.T, pipeline, answer, doc string) {
		p, err := shown.Of(pipeline, json.RawMessage(answer))
		if err != nil {
			return
		}
		sound(t, section(t, p, of(doc), nil))
	})
}
