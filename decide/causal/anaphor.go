package causal

// referred is what a variable counts to which a pronoun refers, beside one that
// is named; pointed is that of a pronoun which may also mean all that was said.
const (
	referred = .95
	pointed  = .9
)

// topicReach is how many tokens from a sentence's beginning what "it" means in the
// next one is named.
const topicReach = 4

// Pronouns that a sentence opens with and that refer to the one before: to what
// it is about, or to anything that it says.
var (
	topical = map[string]bool{"it": true, "they": true}
	broad   = map[string]bool{"this": true, "these": true, "that": true, "such": true, "those": true}
)

// openers may stand before such a pronoun.
var openers = map[string]bool{
	"and": true, "but": true, "also": true, "moreover": true, "however": true, "furthermore": true, "thus": true, "often": true, "sometimes": true,
	"in": true, "turn": true, "then": true, "yet": true, ",": true,
}

// BetweenAfter reads what a sentence says of two variables when it names one of
// them and opens with a pronoun that refers to the other, which the sentence
// before names: "Damp air is common. It causes rust." What the sentence before
// names both of is not clear, and is not read.
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

// pronoun is the pronoun at a token as a mention of what was named before; none
// when it cannot refer to it.
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
