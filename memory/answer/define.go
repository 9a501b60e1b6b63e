package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text/pattern"
)

var defineVerb = pattern.New(`(?i)^\s*(?:\([^)]*\)\s*)?,?\s*(?:is|are|means?|refers? to|stands? for|denotes?|describes|consists? of)\b\s*(an?\b|the\b)?`)

// defines reports how well a sentence defines the question's X.
func (p *pool) defines(q *question, s *sentence) float64 {
	if len(q.focus) == 0 {
		return 0
	}
	best := 0.0
	if s.head != nil && s.first {
		switch m := overlap(s.head.stems, q.focus); {
		case m >= 1:
			best = .9
		case m >= .5:
			best = .5
		}
	}
	if s.start == 0 && overlap(s.above.last.stems, q.focus) >= 1 {
		best = max(best, .5)
	}
	for _, x := range p.names(q) {
		best = max(best, s.says(x))
	}
	if best > 0 && glossary.MatchString(s.above.last.text+" "+s.above.title.text) {
		best += .4
	}
	return best
}

// says reports how well a sentence defines the thing with this lower-case name.
func (s *sentence) says(name string) float64 {
	best := 0.0
	if at, end := indexLower(s.text, name); at >= 0 {
		after := s.text[end:]
		after = strings.TrimLeft(after, "s’”\"'`*_")
		before := reader{}.stems(s.text[:at])
		if m := defineVerb.FindStringSubmatch(after); m != nil {
			v := .3
			switch {
			case len(before) == 0:
				v = 1
			case len(before) <= 1:
				v = .7
			case len(before) <= 3:
				v = .5
			}
			if m[1] != "" {
				v += .2
			}
			best = max(best, v)
		}
		if len(before) == 0 && (strings.HasPrefix(after, " —") || strings.HasPrefix(after, " –")) {
			best = max(best, .8)
		}
		if abbreviates(name, after) {
			best = max(best, 1.2)
		}
		if strings.HasPrefix(after, ")") && at > 0 && s.text[at-1] == '(' {
			best = max(best, .9)
		}
		if called := s.text[:at]; strings.HasSuffix(strings.TrimRight(called, " “\"`*a"), "called") || strings.HasSuffix(strings.TrimRight(called, " “\"`*a"), "known as") {
			best = max(best, .6)
		}
	}
	return best
}

// indexLower finds a lower-case text in another, ignoring case; −1 if it is missing. The offsets
// count bytes of the original text, because some letters have another length in lower case.
func indexLower(s, low string) (start, end int) {
	if !strings.Contains(strings.ToLower(s), low) {
		return -1, -1
	}
	for start := range s {
		rest, end := low, start
		for end < len(s) && rest != "" {
			r, size := utf8.DecodeRuneInString(s[end:])
			want, next := utf8.DecodeRuneInString(rest)
			if unicode.ToLower(r) != want {
				break
			}
			end, rest = end+size, rest[next:]
		}
		if rest == "" {
			return start, end
		}
	}
	return -1, -1
}

// abbreviates reports whether the text after a short form gives its long form in brackets.
func abbreviates(short, after string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(after), "(")
	long, _, closed := strings.Cut(rest, ")")
	if !ok || !closed || len(short) < 2 {
		return false
	}
	at := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(long), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if at < len(short) && w[0] == short[at] {
			at++
		}
	}
	return at == len(short)
}

// overlap is the share of elements that two lists have in common: 1 for equal lists.
func overlap(a, b []string) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			n++
		}
	}
	return 2 * float64(n) / float64(len(a)+len(b))
}
