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

// located finds a model's quotes byte for byte, in the named passage or else in another. made is
// the number of quotes that no passage contains.
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

// stated finds a passage that contains a claim, or the quotation that it is part of, word for word:
// the response and the source may end their sentences in different places.
func stated(c state.Claim, evidence []state.Evidence) (state.Quote, bool) {
	if q, ok := verbatim(c.Text, evidence); ok {
		return q, true
	}
	return verbatim(c.Quotation, evidence)
}

// verbatim finds a passage that contains words as a whole: from the beginning of a sentence, a row,
// a field or an answer to the end of one. A clause is not enough, since the rest of its sentence
// may reverse it.
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
			for _, last := range wholes[i:] { // the claim may span several
				if last.Start < end && end <= last.End && strings.Trim(p.Text[end:last.End], closers) == "" {
					return state.QuoteIn(p, start, last.End-start), true
				}
			}
		}
	}
	return state.Quote{}, false
}

// wholesOf returns the spans of a passage that make sense alone, in order.
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

// bare returns a sentence without a list marker, emphasis, quotation marks and the full stop.
func bare(s string) string {
	s = strings.TrimLeft(s[len(itemNumber.FindString(s)):], openers)
	return strings.TrimRight(s, closers)
}

const openers = " \t\n-*•·>“\"'‘"

// itemNumber matches the marker of a numbered item: "2. ", "(a) ".
var itemNumber = pattern.New(`^\s*(?:\d{1,3}[.)]|\([0-9a-zA-Z]{1,3}\))\s+`)
