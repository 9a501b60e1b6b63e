package verify

import (
	"cmp"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// located finds the quotes that a model gives: exactly these bytes, in the
// passage that it names or else in another one. made is how many are in none.
func located(given []skills.SourceQuote, evidence []state.Evidence) (quotes []state.Quote, made int) {
	for _, g := range given {
		if q, ok := locate(g, evidence); !ok {
			made++
		} else if !slices.Contains(quotes, q) {
			quotes = append(quotes, q)
		}
	}
	return quotes, made
}

func locate(g skills.SourceQuote, evidence []state.Evidence) (state.Quote, bool) {
	words := strings.TrimSpace(g.Text)
	if named := g.Source - 1; named >= 0 && named < len(evidence) {
		if q, ok := quoteIn(evidence[named].Passage, words); ok {
			return q, true
		}
	}
	for _, e := range evidence {
		if q, ok := quoteIn(e.Passage, words); ok {
			return q, true
		}
	}
	return state.Quote{}, false
}

func quoteIn(p state.Passage, words string) (state.Quote, bool) {
	start, end, ok := skills.Find(p.Text, words)
	if !ok {
		return state.Quote{}, false
	}
	return state.QuoteIn(p, start, end-start), true
}

// stated finds a passage that holds a claim, or the quotation that it is a part of,
// word for word: where a response's sentences end need not be where the source's do.
func stated(c state.Claim, evidence []state.Evidence) (state.Quote, bool) {
	if q, ok := verbatim(c.Text, evidence); ok {
		return q, true
	}
	return verbatim(c.Quotation, evidence)
}

// verbatim finds a passage that holds words as a whole: from the beginning of a sentence, a row, a field or
// an answer to the end of one. A clause of a sentence is not enough, for the rest of it may turn what it says.
func verbatim(said string, evidence []state.Evidence) (state.Quote, bool) {
	words := bare(said)
	if words == "" {
		return state.Quote{}, false
	}
	for _, e := range evidence {
		p := e.Passage
		if _, _, ok := skills.Find(p.Text, words); !ok {
			continue
		}
		wholes := wholesOf(p)
		for i, first := range wholes {
			start := first.Start + strings.Index(p.Text[first.Start:first.End], bare(p.Text[first.Start:first.End]))
			size, ok := skills.Begins(p.Text[start:], words)
			if !ok {
				continue
			}
			end := start + size
			for _, last := range wholes[i:] { // the claim may run over several
				if last.Start < end && end <= last.End && strings.Trim(p.Text[end:last.End], closers) == "" {
					return state.QuoteIn(p, start, last.End-start), true
				}
			}
		}
	}
	return state.Quote{}, false
}

// wholesOf are the spans of a passage that say something by themselves, in the order of their beginnings.
func wholesOf(p state.Passage) []text.Span {
	out := text.Sentences(p.Text)
	for _, b := range p.Blocks {
		if alone := b.Kind == state.BlockRow || b.Kind == state.BlockField || b.Kind == state.BlockAnswer; alone && 0 <= b.Start && b.Start < b.End && b.End <= len(p.Text) {
			out = append(out, text.Span{Start: b.Start, End: b.End})
		}
	}
	slices.SortStableFunc(out, func(a, b text.Span) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// closers may follow the last word of a sentence.
const closers = ".!?;:,\"'”’)]* \t\n"

// bare is a sentence without a list marker, emphasis, quotation marks and the
// full stop.
func bare(s string) string {
	s = strings.TrimLeft(s[len(itemNumber.FindString(s)):], openers)
	return strings.TrimRight(s, closers)
}

const openers = " \t\n-*•·>“\"'‘"

// itemNumber is the marker of an item that is numbered: "2. ", "(a) ".
var itemNumber = pattern.New(`^\s*(?:\d{1,3}[.)]|\([0-9a-zA-Z]{1,3}\))\s+`)
