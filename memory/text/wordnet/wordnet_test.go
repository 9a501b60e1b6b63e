package wordnet_test

import (
	"slices"
	"testing"

	"example.com/assay/memory/text/wordnet"
)

func TestRelations(t *testing.T) {
	for _, tc := range []struct {
		name string
		of   func(string) []string
		word string
		want string
	}{
		{"synonym", wordnet.Synonyms, "buy", "purchase"},
		{"antonym", wordnet.Antonyms, "increase", "decrease"},
		{"antonym of a noun", wordnet.Antonyms, "daughter", "son"},
		{"derived", wordnet.Derived, "large", "largeness"},
		{"hypernym", wordnet.Hypernyms, "dog", "canine"},
		{"irregular", wordnet.Bases, "kept", "keep"},
		{"plural", wordnet.Bases, "companies", "company"},
		{"doubled", wordnet.Bases, "stopped", "stop"},
		{"superlative", wordnet.Bases, "largest", "large"},
		{"itself", wordnet.Bases, "table", "table"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := tc.of(tc.word); !slices.Contains(got, tc.want) {
				t.Errorf("%q: %v lacks %q", tc.word, got, tc.want)
			}
		})
	}
	for _, word := range []string{"", "zzzz", "aaaaa", "Paris", "increase\n", "\t"} {
		if wordnet.Known(word) || len(wordnet.Antonyms(word)) > 0 {
			t.Errorf("%q is known", word)
		}
	}
	for _, word := range []string{"aa", "zymotic", "increase", "won"} { // the ends of the table, too
		if !wordnet.Known(word) {
			t.Errorf("%q is not known", word)
		}
	}
}
