package causal

// Kind is the kind of relation that a sentence states.
type Kind uint8

const (
	None        Kind = iota // no relation
	Correlation             // things go together
	Direct                  // one thing brings about the other, or may
)

// Kind classifies a sentence by its cues. Words of association take precedence over words of
// effect: "smoking was associated with an increased risk" has a word of increase and claims no
// cause. Plain causal words take precedence over words of effect, which also occur in advice and
// aims. Denial is separate: see Denied.
func (s *Sentence) Kind() Kind { return s.kind(0, len(s.Tokens)) }

// kind classifies tokens from..to.
func (s *Sentence) kind(from, to int) Kind {
	has := s.has(from, to)
	switch {
	case has[agenda]:
		return None
	case has[assoc]:
		return Correlation
	case has[strong]:
		return Direct
	case has[soft] && has[advice] && !has[modal]:
		return None
	case has[soft] && has[comp] && !has[modal]:
		return Correlation
	case has[soft]:
		return Direct
	case has[comp] && !has[advice] && !has[modal]:
		return Correlation
	}
	return None
}
