package main

import (
	reading "example.com/assay/decide/causal"
	"example.com/assay/eval/causal"
	"example.com/assay/eval/train/linear"
)

// jointRidge is the penalty of the weights of joints.
const jointRidge = .3

// jointWords is the greatest number of tokens between a cause and its effect that are joints.
const jointWords = 4

// fitJoint learns from annotations which tokens join a cause to its effect, on the items of a set
// for which taken returns true.
func fitJoint(set *causal.Dataset, taken func(item int) bool) (*linear.Softmax, error) {
	var xs []linear.Sparse
	var labels []int
	for i, item := range set.Items {
		if !taken(i) {
			continue
		}
		s := reading.Read(item.Text)
		for k, is := range joints(s, item.Relations) {
			label := 0
			if is {
				label = 1
			}
			xs, labels = append(xs, jointRow(s, k)), append(labels, label)
		}
	}
	return linear.FitSoftmax(xs, labels, 2, reading.Dimensions, nil, jointRidge, 60)
}

func jointRow(s *reading.Sentence, token int) linear.Sparse {
	v := reading.JointFeatures(s, token, reading.Dimensions)
	return linear.Sparse{Index: v.Index, Value: v.Value}
}

// joints reports for each token whether it is a joint: part of a word that signals a relation, or
// among the first tokens between the two phrases.
func joints(s *reading.Sentence, relations []causal.Relation) []bool {
	out := make([]bool, len(s.Tokens))
	mark := func(from, to int) {
		for k := from; k < to; k++ {
			out[k] = true
		}
	}
	for _, r := range relations {
		for _, signal := range r.Signals {
			if at := reading.Phrase(s, signal); len(at) > 0 {
				mark(at[0].From, at[0].To)
			}
		}
		cause, effect := reading.Phrase(s, r.Cause), reading.Phrase(s, r.Effect)
		if len(cause) == 0 || len(effect) == 0 {
			continue
		}
		left, right := cause[0], effect[0]
		if left.From > right.From {
			left, right = right, left
		}
		mark(left.To, min(right.From+1, left.To+jointWords))
	}
	return out
}

// newsP is reading.NewsP by fitted weights.
func newsP(whole float64, joint *linear.Softmax, item causal.Item) float64 {
	s := reading.Read(item.Text)
	ps := make([]float64, len(s.Tokens))
	for i := range ps {
		ps[i] = joint.P(jointRow(s, i))[1]
	}
	return reading.NewsP(whole, ps)
}
