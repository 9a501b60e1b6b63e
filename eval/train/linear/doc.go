// Package linear is what fitting weights has in common: logistic regression by
// L-BFGS, a softmax over lists by AdaGrad, scaling, folds by group, and Platt's
// calibration.
//
//	folds := linear.Folds(groups, 5)
//	scale := linear.FitScaler(rows, nil, 4)
//	for i, x := range rows {
//		rows[i] = scale.Apply(x)
//	}
//	model, err := linear.FitLogistic(rows, labels, nil, &linear.LogisticOptions{Ridge: 50})
//
// Nothing in it is random but an order that a seed fixes, and every sum runs in the
// order of its rows, so equal input gives equal bits.
//
// It knows no kernel. What answers reads weights, and never imports this package.
package linear
