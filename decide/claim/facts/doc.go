// Package facts compares a claim with the evidence it is to stand on, in what a
// judge of meaning overlooks: numbers, units, dates, names, negation, direction,
// quantifiers and modality. It runs in every mode, with a model or without.
//
//	ev := facts.Prepare(sentences)
//	for _, c := range ev.Check("Records are kept for seven years.").Conflicts {
//		fmt.Println(c.Kind, c.Claim, c.Evidence, c.Opposed)
//	}
//
// A claim is laid against the evidence sentences that share most of its words,
// by weight of their rarity. A conflict is opposed when such a sentence says
// something else in the same place, and plain when the evidence has nothing of
// the kind.
//
// What it does not do: it does not say that a claim is supported. No conflict
// means that no word was found that changes what is said; the claim may be about
// something else altogether. It knows English words; of other languages it
// compares numbers, ISO dates and capitalised names. It does no arithmetic (a sum,
// an age from two years), does not resolve pronouns, and does not know that two
// names are of one person unless they share a part. A direction is seen
// where both use words of its list for the same thing. A denial far from a bound
// ("must not be loaded above 2 tonnes") is taken as a denial of the verb. Of one
// sentence 8 kB and 128 numbers are read.
package facts
