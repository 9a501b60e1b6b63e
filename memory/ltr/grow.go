package ltr

import (
	"math"
	"sync"
)

// A cell sums the gradients of the examples in a bin.
type cell struct {
	grad, hess float64
	n          int
}

// A leaf is a node of a tree that may still be split.
type leaf struct {
	node     int
	examples []int32
	total    cell
	split    split
}

type split struct {
	gain    float64
	feature int
	bin     int // the last one on the left
}

// grow adds a tree that follows the gradients, its best leaf split first, and
// the tree's leaves to the scores. It returns nil when no split gains anything.
func (t *trainer) grow() Tree {
	var all []int32
	for g, on := range t.active {
		for i := t.starts[g]; on && i < t.starts[g+1]; i++ {
			if t.hess[i] > 0 || t.grad[i] != 0 {
				all = append(all, int32(i))
			}
		}
	}
	columns := t.columns()
	root := &leaf{examples: all}
	for _, i := range all {
		root.total.grad += t.grad[i]
		root.total.hess += t.hess[i]
	}
	root.total.n = len(all)
	t.findSplit(root, columns)
	tree := Tree{{}}
	leaves := []*leaf{root}
	for len(leaves) < leavesOf {
		best := 0
		for i, l := range leaves {
			if l.split.gain > leaves[best].split.gain {
				best = i
			}
		}
		l := leaves[best]
		if l.split.gain <= 0 {
			break
		}
		left, right := t.divide(l)
		left.node, right.node = len(tree), len(tree)+1
		tree[l.node] = Node{Feature: l.split.feature, Threshold: t.cuts[l.split.feature][l.split.bin], Left: left.node, Right: right.node}
		tree = append(tree, Node{}, Node{})
		leaves[best] = left
		leaves = append(leaves, right)
		t.findSplit(left, columns)
		t.findSplit(right, columns)
	}
	if len(leaves) == 1 {
		return nil
	}
	for _, l := range leaves {
		tree[l.node].Value = rate * l.total.grad / (l.total.hess + l2)
	}
	for i, row := range t.rows {
		t.scores[i] += tree.score(row)
	}
	return tree
}

// columns draws the features that a tree may use.
func (t *trainer) columns() []int {
	n := max(1, int(math.Ceil(columnsOf*float64(t.features))))
	return t.rng.Perm(t.features)[:min(n, t.features)]
}

// findSplit sets the split of a leaf with the greatest gain. Features are examined concurrently,
// and compared in the order of columns.
func (t *trainer) findSplit(l *leaf, columns []int) {
	found := make([]split, len(columns))
	var wg sync.WaitGroup
	const workers = 2
	for w := range workers {
		wg.Go(func() {
			for i := w; i < len(columns); i += workers {
				found[i] = t.bestOf(l, columns[i])
			}
		})
	}
	wg.Wait()
	for _, s := range found {
		if s.gain > l.split.gain {
			l.split = s
		}
	}
}

// bestOf returns the best split of a leaf by one feature.
func (t *trainer) bestOf(l *leaf, f int) split {
	var cells [256]cell
	bins := t.bins[f]
	for _, i := range l.examples {
		c := &cells[bins[i]]
		c.grad += t.grad[i]
		c.hess += t.hess[i]
		c.n++
	}
	score := func(grad, hess float64) float64 { return grad * grad / (hess + l2) }
	whole := score(l.total.grad, l.total.hess)
	best := split{feature: f}
	var left cell
	for b := range t.cuts[f] {
		left.grad += cells[b].grad
		left.hess += cells[b].hess
		left.n += cells[b].n
		right := cell{l.total.grad - left.grad, l.total.hess - left.hess, l.total.n - left.n}
		if left.n == 0 || right.n == 0 || left.hess < leastHess || right.hess < leastHess {
			continue
		}
		if gain := score(left.grad, left.hess) + score(right.grad, right.hess) - whole; gain > best.gain {
			best.gain, best.bin = gain, b
		}
	}
	return best
}

// divide cuts a leaf in two.
func (t *trainer) divide(l *leaf) (left, right *leaf) {
	left, right = new(leaf), new(leaf)
	bins := t.bins[l.split.feature]
	for _, i := range l.examples {
		side := right
		if int(bins[i]) <= l.split.bin {
			side = left
		}
		side.examples = append(side.examples, i)
		side.total.grad += t.grad[i]
		side.total.hess += t.hess[i]
		side.total.n++
	}
	return left, right
}
