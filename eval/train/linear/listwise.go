package linear

import (
	"errors"
	"math"
	"math/rand/v2"
)

// ListwiseOptions say how to fit. All are above 0, but for the seed.
type ListwiseOptions struct {
	Ridge  float64 // λ of the penalty λ/2·‖w‖²
	Rounds int     // over the lists
	Rate   float64 // of a step
	Least  int     // in how many lists a feature must vary to count
	Seed   uint64  // of the order in which a round takes the lists
}

// FitListwise fits the weights of a softmax over the rows of each list, one of which is right: the
// probability of a row is exp(w·x) / Σ exp(w·x) over its list (McFadden, "Conditional logit
// analysis of qualitative choice behavior", 1974). It uses AdaGrad (Duchi et al., 2011) and stops
// after o.Rounds rounds, which regularises more than the penalty if lists are few. right has the
// index of each list's right row. Rows have equal length. Equal input gives equal bits. Without
// lists it returns an error.
func FitListwise(lists [][][]float64, right []int, o ListwiseOptions) ([]float64, error) {
	if len(lists) == 0 {
		return nil, errors.New("fitting a softmax over lists: there are no lists")
	}
	width := len(lists[0][0])
	count := make([]int, width) // lists in which a feature varies
	varying := make([][]int, len(lists))
	for i, list := range lists {
		for j := range width {
			if varies(list, j) {
				count[j]++
				varying[i] = append(varying[i], j)
			}
		}
	}
	weights, squares := make([]float64, width), make([]float64, width)
	order := make([]int, len(lists))
	for i := range order {
		order[i] = i
	}
	random := rand.New(rand.NewPCG(o.Seed, o.Seed))
	for range o.Rounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			pull := Listwise(weights, lists[i])
			pull[right[i]]--
			for _, j := range varying[i] {
				if count[j] < o.Least {
					continue
				}
				g := o.Ridge * weights[j] / float64(count[j])
				for k, x := range lists[i] {
					g += pull[k] * x[j]
				}
				if g != 0 {
					squares[j] += g * g
					weights[j] -= o.Rate * g / math.Sqrt(squares[j])
				}
			}
		}
	}
	return weights, nil
}

// Listwise returns the probability of each row of a list.
func Listwise(weights []float64, list [][]float64) []float64 {
	z := make([]float64, len(list))
	for k, x := range list {
		z[k] = dot(weights, x)
	}
	if len(z) == 1 {
		return []float64{1}
	}
	return probabilities(z)
}

// varies reports whether the rows of a list differ in a feature: a constant one cannot change any
// probability.
func varies(list [][]float64, feature int) bool {
	for _, x := range list {
		if x[feature] != list[0][feature] {
			return true
		}
	}
	return false
}
