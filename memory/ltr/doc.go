// Package ltr learns to rank from judged examples: LambdaMART, which is
// boosted regression trees whose gradients are the changes in nDCG that
// swapping two examples would make.
//
//	model, err := ltr.Train(ctx, groups, nil)
//	score := model.Score(features)
//
// It follows Burges, "From RankNet to LambdaRank to LambdaMART: an overview"
// (Microsoft Research, MSR-TR-2010-82), with histograms of quantiles for the
// splits and the leaves of a tree grown best first, as is common. Equal
// examples and options give equal models, to the byte, whatever the number of
// processors.
//
// What this package does not do: it knows no passages, questions or features,
// computes none, keeps no files, and chooses none of its own parameters.
package ltr
