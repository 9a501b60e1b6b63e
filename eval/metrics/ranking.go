package metrics

import (
	"math"
	"slices"
)

// Judgments are the grades of the results judged for a query, by ID. An ID is relevant if its grade
// is above 0; other IDs are not relevant.
type Judgments map[string]int

// Relevant is the number of relevant ids.
func (j Judgments) Relevant() int {
	n := 0
	for _, grade := range j {
		if grade > 0 {
			n++
		}
	}
	return n
}

// NDCG is the normalised discounted cumulative gain of the first k of ranked:
//
//	DCG = Σ (2^grade − 1) / log2(rank + 1),  nDCG = DCG / DCG of the best order
//
// after Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR
// techniques", TOIS 2002, with the exponential gain of Burges et al., "Learning
// to rank using gradient descent", ICML 2005. The best order is over all
// judged ids, found or not. Grades above 30 are taken as 30. Without relevant
// ids it is 0.
func NDCG(ranked []string, judged Judgments, k int) float64 {
	grades := make([]int, 0, len(judged))
	for _, grade := range judged {
		if grade > 0 {
			grades = append(grades, grade)
		}
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	var ideal, got float64
	for i, grade := range first(grades, k) {
		ideal += discounted(grade, i)
	}
	if ideal == 0 {
		return 0
	}
	for i, id := range first(ranked, k) {
		got += discounted(judged[id], i)
	}
	return got / ideal
}

const maxGrade = 30 // 2^30 gains are exact and cannot overflow a sum

func discounted(grade, i int) float64 {
	if grade <= 0 {
		return 0
	}
	return (math.Exp2(float64(min(grade, maxGrade))) - 1) / math.Log2(float64(i+2))
}

// Recall is the share of the relevant IDs that are among the first k, or 0 without relevant IDs.
func Recall(ranked []string, judged Judgments, k int) float64 {
	all := judged.Relevant()
	if all == 0 {
		return 0
	}
	found := 0
	for _, id := range first(ranked, k) {
		if judged[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(all)
}

// AveragePrecision is the mean, over all relevant IDs, of the precision at their ranks; those not
// among the first k count as 0. It divides by the number of relevant IDs, even if that is above k,
// as trec_eval's map_cut does (Buckley and Voorhees, "Retrieval system evaluation", in TREC, MIT
// Press 2005). Its mean over queries is MAP@k.
func AveragePrecision(ranked []string, judged Judgments, k int) float64 {
	all := judged.Relevant()
	if all == 0 {
		return 0
	}
	found, sum := 0, 0.0
	for i, id := range first(ranked, k) {
		if judged[id] > 0 {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(all)
}

// ReciprocalRank is 1 / rank of the first relevant ID, 0 if none is among the first k (Voorhees,
// "The TREC-8 question answering track report", 1999). Its mean over queries is MRR@k.
func ReciprocalRank(ranked []string, judged Judgments, k int) float64 {
	for i, id := range first(ranked, k) {
		if judged[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// Hit is 1 if an ID among the first k is relevant and 0 otherwise. For the documents of the ranked
// passages, with repeats, it is doc_hit@k: whether one of the first k passages is from a right
// document.
func Hit(ranked []string, judged Judgments, k int) float64 {
	for _, id := range first(ranked, k) {
		if judged[id] > 0 {
			return 1
		}
	}
	return 0
}

// first returns at most k elements.
func first[T any](s []T, k int) []T { return s[:max(0, min(k, len(s)))] }
