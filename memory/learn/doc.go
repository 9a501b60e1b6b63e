// Package learn trains a ranker for one corpus on judged questions: questions about it for which a
// person has marked the passages that answer them.
//
//	model, err := learn.Train(ctx, ix, questions, nil)
//	trained, err := model.Trained()
//	ix.Use(trained)
//
// The ranker orders the index's best candidates by LambdaMART (package ltr) over features that the
// index computes (package index). Some of the features compare a question with the judged ones that
// a passage answered; they help if later questions resemble earlier ones.
//
// The package does not ship a ranker, since none that was tried works for a corpus that it was not
// trained on; it does not decide whether a ranker is worth having, which needs questions that it
// was not trained on ([Folds]); and it does not write files.
package learn
