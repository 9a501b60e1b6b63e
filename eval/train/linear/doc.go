// Package linear has the shared parts of fitting weights: logistic regression by L-BFGS, a
// softmax over lists by AdaGrad, scaling, folds by group, and Platt's calibration.
//
//	folds := linear.Folds(groups, 5)
//	scale := linear.FitScaler(rows, nil, 4)
//	for i, x := range rows {
//		rows[i] = scale.Apply(x)
//	}
//	model, err := linear.FitLogistic(rows, labels, nil, 50)
//
// Only an order that a seed fixes is random, and every sum runs in the order of its rows,
// so equal input gives equal bits.
//
// It has no kernels. Code that answers questions reads weights, and never imports this
// package.
package linear
