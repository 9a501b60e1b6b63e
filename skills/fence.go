package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"
)

// fence matches text that a reader could take for the "<" of a data fence: any kind of opening
// angle bracket, then any non-word characters, then "data".
var fence = regexp.MustCompile(`(?i)[<＜﹤‹〈⟨]([^\pL\pN]{0,8}data)`)

// defused replaces the bracket.
const defused = "&lt;"

// defuse rewrites the strings of a decoded JSON value in place.
func defuse(v any) any {
	switch v := v.(type) {
	case string:
		return fence.ReplaceAllString(v, defused+"$1")
	case []any:
		for i := range v {
			v[i] = defuse(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = defuse(v[key])
		}
	}
	return v
}

// Fence puts a text that is data between marks, as prompts have it; the text cannot imitate the end
// mark. The prompt names the content between the marks, and says that it is not an instruction.
func Fence(text string) string {
	shown := fence.ReplaceAllString(text, defused+"$1")
	mark := fenceMark(shown)
	return "<" + mark + ">\n" + shown + "\n</" + mark + ">"
}

func fenceMark(shown string) string {
	sum := sha256.Sum256([]byte(shown))
	return "data-" + hex.EncodeToString(sum[:4])
}

var fenceBegin = regexp.MustCompile(`<(data-[0-9a-f]{8})>\n`)

// Unfence returns the text that Fence put between marks, as it is shown. A text without a fence of
// Fence is returned unchanged.
func Unfence(text string) string {
	at := fenceBegin.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	mark := text[at[2]:at[3]]
	inside, _, closed := strings.Cut(text[at[1]:], "\n</"+mark+">")
	if !closed || fenceMark(inside) != mark {
		return text
	}
	return inside
}

// Find returns the bytes text[start:end] of a quote in text: the quote itself, perhaps with other
// line breaks, or else the place that a prompt shows as this quote.
//
// The two differ if the text imitates a data fence, as "<database>" does: a model that copies it
// exactly from its prompt writes "&lt;database>". An empty quote is not found.
func Find(text, quote string) (start, end int, ok bool) {
	if quote == "" {
		return 0, 0, false
	}
	if at := strings.Index(text, quote); at >= 0 {
		return at, at + len(quote), true
	}
	if start, end, ok := rewrapped(text, quote); ok {
		return start, end, true
	}
	brackets := fence.FindAllStringSubmatchIndex(text, -1)
	if len(brackets) == 0 {
		return 0, 0, false
	}
	// shown is the text as prompts show it. origin has the offset in text of each of its bytes, and
	// the end. All bytes of a defused bracket map to the bracket, and only the first of them begins
	// a character of the text.
	var shown strings.Builder
	var origin []int
	last := 0
	keep := func(to int) {
		shown.WriteString(text[last:to])
		for ; last < to; last++ {
			origin = append(origin, last)
		}
	}
	for _, b := range brackets {
		keep(b[0])
		shown.WriteString(defused)
		origin = append(origin, b[0], inside, inside, inside)
		last = b[2]
	}
	keep(len(text))
	origin = append(origin, len(text))
	for from := 0; ; {
		at := strings.Index(shown.String()[from:], quote)
		if at < 0 {
			return 0, 0, false
		}
		at += from
		if start, end = origin[at], origin[at+len(quote)]; start != inside && end != inside {
			return start, end, true
		}
		from = at + 1
	}
}

// rewrapped finds a quote with other white space than the text: its lines break
// elsewhere.
func rewrapped(text, quote string) (start, end int, ok bool) {
	first, _, more := strings.Cut(strings.TrimSpace(quote), " ")
	if first, _, _ = strings.Cut(first, "\n"); !more && !strings.Contains(quote, "\n") {
		return 0, 0, false // one word has no line break
	}
	for from := 0; ; {
		at := strings.Index(text[from:], first)
		if at < 0 {
			return 0, 0, false
		}
		start = from + at
		if size, ok := Begins(text[start:], quote); ok {
			return start, start + size, true
		}
		from = start + len(first)
	}
}

// Begins reports whether a text begins with a quote, ignoring differences in white space, and the
// number of bytes it covers. The last word of the quote may end within one of the text's.
func Begins(text, quote string) (size int, ok bool) {
	for i, w := range strings.Fields(quote) {
		rest := text[size:]
		if i > 0 {
			rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
			if len(rest) == len(text)-size {
				return 0, false
			}
		}
		if !strings.HasPrefix(rest, w) {
			return 0, false
		}
		size = len(text) - len(rest) + len(w)
	}
	return size, size > 0
}

// inside marks a byte within the replacement of one character.
const inside = -1
