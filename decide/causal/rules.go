package causal

// Kind is what a sentence says of a relation between things.
type Kind uint8

const (
	None        Kind = iota // no relation
	Correlation             // that things go together
	Direct                  // that one brings about the other, or may
)

// Kind reads a sentence by its cues. What says that things go together wins over
// what says that one brings about the other, for "smoking was associated with an
// increased risk" speaks of an increase and claims no cause; plain causal words
// win over words of effect, which advice and aims use as well. Whether the
// relation is denied is another question: see Denied.
func (s *Sentence) Kind() Kind { return s.kind(0, len(s.Tokens)) }

// kind reads tokens from..to.
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
