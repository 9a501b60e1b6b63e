package analysis

import (
	"hash/fnv"
	"strings"

	"example.com/assay/memory/text"
)

// maxTitleWords bounds the titles that are looked for.
const maxTitleWords = 8

// TitleKey hashes the words of a title, without what stands in brackets. It
// is 0 for a title that no text can be said to mention.
func TitleKey(title string) uint64 {
	words := titleWords(title)
	if len(words) == 0 || len(words) > maxTitleWords {
		return 0
	}
	if len(words) == 1 && (len(words[0]) <= 3 || text.DocStops.Has(words[0])) {
		return 0
	}
	return wordsKey(words)
}

func titleWords(title string) []string {
	var b strings.Builder
	depth := 0
	for _, r := range title {
		switch {
		case r == '(':
			depth++
		case r == ')' && depth > 0:
			depth--
		case depth == 0:
			b.WriteRune(r)
		}
	}
	return Words(b.String())
}

func wordsKey(words []string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte(w))
		h.Write([]byte{' '})
	}
	return max(1, h.Sum64())
}

// EachRun calls fn for the keys of the runs of words of s that may be a title.
func EachRun(s string, fn func(key uint64)) {
	list := Words(s)
	for i := range list {
		for n := 1; n <= maxTitleWords && i+n <= len(list); n++ {
			fn(wordsKey(list[i : i+n]))
		}
	}
}
