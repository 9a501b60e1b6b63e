// Package facts compares a claim with its evidence in what a judge of meaning overlooks: numbers,
// units, dates, names, negation, direction, quantifiers, modality, and the subject of a statement.
// It runs in every mode, with a model or without.
//
//	ev := facts.Prepare(sentences)
//	for _, c := range ev.Check("Records are kept for seven years.").Conflicts {
//		fmt.Println(c.Kind, c.Claim, c.Evidence, c.Opposed)
//	}
//
// A claim is compared with the evidence sentences that share most of its words, weighted by rarity.
// A conflict is opposed when such a sentence says something else in the same place, and plain when
// the evidence has no counterpart.
//
// A claim that says one thing is also compared with units (Reader.Read): rows with the headers of
// their cells, answers with their question, sentences. One unit must contain its names, its amounts
// and its denial together. Other rows and clauses do not count.
//
// The package does not say that a claim is supported. Without a conflict, no word was found that
// changes the meaning, but the claim may be about something else. It knows English words; in other
// languages it compares only numbers, ISO dates and capitalised names. It does no arithmetic (a
// sum, an age from two years), and takes two names for one person only if they share a part. It
// detects a direction only if both texts use words of its list for the same thing. It takes a
// denial far from a bound ("must not be loaded above 2 tonnes") for a denial of the verb. It reads
// at most 8 kB and 128 numbers of one sentence.
//
// It splits only the first clause of a claim into subject and predicate, by the forms of words. It
// does not resolve pronouns: a pronoun may refer to anything that the two sentences before it name.
// A subject anywhere in a sentence may be the sentence's subject, and of subjects joined by "and"
// it looks only for the last.
package facts
