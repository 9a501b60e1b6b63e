// Package causal reads causal language: whether a sentence says that one thing
// causes another, only that they go together, or neither, and in which direction.
//
//	s := causal.Read("Heavy smoking causes lung cancer.")
//	s.Kind()                                       // Direct
//	rel, ok := s.Between(causal.Mentions(s, "smoking"), causal.Mentions(s, "lung cancer"))
//
// Rules over lexicons of cues decide of a sentence; a logistic regression over
// hashed features, trained by eval/train, says of two phrases in a sentence how
// likely the one is held to cause the other. Both are deterministic.
//
// The package knows English only. It does not see causality that no word tells,
// it resolves no pronouns, and it does not know what is true.
package causal
