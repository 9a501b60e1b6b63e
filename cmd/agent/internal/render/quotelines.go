package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state/proof"
)

// withLines restores the line breaks of the source in each quotation of an answer: those
// between lines of code, items and paragraphs. Lines and words that a page only wrapped
// stay joined.
// A quote that begins or ends inside a sentence has an ellipsis there.
func withLines(text string, p proof.Proof) string {
	for _, f := range p.Findings {
		for _, q := range f.Quotes {
			before, after := cutOf(q, p.Passages)
			lines := sourceLines(q.Text)
			for i, l := range lines { // an item inside a quote begins no list of the answer's own
				if rest, ok := strings.CutPrefix(l, "- "); ok {
					lines[i] = "• " + rest
				}
			}
			shown := "“" + before + strings.Join(lines, "\\\n  ") + after + "”"
			text = strings.ReplaceAll(text, "“"+OneLine(q.Text)+"”", shown)
		}
	}
	return text
}

// cutOf are the ellipses of a quote.
func cutOf(q proof.Quote, passages []proof.Passage) (before, after string) {
	for _, p := range passages {
		if p.Doc == q.Doc && p.Start <= q.Start && q.End <= p.Start+len(p.Text) {
			return ellipses(p.Text, q.Start-p.Start, q.End-p.Start)
		}
	}
	return "", ""
}

// ellipses mark where the bytes from..to of a text leave out words of their sentence that
// stand on the same line. A number or a sign in front of a clause or an item is no word.
func ellipses(s string, from, to int) (before, after string) {
	const ellipsis = "…"
	lineStart := strings.LastIndexByte(s[:from], '\n') + 1
	lineEnd := len(s)
	if at := strings.IndexByte(s[to:], '\n'); at >= 0 {
		lineEnd = to + at
	}
	line := s[lineStart:lineEnd]
	for _, sentence := range text.Sentences(line) {
		start, end := lineStart+sentence.Start, lineStart+sentence.End
		if start < from && from < end && hasWord(s[start:from]) {
			before = ellipsis
		}
		if start < to && to < end && hasWord(s[to:end]) {
			after = ellipsis
		}
	}
	return before, after
}

// hasWord reports whether a text has two letters that follow each other.
func hasWord(s string) bool {
	letters := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			letters = 0
		} else if letters++; letters == 2 {
			return true
		}
	}
	return false
}

// wrapped is the length in characters from which a line may have been wrapped by the width
// of a page.
const wrapped = 60

// sourceLines are the lines of a text, with wrapped lines joined, each with its
// indentation.
func sourceLines(text string) []string {
	var out []string
	long := false // the last line ended where a page does
	for _, line := range strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n") {
		words := strings.Join(strings.Fields(line), " ")
		switch last := len(out) - 1; {
		case words == "":
		case long:
			out[last] = unwrapped(out[last], words)
		default:
			out = append(out, line[:len(line)-len(strings.TrimLeft(line, " "))]+words)
		}
		long = utf8.RuneCountInString(words) >= wrapped && !strings.HasSuffix(words, ":")
	}
	return out
}

// unwrapped joins two lines. It drops a hyphen at the end of the first when the joined word
// is a known word.
func unwrapped(first, second string) string {
	start, parted := strings.CutSuffix(first, "-")
	if !parted {
		return first + " " + second
	}
	head := start[strings.LastIndexAny(start, " (\"“")+1:]
	tail := second
	if end := strings.IndexAny(second, " .,;:)\"”"); end >= 0 {
		tail = second[:end]
	}
	if len(wordnet.Bases(strings.ToLower(head+tail))) > 0 {
		return start + second
	}
	return first + second
}
