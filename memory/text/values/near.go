package values

import (
	"example.com/assay/memory/text/pattern"
)

// near returns the parts of a text within reach of the bytes that mark accepts, each extended to
// white space. Patterns that need such a byte run on these parts instead of the whole of a long
// text. The matches are the same, except across white space wider than reach.
func near(text string, reach int, mark func(s string, at int) bool) [][2]int {
	var out [][2]int
	start, end := -1, 0 // of the part that is being made
	for i := range len(text) {
		if !mark(text, i) {
			continue
		}
		if start >= 0 && i-reach > end {
			out, start = append(out, [2]int{start, end}), -1
		}
		if start < 0 {
			for start = max(end, i-reach); start > end && !isSpace(text[start-1]); start-- {
			}
		}
		if i+reach < end {
			continue
		}
		for end = min(len(text), i+reach); end < len(text) && !isSpace(text[end]); end++ {
		}
	}
	if start >= 0 {
		out = append(out, [2]int{start, end})
	}
	return out
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// nearDigits returns the parts of a text around its digits.
func nearDigits(text string, reach int) [][2]int {
	return near(text, reach, func(s string, at int) bool { return isDigit(s[at]) })
}

// allNear returns the matches of a pattern in parts of a text, with their groups.
func allNear(parts [][2]int, pattern *pattern.Pattern, text string) [][]int {
	var out [][]int
	for _, p := range parts {
		for _, m := range pattern.FindAllStringSubmatchIndex(text[p[0]:p[1]], -1) {
			for i := range m {
				if m[i] >= 0 {
					m[i] += p[0]
				}
			}
			out = append(out, m)
		}
	}
	return out
}

// In reports whether it overlaps one of others, which are in order and do not overlap one
// another.
func (f Found) In(others []Found) bool { return f.within(others) }
