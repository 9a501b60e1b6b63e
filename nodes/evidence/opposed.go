package evidence

import (
	"strings"

	"example.com/assay/memory/text"
	"example.com/assay/memory/text/pattern"
	"example.com/assay/state"
)

// A force is the kind of a rule about an action.
type force int

const (
	forbids force = iota
	frees         // says that the action need not be done
	demands
	permits
)

// ruled matches a rule and its action: one group for each force, in order, and the verb.
var ruled = pattern.New(`(?i)\b(?:` +
	`(no\s+\w+(?:\s+\w+)?\s+(?:may|shall|must)|(?:must|shall|should|may|can)\s+(?:not|never)|cannot|(?:is|are)\s+(?:prohibited|forbidden|barred)\s+from|(?:is|are)\s+not\s+(?:permitted|allowed)\s+to)|` +
	`(need\s+not|(?:is|are)\s+not\s+(?:required|obliged)\s+to|(?:do|does)\s+not\s+(?:need|have)\s+to)|` +
	`(must|shall|should|ha(?:s|ve)\s+to|needs?\s+to|(?:is|are)\s+(?:required|obliged)\s+to)|` +
	`(may|can|(?:is|are)\s+(?:permitted|allowed)\s+to)` +
	`)(?:\s+(?:be|also|only|[a-z]+ly))*\s+([a-z]+)`)

// A ruling is an action that a requirement demands, permits or forbids.
type ruling struct {
	force force
	verb  string // its stem
	words string
}

func rulings(spoken string) []ruling {
	var out []ruling
	for _, m := range ruled.FindAllStringSubmatchIndex(spoken, -1) {
		if condition.MatchString(clauseBefore(spoken[:m[0]])) {
			continue
		}
		r := ruling{words: spoken[m[0]:m[1]], verb: text.Stem(doing(strings.ToLower(spoken[m[10]:m[11]])))}
		for f := forbids; f <= permits; f++ {
			if m[2+2*int(f)] >= 0 {
				r.force = f
			}
		}
		out = append(out, r)
	}
	return out
}

// condition begins a clause that states a condition, not a rule.
var condition = pattern.New(`(?i)^\W*(?:(?:and|or|but|except)\s+)?(?:if|where|when|unless|until|once|before|after|while)\b`)

// clauseBefore returns the part of a text after its last stop.
func clauseBefore(s string) string { return s[strings.LastIndexAny(s, ",.;:")+1:] }

// doing returns a verb without the ending that it has after "prohibited from".
func doing(verb string) string { return strings.TrimSuffix(verb, "ing") }

// opposed finds an action that one requirement demands and the other forbids or leaves open, or
// that one permits and the other forbids.
func opposed(a, b Requirement) (Conflict, bool) {
	of := rulings(b.Spoken())
	for _, x := range rulings(a.Spoken()) {
		for _, y := range of {
			if x.verb != y.verb || x.force == y.force || strings.Contains(x.words+y.words, " only ") {
				continue
			}
			kind := state.ConflictNegation
			switch {
			case x.force != forbids && y.force != forbids && x.force != demands && y.force != demands:
				continue // need not and may
			case x.force != forbids && y.force != forbids && x.force != frees && y.force != frees:
				kind = state.ConflictModality
			case x.force+y.force == forbids+frees:
				continue
			}
			return Conflict{A: a.ID, B: b.ID, Kind: kind, WordsA: x.words, WordsB: y.words}, true
		}
	}
	return Conflict{}, false
}
