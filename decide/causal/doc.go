// Package causal reads causal language: whether a sentence says that one thing
// causes another, only that they go together, or neither, and in which direction.
//
//	s := causal.Read("Heavy smoking causes lung cancer.")
//	s.Kind()                                       // Direct
//	rel, ok := s.Between(causal.Mentions(s, "smoking"), causal.Mentions(s, "lung cancer"))
//
// Rules over lexicons of cues classify a sentence. For two phrases in a sentence, a
// logistic regression over hashed features, trained by eval/train, gives the probability
// that the sentence presents one as the cause of the other. Both are deterministic.
//
// The package reads only English. It does not find causality that no word expresses,
// resolves no pronouns, and does not know what is true.
package causal
