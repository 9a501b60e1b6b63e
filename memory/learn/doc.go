// Package learn trains a ranker for one corpus on the judged questions of a
// person: questions about it for which somebody has marked the passages that
// answer them.
//
//	model, err := learn.Train(ctx, ix, questions, nil)
//	trained, err := model.Trained()
//	ix.Use(trained)
//
// The ranker orders the index's best candidates by LambdaMART (package ltr)
// over features that the index computes (package index). Some of the features
// tell how a question is like the judged ones that a passage answered; they
// help as far as later questions are about what was asked before.
//
// What this package does not do: it ships no ranker, since none that was tried
// serves a corpus that it was not trained on; it does not decide whether a
// ranker is worth having, which needs questions that it was not trained on
// ([Folds]); and it keeps no files.
package learn
