package document

import (
	"math"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"example.com/assay/memory/text/wordnet"
)

// signs reports whether a text can be written raised or lowered without loss.
func signs(s string) bool {
	return s == "n" || s == "i" || strings.Trim(s, "0123456789+-−–=(),") == ""
}

// pieceOf joins words from left to right. A small word above or below the base line is written with
// raised or lowered signs.
func pieceOf(words []pdfWord, logical bool) pdfPiece {
	body := words[0]
	letters := 0
	for _, w := range words {
		if n := len(w.text); n > letters || w.size > 1.15*body.size {
			body, letters = w, n
		}
	}
	p := pdfPiece{pdfLine: pdfLine{size: body.size, base: body.base}, x0: words[0].x0, words: len(words)}
	var texts []string
	rtl := false
	for i, w := range words {
		p.x1 = max(p.x1, w.x1)
		p.letters = append(p.letters, w.letters...)
		s := string(w.text)
		if n := strings.TrimRight(s, "\u00ad"); len(n) < len(s) || strings.Contains(n, "\u00ad") {
			if s = strings.ReplaceAll(n, "\u00ad", ""); len(n) < len(w.text) && i == len(words)-1 {
				s += "\u00ad"
			}
		}
		if s == "" {
			continue
		}
		space := len(texts) > 0 && (w.blank || w.x0-words[i-1].x1 > spaceGap*min(w.em, words[i-1].em))
		if shift := w.base - body.base; len(texts) > 0 && w.size < .85*body.size && signs(s) && w.x0-words[i-1].x1 < .3*body.em {
			at := onLine
			if shift > .12*body.size {
				at = above
			} else if shift < -.06*body.size {
				at = below
			}
			space = space && at == onLine
			parts := strings.Split(s, ",")
			for j, part := range parts {
				if signs := inScript(part, at); at != onLine && signs != "" {
					parts[j] = signs
				}
			}
			s = strings.Join(parts, ",")
		}
		switch {
		case len(texts) > 0 && !space:
			texts[len(texts)-1] += s
		default:
			texts = append(texts, s)
		}
		rtl = rtl || isRightToLeft(s)
	}
	p.words = len(texts)
	if rtl {
		texts = inReadingOrder(texts, logical || words[0].leftward)
		p.letters = lettersToRead(p.letters)
	}
	p.text = strings.Join(texts, " ")
	return p
}

func isRightToLeft(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfefc
	})
}

func mostlyRightToLeft(s string) bool {
	right, left := 0, 0
	for _, r := range s {
		switch {
		case isRightToLeft(string(r)):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	return right > left
}

// drawnInOrder reports whether a file has Hebrew and Arabic words in reading order rather than in
// visual order: their final letter forms are at their ends.
func drawnInOrder(words []pdfWord) bool {
	const finals = "ךםןףץةىﺔﺓﻰﻯ"
	last, first := 0, 0
	for _, w := range words {
		if len(w.text) < 4 || w.leftward {
			continue
		}
		r := []rune(strings.TrimFunc(string(w.text), func(r rune) bool { return !unicode.IsLetter(r) }))
		if len(r) > 1 && strings.ContainsRune(finals, r[len(r)-1]) {
			last++
		}
		if len(r) > 1 && strings.ContainsRune(finals, r[0]) {
			first++
		}
	}
	return last > first
}

// inReadingOrder reorders a line's words from visual order, left to right, to reading order.
func inReadingOrder(words []string, logical bool) []string {
	base := mostlyRightToLeft(strings.Join(words, ""))
	out := make([]string, len(words))
	for i, w := range words {
		if !logical && (isRightToLeft(w) || base && !strings.ContainsFunc(w, unicode.IsLetter)) {
			w = reversed(w)
		}
		if isRightToLeft(w) {
			w = norm.NFKC.String(w)
		}
		out[i] = w
	}
	if logical {
		return out
	}
	flip := func(from, to int) {
		for ; from < to; from, to = from+1, to-1 {
			out[from], out[to] = out[to], out[from]
		}
	}
	against := func(s string) bool { // words against the line's direction
		return isRightToLeft(s) != base && strings.ContainsFunc(s, unicode.IsLetter)
	}
	if base {
		flip(0, len(out)-1)
	}
	neutral := func(s string) bool { return !strings.ContainsFunc(s, unicode.IsLetter) }
	for i := 0; i < len(out); i++ {
		// A run of words against the line, with numbers inside and, as they look, after it.
		last := i - 1
		for j := i; j < len(out) && (against(out[j]) || neutral(out[j])); j++ {
			if against(out[j]) {
				last = j
			}
		}
		if last > i && (against(out[i]) || base && unicode.IsDigit([]rune(out[i])[0])) {
			flip(i, last)
			i = last
		}
	}
	return out
}

var mirrored = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '<': '>', '>': '<', '«': '»', '»': '«'}

// reversed reverses a word except for its numbers and left-to-right letters. Marks stay after their
// letter.
func reversed(s string) string {
	r := []rune(s)
	ahead := func(i int) bool { // left-to-right
		c := r[i]
		return unicode.IsDigit(c) || unicode.IsLetter(c) && !isRightToLeft(string(c)) ||
			strings.ContainsRune(".,:/-", c) && i > 0 && i+1 < len(r) && unicode.IsDigit(r[i-1]) && unicode.IsDigit(r[i+1])
	}
	var out []rune
	for i := len(r); i > 0; {
		j := i - 1
		switch {
		case ahead(j):
			for j > 0 && ahead(j-1) {
				j--
			}
		default:
			for j > 0 && unicode.Is(unicode.Mn, r[j]) {
				j--
			}
		}
		out = append(out, r[j:i]...)
		if m, ok := mirrored[r[j]]; ok && i-j == 1 {
			out[len(out)-1] = m
		}
		i = j
	}
	return string(out)
}

// A joiner puts words together that are broken at the ends of lines.
type joiner struct{ seen map[string]bool }

func newJoiner(pages []pdfPage) *joiner {
	j := &joiner{seen: map[string]bool{}}
	for _, p := range pages {
		for _, l := range p.rows {
			for w := range strings.FieldsSeq(l.text) {
				j.seen[plainWord(w)] = true
			}
		}
	}
	return j
}

func plainWord(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }))
}

// across returns how two lines join if the first ends within a word: its new end, and the number of
// bytes taken from the second.
func (j *joiner) across(before, after string) (string, int, bool) {
	stem, soft := strings.CutSuffix(before, "\u00ad")
	if !soft {
		trimmed := strings.TrimRight(before, "-‐")
		if len(trimmed) == len(before) || len(before)-len(trimmed) > 3 {
			return before, 0, false
		}
		stem = trimmed
	}
	n := strings.IndexFunc(after, unicode.IsSpace)
	if n < 0 {
		n = len(after)
	}
	rest := after[:n]
	head := stem[strings.LastIndexFunc(stem, unicode.IsSpace)+1:]
	if head == "" || rest == "" {
		return before, 0, false
	}
	c, d := lastRune(head), []rune(rest)[0]
	switch {
	case soft:
		return stem + rest, n, true
	case unicode.IsDigit(c) && unicode.IsDigit(d) || unicode.IsLetter(c) && unicode.IsUpper(d) && !unicode.IsUpper(c) || unicode.IsDigit(c) && unicode.IsLetter(d):
		return before + rest, n, true
	case !unicode.IsLetter(c) || !unicode.IsLower(d):
		return before, 0, false
	}
	if j.compound(plainWord(head), plainWord(rest)) {
		return stem + "-" + rest, n, true
	}
	return stem + rest, n, true
}

// compound reports whether two parts are joined with a hyphen: the document has them so
// elsewhere, or both parts are words and the whole is not.
func (j *joiner) compound(a, b string) bool {
	switch {
	case j.seen[a+b]:
		return false
	case j.seen[a+"-"+b] || strings.Contains(a, "-"):
		return true
	}
	known := func(w string) bool { return len(w) > 2 && (wordnet.Known(w) || len(wordnet.Bases(w)) > 0) }
	return !known(a+b) && known(a) && known(b)
}

// rendered joins broken words inside each page and writes the pages.
func rendered(w *watch, j *joiner, pages []pdfPage) []pdfPage {
	for i := range pages {
		w.step()
		p := &pages[i]
		for k := 1; k < len(p.rows); k++ {
			l, before := &p.rows[k], &p.rows[k-1]
			if l.row || l.apart && !l.fresh {
				continue
			}
			if joined, n, ok := j.across(before.text, l.text); ok {
				before.text, l.text = joined, strings.TrimSpace(l.text[n:])
				if l.text == "" { // the rest of the paragraph follows
					l.text, l.base, l.size = before.text, math.Min(l.base, before.base), before.size
					l.apart, l.fresh, before.text = before.apart, before.fresh, ""
				}
			}
		}
		p.write()
	}
	return pages
}
