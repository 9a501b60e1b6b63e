package offline

import (
	"errors"
	"slices"
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/skills"
)

// speaksOf is the share of a claim's words, by weight of their rarity, that a
// sentence must have to take the claim's place.
const speaksOf = 0.5

// regenerate puts, in place of each claim that is not supported and not a source's own words in quotation marks, the stretch of
// the sources that is nearest to it, as a quote with its citation. A claim that a quote
// was put in place of already is left out; one of which nothing speaks stays, and so does
// everything else.
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

// quotes reports whether a byte of a response stands in a quotation that is in a source word for word.
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

// behindClaim is what goes with a claim that is replaced: the end of a
// quotation, punctuation, citations.
var behindClaim = pattern.New(`^[.!?,;:”"')]*(?:[ \t]*\[[^\[\]\n]{1,60}\])*[.!?]?`)

// speaksNear is how near in meaning a stretch must be to a claim to take its place. Of claims about papers
// whose nearest stretch was as near, that stretch decided seven in ten (docs/measurements.md, "The encoder").
const speaksNear = 0.55

// instead is what takes a claim's place, and its citation: the stretch nearest in meaning, where somebody
// knows, else the sentence that shares most words. It is empty where nothing speaks of the claim.
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

// inPlaceOf returns the sentence that speaks of what a claim speaks of, the
// first of the best.
func (p *pool) inPlaceOf(c skills.JudgedClaim) (sentence, bool) {
	terms := slices.DeleteFunc(text.Distinct(text.Terms(c.Text, text.DocStops)), hasDigit) // numbers are what may be wrong
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
