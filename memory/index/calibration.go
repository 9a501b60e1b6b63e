package index

import "math"

// A Calibration turns what a search found into a confidence by a logistic curve,
// 1/(1+exp(-(PerSimilarity·similarity + PerStrength·strength + Offset))). Both factors
// are positive: more evidence never lowers a confidence.
type Calibration struct {
	PerSimilarity float64 `json:"per_similarity"`
	PerStrength   float64 `json:"per_strength"`
	Offset        float64 `json:"offset"`
}

// The curves of new generations were set on public collections and on manuals, and are the
// same for every corpus. Half way is where similarity is .52 and strength .71 by words alone; with
// the cosine of an embedder in the similarity, a little less is enough.
var (
	byWords   = Calibration{PerSimilarity: 9, PerStrength: 15, Offset: -15.33}
	byMeaning = Calibration{PerSimilarity: 7.5, PerStrength: 11, Offset: -11.21}
)

func (c Calibration) confidence(similarity, strength float64) float64 {
	if similarity <= 0 {
		return 0
	}
	return 1 / (1 + math.Exp(-(c.PerSimilarity*similarity + c.PerStrength*strength + c.Offset)))
}
