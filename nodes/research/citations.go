package research

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// sourceMark is a citation as models write it: [Source 2], [Source 2, 3] or
// [Sources 2 and 3].
var sourceMark = pattern.New(`\[[Ss]ources?\s+(\d{1,3}(?:\s*(?:,|;|and|&)\s*(?:[Ss]ource\s+)?\d{1,3})*)\]`)

var number = pattern.New(`\d{1,3}`)

// sourcesMap is the heading of the list of sources at the end of an answer.
var sourcesMap = pattern.New(`(?m)^#{1,6}[ \t]*Sources[ \t]*:?[ \t]*$`)

// cited is an answer whose citations have been resolved.
type cited struct {
	text      string // without its list of sources; one mark per source
	citations []state.Citation
	unknown   int // marks without a source
}

// cite resolves the citations of an answer to the hits that the model was given. It
// rewrites marks to one form, and drops the answer's own list of sources: the printed list
// is made from the resolved citations.
func cite(text string, hits []state.Hit) cited {
	if at := sourcesMap.FindAllStringIndex(text, -1); at != nil {
		text = text[:at[len(at)-1][0]]
	}
	text = strings.TrimSpace(text)
	out := cited{}
	byNumber := make([]*state.Citation, len(hits)+1)
	var b strings.Builder
	last := 0
	for _, m := range sourceMark.FindAllStringSubmatchIndex(text, -1) {
		before := text[last:m[0]]
		b.WriteString(before)
		for _, digits := range number.FindAllString(text[m[2]:m[3]], -1) {
			n, err := strconv.Atoi(digits)
			if err != nil || n < 1 || n > len(hits) {
				out.unknown++
				fmt.Fprintf(&b, "[no source %s]", digits)
				continue
			}
			fmt.Fprintf(&b, "[Source %d]", n)
			if byNumber[n] == nil {
				byNumber[n] = &state.Citation{N: n, Passage: hits[n-1].Passage.ID}
			}
			if q, ok := quoteBefore(before, hits[n-1].Passage); ok && !slices.Contains(byNumber[n].Quotes, q) {
				byNumber[n].Quotes = append(byNumber[n].Quotes, q)
			}
		}
		last = m[1]
	}
	b.WriteString(text[last:])
	out.text = b.String()
	for _, c := range byNumber {
		if c != nil {
			out.citations = append(out.citations, *c)
		}
	}
	return out
}

// quoteBefore finds the quotation that ends right before a mark, between typographic or
// straight quotes, in the passage that the mark cites. It is a quote only when the passage,
// or its form in the prompt, contains exactly these bytes.
func quoteBefore(before string, p state.Passage) (state.Quote, bool) {
	before = strings.TrimRight(before, " \t\n.,;:")
	for _, marks := range [][2]string{{"“", "”"}, {`"`, `"`}} {
		inner, ok := strings.CutSuffix(before, marks[1])
		if !ok {
			continue
		}
		// The passage's own words may hold quotes: try the nearest opening
		// first, then those further out.
		var found state.Quote
		ok = false
		for open := strings.LastIndex(inner, marks[0]); open >= 0; open = strings.LastIndex(inner[:open], marks[0]) {
			text := inner[open+len(marks[0]):]
			if start, end, held := skills.Find(p.Text, text); held {
				found, ok = state.QuoteIn(p, start, end-start), true // the longest that the passage holds
			}
		}
		if ok {
			return found, true
		}
	}
	return state.Quote{}, false
}

// scope turns [Source N] into [Query X][Source N], so that answers of several
// steps can stand in one text.
func scope(text string, step int) string {
	return sourceMark.ReplaceAllStringFunc(text, func(mark string) string {
		return fmt.Sprintf("[Query %d]%s", step, mark)
	})
}
