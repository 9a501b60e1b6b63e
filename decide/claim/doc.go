// Package claim decides whether evidence supports a claim. A [Check] is the part that
// every pipeline puts behind whatever model judged the claim; what the offline model
// judges by stands beside it, in package support.
//
//	read, err := support.Read("A mooring costs two crowns a week.", sources)
//	verdict = claim.NewCheck(orders).Weigh(verdict, evidence)
//
// There are two methods, each in a package below this one. Package support measures how
// much of a claim the sentences of the evidence hold: coverage by rarity, order,
// fragments, and a noisy-or over its words. Its weights were learned from WiCE (Kamoi et
// al., 2023) and SciFact (Wadden et al., 2020). Package facts compares what a judge of
// meaning overlooks: numbers, units, dates, names, negation, direction, quantifiers
// and modality. Why neither is enough alone: docs/decisions/0013 and 0026.
//
// What the evidence contradicts refuses a claim. So does an amount, a date, a name or an
// extent that the evidence lacks. What it leaves open is a doubt, which lowers the
// confidence.
//
// It does not know whether a claim is true, reads English, and knows no paraphrase but
// near synonyms. It splits no response into claims, and searches for nothing.
package claim
