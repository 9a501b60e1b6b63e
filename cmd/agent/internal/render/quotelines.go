package render

import (
	"strings"
	"unicode/utf8"

	"example.com/assay/memory/text/wordnet"
	"example.com/assay/state"
)

// withLines puts the line breaks of its source back into each quotation of an answer:
// between lines of code, items and paragraphs. Lines that a page was wrapped at stay
// joined, and so does a word that was parted there.
func withLines(answer string, quotes []state.ShownQuote) string {
	for _, q := range quotes {
		flat := "“" + strings.Join(strings.Fields(q.Text), " ") + "”"
		answer = strings.Replace(answer, flat, "“"+strings.Join(sourceLines(q.Text), "\\\n  ")+"”", 1)
	}
	return answer
}

// wrapped is from how many characters on a line may have been ended by the width of
// a page.
const wrapped = 60

// sourceLines are the lines of a text as its writer meant them, each with its
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

// unwrapped is two lines as one. A hyphen at the end of the first goes when the word
// that it parts is one of the language.
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
