package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// statute are two acts and a guide that speaks of them.
func statute() []state.Passage {
	var out []state.Passage
	add := func(doc, title, section, text string) {
		start, n := 0, 0
		for _, p := range out {
			if p.Doc == doc {
				start, n = p.End+10, n+1
			}
		}
		out = append(out, state.Passage{ID: fmt.Sprintf("%s#%d", doc, n), Doc: doc, Source: doc + ".md", Title: title, Section: section, Text: text, Start: start, End: start + len(text)})
	}
	add("clerks", "Clerks Act", "§ 5898. Appointment", "A clerk is appointed by the court.")
	add("clerks", "Clerks Act", "§ 5899. Records", "(a) A clerk keeps records of every hearing.")
	add("clerks", "Clerks Act", "§ 5899. Records", "(b) Whoever loses one notifies the court within ten days.")
	add("clerks", "Clerks Act", "§ 5900. Fees", "A lost record costs four pounds under section 5899(b), and section 5899(b) again.")
	add("COBS", "Conduct rules", "Rule 8.7.1 Custody", "A firm keeps client money apart.")
	add("GEN", "General rules", "Rule 8.7.1 Notice", "A firm gives notice of a change of name.")
	add("guide", "Guide", "Lost records", "Lost records under § 5899(b) are common; § 5899(b) says what a clerk who lost a record must do, says § 5899(b).")
	add("guide", "Guide", "REQ-12 Login", "Users log in with a badge.")
	add("code", "42 U.S.C. Chapter 21", "§ 1983. Civil action", "Every person who deprives another is liable.")
	add("other", "Other Act", "§ 1983. Fences", "A fence is a person's own.")
	return out
}

func TestCitationsComeFirst(t *testing.T) {
	x := open(t, build(t, statute()))
	for _, c := range []struct {
		query string
		first []string
		exact bool
		found string
	}{
		{"What does § 5899(b) say of lost records?", []string{"clerks#2"}, true, "section 5899(b)"},
		{"lost records under Section 5899(b)", []string{"clerks#2"}, true, "section 5899(b)"},
		{"§ 5899(a)", []string{"clerks#1"}, true, "section 5899(a)"},
		{"What does § 5899(d) say of lost records?", []string{"clerks#1", "clerks#2"}, false, "section 5899"},
		{"COBS Rule 8.7.1", []string{"COBS#0"}, true, "rule 8.7.1"},
		{"Rule 8.7.1 on client money", []string{"COBS#0", "GEN#0"}, true, "rule 8.7.1"},
		{"What of a badge, REQ-12?", []string{"guide#1"}, true, "req-12"},
		{"42 U.S.C. § 1983 and fences", []string{"code#0"}, true, "42 usc section 1983"},
		{"§ 1983 on fences", []string{"other#0", "code#0"}, true, "section 1983"},
		{"Rule 99 on lost records", nil, false, ""},
	} {
		res := search(t, x, retrieval.Query{Primary: c.query})
		got := ids(res)
		if len(got) < len(c.first) || !slices.Equal(got[:len(c.first)], c.first) {
			t.Errorf("%q finds %v, want %v first", c.query, got, c.first)
			continue
		}
		if len(res.Citations) != 1 || res.Citations[0].Exact != c.exact || res.Citations[0].Found != c.found || c.exact && res.Citations[0].Passages == 0 {
			t.Errorf("%q: %+v, want %q, exact %v", c.query, res.Citations, c.found, c.exact)
		}
		for i, h := range res.Hits {
			var sum, cited float64
			for _, s := range h.Scores[1:] {
				sum += s.Value
				if s.Ranker == retrieval.RankerCitation {
					cited = s.Value
				}
			}
			if diff := sum - h.Scores[0].Value; diff > 1e-5 || diff < -1e-5 {
				t.Errorf("%q: %v do not add up", c.query, h.Scores)
			}
			if (cited > 0) != (i < len(c.first)) {
				t.Errorf("%q: hit %d, %s, has a citation of %v", c.query, i, h.Passage.ID, cited)
			}
		}
	}
}

// A number of two documents leaves it to the rest of the query which is meant.
func TestDoubtfulCitations(t *testing.T) {
	const exactly, doubtfully = 16.0, .5
	x := open(t, build(t, statute()))
	for query, want := range map[string][2]float64{
		"Rule 8.7.1":                         {exactly, exactly},
		"What does Rule 8.7.1 say?":          {doubtfully, doubtfully},
		"Rule 8.7.1 on a change of name":     {doubtfully, doubtfully},
		"GEN Rule 8.7.1 on a change of name": {0, exactly},
	} {
		got := map[string]float64{}
		res := search(t, x, retrieval.Query{Primary: query, K: 10})
		for _, h := range res.Hits {
			for _, s := range h.Scores {
				if s.Ranker == retrieval.RankerCitation {
					got[h.Passage.Doc] = s.Value
				}
			}
		}
		if got["COBS"] != want[0] || got["GEN"] != want[1] {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
		if strings.Contains(query, "name") && res.Hits[0].Passage.Doc != "GEN" {
			t.Errorf("%q finds %v", query, ids(res))
		}
	}
	// Copies and editions of one document are one.
	copied := statute()
	for _, p := range statute()[:4] {
		p.ID, p.Doc, p.Source, p.Text = "2"+p.ID, "2"+p.Doc, "2"+p.Source, p.Text+" As amended in the year of the great flood, with all that follows from it."
		copied = append(copied, p)
	}
	y := open(t, build(t, copied))
	if res := search(t, y, retrieval.Query{Primary: "§ 5899(b) on lost records"}); res.Citations[0].Documents != 1 || res.Hits[0].Scores[1].Value != exactly || res.Hits[1].Scores[1].Value != exactly {
		t.Errorf("%+v, %v", res.Citations, res.Hits[0].Scores)
	}
}

func TestCitationRaisesConfidence(t *testing.T) {
	passages := append(statute(), randomCorpus(400, 3)...)
	x := open(t, build(t, passages))
	held, other := search(t, x, retrieval.Query{Primary: "§ 5899(b)"}), search(t, x, retrieval.Query{Primary: "§ 6000(b)"})
	if held.Confidence < .7 || other.Confidence > .35 {
		t.Errorf("confidence %.2f of a section that is there, %.2f of one that is not", held.Confidence, other.Confidence)
	}
}

// A number that only the metadata gives is evidence as one in the text is.
func TestDeclaredNumberIsEvidence(t *testing.T) {
	passages := append(randomCorpus(400, 3), state.Passage{ID: "r", Doc: "r", Source: "r", Line: 1, Text: "Boats wait.", End: 11, Metadata: map[string]string{"rule": "8.7.1"}})
	x := open(t, build(t, passages))
	res := search(t, x, retrieval.Query{Primary: "Rule 8.7.1"})
	if res.Hits[0].Passage.ID != "r" || res.Confidence < .7 {
		t.Errorf("%v with confidence %.2f, strength %.2f", ids(res), res.Confidence, res.Strength)
	}
}

func TestCitationsKeepToTheQuery(t *testing.T) {
	passages := statute()
	for i := range passages {
		passages[i].Metadata = map[string]string{"act": passages[i].Doc}
	}
	x := open(t, build(t, passages))
	if got := ids(search(t, x, retrieval.Query{Primary: "§ 1983", Filter: []retrieval.Condition{{Key: "act", OneOf: []string{"other"}}}})); !slices.Equal(got, []string{"other#0"}) {
		t.Errorf("filtered: %v", got)
	}
	if got := ids(search(t, x, retrieval.Query{Primary: "§ 5899(b) lost records", Exclude: []string{"clerks#2"}})); slices.Contains(got, "clerks#2") {
		t.Errorf("excluded: %v", got)
	}
}

// What looks like an identifier and is a word of many documents is not one.
func TestFrequentIdentifiers(t *testing.T) {
	var texts []string
	for i := range 8 {
		texts = append(texts, fmt.Sprintf("IL-6: a study of kind %d. It rose.", i))
	}
	x := open(t, build(t, plain(texts...)))
	for _, h := range search(t, x, retrieval.Query{Primary: "Does IL-6 rise?"}).Hits {
		if strings.Contains(fmt.Sprint(h.Scores), retrieval.RankerCitation) {
			t.Errorf("%v", h.Scores)
		}
	}
}

// What one search computes is not seen by the next, though they share memory:
// also not what a citation gave to passages that no word of the query reaches.
func TestSearchesDoNotSeeEachOther(t *testing.T) {
	numbered := statute()
	for i := range numbered { // a number that is in no text
		numbered[i].Metadata = map[string]string{"number": fmt.Sprintf("9.%d.1", i)}
	}
	dir := build(t, append(numbered, randomCorpus(60, 7)...))
	queries := []retrieval.Query{
		{Primary: "§ 5899(b)"}, {Primary: "Rule 9.2.1"}, {Primary: "9.4.1 or Rule 9.8.1"}, {Primary: "Who is liable under § 1983?"}, {Primary: "fences and REQ-12"}, {Primary: "Rule 8.7.1 on lost records"},
		{Primary: "who keeps records of a hearing"}, {Primary: "court notifies"}, {Primary: "a person of his own deprives"}, {Primary: "badge", Alternatives: []string{"§ 5898 fences", "client money"}}, {Primary: "zzz"},
	}
	alone := make([]string, len(queries))
	for i, q := range queries {
		alone[i] = outcome(search(t, open(t, dir), q))
	}
	x := open(t, dir)
	for i, first := range queries {
		for j, second := range queries {
			search(t, x, first)
			if got := outcome(search(t, x, second)); got != alone[j] {
				t.Fatalf("query %d after query %d:\n%s\nalone:\n%s", j, i, got, alone[j])
			}
		}
	}
}
