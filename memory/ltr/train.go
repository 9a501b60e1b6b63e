package ltr

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// An Example is a candidate for a question.
type Example struct {
	Row   []float64 // its features; as many for every example
	Base  float64   // score that the model is added to; ranks where the model has nothing to say
	Grade int       // how relevant it is; 0 for not at all
}

// A Group has the candidates for one question and the number of relevant passages that are not
// candidates, which the best possible ranking includes.
type Group struct {
	Examples []Example
	Missed   int // relevant passages, of grade 1, that are not candidates
}

// Parameters of the training.
const (
	leavesOf  = 8   // leaves of a tree
	rate      = .04 // shrinkage of a tree's leaves
	leastHess = 3.  // second derivative in a leaf
	l2        = 1.  // added to it
	against   = 40  // best-placed candidates that relevant ones are compared with
	columnsOf = .4  // share of the features that a tree may split on
)

// Options adjust the training. Nil and the zero value work.
type Options struct {
	Trees int     // default 300
	Bins  int     // quantiles of a feature, at most 256; default 64
	K     int     // places that count; default 10
	Share float64 // of the groups that a tree is grown on; default .7
	Seed  uint64  // default 1

	// Progress is called after each tree. Optional.
	Progress func(done, total int)
}

func (o *Options) withDefaults() Options {
	var out Options
	if o != nil {
		out = *o
	}
	out.Trees = cmp.Or(max(0, out.Trees), 300)
	out.Bins = min(256, max(2, cmp.Or(out.Bins, 64)))
	out.K = cmp.Or(max(0, out.K), 10)
	if !(out.Share > 0) {
		out.Share = .7
	}
	out.Seed = cmp.Or(out.Seed, 1)
	return out
}

// ErrNothing reports that no tree could be grown: there are too few examples, or no feature
// distinguishes the relevant ones.
var ErrNothing = errors.New("nothing was found that tells the relevant examples from the others; give more judged questions")

// Train learns a model that orders the examples of each group. It returns an error for rows of
// different lengths, for NaN and infinities, if no group has both a relevant example and another,
// ErrNothing if no tree can be grown, and on cancellation.
func Train(ctx context.Context, groups []Group, opts *Options) (*Model, error) {
	o := opts.withDefaults()
	t, err := newTrainer(groups, o)
	if err != nil {
		return nil, fmt.Errorf("training a ranker: %w", err)
	}
	model := &Model{Features: t.features}
	for n := range o.Trees {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("training a ranker: %w", err)
		}
		t.gradients()
		tree := t.grow()
		if tree == nil {
			break // nothing is left to learn
		}
		model.Trees = append(model.Trees, tree)
		if o.Progress != nil {
			o.Progress(n+1, o.Trees)
		}
	}
	if len(model.Trees) == 0 {
		return nil, fmt.Errorf("training a ranker: %w", ErrNothing)
	}
	return model, nil
}

// check counts the features.
func check(groups []Group) (features int, err error) {
	pairs := false
	for i, g := range groups {
		grades := map[bool]bool{}
		for j, e := range g.Examples {
			if features == 0 {
				features = len(e.Row)
			}
			if len(e.Row) != features || features == 0 {
				return 0, fmt.Errorf("example %d of group %d has %d features, others have %d", j, i, len(e.Row), features)
			}
			if slices.ContainsFunc(e.Row, bad) || bad(e.Base) {
				return 0, fmt.Errorf("example %d of group %d has a value that is not a finite number", j, i)
			}
			grades[e.Grade > 0] = true
		}
		pairs = pairs || len(grades) == 2
	}
	if !pairs {
		return 0, errors.New("no group has both a relevant example and another")
	}
	return features, nil
}
