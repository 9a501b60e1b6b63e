// Package claim decides whether evidence supports a claim. Every pipeline applies a [Check] to the
// verdict of its model. The offline model itself judges with package support.
//
//	read, err := support.Read("A mooring costs two crowns a week.", sources)
//	verdict = claim.NewCheck(inspect).Weigh(verdict, evidence)
//
// There are two methods, each in a package below this one. Package support measures how much of a
// claim the sentences of the evidence contain: coverage by rarity, order, fragments, and a noisy-or
// over its words. Its weights were learned from WiCE (Kamoi et al., 2023) and SciFact (Wadden et
// al., 2020). Package facts compares what a judge of meaning overlooks: numbers, units, dates,
// names, negation, direction, quantifiers, modality and whose predicate it is. docs/decisions/0013
// and 0026 say why neither is enough alone.
//
// A claim of up to nine content words about a document with typed blocks is judged by the block
// that is most about it (units.go, facts/align.go): by how many of its words the block has, and
// whether a value, a name, a denial or an extent differs. One score decides, in all languages of
// package text. Of two different blocks, the later one counts.
//
// A contradiction by the evidence refuses a claim. So does an amount, a date, a name or an extent
// that the evidence lacks. Anything else that the evidence leaves open is a doubt, which lowers the
// confidence.
//
// The package does not know whether a claim is true. It reads long claims only in English, and
// knows no paraphrases except near synonyms. It does not split responses into claims, and does not
// search.
package claim
