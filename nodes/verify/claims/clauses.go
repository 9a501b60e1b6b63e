package claims

import (
	"strings"

	"example.com/assay/memory/text"
)

// clauses splits a sentence at "and", "but", "or" and semicolons, if both sides have a subject and
// a verb, and neither depends on a condition or on who said it. Otherwise the sentence is one
// clause.
func clauses(body string) []text.Span {
	whole := []text.Span{{Start: 0, End: len(body)}}
	if len(body) > 1200 || foreign(body) || strings.ContainsAny(body, "“”\"") {
		return whole
	}
	toks := text.Tokens(body)
	var out []text.Span
	from, first := 0, 0
	for i := 1; i < len(toks); i++ {
		at, next, ok := joint(body, toks, i)
		if !ok || !independent(body, toks[first:i], true) || !independent(body, toks[next:], false) {
			continue
		}
		out = append(out, text.Span{Start: from, End: at})
		from, first = toks[next].Start, next
		i = next
	}
	if out == nil {
		return whole
	}
	return append(out, text.Span{Start: from, End: len(body)})
}

// joint reports whether two clauses may meet before token i. At is where the first ends, next the
// first token of the second.
func joint(body string, toks []text.Token, i int) (at, next int, ok bool) {
	gap := text.Between(body, toks[i-1], toks[i])
	if strings.ContainsAny(gap, "()[]") {
		return 0, 0, false
	}
	if semicolon := strings.IndexByte(gap, ';'); semicolon >= 0 {
		next = i
		if adverbs[toks[i].Text] && i+1 < len(toks) {
			next = i + 1
		}
		return toks[i-1].End + semicolon, next, true
	}
	if w := toks[i].Text; (w == "and" || w == "but") && i+1 < len(toks) {
		return toks[i-1].End, i + 1, true
	}
	return 0, 0, false
}

// farVerb is the number of words within which a clause must have a verb.
const farVerb = 7

// nearVerb is farVerb for a clause that begins with a name.
const nearVerb = 4

// independent reports whether words form a clause with a subject. The first clause of a sentence
// may begin with any word that is not subordinate; a later one begins with a name, an article, a
// pronoun or another word that opens a subject.
func independent(body string, toks []text.Token, leading bool) bool {
	if len(toks) < 3 {
		return false
	}
	if leading {
		for _, t := range toks {
			if subordinate[t.Text] {
				return false
			}
		}
		return hasVerb(toks, len(toks))
	}
	switch c := body[toks[0].Start]; {
	case finite[toks[0].Text]:
		return false
	case openers[toks[0].Text]:
		return hasVerb(toks, farVerb)
	case c >= 'A' && c <= 'Z':
		return hasVerb(toks, nearVerb)
	}
	return false
}

func hasVerb(toks []text.Token, within int) bool {
	for i, t := range toks {
		if i >= within || i > 0 && (t.Text == "and" || t.Text == "but" || subordinate[t.Text] && t.Text != "that") {
			return false
		}
		if i > 0 && finite[t.Text] {
			return true
		}
	}
	return false
}
