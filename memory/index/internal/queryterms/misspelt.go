package queryterms

import (
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/text"
)

const (
	replacedFrom = 6 // letters from which one may stand for another: shop is not show, stuck is not stick
	twiceFrom    = 8 // letters from which a word may have two errors
	mostErrors   = 2 // cost of the errors of a word
)

// editsIn is how many errors a word may have.
func editsIn(word string) int {
	if utf8.RuneCountInString(word) >= twiceFrom {
		return 2
	}
	return 1
}

// errorsBetween is the cost of the errors by which somebody who means a word writes
// another, more than mostErrors for words that are different ones. Errors at the
// first letter are not looked for, and a word with more behind its end is another
// word: httpd, jsonb.
func errorsBetween(written, meant string) int {
	a, b := []rune(written), []rune(meant)
	switch {
	case !analysis.IsPlain(meant) || a[0] != b[0] || strings.HasPrefix(written, meant) || text.Edits(written, meant) > editsIn(written):
		return mostErrors + 1
	case len(a) < replacedFrom && len(a) == len(b) && !sameLetters(a, b):
		return mostErrors + 1
	}
	return errorCost(a, b)
}

func sameLetters(a, b []rune) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// errorCost is the least cost of the errors that make a of b. What people do often
// costs one: neighbours in each other's place, a letter doubled or not, a wrong vowel,
// one too many or too few. Another letter costs two.
func errorCost(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 && j == 0 {
				continue
			}
			least := len(a)*2 + len(b)*2
			if i > 0 {
				least = min(least, rows[i-1][j]+letterCost(a, i-1))
			}
			if j > 0 {
				least = min(least, rows[i][j-1]+letterCost(b, j-1))
			}
			if i > 0 && j > 0 {
				least = min(least, rows[i-1][j-1]+changeCost(a[i-1], b[j-1]))
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				least = min(least, rows[i-2][j-2]+1)
			}
			rows[i][j] = least
		}
	}
	return rows[len(a)][len(b)]
}

// letterCost is that of a letter too many or too few.
func letterCost(word []rune, at int) int {
	if isVowel(word[at]) || at > 0 && word[at-1] == word[at] || at+1 < len(word) && word[at+1] == word[at] {
		return 1
	}
	return 2
}

func changeCost(a, b rune) int {
	switch {
	case a == b:
		return 0
	case isVowel(a) && isVowel(b):
		return 1
	}
	return 2
}

func isVowel(r rune) bool { return strings.ContainsRune("aeiouy", r) }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// swappedStop is the stop word that a word is with two neighbours in each other's
// place. No passage's stems hold stop words.
func swappedStop(word string) string {
	b := []byte(word)
	for i := 1; i+1 < len(b); i++ {
		b[i], b[i+1] = b[i+1], b[i]
		if text.QueryStops.Has(string(b)) {
			return string(b)
		}
		b[i], b[i+1] = b[i+1], b[i]
	}
	return ""
}
