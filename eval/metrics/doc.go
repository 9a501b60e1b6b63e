// Package metrics measures rankings: how good one ranking is, how sure a mean
// over many queries is, and whether two systems differ.
//
//	ap := metrics.AveragePrecision(ranked, judgments, 10)
//	mean, err := metrics.Bootstrap(perQuery)
//	fmt.Printf("MAP@10 %.4f [%.4f, %.4f]\n", mean.Value, mean.Lo, mean.Hi)
//
// Every metric of a ranking is between 0 and 1 and looks at the first k
// places; a k below 1 looks at none. A ranking shorter than k is not padded.
// Ids in a ranking must be distinct: a repeated id would be counted twice.
// Functions that draw at random take a seed, so equal input gives equal output
// on every machine.
//
// The package does not read files, run searches or print. It has no precision
// at k and no interpolated precision, and counts unjudged results as not
// relevant.
package metrics
