package converse

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/state"
)

// An answer is read as Markdown on a page: its headings are not larger than a page's own,
// and what is noted beside it is one paragraph.
func TestResearched(t *testing.T) {
	r := researched(state.Answer{
		Resolved: "what are the defences to battery?", Respelt: []state.Respelling{{Word: "defences", As: "defenses"}},
		Answer:  "#### Rule\n- “Consent is a defence.” [Query 1][Source 1]\n\n## Sources\n\n- [Query 1][Source 1] Torts",
		Quotes:  []state.ShownQuote{{Source: 1, Text: "Consent is\na defence."}},
		Sources: []state.Source{{N: 1, Doc: "torts.md", Quotes: []state.QuoteSpan{{Text: "Consent is\na defence.", Start: 5, End: 27}}}},
	})
	text := r.text.String()
	const want = "*searched for: what are the defences to battery?*  \n*searched for: defenses (not defences)*\n\n#### Rule\n"
	if !strings.HasPrefix(text, want) || !strings.Contains(text, "\n\n### Sources\n\n") {
		t.Errorf("the message is\n%s", text)
	}
	if c := r.citations; len(c) != 1 || string([]rune(text)[c[0].StartIndex:c[0].EndIndex]) != "Consent is a defence." {
		t.Errorf("it cites %+v", c)
	}
	r.note("one")
	r.note("two")
	r.paragraph()
	r.printf("more")
	r.note("three")
	if text := r.text.String(); !strings.HasSuffix(text, "\n\n*one*  \n*two*\n\nmore\n\n*three*") {
		t.Errorf("with notes it is\n%s", text)
	}
}

// Of a run it is told which nodes begin, and of many tasks of a node that it does.
func TestSteps(t *testing.T) {
	var said string
	for _, ev := range []graph.Event[json.RawMessage]{
		{Kind: graph.NodeStart, Node: "plan", Attempt: 1}, {Kind: graph.NodeUpdate, Node: "plan"},
		{Kind: graph.NodeStart, Node: "split_claims", Attempt: 1}, {Kind: graph.NodeStart, Node: "split_claims", Attempt: 2},
		{Kind: graph.NodeStart, Node: "judge", Send: 1, Attempt: 1}, {Kind: graph.NodeStart, Node: "judge", Send: 2, Attempt: 1},
	} {
		said += Steps(ev)
	}
	if said != "plan → split claims → judge → " {
		t.Errorf("it says %q", said)
	}
}
