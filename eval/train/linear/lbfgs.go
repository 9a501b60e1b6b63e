package linear

import "math"

const (
	memory    = 8     // stored pairs of steps and gradients
	armijo    = 1e-4  // share of the promised decrease that a step must bring
	halvings  = 40    // of a step, before giving up
	tolerance = 1e-10 // relative decrease below which a minimum is reached
)

// Minimize searches from start for a minimum of a smooth convex function by L-BFGS (Liu and
// Nocedal, "On the limited memory BFGS method for large scale optimization", 1989) with
// backtracking. loss returns the value at a point and writes the gradient there; it must not retain
// either slice. Minimize stops after the given number of iterations, or if steps no longer improve
// the value. It does not change start.
func Minimize(start []float64, loss func(at, gradient []float64) float64, iterations int) []float64 {
	n := len(start)
	at := append([]float64(nil), start...)
	gradient := make([]float64, n)
	value := loss(at, gradient)
	var steps, changes [][]float64
	var products []float64
	next, nextGradient := make([]float64, n), make([]float64, n)
	for range iterations {
		direction := descend(gradient, steps, changes, products)
		slope := dot(direction, gradient)
		if slope >= 0 {
			break
		}
		length := 1.0
		if len(steps) == 0 {
			length = 1 / math.Max(1, math.Sqrt(dot(gradient, gradient)))
		}
		moved, was := false, value
		for range halvings {
			for j := range next {
				next[j] = at[j] + length*direction[j]
			}
			v := loss(next, nextGradient)
			if v <= value+armijo*length*slope {
				value, moved = v, true
				break
			}
			length /= 2
		}
		if !moved {
			break
		}
		step, change := make([]float64, n), make([]float64, n)
		for j := range step {
			step[j] = next[j] - at[j]
			change[j] = nextGradient[j] - gradient[j]
		}
		copy(at, next)
		copy(gradient, nextGradient)
		if p := dot(step, change); p > 1e-12 {
			steps, changes, products = append(steps, step), append(changes, change), append(products, p)
			if len(steps) > memory {
				steps, changes, products = steps[1:], changes[1:], products[1:]
			}
		}
		if was-value < tolerance*math.Max(1, math.Abs(was)) {
			break
		}
	}
	return at
}

// descend is minus the gradient times the approximate inverse Hessian: the
// two-loop recursion.
func descend(gradient []float64, steps, changes [][]float64, products []float64) []float64 {
	d := make([]float64, len(gradient))
	for j, g := range gradient {
		d[j] = -g
	}
	alpha := make([]float64, len(steps))
	for i := len(steps) - 1; i >= 0; i-- {
		alpha[i] = dot(steps[i], d) / products[i]
		for j := range d {
			d[j] -= alpha[i] * changes[i][j]
		}
	}
	if k := len(steps) - 1; k >= 0 {
		scale := products[k] / dot(changes[k], changes[k])
		for j := range d {
			d[j] *= scale
		}
	}
	for i := range steps {
		beta := dot(changes[i], d) / products[i]
		for j := range d {
			d[j] += (alpha[i] - beta) * steps[i][j]
		}
	}
	return d
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
