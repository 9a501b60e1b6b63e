package claims

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// Split returns the claims of a response in order, numbered from 1. For each claim,
// response[Start:End] is Text; claims do not overlap. The time is proportional to the length. Any
// bytes are accepted.
func Split(response string) []state.Claim {
	var out []state.Claim
	for _, b := range blocks(response) {
		for _, c := range b.claims(response) {
			c.ID = len(out) + 1
			c.Text = response[c.Start:c.End]
			out = append(out, c)
		}
	}
	return out
}

// longestQuotation is the maximum length in bytes of a quotation that is attached to its claims.
const longestQuotation = 4096

// claims returns the claims of a block.
func (b block) claims(s string) []state.Claim {
	m := findMarks(s, b.start, b.end)
	masked := mask(s[b.start:b.end], m, b.start)
	sentences := sentencesOf(masked, b.start)
	if b.cell { // a row is one statement
		if start, end := trim(masked, 0, len(masked)); start < end {
			sentences = []text.Span{{Start: b.start + start, End: b.start + end}}
		}
	}
	cites := assign(s, m, sentences, b.start)
	quotes := quotations(s, b.start, b.end)
	var out []state.Claim
	at := 0
	for i, span := range sentences {
		for at < len(quotes) && quotes[at].End <= span.Start {
			at++
		}
		quoted := at < len(quotes) && span.Start >= quotes[at].Start && span.End <= quotes[at].End+len("”.")
		if quoted && len(cites[i]) == 0 {
			cites[i] = citesAfter(s, m, quotes[at].End)
		}
		until := b.end // its marks come before the next sentence
		if i+1 < len(sentences) {
			until = sentences[i+1].Start
		}
		found := b.claimsOf(masked, span, until, cites[i], m, quoted)
		if quoted {
			whole := inside(quotes[at])
			for j := range found {
				if size := whole.End - whole.Start; found[j].End-found[j].Start < size && size <= longestQuotation {
					found[j].Quotation = s[whole.Start:whole.End]
				}
			}
		}
		out = append(out, found...)
	}
	return out
}

// claimsOf returns the claims of one sentence.
func (b block) claimsOf(masked string, span text.Span, next int, cites []string, marks []mark, quoted bool) []state.Claim {
	start, end := bare(masked, span.Start-b.start, span.End-b.start)
	if start >= end {
		return nil
	}
	body := masked[start:end]
	context := b.context
	if skip := prefixed(body); skip > 0 {
		start += skip
		body = masked[start:end]
	}
	cited := len(cites) > 0
	switch {
	case b.leads && next == b.end && !cited && !quoted && !counts(body):
		return nil
	case !b.cell && !states(body, cited || quoted, context):
		return nil
	}
	var out []state.Claim
	parts := clauses(body)
	for i, part := range parts {
		from, to := bare(masked, start+part.Start, start+part.End)
		if from >= to {
			continue
		}
		c := state.Claim{Start: b.start + from, End: b.start + to, Context: context, Cites: slices.Clone(cites)}
		if len(parts) > 1 {
			until := next
			if i+1 < len(parts) {
				until = b.start + start + parts[i+1].Start
			}
			c.Cites = own(marks, b.start+start+part.Start, until, cites)
		}
		out = append(out, c)
	}
	return out
}

// own returns the labels of the marks with a clause, among its sentence's; a clause without marks
// has them all.
func own(marks []mark, from, until int, all []string) []string {
	var labels []string
	i, _ := slices.BinarySearchFunc(marks, from, func(m mark, at int) int { return m.start - at })
	for ; i < len(marks) && marks[i].end <= until; i++ {
		for _, l := range marks[i].labels {
			if !slices.Contains(all, l) {
				return orAll(labels, all) // the mark belongs to the next sentence
			}
			labels = join(labels, []string{l})
		}
	}
	return orAll(labels, all)
}

func orAll(labels, all []string) []string {
	if labels == nil {
		return all
	}
	return labels
}

// sentencesOf splits text with blanked marks into sentences of any script. Spans begin at offset.
func sentencesOf(masked string, offset int) []text.Span {
	var out []text.Span
	for _, span := range text.Sentences(masked) {
		from := span.Start
		for i := span.Start; i < span.End; {
			r, size := utf8.DecodeRuneInString(masked[i:span.End])
			i += size
			if !strings.ContainsRune("。！？｡۔।॥؟", r) {
				continue
			}
			for i < span.End { // closing marks belong to the sentence
				c, n := utf8.DecodeRuneInString(masked[i:span.End])
				if !strings.ContainsRune("」』”’）)。！？", c) {
					break
				}
				i += n
			}
			if a, b := trim(masked, from, i); a < b {
				out = append(out, text.Span{Start: offset + a, End: offset + b})
			}
			from = i
		}
		if a, b := trim(masked, from, span.End); a < b {
			out = append(out, text.Span{Start: offset + a, End: offset + b})
		}
	}
	return out
}

// trim returns the range without surrounding space.
func trim(s string, start, end int) (int, int) {
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
	return start, end
}

// bare returns the range without surrounding space, emphasis, and quotation marks that are not part
// of a pair inside it.
func bare(s string, start, end int) (int, int) {
	for range mostWrapping {
		from, to := trim(s, start, end)
		body := s[from:to]
		switch {
		case len(body) > 0 && strings.ContainsRune("*_", rune(body[0])):
			from++
		case len(body) > 0 && strings.ContainsRune("*_", rune(body[len(body)-1])):
			to--
		case strings.HasPrefix(body, "“") && !pairInside(body, "“", "”"):
			from += len("“")
		case strings.HasSuffix(body, "”") && strings.Count(body, "“") < strings.Count(body, "”"):
			to -= len("”")
		case strings.HasSuffix(body, "”.") && strings.Count(body, "“") < strings.Count(body, "”"):
			to -= len("”.")
		case strings.HasPrefix(body, `"`) && (strings.Count(body, `"`) == 1 || strings.Count(body, `"`) == 2 && strings.HasSuffix(strings.TrimRight(body, ".,"), `"`)):
			from++
		case strings.HasSuffix(body, `"`) && strings.Count(body, `"`) == 1:
			to--
		case len(body) > 0 && strings.ContainsRune(",;", rune(body[len(body)-1])):
			to--
		case len(body) > 1 && strings.ContainsRune(".:", rune(body[len(body)-1])) && body[len(body)-2] == ' ':
			to-- // what is left of "as it says [1]."
		}
		if from == start && to == end {
			break
		}
		start, end = from, to
	}
	return start, end
}

// mostWrapping bounds the signs removed around a claim.
const mostWrapping = 64

// pairInside reports whether the quotation that opens body ends before body does, and so is a part
// of the sentence.
func pairInside(body, open, closing string) bool {
	at := strings.Index(body, closing)
	rest := ""
	if at >= 0 {
		rest = strings.Trim(body[at+len(closing):], " .,;*_")
	}
	return at >= 0 && rest != ""
}
