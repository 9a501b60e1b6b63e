package offline

import (
	"fmt"
	"strings"
	"testing"

	"example.com/assay/memory/text"
	"example.com/assay/skills"
)

func TestStates(t *testing.T) {
	q := &query{terms: []string{"trespass", "land"}, topic: 2}
	last := 2.0
	for _, s := range []string{ // best first
		"Trespass to land is an intentional entry on the land of another.",
		"Under the old rule, a trespass requires an entry by a person.",
		"Trespass to land is not a crime in most places.",
		"Rain falls in spring on every field of the valley.",
	} {
		got := q.states(&sentence{text: s, terms: text.Terms(s, nil)})
		if got >= last {
			t.Errorf("%q states %.2f, not less than %.2f", s, got, last)
		}
		last = got
	}
	if last != 0 {
		t.Errorf("a sentence on something else states %.2f", last)
	}
}

// The definition and the list lead; sentences with only words of asking are
// not quoted.
func TestDefinitionAndElementsLead(t *testing.T) {
	sources := []skills.Source{
		{N: 1, Title: "Smearing", Section: "Damages", Text: "Calm does not reduce the wrong, though a frightened plaintiff may prove larger damages. The plaintiff wins the claim with costs."},
		{N: 2, Title: "Smearing", Section: "The rule", Text: "Lawyers quarrel over its age.\nSmearing is the spreading of grease on the goods of another. A plaintiff who sues for smearing must prove:\n\n1. grease;\n2. goods of another. They need not be costly.\n3. a spreading.\n"},
	}
	got, err := synthesize(skills.SynthesizeInput{Question: "What must a plaintiff prove to win a claim for smearing?", Sources: sources}, 8, false)
	want := "### Rule\n- “Smearing is the spreading of grease on the goods of another.” [Source 2]\n\n### Elements\n- “A plaintiff who sues for smearing must prove:” [Source 2]\n- “grease;” [Source 2]\n- “goods of another.” [Source 2]\n- “They need not be costly.” [Source 2]\n- “a spreading.” [Source 2]\n\n"
	if err != nil || !strings.HasPrefix(got, want) {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
	}
	if strings.Contains(got, "Calm") || strings.Contains(got, "costs") {
		t.Errorf("quotes sentences of nothing but asking words:\n%s", got)
	}
}

func TestNothingHangs(t *testing.T) {
	for name, text := range map[string]string{
		"a lead-in without items":        "The bailee of goods has these duties to the owner of the goods:\n\nA new paragraph on the bailee of goods follows here.",
		"a short item without a lead-in": "A new paragraph on the bailee of goods follows here.\n\n- the goods; or",
		"the rest of a sentence":         "A new paragraph on the bailee of goods follows here.\n\nof a bailee of goods that are lost.",
	} {
		got, err := synthesize(skills.SynthesizeInput{Question: "What duty does a bailee of goods have?", Sources: []skills.Source{{N: 1, Text: text}}}, 8, false)
		if err != nil || strings.Count(got, "\n- “") != 1 || !strings.Contains(got, "“A new paragraph") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestQuotesStayFew(t *testing.T) {
	text := ""
	for i := range 20 {
		text += fmt.Sprintf("A bailee of goods owes duties of red%d and blue%d to green%d in white%d. ", i, i, i, i)
	}
	got, err := synthesize(skills.SynthesizeInput{Question: "What duties does a bailee of goods owe?", Sources: []skills.Source{{N: 1, Text: text}}}, 8, false)
	if n := strings.Count(got, "\n- “"); err != nil || n != 8 {
		t.Errorf("%d quotes, %v:\n%s", n, err, got)
	}
}

// A second list that would make the answer long is left out whole.
func TestLongListsDoNotPileUp(t *testing.T) {
	text := ""
	for i := range 3 {
		text += fmt.Sprintf("A bailee of goods must prove these elements of red%d or blue%d or green%d:\n\n", i, i, i)
		for j := range 7 {
			text += fmt.Sprintf("%d. a white%d, black%d and grey%d thing;\n", j+1, 10*i+j, 10*i+j, 10*i+j)
		}
		text += "\n"
	}
	got, err := synthesize(skills.SynthesizeInput{Question: "What must a bailee of goods prove?", Sources: []skills.Source{{N: 1, Text: text}}}, 8, false)
	if n := strings.Count(got, "\n- “"); err != nil || n != 8 {
		t.Errorf("%d quotes, %v:\n%s", n, err, got)
	}
}
