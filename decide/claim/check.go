package claim

import (
	"fmt"
	"slices"
	"strings"

	"example.com/assay/decide/claim/facts"
	"example.com/assay/memory/text"
	"example.com/assay/state"
)

// mostRemembered is how many parsed sentences are cached between claims.
const mostRemembered = 4096

// A Check checks, by code, claims that a model has judged. It is safe for concurrent use.
type Check struct {
	inspect func(state.Passage) []state.Order
	reader  *facts.Reader
}

// NewCheck returns a check. Sentences in which inspect finds prompt injection do not count as
// evidence.
func NewCheck(inspect func(state.Passage) []state.Order) *Check {
	return &Check{inspect, facts.NewReader(mostRemembered)}
}

// Weigh lets code overrule a model's verdict on a claim. A contradiction by the evidence, or the
// absence of a decisive part, refuses the claim. Anything else that the evidence leaves open is a
// doubt, which lowers the confidence once, however many doubts there are.
func (c *Check) Weigh(v state.Verdict, evidence []state.Evidence) state.Verdict {
	units := c.unitsOf(evidence)
	read := make([]facts.Unit, len(units))
	for i, u := range units {
		read[i] = u.Unit
	}
	r := c.reader.Read(v.Spoken(), languageOf(v.Spoken(), evidence), read)
	if v.Status == state.Supported {
		if at := saidBy(units, v.Text); at >= 0 && !outdated(units, at, r) {
			return shown(v, v.Confidence, units[at].quote())
		}
	}
	switch r.Standing {
	case facts.Refuted:
		v = refused(v, r.Why)
		v.Conflicts, v.Against = append(v.Conflicts, r.Conflict), append(v.Against, units[r.Unit].quote())
	case facts.Lacking:
		if v.Status == state.Supported && v.Confidence >= sure {
			if r.Lacks != "" {
				v.Reason = Join(v.Reason, fmt.Sprintf("could not check: “%s”", r.Lacks))
			}
			v.Confidence *= afterDoubt
			return v
		}
		v.Reason = "No part of the evidence says it as a whole."
		if r.Lacks != "" {
			v.Reason = fmt.Sprintf("The nearest part of the evidence has no “%s”.", r.Lacks)
		}
		v.Status = state.PartiallySupported
		if r.P < refusedBelow || !r.About {
			v.Status = state.Unsupported
		}
	case facts.Shown:
		return shown(v, r.P, units[r.Unit].quote())
	}
	if r.Standing != facts.Open {
		v.Confidence = r.P
		return v
	}
	conflicts, doubts := c.compare(v.Claim, units)
	whole, stood := len(text.Sentences(v.Text)) == 1, v.Status != state.Unsupported
	for _, f := range conflicts {
		if !decides(f.Conflict, whole) {
			doubts = append(doubts, state.Doubt{Kind: f.Kind, Claim: f.Claim})
			continue
		}
		v.Conflicts = append(v.Conflicts, f.Conflict)
		if f.quote.Text != "" && !slices.Contains(v.Against, f.quote) {
			v.Against = append(v.Against, f.quote)
		}
		v = refused(v, inWords(f.Conflict))
	}
	switch {
	case len(v.Conflicts) > 0:
		v.Confidence *= afterRefusal
	case stood && len(doubts) > 0:
		v.Doubts = doubts
		v.Reason = Join(v.Reason, "could not check: "+doubtful(doubts))
		v.Confidence *= afterDoubt
	}
	return v
}

// saidBy returns the unit that states exactly the claim, word for word; -1 for none.
func saidBy(units []unit, claim string) int {
	bare := func(s string) string { return strings.Trim(text.OneLine(s), " .!?“”\"") }
	said := bare(claim)
	return slices.IndexFunc(units, func(u unit) bool { return said != "" && strings.EqualFold(bare(u.Text), said) })
}

// outdated reports whether the contradicting unit is later than the unit that states the claim.
func outdated(units []unit, at int, r facts.Reading) bool {
	return r.Standing == facts.Refuted && (units[r.Unit].Version > units[at].Version || units[at].Earlier && !units[r.Unit].Earlier)
}

// sure is the support from which a model of meaning outweighs a missing word.
const sure = .9

// refusedBelow is the chance of support up to which a claim is refused; above it, it is partially
// supported.
const refusedBelow = .2

// languageOf returns the language of a claim, or of the first evidence if the claim's words do not
// decide.
func languageOf(said string, evidence []state.Evidence) text.Language {
	l := text.LanguageOf(said)
	if l == "" && len(evidence) > 0 {
		l = text.LanguageOf(evidence[0].Passage.Text)
	}
	if l == text.English {
		return ""
	}
	return l
}

// shown makes a claim supported. Its quote is that of the supporting unit, with other quotes from
// the same passage.
func shown(v state.Verdict, p float64, q state.Quote) state.Verdict {
	if v.Status != state.Supported {
		v.Reason = "The quoted words say it, in all that matters."
	}
	v.Status, v.Confidence, v.Conflicts, v.Doubts, v.Against = state.Supported, p, nil, nil, nil
	v.For = append([]state.Quote{q}, slices.DeleteFunc(v.For, func(f state.Quote) bool { return f.Passage != q.Passage || f.Start < q.End && q.Start < f.End })...)
	return v
}

// A found is a conflict with its sentence.
type found struct {
	state.Conflict
	quote state.Quote // zero when the evidence has no words for it
}

// compare compares a claim word by word with the evidence's sentences, without prompt injection. It
// returns the contradictions and the parts that the evidence leaves open.
func (c *Check) compare(said state.Claim, units []unit) (conflicts []found, doubts []state.Doubt) {
	sentences := make([]string, len(units))
	for i, u := range units {
		sentences[i] = u.Text
	}
	checked := c.reader.Prepare(sentences).Check(said.Spoken())
	for _, f := range checked.Conflicts {
		one := found{Conflict: f.Conflict}
		if f.Sentence >= 0 {
			one.quote = units[f.Sentence].quote()
		}
		conflicts = append(conflicts, one)
	}
	for _, d := range checked.Doubts {
		doubts = append(doubts, d.Doubt)
	}
	return conflicts, doubts
}

// Ordered reports whether a quote comes from a sentence with prompt injection.
func (c *Check) Ordered(q state.Quote, evidence []state.Evidence) bool {
	for _, e := range evidence {
		if e.Passage.ID != q.Passage {
			continue
		}
		for _, o := range c.inspect(e.Passage) {
			if e.Passage.Start+o.Start < q.End && q.Start < e.Passage.Start+o.End {
				return true
			}
		}
	}
	return false
}

// Factors for the confidence in a claim that code refuses, and in a claim with a doubt. The
// observed rates come from go run ./eval/train verify.
const (
	afterRefusal = 0.15
	afterDoubt   = 0.65
)

// decides reports whether a conflict makes a claim unsupported: the evidence says something else,
// or lacks an amount, a date, a name or an extent. Any other missing part is a doubt, since it can
// be said in other words. In a text of several sentences, which is more than one claim, missing
// amounts and dates are also doubts.
func decides(c state.Conflict, single bool) bool {
	switch c.Kind {
	case state.ConflictNumber, state.ConflictUnit, state.ConflictDate:
		return single
	case state.ConflictName, state.ConflictQuantifier:
		return single || c.Opposed
	}
	return c.Opposed || c.Evidence != ""
}

// doubtful lists the words of doubts, each once.
func doubtful(doubts []state.Doubt) string {
	var list []string
	for _, d := range doubts {
		if w := "“" + d.Claim + "”"; !slices.Contains(list, w) {
			list = append(list, w)
		}
	}
	return strings.Join(list, ", ")
}

// Refuse makes a claim unsupported with a reason, and lowers its confidence.
func Refuse(v state.Verdict, why string) state.Verdict {
	v = refused(v, why)
	v.Confidence *= afterRefusal
	return v
}

// refused makes a claim unsupported with a reason.
func refused(v state.Verdict, why string) state.Verdict {
	if v.Status != state.Unsupported {
		v.Reason = "" // the old reason no longer applies
	}
	v.Status = state.Unsupported
	v.Reason = Join(v.Reason, why)
	return v
}

// inWords describes a conflict.
func inWords(c state.Conflict) string {
	switch {
	case c.Evidence == "":
		return fmt.Sprintf("the evidence has no %s “%s”", c.Kind, c.Claim)
	case c.Claim == "":
		return fmt.Sprintf("the evidence says “%s” (%s)", c.Evidence, c.Kind)
	}
	return fmt.Sprintf("the claim says “%s” and the evidence “%s” (%s)", c.Claim, c.Evidence, c.Kind)
}

// Join appends a reason to another.
func Join(reason, more string) string {
	if reason == "" {
		return more
	}
	return strings.TrimRight(reason, ".; ") + "; " + more
}
