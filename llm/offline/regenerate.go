package offline

import (
	"errors"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// speaksOf is the share of a claim's words, weighted by rarity, that a sentence must have to
// replace the claim.
const speaksOf = 0.5

// regenerate replaces each claim that is neither supported nor a source's own words in quotation
// marks by the nearest passage of the sources, as a quote with its citation. A claim whose quote
// was already used is removed; one without a near passage stays, and so does everything else.
func regenerate(in skills.RegenerateInput) (string, error) {
	if strings.TrimSpace(in.Response) == "" {
		return "", errors.New("there is no response to write again")
	}
	plain := make([]skills.Source, len(in.Sources))
	for i, s := range in.Sources {
		plain[i] = s.Source
	}
	p := newPool(plain)
	var b strings.Builder
	rest := in.Response
	for _, c := range in.Claims {
		at := strings.Index(rest, c.Text)
		if c.Text == "" || at < 0 {
			continue
		}
		end := at + len(c.Text)
		quote, cite := "", ""
		if c.Status != claimSupported && !quotes(in.Response, len(in.Response)-len(rest)+at, plain) {
			quote, cite = p.instead(c, in.Sources)
		}
		if quote == "" || strings.Contains(in.Response, quote) {
			b.WriteString(rest[:end])
			rest = rest[end:]
			continue
		}
		end += len(behindClaim.FindString(rest[end:]))
		if strings.Contains(b.String(), quote) {
			b.WriteString(strings.TrimRight(rest[:at], "“\" "))
		} else {
			b.WriteString(strings.TrimRight(rest[:at], "“\"") + "“" + quote + "” " + cite)
		}
		rest = rest[end:]
	}
	return b.String() + rest, nil
}

// quotes reports whether a byte of a response is in a quotation found verbatim in a source.
func quotes(response string, at int, sources []skills.Source) bool {
	open := strings.LastIndex(response[:at], "“")
	if open < 0 || strings.Contains(response[open:at], "”") {
		return false
	}
	said, _, closed := strings.Cut(response[open+len("“"):], "”")
	return closed && slices.ContainsFunc(sources, func(s skills.Source) bool {
		_, _, ok := skills.Find(s.Text, said)
		return ok
	})
}

const claimSupported = "supported"

// behindClaim matches the text that is replaced with a claim: the end of a quotation, punctuation,
// citations.
var behindClaim = pattern.New(`^[.!?,;:”"')]*(?:[ \t]*\[[^\[\]\n]{1,60}\])*[.!?]?`)

// speaksNear is the least similarity of a passage that replaces a claim. For claims about papers
// whose nearest passage was as near, that passage decided seven in ten (docs/measurements.md, "The
// encoder").
const speaksNear = 0.55

// instead returns the replacement of a claim and its citation: the passage nearest in meaning if
// similarities are known, else the sentence that shares the most words; empty if none is near.
func (p *pool) instead(c skills.JudgedClaim, sources []skills.CitedSource) (quote, cite string) {
	if n := c.Nearest; n != nil {
		if n.Near < speaksNear {
			return "", ""
		}
		return n.Text, n.Cite
	}
	s, ok := p.inPlaceOf(c)
	if !ok {
		return "", ""
	}
	return s.text, sources[s.source].Cite
}

// inPlaceOf returns the sentence most similar to a claim, the first of equals.
func (p *pool) inPlaceOf(c skills.JudgedClaim) (sentence, bool) {
	terms := slices.DeleteFunc(text.Distinct(text.Terms(c.Text, text.DocStops)), hasDigit) // numbers may be the error
	slices.Sort(terms)                                                                     // the order of summation
	total := 0.0
	for _, t := range terms {
		total += p.idf(t)
	}
	best, at := 0.0, -1
	for i, s := range p.sentences {
		if !s.whole || s.order {
			continue
		}
		sum := 0.0
		for _, t := range terms {
			if s.counts[t] > 0 {
				sum += p.idf(t)
			}
		}
		if sum > best {
			best, at = sum, i
		}
	}
	if at < 0 || best < speaksOf*total {
		return sentence{}, false
	}
	return p.sentences[at], true
}
