package index

import (
	"slices"
	"testing"

	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

// watch is a corpus that defines abbreviations, and has passages with one form alone.
func watch(t *testing.T) *Index {
	t.Helper()
	return open(t, build(t, plain(
		"The Harbor Watch Office (HWO) was founded to keep the quays safe.",
		"An HWO inspector wears a green coat and carries a whistle.",
		"Every TAR (tide-ahead record) lists a week of tides.",
		"Pages of the tide-ahead record are kept for nine years in the tower.",
		"A watch is a clock on a wrist.",
		"The office of the harbor sells maps.",
		"The Guild of Harbor Pilots (GHP) meets in spring.",
		"Old ropes are sold by weight.",
		"A tide is the rise and fall of the sea.",
		"The record of wages is kept by the clerk.",
		"Tue: the market is closed.",
	)))
}

func TestAbbreviationsAreSearchedForInBothForms(t *testing.T) {
	x := watch(t)
	also := func(word, as string) []state.Respelling { return []state.Respelling{{Word: word, As: as, Also: true}} }
	tests := []struct {
		name, question string
		want           []state.Respelling
		first          string // the passage that has the other form alone; "" for any
	}{
		{"a long form", "What does an inspector of the harbor watch office wear?", also("harbor watch office", "hwo"), "p01"},
		{"an abbreviation", "For how many years are pages of the TAR kept?", also("tar", "tide-ahead record"), "p03"},
		{"with small words", "When does the guild of harbor pilots meet?", also("guild of harbor pilots", "ghp"), "p06"},
		{"a day", "What is closed on Tuesday?", also("tuesday", "tue"), "p10"},
		{"in small letters", "what is a tar", nil, ""},
		{"both forms", "Is the HWO the Harbor Watch Office?", nil, ""},
		{"an unknown one", "What is the XYZ?", nil, ""},
		{"words of a long form apart", "Which office has a watch in the harbor?", nil, ""},
		{"across a comma", "The harbor, watch office", nil, ""},
	}
	for _, tt := range tests {
		got := search(t, x, retrieval.Query{Primary: tt.question})
		if !slices.Equal(got.Respelt, tt.want) {
			t.Errorf("%s: %q is searched for with %v, want %v", tt.name, tt.question, got.Respelt, tt.want)
		}
		if tt.first != "" && got.Hits[0].Passage.ID != tt.first {
			t.Errorf("%s: %v found, %s is wanted first", tt.name, ids(got), tt.first)
		}
	}
}

// The confidence is as high for one form as for the other.
func TestTheOtherFormIsEvidence(t *testing.T) {
	x := watch(t)
	short := search(t, x, retrieval.Query{Primary: "What does an HWO inspector carry?"})
	long := search(t, x, retrieval.Query{Primary: "inspector", About: [][]string{{"What does a harbor watch office inspector carry?"}}})
	without := search(t, x, retrieval.Query{Primary: "inspector", About: [][]string{{"What does a harbor guild meeting inspector carry?"}}})
	if long.Confidence < short.Confidence || without.Confidence >= long.Confidence {
		t.Errorf("confidence %.2f of the long form, %.2f of the short one, %.2f of another", long.Confidence, short.Confidence, without.Confidence)
	}
}
