package text

import (
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Span is a range of bytes.
type Span struct{ Start, End int }

// Sentences splits s into sentences. Line breaks that end a paragraph, a heading or a list item end
// a sentence too, and so does every line break of a text whose lines are too long to be wrapped.
// Spans have no surrounding space, are in order and do not overlap.
func Sentences(s string) []Span { return slices.Collect(EachSentence(s)) }

// EachSentence gives the sentences of Sentences one by one, for texts so long that
// their reader may want to stop.
func EachSentence(s string) iter.Seq[Span] {
	return func(yield func(Span) bool) { sentences(s, yield) }
}

func sentences(s string, yield func(Span) bool) {
	start, stopped := 0, false
	wrapped := longestLine(s) <= wrapWidth
	language := sync.OnceValue(func() Language { return LanguageOf(s) })
	cut := func(end int) {
		if span, ok := trim(s, start, end); ok {
			stopped = !yield(span)
		}
		start = end
	}
	for i := 0; i < len(s) && !stopped; {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			if !wrapped || lineEndsBlock(s, start, i) {
				cut(i)
			}
			i++
		case r == '。' || r == '！' || r == '？' || r == '｡': // no space follows them
			for i += size; i < len(s); {
				c, n := utf8.DecodeRuneInString(s[i:])
				if !strings.ContainsRune("」』）】〉》”’。！？", c) {
					break
				}
				i += n
			}
			cut(i)
		case r == '.' || r == '!' || r == '?' || r == '…':
			i += size
			for i < len(s) { // closing quotes and brackets belong to the sentence
				c, n := utf8.DecodeRuneInString(s[i:])
				if !strings.ContainsRune(`"')]”’.!?*_`, c) {
					break
				}
				i += n
			}
			if next, _ := utf8.DecodeRuneInString(s[i:]); i < len(s) && !unicode.IsSpace(next) {
				continue // inside a number, a citation or a domain name
			}
			if r == '.' && (isLabel(s[start:i]) || isAbbreviation(s[start:i], s[i:]) || !startsSentence(s[i:])) {
				continue
			}
			if r == '.' && goesOnAbroad(s, start, i, language) {
				continue
			}
			cut(i)
		default:
			i += size
		}
	}
	if !stopped {
		cut(len(s))
	}
}

// wrapWidth is the longest line, in bytes, that may have been broken for
// width. Where lines are longer, every line break is meant.
const wrapWidth = 160

func longestLine(s string) int {
	longest := 0
	for len(s) > 0 {
		end := strings.IndexByte(s, '\n') + 1
		if end == 0 {
			end = len(s)
		}
		longest = max(longest, end)
		s = s[end:]
	}
	return longest
}

// lineEndsBlock reports whether the line break at i closes a block: a blank
// line follows, the next line opens a list item, heading, table row or quote,
// or the line that ends is itself a heading or table row.
func lineEndsBlock(s string, start, i int) bool {
	lineStart := strings.LastIndexByte(s[:i], '\n') + 1
	if opensBlock(s[max(lineStart, start):i], true) {
		return true
	}
	rest := s[i+1:]
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(line) == "" || opensBlock(line, false)
}

// opensBlock reports whether a line begins a block. Only headings and table rows also end it
// (closed): a list item may wrap.
func opensBlock(line string, closed bool) bool {
	line = strings.TrimLeft(line, " \t")
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") {
		return true
	}
	if closed || line == "" {
		return false
	}
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ") || strings.HasPrefix(line, "> ") {
		return true
	}
	label := strings.TrimPrefix(line, "(")
	n := 0
	for n < len(label) && n < 4 && (label[n] >= '0' && label[n] <= '9' || label[n] >= 'a' && label[n] <= 'z' || label[n] >= 'A' && label[n] <= 'Z') {
		n++
	}
	if n == 0 || n == len(label) {
		return false
	}
	if len(label) < len(line) { // "(a) …", "(iv)\t…"
		return label[n] == ')'
	}
	digit := label[0] >= '0' && label[0] <= '9'
	return (label[n] == ')' || digit && label[n] == '.') && n+1 < len(label) && (label[n+1] == ' ' || label[n+1] == '\t')
}

// isLabel reports whether a sentence so far is only the number of a list item.
func isLabel(s string) bool {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	return s != "" && len(s) <= 3 && strings.Trim(s, "0123456789") == ""
}

// startsSentence reports whether the text after a full stop can begin a sentence; a lower-case word
// cannot.
func startsSentence(rest string) bool {
	rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
	r, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(r)
}

func trim(s string, start, end int) (Span, bool) {
	for start < end {
		r, size := utf8.DecodeRuneInString(s[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		start += size
	}
	for start < end {
		r, size := utf8.DecodeLastRuneInString(s[start:end])
		if !unicode.IsSpace(r) {
			break
		}
		end -= size
	}
	return Span{start, end}, start < end
}
