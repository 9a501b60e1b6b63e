package metrics

import (
	"strings"
	"unicode"
)

// TokenF1 is F1 of the words of a text against those of a gold one, each counted
// as often as it stands, in lower case, without punctuation and articles
// (Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of
// text", EMNLP 2016). Two texts without words are equal.
func TokenF1(gold, text string) float64 {
	want, got := words(gold), words(text)
	if len(want) == 0 || len(got) == 0 {
		if len(want) == len(got) {
			return 1
		}
		return 0
	}
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	common := 0
	for _, w := range got {
		if left[w] > 0 {
			left[w]--
			common++
		}
	}
	return 2 * float64(common) / float64(len(want)+len(got))
}

func words(text string) []string {
	fields := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	out := fields[:0]
	for _, w := range fields {
		if w != "a" && w != "an" && w != "the" {
			out = append(out, w)
		}
	}
	return out
}
