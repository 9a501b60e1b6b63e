package evidence_test

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/studytest"
	"example.com/assay/serve/page/evidence"
	"example.com/assay/serve/page/look"
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
		p, err := eval.Proof(studytest.Pipelines(), item.Pipeline, item.Result)
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
		p, err := eval.Proof(studytest.Pipelines(), item.Pipeline, item.Result)
		if err != nil {
			t.Fatal(err)
		}
		page := section(t, p, files(item.ID, map[string]string{item.ID: item.Document}), nil)
		for _, want := range map[string][]string{
			"planted_errors":       {`<strong class="decided">five (5) years</strong>`, `<strong class="decided">three (3) years</strong>`, "“five (5) years” against “three (3) years”", `<span class="badge bad">against</span>`, "4 unsupported", "Not grounded: 4 of 8 claims"},
			"county_conflicting":   {"REQ-S001 says “60 minutes” and REQ-P001 “90 minutes”", "Not used in the answer: 17 requirements", `<span class="badge bad" dir="auto">✗ rejected</span>`},
			"public_health_edges":  {"tobacco smoking → lung cancer", "Source 1 finds no such effect.", "9 rejected"},
			"contract_fields":      {"effective_date", "2021-09-14", "5 in the document"},
			"asylum_out_of_corpus": {"nearest passage", `<mark id="nearest-quote" class="weighed">If the lease grants the use of “equipment,” the conversation may be heard to show what that word means.</mark><a class="back weighed" href="#nearest"`, "Nothing in them mentions “asylum”", "! not found"},
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

// The nearest passage stands once, and a figure is in sight where it says more than that all is well.
func TestInSight(t *testing.T) {
	p := proof.Proof{
		Answer: "Not found. Nearest: d: “Salt is white.”", Documents: []proof.Document{{Name: "d"}}, Nearest: &proof.Nearest{Where: "d", Why: "it is about salt", Quote: proof.Quote{End: 14, Text: "Salt is white."}},
		Measures: []proof.Measure{{Name: "claims", Text: "1 of 2 supported"}, {Name: "quotes", Text: "all exact", Usual: true}, {Name: "relevance", Text: "0.4", Aside: true}},
	}
	page := section(t, p, of("Salt is white."), nil)
	sight, folded, _ := strings.Cut(page, "How it was checked")
	if strings.Count(page, "Salt is white.") != 2 || strings.Contains(page, "It does not answer") { // in the answer and the document
		t.Errorf("the nearest passage:\n%s", page)
	}
	if !strings.Contains(sight, "1 of 2 supported") || strings.Contains(sight, "all exact") || strings.Contains(sight, "0.4") || !strings.Contains(folded, "all exact") || !strings.Contains(folded, "0.4") {
		t.Errorf("the figures:\n%s", page)
	}
	p.Answer = "Not found."
	if page := section(t, p, of("Salt is white."), nil); !strings.Contains(page, "“Salt is white.”") || !strings.Contains(page, "It does not answer") {
		t.Errorf("the nearest passage beside another answer:\n%s", page)
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
		word, _ := look.Outcome(string(status))
		if sound(t, page); !strings.Contains(page, words) || !strings.Contains(page, "✗ "+word) || strings.Contains(page, "blockquote") || strings.Contains(page, "Document") {
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
		p, err := eval.Proof(studytest.Pipelines(), pipeline, json.RawMessage(answer))
		if err != nil {
			return
		}
		sound(t, section(t, p, of(doc), nil))
	})
}
