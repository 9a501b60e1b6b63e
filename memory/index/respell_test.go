package index

import (
	"fmt"
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// quays is a corpus in which each of some words stands often enough to be what a
// misspelt one means.
func quays(t *testing.T) *Index {
	t.Helper()
	var texts []string
	for i := range 6 {
		texts = append(texts,
			fmt.Sprintf("Berth %d: the harbor office authorizes a schedule of moorings.", i),
			fmt.Sprintf("Crane %d moves a container whose separate manifest shows the weight.", i),
			fmt.Sprintf("Signal %d is the emergency beacon that guides pilots through fog; they stick to it over http.", i),
			fmt.Sprintf("The schedules of pier %d list each mooring, its authorization and its definition.", i))
	}
	texts = append(texts, "A quintain is mentioned here alone.")
	return open(t, build(t, plain(texts...)))
}

func TestWordsAreSearchedForAsTheCorpusHasThem(t *testing.T) {
	x := quays(t)
	tests := []struct {
		name, question string
		want           []state.Respelling
	}{
		{"known words", "Which crane moves a container?", nil},
		{"letters swapped", "which carne moves it", []state.Respelling{{Word: "carne", As: "crane"}}},
		{"a letter missing", "what is a contaner", []state.Respelling{{Word: "contaner", As: "container"}}},
		{"a letter too many", "where is the crrane", []state.Respelling{{Word: "crrane", As: "crane"}}},
		{"an error behind the stem", "the schedulles of a pier", []state.Respelling{{Word: "schedulles", As: "schedules"}}},
		{"two errors in a long word", "what is the defanition", []state.Respelling{{Word: "defanition", As: "definition"}}},
		{"a wrong vowel", "is the manifest seperate", []state.Respelling{{Word: "seperate", As: "separate"}}},
		{"British", "Who authorises the harbour schedule?", []state.Respelling{{Word: "authorises", As: "authorizes"}, {Word: "harbour", As: "harbor"}}},
		{"a stop word", "waht is a beacon", []state.Respelling{{Word: "waht", As: "what"}}},
		{"a short word with another letter", "the crank of the shows", nil},
		{"stuck is not stick", "a pilot got stuck", nil},
		{"a name", "What does the Contaner say?", nil},
		{"capitals", "what is CONTANER", nil},
		{"a first word", "Contaner weight", []state.Respelling{{Word: "contaner", As: "container"}}},
		{"a word of English that the corpus has not", "what is a beagle, a deacon or a bacon", nil},
		{"more behind the end", "what is httpd", nil},
		{"both written", "the difference between crrane and crane", nil},
		{"digits", "what is cont4iner", nil},
		{"nothing like it", "what is a zyxomorph", nil},
	}
	for _, tt := range tests {
		if got := search(t, x, retrieval.Query{Primary: tt.question}).Respelt; !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q is searched for with %v, want %v", tt.name, tt.question, got, tt.want)
		}
	}
}

func TestARespeltQuestionFindsWhatTheRightOneFinds(t *testing.T) {
	x := quays(t)
	right := search(t, x, retrieval.Query{Primary: "Who authorizes the harbor schedule?"})
	wrong := search(t, x, retrieval.Query{Primary: "Who authorises the harbour shcedule?"})
	if !slices.Equal(ids(wrong), ids(right)) || wrong.Confidence != right.Confidence {
		t.Errorf("respelt: %v with %.2f, spelt right: %v with %.2f", ids(wrong), wrong.Confidence, ids(right), right.Confidence)
	}
	about := search(t, x, retrieval.Query{Primary: "harbor schedule", About: [][]string{{"Who authorises the harbour shcedule?"}}})
	if about.Confidence != right.Confidence || len(about.Respelt) != 3 {
		t.Errorf("measured against the person's words: %.2f with %v, want %.2f", about.Confidence, about.Respelt, right.Confidence)
	}
}

// A word that one passage holds may be right: that passage is still found, and the
// question is doubtful.
func TestARareWordStaysInTheQuery(t *testing.T) {
	texts := []string{"The schedulle of the old pier is kept in the vault."}
	for i := range 6 {
		texts = append(texts, fmt.Sprintf("Pier %d has a schedule on its door.", i))
	}
	x := open(t, build(t, plain(texts...)))
	got := search(t, x, retrieval.Query{Primary: "schedulle of the vault"})
	if got.Hits[0].Passage.ID != "p00" || !slices.Equal(got.Respelt, []state.Respelling{{Word: "schedulle", As: "schedule"}}) {
		t.Errorf("found %v first, with %v", got.Hits[0].Passage.ID, got.Respelt)
	}
}
