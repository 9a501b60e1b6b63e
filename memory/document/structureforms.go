package document

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

var (
	quotedTerm = pattern.New(`^["“„«'‘]([^"”“»'’]{1,60}[^"”“»'’.,!?])["”“»'’]\s+[^\s,.;:]+\s+\S+\s`)
	dashedTerm = pattern.New(`^(?:[-*•]\s+)?(\*\*|__)?(\pL[^.:;!?–—*_]{1,40}?)(?:\*\*|__)?\s+[–—]\s+\pL`)
	message    = pattern.New(`^(?:[\[(<]?[\d/.\-,: ]{4,22}(?:[AaPp]\.?[Mm]\.?)?[\])>]?\s*[-–—]?\s*<?(\pL[^:<>\[\]()]{0,30}?)>?:|(\pL[^:<>\[\]()]{0,30}?)\s*[\[(][\d/.\-,: ]{4,22}(?:[AaPp]\.?[Mm]\.?)?[\])]\s*:|(?:[\[(]?[\d/.\-,: ]{4,22}[\])]?\s*)?<(\pL[^:<>\[\]()]{0,30})>)\s+(\S)`)
)

// sectionMark reads the number of a heading that a reader found.
func sectionMark(title string, words map[string]int) head {
	m := markOf(title, words)
	if first, _, _ := strings.Cut(title, " "); m.number == "" && first != title && len(first) < 8 && strings.Trim(first, "0123456789.") == "" {
		m = mark{style: "1.", number: strings.TrimRight(first, ".")}
	}
	return head{style: m.style, title: title, number: m.number}
}

// boldTitle splits a paragraph into the bold title at its beginning and the rest; both are empty
// without one.
func boldTitle(s string) (title, rest string) {
	if !strings.HasPrefix(s, "**") {
		return "", ""
	}
	end := strings.Index(s[2:], "**")
	if end < 1 || end > 90 {
		return "", ""
	}
	title = strings.TrimRight(s[2:2+end], " .:")
	if rest = strings.TrimLeft(s[end+4:], " "); title == "" || rest == "" || rest[0] == ':' || s[1+end] == ':' {
		return "", ""
	}
	return text.OneLine(title), rest
}

// messageOf parses a line of a conversation, which has a time.
func messageOf(s string) []int {
	near, may := s[:min(len(s), 60)], s[0] == '<'
	if c := s[0]; c == '[' || c == '(' || c >= '0' && c <= '9' {
		may = (strings.Contains(near, ": ") || strings.Contains(near, "> ")) && strings.ContainsAny(near[1:], "0123456789")
	} else if !may {
		may = strings.Contains(near, "):") || strings.Contains(near, "]:")
	}
	if !may {
		return nil
	}
	return message.FindStringSubmatchIndex(s)
}

// quotedTermOf is the term that a line defines: it begins with it, in quotes.
func quotedTermOf(s string) string {
	if s == "" || strings.IndexByte("\"'\xe2\xc2", s[0]) < 0 {
		return ""
	}
	if m := quotedTerm.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

func endsAsking(s string) bool { return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") }

// questionOf returns the question that a line is, and how it is announced.
func (r *structureReader) questionOf(l textLine, whole string) (asked, how string) {
	whole = strings.TrimRight(whole, "*_ ")
	if !endsAsking(whole) || len(whole) > 220 || l.mark.style == bulletStyle {
		return "", ""
	}
	from := l.mark.size
	if l.label.words == 1 && l.label.to-l.label.from <= 10 {
		how = whole[l.label.from:l.label.to]
		from = l.label.value
	}
	asked = text.OneLine(strings.Trim(whole[min(from, len(whole)):], "#*_ "))
	if strings.Contains(asked, ". ") || how == "" && startsLower(asked) {
		return "", ""
	}
	return asked, how
}
