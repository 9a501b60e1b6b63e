// Package ltr learns to rank from judged examples with LambdaMART: boosted regression trees whose
// gradients are the changes in nDCG from swapping two examples.
//
//	model, err := ltr.Train(ctx, groups, nil)
//	score := model.Score(features)
//
// It follows Burges, "From RankNet to LambdaRank to LambdaMART: an overview" (Microsoft Research,
// MSR-TR-2010-82), with splits at quantiles from histograms and trees grown best leaf first, as is
// common. Equal examples and options give equal models, to the byte, on any number of processors.
//
// The package does not know passages, questions or features, write files, or choose its parameters.
package ltr
