package offline

import (
	"strings"
	"testing"

	"example.com/assay/skills"
)

// A word of law in a question makes it no question of law: what was found must be law,
// too.
func TestTheLegalFrameIsForSourcesOfLaw(t *testing.T) {
	manual := []skills.Source{
		{N: 1, Title: "Packing", Text: "The copyright notice of a toolkit must be installed beside its manual page. The file is named NOTICE."},
		{N: 2, Title: "Folders", Text: "A toolkit has a folder for its manual page. The copyright file lies there."},
		{N: 3, Title: "Help", Text: "The help desk answers on weekdays."},
		{N: 4, Title: "Terms", Text: "The maker is not liable for lost files."},
	}
	law := []skills.Source{
		{N: 1, Title: "Copyright", Text: "A copyright notice must be installed on each copy. A defendant who saw the notice is liable for every copy."},
		{N: 2, Title: "Remedies", Text: "A plaintiff whose copyright notice was removed may sue for damages."},
		{N: 3, Title: "Works", Text: "A protected work is one that is fixed on a medium."},
	}
	const question = "Where must the copyright notice be installed?"
	for _, tt := range []struct {
		name    string
		sources []skills.Source
		framed  bool
	}{{"a manual", manual, false}, {"law", law, true}, {"one source", manual[:1], false}} {
		got, err := synthesize(skills.SynthesizeInput{Objective: question, Question: question, Sources: tt.sources}, 6, false)
		if err != nil || !strings.Contains(got, "copyright") {
			t.Fatalf("%s: %q, %v", tt.name, got, err)
		}
		if framed := strings.Contains(got, "### "); framed != tt.framed {
			t.Errorf("%s: framed %v, want %v:\n%s", tt.name, framed, tt.framed, got)
		}
	}
}
