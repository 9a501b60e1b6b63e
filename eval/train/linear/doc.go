// Package linear is what the training commands share: logistic regression by
// L-BFGS, scaling, folds by group, and Platt's calibration.
//
//	folds := linear.Folds(groups, 5)
//	scale := linear.FitScaler(rows, nil, 4)
//	model, err := linear.FitLogistic(scale.ApplyAll(rows), labels, nil, &linear.LogisticOptions{Ridge: 50})
//
// Nothing in it is random and every sum runs in the order of its rows, so
// equal input gives equal bits.
//
// It keeps rows dense, knows two classes and no kernel, and is no part of the
// command: what answers reads weights, and never imports this package.
package linear
