package claims

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.com/assay/memory/text"
)

// longestOpening is how much of a sentence is read to classify it.
const longestOpening = 400

// prefixed returns the length of an opening that is not part of the fact after it.
func prefixed(body string) int {
	low := opening(body)
	for _, p := range prefixes {
		if strings.HasPrefix(low, p) {
			return len(p)
		}
	}
	return 0
}

// opening returns the beginning of a sentence in lower case, with the same byte offsets.
func opening(body string) string {
	body = body[:min(len(body), longestOpening)]
	b := []byte(body)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// states reports whether a sentence may be false. A sentence with a citation may, unless it is a
// question; so may a list item with a lead-in, which needs no verb.
func states(body string, cited bool, context string) bool {
	if asks(body) {
		return false
	}
	if foreign(body) {
		return letters(body) > 1
	}
	low := strings.ReplaceAll(strings.TrimLeft(opening(body), "*_(\"'"), "’", "'")
	toks := text.Tokens(low)
	if len(toks) == 0 {
		return false
	}
	for _, t := range templates {
		if strings.HasPrefix(low, t) {
			return false
		}
	}
	if cited {
		return true
	}
	if onlyConnects(toks) {
		return false
	}
	if opines(low) || commands(toks) && !predicates(context) {
		return hard(body)
	}
	if context != "" {
		return true
	}
	return says(body, toks)
}

// asks reports whether a sentence is a question.
func asks(body string) bool {
	body = strings.TrimRight(body, " \t\n*_\"”’)")
	r, _ := utf8.DecodeLastRuneInString(body)
	return r == '?' || r == '？' || r == '؟'
}

// foreign reports whether most letters are not Latin. The word lists do not apply to them.
func foreign(body string) bool {
	latin, other := 0, 0
	for _, r := range body[:min(len(body), longestOpening)] {
		switch {
		case r == utf8.RuneError:
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return other > latin
}

func letters(body string) int {
	n := 0
	for _, r := range body {
		if unicode.IsLetter(r) {
			if n++; n > 1 {
				break
			}
		}
	}
	return n
}

func onlyConnects(toks []text.Token) bool {
	if len(toks) > 6 {
		return false
	}
	for _, t := range toks {
		if !connectives[t.Text] {
			return false
		}
	}
	return true
}

// opines reports whether a sentence states an opinion or advice.
func opines(low string) bool {
	return slices.ContainsFunc(opinions, func(o string) bool { return strings.HasPrefix(low, o) })
}

// commands reports whether a sentence tells the reader what to do. "Use of force is …" and "Check
// valves are …" do not.
func commands(toks []text.Token) bool {
	if !orders[toks[0].Text] {
		return false
	}
	return len(toks) < 2 || toks[1].Text != "of" && !finite[toks[1].Text] && (len(toks) < 3 || !finite[toks[2].Text])
}

// predicates reports whether a lead-in has its own verb, as in "A tenant must:". The imperatives
// below it then state what the tenant must do, and do not address the reader.
func predicates(context string) bool {
	return slices.ContainsFunc(text.Tokens(context), func(t text.Token) bool { return finite[t.Text] })
}

// hard reports whether a sentence contains something to look up: a number, or a name after its
// first word. The pronoun "I" is not a name.
func hard(body string) bool {
	toks := text.Tokens(body[:min(len(body), longestOpening)])
	for i, t := range toks {
		w := body[t.Start:t.End]
		r, _ := utf8.DecodeRuneInString(w)
		if unicode.IsDigit(r) || numberWord[t.Text] || i > 0 && unicode.IsUpper(r) && t.Text != "i" && t.Text != "ai" && !strings.HasPrefix(t.Text, "i'") && !afterStop(body, t.Start) {
			return true
		}
	}
	return false
}

func afterStop(body string, at int) bool {
	before := strings.TrimRight(body[:at], " \t\n\"“*_(")
	return before != "" && strings.ContainsRune(".:!?", rune(before[len(before)-1]))
}

var numberWord = text.Set(`two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty
	hundred thousand million half dozen percent`)

// counts reports whether a lead-in states a number, and so can be false.
func counts(body string) bool {
	for _, t := range text.Tokens(body[:min(len(body), longestOpening)]) {
		r, _ := utf8.DecodeRuneInString(t.Text)
		if unicode.IsDigit(r) || numberWord[t.Text] {
			return true
		}
	}
	return false
}

// says reports whether a sentence without a citation has a predicate, or ends like a sentence. A
// mere phrase is a title.
func says(body string, toks []text.Token) bool {
	for _, t := range toks {
		if finite[t.Text] {
			return len(toks) > 1
		}
	}
	if len(toks) < 2 {
		return false
	}
	body = strings.TrimRight(body, " \t*_\"”’)")
	if strings.HasSuffix(body, ":") {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(body)
	closed := r == '.' || r == '!' || r == '…'
	past := len(toks) == 2 && strings.HasSuffix(toks[1].Text, "ed") // "Rates doubled."
	return closed && (len(toks) > 2 || past) || hard(body) && len(toks) > 2 || len(toks) > 5
}
