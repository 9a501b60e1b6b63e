// Package metrics measures rankings: the quality of one ranking, the uncertainty of a mean over
// many queries, and whether two systems differ.
//
//	ap := metrics.AveragePrecision(ranked, judgments, 10)
//	mean, err := metrics.Bootstrap(perQuery)
//	fmt.Printf("MAP@10 %.4f [%.4f, %.4f]\n", mean.Value, mean.Lo, mean.Hi)
//
// Every metric of a ranking is between 0 and 1 and considers the first k places, none for k below
// 1. A ranking shorter than k is not padded. IDs in a ranking must be distinct: a repeated ID would
// be counted twice. Functions that draw at random take a seed, so equal input gives equal output on
// every machine.
//
// The package does not read files, run searches or print. It has no precision at k and no
// interpolated precision, and counts unjudged results as not relevant.
package metrics
