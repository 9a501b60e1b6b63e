package render

import (
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// withLines restores the line breaks of the source in each quotation of an answer: those
// between lines of code, items and paragraphs. Lines and words that a page only wrapped
// stay joined.
func withLines(answer string, quotes []state.ShownQuote) string {
	for _, q := range quotes {
		flat := "“" + strings.Join(strings.Fields(q.Text), " ") + "”"
		answer = strings.Replace(answer, flat, "“"+strings.Join(sourceLines(q.Text), "\\\n  ")+"”", 1)
	}
	return answer
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
