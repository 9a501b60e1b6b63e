package ltr

import (
	"errors"
	"fmt"
	"math"
)

// A Model is a sum of regression trees. It is safe for concurrent use.
type Model struct {
	Features int    `json:"features"` // numbers that a row has
	Trees    []Tree `json:"trees"`
}

// A Tree is its nodes; the first is the root.
type Tree []Node

// A Node is a split, or a leaf if Left is 0. A row goes left if its feature is at most the
// threshold.
type Node struct {
	Feature   int     `json:"f,omitempty"`
	Threshold float64 `json:"t,omitempty"`
	Left      int     `json:"l,omitempty"`
	Right     int     `json:"r,omitempty"`
	Value     float64 `json:"v,omitempty"` // of a leaf
}

// Score returns the sum of a row's leaves. Scores are comparable within one question. A row that is
// too short scores 0.
func (m *Model) Score(row []float64) float64 {
	if len(row) < m.Features {
		return 0
	}
	var sum float64
	for _, tree := range m.Trees {
		sum += tree.score(row)
	}
	return sum
}

func (t Tree) score(row []float64) float64 {
	at := 0
	for t[at].Left != 0 {
		if row[t[at].Feature] <= t[at].Threshold {
			at = t[at].Left
		} else {
			at = t[at].Right
		}
	}
	return t[at].Value
}

// Check reports faults of a model that was read from elsewhere. Only a model without an error may
// be used.
func (m *Model) Check() error {
	if m.Features < 1 || len(m.Trees) == 0 {
		return errors.New("it has no features or no trees")
	}
	for i, tree := range m.Trees {
		if len(tree) == 0 {
			return fmt.Errorf("tree %d is empty", i)
		}
		for at, n := range tree {
			leaf := n.Left == 0 && n.Right == 0
			// Children come after their parent, so that every path ends.
			inner := n.Left > at && n.Right > at && n.Left < len(tree) && n.Right < len(tree) && n.Feature >= 0 && n.Feature < m.Features
			if !leaf && !inner {
				return fmt.Errorf("node %d of tree %d is malformed", at, i)
			}
			if bad(n.Value) || bad(n.Threshold) {
				return fmt.Errorf("node %d of tree %d is not a number", at, i)
			}
		}
	}
	return nil
}

func bad(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }
