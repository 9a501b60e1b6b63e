package causal

// referred is the weight of a variable that a pronoun refers to; a named one has 1. pointed is the
// weight for a pronoun that may also refer to the whole previous sentence.
const (
	referred = .95
	pointed  = .9
)

// topicReach is the number of first tokens in which a sentence must name what the next sentence's
// "it" refers to.
const topicReach = 4

// Pronouns that open a sentence and refer to the previous one: to its topic, or to anything in it.
var (
	topical = map[string]bool{"it": true, "they": true}
	broad   = map[string]bool{"this": true, "these": true, "that": true, "such": true, "those": true}
)

// openers may precede such a pronoun.
var openers = map[string]bool{
	"and": true, "but": true, "also": true, "moreover": true, "however": true, "furthermore": true, "thus": true, "often": true, "sometimes": true,
	"in": true, "turn": true, "then": true, "yet": true, ",": true,
}

// BetweenAfter reads a sentence that names one of two variables and opens with a pronoun for the
// other, which the previous sentence names: "Damp air is common. It causes rust." If the previous
// sentence names both or neither, the pronoun is ambiguous and BetweenAfter returns false.
func (s *Sentence) BetweenAfter(before *Sentence, cause, effect Variable, pair *Linear) (Relation, bool) {
	at := 0
	for at < len(s.Tokens) && at < topicReach && openers[s.Tokens[at].Low] {
		at++
	}
	if at+1 >= len(s.Tokens) || !topical[s.Tokens[at].Low] && !broad[s.Tokens[at].Low] {
		return Relation{}, false
	}
	causes, effects := s.Mentions(cause), s.Mentions(effect)
	causesBefore, effectsBefore := before.Mentions(cause), before.Mentions(effect)
	if len(causesBefore) > 0 == (len(effectsBefore) > 0) {
		return Relation{}, false
	}
	switch {
	case len(causes) == 0 && len(effects) > 0:
		causes = s.pronoun(at, causesBefore)
	case len(effects) == 0 && len(causes) > 0:
		effects = s.pronoun(at, effectsBefore)
	default:
		return Relation{}, false
	}
	return s.relation(causes, effects, pair)
}

// pronoun returns the pronoun at a token as a mention of a variable that was named before; none if
// it cannot refer to it.
func (s *Sentence) pronoun(at int, named []Found) []Found {
	for _, f := range named {
		m := Mention{at, at + 1}
		switch {
		case broad[s.Tokens[at].Low]:
			return []Found{{m, f.Share * pointed}}
		case f.From < topicReach:
			return []Found{{m, f.Share * referred}}
		}
	}
	return nil
}
