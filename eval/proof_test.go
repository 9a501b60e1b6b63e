package eval_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/eval/studytest"
	"example.com/assay/state"
	"example.com/assay/state/proof"
)

func of(t *testing.T, pipeline string, answer any) proof.Proof {
	t.Helper()
	data, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	p, err := eval.Proof(studytest.Pipelines(), pipeline, data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// In the proof of every case study each span is its finding's text, each quote lies in a
// document, and each id that is named is there.
func TestCaseStudies(t *testing.T) {
	kinds := map[proof.Kind]int{}
	placed, quotes := 0, 0
	for _, item := range studytest.Results(t).Items {
		p, err := eval.Proof(studytest.Pipelines(), item.Pipeline, item.Result)
		if err != nil {
			t.Fatal(err)
		}
		if p.Status != item.Status || p.Tone == "" {
			t.Errorf("%s: %q %q %q", item.ID, p.Status, p.Tone, p.Question)
		}
		ids := map[string]bool{}
		for _, f := range p.Findings {
			if ids[f.ID] || f.Label == "" || f.Tone == "" {
				t.Errorf("%s: %+v", item.ID, f)
			}
			ids[f.ID] = true
		}
		for _, f := range p.Findings {
			kinds[f.Kind]++
			if f.Span != nil {
				if placed++; p.Answer[f.Span.Start:f.Span.End] != f.Text {
					t.Errorf("%s: %q stands at %q", item.ID, f.Text, p.Answer[f.Span.Start:f.Span.End])
				}
			} else if f.Kind == proof.Claim || f.Kind == proof.Statement || f.Kind == proof.Reason || f.Kind == proof.Quoted {
				t.Errorf("%s: %s has no place in the answer: %q", item.ID, f.Name(), f.Text)
			}
			for _, q := range f.Quotes {
				if quotes++; q.Doc < 0 || q.Doc >= len(p.Documents) || q.Text == "" || q.End-q.Start != len(q.Text) {
					t.Errorf("%s: %s quotes %+v", item.ID, f.Name(), q)
				}
			}
			for _, id := range f.Rests {
				if !ids[id] {
					t.Errorf("%s: %s stands on %q, which is not there", item.ID, f.Name(), id)
				}
			}
		}
		for _, n := range p.Notes {
			for _, id := range n.About {
				if !ids[id] {
					t.Errorf("%s: a note is about %q", item.ID, id)
				}
			}
		}
		for _, x := range p.Passages {
			if x.Doc >= len(p.Documents) || x.End-x.Start != len(x.Text) {
				t.Errorf("%s: %+v", item.ID, x)
			}
		}
		if strings.Contains(p.Answer, "## Sources") {
			t.Errorf("%s: the answer has a list of sources:\n%s", item.ID, p.Answer)
		}
	}
	for _, kind := range []proof.Kind{proof.Claim, proof.Reason, proof.Statement, proof.Requirement, proof.Edge, proof.Field} {
		if kinds[kind] == 0 {
			t.Errorf("no %s in any case study", kind)
		}
	}
	if placed < 50 || quotes < 90 {
		t.Errorf("%d findings have a place, %d quotes", placed, quotes)
	}
}

// What a case study is known for is said in words.
func TestCaseStudiesInWords(t *testing.T) {
	byCase := map[string]proof.Proof{}
	for _, item := range studytest.Results(t).Items {
		p, err := eval.Proof(studytest.Pipelines(), item.Pipeline, item.Result)
		if err != nil {
			t.Fatal(err)
		}
		byCase[item.ID] = p
	}
	errors := byCase["planted_errors"]
	at := slices.IndexFunc(errors.Findings, func(f proof.Finding) bool { return f.Verdict == "unsupported" })
	if f := errors.Findings[at]; f.Decided[0].Text != "“five (5) years” against “three (3) years”" || f.Decided[0].Words != "five (5) years" || len(f.Quotes) != 1 || f.Quotes[0].Stand != proof.Against {
		t.Errorf("%+v", f)
	}
	if errors.Tone != proof.Warn || !strings.Contains(errors.Words, "4 of 8 claims") {
		t.Errorf("%q %q", errors.Tone, errors.Words)
	}
	refused := byCase["asylum_out_of_corpus"]
	if refused.Nearest == nil || refused.Nearest.Why != "nothing in them mentions “asylum”" || refused.Documents[refused.Nearest.Doc].Name != "contracts/interpretation-and-parol-evidence.md" || refused.Words != "" {
		t.Errorf("%+v %q", refused.Nearest, refused.Words)
	}
	if p := of(t, "comply", state.Answer{Answer: "", End: state.End{Status: state.StatusNoEvidence, Searched: &state.Searched{}}}); !strings.Contains(p.Words, "No evidence") {
		t.Errorf("%q", p.Words)
	}
	county := byCase["county_conflicting"]
	conflict := county.Notes[slices.IndexFunc(county.Notes, func(n proof.Note) bool { return n.Group == "Conflicts" })]
	if conflict.Text != "REQ-S001 says “60 minutes” and REQ-P001 “90 minutes”" || len(conflict.About) != 2 {
		t.Errorf("%+v", conflict)
	}
	if last := county.Findings[3]; last.Kind != proof.Statement || len(last.Rests) != 2 {
		t.Errorf("%+v", last)
	}
	health := byCase["public_health_edges"]
	rejected := health.Findings[slices.IndexFunc(health.Findings, func(f proof.Finding) bool { return f.Verdict == "rejected" })]
	if rejected.Decided[0] != (proof.Decision{Label: "irrelevant", Tone: proof.Bad, Text: "Source 1 finds no such effect."}) || rejected.Quotes[0].Stand != proof.Weighed {
		t.Errorf("%+v", rejected)
	}
	contract := byCase["contract_fields"]
	if f := contract.Findings[0]; f.Name() != "field effective_date" || f.Text != "2021-09-14" || f.Quotes[0].Text != "September 14, 2021" || f.Decided[0].Text != "date" {
		t.Errorf("%+v", f)
	}
	if len(contract.Documents) != 1 || contract.Documents[0].Path != "" {
		t.Errorf("%+v", contract.Documents)
	}
}

// Without claims the quotations of an answer are its findings, and so are those that no
// claim covers.
func TestQuotations(t *testing.T) {
	text := "Salt is white. Salt dissolves."
	a := state.Answer{
		Answer: "- “Salt is white.” [Query 1][Source 1]\n- Salt: “Salt dissolves.” [Query 1][Source 1]\n\n## Sources\n\n- [Query 1][Source 1] Salt", End: state.End{Status: state.StatusAnswered},
		Quotes:  []state.ShownQuote{{Text: "Salt is white.", Shown: "Salt is white.", Source: 1}, {Text: "Salt dissolves.", Shown: "Salt dissolves.", Source: 1}, {Text: "gone", Shown: "gone", Source: 2}},
		Sources: []state.Source{{N: 1, Query: 1, Source: 1, Doc: "salt.md", Start: 10, End: 10 + len(text), Text: text, Quotes: []state.QuoteSpan{{Start: 10, End: 24, Text: "Salt is white."}, {Start: 25, End: 40, Text: "Salt dissolves."}}}},
	}
	p := of(t, "research", a)
	if len(p.Findings) != 2 || p.Findings[1].Kind != proof.Quoted || p.Findings[1].Quotes[0].Start != 25 || p.Answer[p.Findings[1].Span.Start:p.Findings[1].Span.End] != "Salt dissolves." {
		t.Errorf("%+v", p.Findings)
	}
	a.Verification.ClaimCheck = &state.ClaimCheck{ClaimsChecked: 1, Claims: []state.CheckedClaim{{Claim: "Salt is white.", Status: state.Supported, Span: state.ByteSpan{Start: 5, End: 19}, Evidence: []state.Quote{{Source: "salt.md", Start: 10, End: 24, Text: "Salt is white."}}}}}
	p = of(t, "research", a)
	if len(p.Findings) != 2 || p.Findings[0].Kind != proof.Claim || p.Findings[1].Text != "Salt dissolves." {
		t.Errorf("%+v", p.Findings)
	}
}

// A quote lies in the document of its name. Where no document has the name, as those of
// the records of a file, it lies in the one whose passage holds its bytes.
func TestDocumentsOfQuotes(t *testing.T) {
	for name, want := range map[string]int{"a.md": 0, "b.md": 1, "rows.jsonl": 0, "c.md": 2} {
		start := 0
		if name == "c.md" {
			start = 99
		}
		p := of(t, "verify", map[string]any{
			"sources":      []state.Source{{N: 1, Doc: "a.md", Path: "/a.md", Text: "same", End: 4}, {N: 2, Doc: "b.md", Path: "/b.md", Text: "same", End: 4}, {N: 3, Doc: "a.md", Path: "/a.md", Start: 4, End: 8, Text: "more"}},
			"verification": map[string]any{"claims": []state.CheckedClaim{{Claim: "x", Evidence: []state.Quote{{Source: name, Start: start, End: start + 4, Text: "same"}}}}},
		})
		if got := p.Findings[0].Quotes[0].Doc; got != want || len(p.Documents) != max(2, want+1) {
			t.Errorf("%s: document %d of %d, want %d", name, got, len(p.Documents), want)
		}
	}
}

// The records of a file are parts of one document, which has the file's name.
func TestRecordsOfAFile(t *testing.T) {
	record := func(n int) state.Source {
		return state.Source{N: n, Doc: fmt.Sprintf("row %d", n), Path: "/kept/0a1b.txt", Original: "/data/rows.csv", Start: n * 4, End: n*4 + 4, Text: "same"}
	}
	p := of(t, "verify", map[string]any{
		"sources":      []state.Source{record(1), record(2), {N: 3, Doc: "other.md", Path: "/other.md", Start: 8, End: 12, Text: "same"}},
		"verification": map[string]any{"claims": []state.CheckedClaim{{Claim: "x", Evidence: []state.Quote{{Source: "rows.csv", Start: 8, End: 12, Text: "same"}}}}},
	})
	if len(p.Documents) != 2 || p.Documents[0] != (proof.Document{Name: "rows.csv", Path: "/kept/0a1b.txt", Original: "/data/rows.csv"}) || p.Findings[0].Quotes[0].Doc != 0 {
		t.Errorf("%+v %+v", p.Documents, p.Findings)
	}
}

// A part is found at its recorded bytes, else behind the part before it, and never inside
// a word.
func TestSpans(t *testing.T) {
	claim := func(text string, start int) state.CheckedClaim {
		return state.CheckedClaim{Claim: text, Span: state.ByteSpan{Start: start, End: start + len(text)}}
	}
	p := of(t, "verify", map[string]any{
		"answer":       "It rains. [unsupported] It rains. Rain is wet; épée is a word, pée is none.",
		"verification": map[string]any{"claims": []state.CheckedClaim{claim("It rains.", 0), claim("It rains.", 10), claim("gone", 20), claim("Rain is wet", 20), claim("pée", 40), claim("", 0), claim("none.", -7)}},
	})
	var got []string
	for _, f := range p.Findings {
		if f.Span == nil {
			got = append(got, "–")
			continue
		}
		before := []rune(p.Answer[:f.Span.Start])
		got = append(got, string(before[max(0, len(before)-6):])+"|"+p.Answer[f.Span.Start:f.Span.End])
	}
	want := []string{"|It rains.", "rted] |It rains.", "–", "ains. |Rain is wet", "word, |pée", "–", "ée is |none."}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestForeignAnswer(t *testing.T) {
	for _, pipeline := range []string{"research", "comply", "edges", "extract", "verify", "toy"} {
		if _, err := eval.Proof(studytest.Pipelines(), pipeline, json.RawMessage(`{"sources": 3}`)); err == nil || !strings.Contains(err.Error(), "reading the answer of "+pipeline) {
			t.Errorf("%s: %v", pipeline, err)
		}
	}
}

// No answer, however odd, makes it panic or gives a quote without a document.
func FuzzProof(f *testing.F) {
	f.Add(`{"answer": "a b", "sources": [{"start": -5, "end": 3, "text": "abc", "quotes": [{"start": 9, "end": 1, "text": "a"}]}], "quotes": [{"text": "a", "shown": "a", "source": 1}]}`)
	f.Add(`{"statements": [{"statement": "a", "start": -3, "requirement_ids": ["R"]}], "verified_requirements": [{"requirement_id": "R"}]}`)
	f.Add(`{"verification": {"claims": [{"claim": "\ufffd", "span": {"start": 1, "end": 0}, "evidence": [{"start": -1, "end": 5, "text": ""}]}]}}`)
	f.Fuzz(func(t *testing.T, answer string) {
		for _, pipeline := range []string{"research", "comply", "edges", "extract", "verify"} {
			p, err := eval.Proof(studytest.Pipelines(), pipeline, json.RawMessage(answer))
			if err != nil {
				continue
			}
			for _, f := range p.Findings {
				for _, q := range f.Quotes {
					if q.Doc < 0 || q.Doc >= len(p.Documents) {
						t.Errorf("%s: document %d of %d", pipeline, q.Doc, len(p.Documents))
					}
				}
			}
		}
	})
}
