package index

import "math"

// A curve is logistic(k·x), where x is similarity and strength less their
// middle, and 1.
type curve [3]float64

// An observation is a pseudo-question's evidence as a curve reads it.
type observation struct {
	x      curve
	weight float64
	held   bool
}

func (k curve) dot(x curve) float64 { return k[0]*x[0] + k[1]*x[1] + k[2]*x[2] }

// plus moves a curve, as far as its factors may go.
func (k curve) plus(d curve) curve {
	for i := range k {
		k[i] = max(least[i], k[i]+d[i])
	}
	return k
}

func (k curve) times(f float64) curve { return curve{k[0] * f, k[1] * f, k[2] * f} }

func (k curve) size() float64 { return math.Abs(k[0]) + math.Abs(k[1]) + math.Abs(k[2]) }

// fitCurve finds the curve with the least loss by Newton's method, halving
// steps that overshoot.
func fitCurve(data []observation) curve {
	k := prior
	for range 100 {
		step := k.newton(data)
		for k.plus(step).loss(data) > k.loss(data) && step.size() > 1e-12 {
			step = step.times(.5)
		}
		k = k.plus(step)
		if step.size() < 1e-9 {
			break
		}
	}
	return k
}

// loss is the negative log posterior.
func (k curve) loss(data []observation) float64 {
	var sum float64
	for i := range k {
		d := (k[i] - prior[i]) / sd[i]
		sum += d * d / 2
	}
	for _, o := range data {
		z := k.dot(o.x)
		if o.held {
			z = -z
		}
		sum += o.weight * softplus(z)
	}
	return sum
}

// softplus is ln(1+eᶻ) without overflow.
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// newton is the step to the minimum of the loss's quadratic model.
func (k curve) newton(data []observation) curve {
	var gradient curve
	var hessian [3]curve
	for i := range k {
		gradient[i] = (prior[i] - k[i]) / (sd[i] * sd[i])
		hessian[i][i] = 1 / (sd[i] * sd[i])
	}
	for _, o := range data {
		p := logistic(k.dot(o.x))
		y := 0.0
		if o.held {
			y = 1
		}
		for i := range k {
			gradient[i] += o.weight * (y - p) * o.x[i]
			for j := range k {
				hessian[i][j] += o.weight * p * (1 - p) * o.x[i] * o.x[j]
			}
		}
	}
	return solve(hessian, gradient)
}

// solve returns s with m·s = b for a symmetric positive definite m, by
// elimination, which needs no pivots there.
func solve(m [3]curve, b curve) curve {
	for i := range b {
		for j := i + 1; j < len(b); j++ {
			f := m[j][i] / m[i][i]
			for c := i; c < len(b); c++ {
				m[j][c] -= f * m[i][c]
			}
			b[j] -= f * b[i]
		}
	}
	for i := len(b) - 1; i >= 0; i-- {
		for c := i + 1; c < len(b); c++ {
			b[i] -= m[i][c] * b[c]
		}
		b[i] /= m[i][i]
	}
	return b
}
