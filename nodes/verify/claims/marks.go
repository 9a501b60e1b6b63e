package claims

import (
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
)

// A mark is a citation in a response, with the labels that it names.
type mark struct {
	start, end int // bytes of the response
	labels     []string
}

// markForm matches citations as models and people write them: [Source 2], (Source 2), [Query
// 1][Source 2], [REQ-S001], [1], [1-3], [^1].
var markForm = pattern.New(`(?:\[Query (\d{1,3})\]\s?)?[\[(](?:[Ss]ee )?([Nn]o [Ss]ource|[Ss]ources?)\s+(\d{1,3}(?:\s*(?:,|;|and|&|-|–)\s*(?:[Ss]ource\s+)?\d{1,3})*)[\])]` +
	`|\[([A-Z][A-Z0-9]*(?:-[A-Za-z0-9]+)+(?:\s*[,;]\s*[A-Z][A-Z0-9]*(?:-[A-Za-z0-9]+)+)*)\]` +
	`|\[\^?(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\](?:\([^()\s]*\))?` +
	`|\[\^([A-Za-z][\w-]*)\]`)

// raised matches superscript digits after punctuation: a footnote.
var raised = pattern.New(`([.!?,;:”"’)])([¹²³⁰⁴⁵⁶⁷⁸⁹]{1,3})`)

var raisedDigits = strings.NewReplacer("⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7", "⁸", "8", "⁹", "9")

var (
	digits   = pattern.New(`(\d{1,3})(?:\s*([–-])\s*(\d{1,3}))?`)
	markName = pattern.New(`[A-Z][A-Z0-9]*(?:-[A-Za-z0-9]+)+`)
)

// longestRange bounds the numbers in a range such as [1-9].
const longestRange = 50

// findMarks returns the citations between two bytes, in order.
func findMarks(s string, start, end int) []mark {
	body := s[start:end]
	var out []mark
	if strings.ContainsAny(body, "[(") {
		for _, m := range markForm.FindAllStringSubmatchIndex(body, -1) {
			group := func(n int) string {
				if m[2*n] < 0 {
					return ""
				}
				return body[m[2*n]:m[2*n+1]]
			}
			found := mark{start: start + m[0], end: start + m[1]}
			switch {
			case group(3) != "":
				word := "Source "
				if strings.HasPrefix(strings.ToLower(group(2)), "no") {
					word = "no source "
				}
				if q := group(1); q != "" {
					word = "Query " + q + " " + word
				}
				for _, n := range numbers(group(3)) {
					found.labels = append(found.labels, word+n)
				}
			case group(4) != "":
				found.labels = markName.FindAllString(group(4), -1)
			case group(5) != "":
				found.labels = numbers(group(5))
			default:
				found.labels = []string{group(6)}
			}
			out = append(out, found)
		}
	}
	for _, m := range raised.FindAllStringSubmatchIndex(body, -1) {
		out = append(out, mark{start + m[4], start + m[5], []string{raisedDigits.Replace(body[m[4]:m[5]])}})
	}
	slices.SortFunc(out, func(a, b mark) int { return a.start - b.start })
	return out
}

// numbers parses a list such as "1, 3 and 5-7".
func numbers(list string) []string {
	var out []string
	for _, m := range digits.FindAllStringSubmatch(list, -1) {
		from, _ := strconv.Atoi(m[1]) // at most three digits
		to := from
		if m[3] != "" {
			to, _ = strconv.Atoi(m[3])
		}
		if to < from || to-from > longestRange {
			out = append(out, strconv.Itoa(from), strconv.Itoa(to))
			continue
		}
		for n := from; n <= to; n++ {
			out = append(out, strconv.Itoa(n))
		}
	}
	return out
}

// mask blanks the marks of a block, so they do not affect where sentences end. The length stays.
func mask(body string, marks []mark, offset int) string {
	if len(marks) == 0 {
		return body
	}
	b := []byte(body)
	for _, m := range marks {
		for i := m.start - offset; i < m.end-offset; i++ {
			b[i] = ' '
		}
	}
	return string(b)
}

// assign gives each sentence of a block the labels of its marks: marks inside it, and marks after
// it up to the next sentence. In a block that begins with a mark, marks precede their sentences.
func assign(s string, marks []mark, sentences []text.Span, start int) [][]string {
	out := make([][]string, len(sentences))
	if len(sentences) == 0 || len(marks) == 0 {
		return out
	}
	ahead := marks[0].start < sentences[0].Start
	i := 0
	for _, m := range marks {
		for i+1 < len(sentences) && sentences[i+1].Start <= m.start {
			i++
		}
		at := i
		if ahead && m.start >= sentences[i].End && i+1 < len(sentences) {
			at = i + 1
		}
		out[at] = join(out[at], m.labels)
	}
	return out
}

// citesAfter returns the labels of the marks directly after a quotation.
func citesAfter(s string, marks []mark, from int) []string {
	var out []string
	i, _ := slices.BinarySearchFunc(marks, from, func(m mark, at int) int { return m.start - at })
	for ; i < len(marks); i++ {
		if strings.Trim(s[from:marks[i].start], " \t\n.,;:*_”\"") != "" {
			break
		}
		out = join(out, marks[i].labels)
		from = marks[i].end
	}
	return out
}

// mostLabels bounds the labels of a claim. No reader follows more.
const mostLabels = 64

// join appends the labels that are not in the list yet.
func join(labels, more []string) []string {
	for _, l := range more {
		if len(labels) < mostLabels && !slices.Contains(labels, l) {
			labels = append(labels, l)
		}
	}
	return labels
}

// quotations returns the text between typographic quotation marks.
func quotations(s string, start, end int) []text.Span {
	var out []text.Span
	open := -1
	for i := start; i+2 < end; i++ {
		if s[i] != 0xe2 || s[i+1] != 0x80 {
			continue
		}
		switch {
		case s[i+2] == 0x9c && open < 0: // “
			open = i
		case s[i+2] == 0x9d && open >= 0: // ”
			out = append(out, text.Span{Start: open, End: i + len("”")})
			open = -1
		}
	}
	return out
}

// inside returns the range between a quotation's marks.
func inside(quotation text.Span) text.Span {
	return text.Span{Start: quotation.Start + len("“"), End: quotation.End - len("”")}
}
