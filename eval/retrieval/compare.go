package retrieval

import (
	"fmt"

	"example.com/assay/eval/metrics"
)

// A delta compares a metric with another run's, on the same queries.
type delta struct {
	Name               string
	Other              float64 // the other run's mean
	metrics.Difference         // this evaluation minus the other run
}

// A comparison compares an evaluation with another run.
type comparison struct {
	Metrics []delta // in the order of the evaluation's
	Absent  int     // queries that the other run does not have; it found nothing there
}

// compare measures another run of the same queries and tests the difference, query by
// query. Errors are a run without any of the queries, and ids that are equal in a run
// file.
func compare(d *Dataset, e Evaluation, other Run) (comparison, error) {
	if err := d.checkTokens(); err != nil {
		return comparison{}, fmt.Errorf("comparing runs: %w", err)
	}
	original := make(map[string]string, len(d.Passages))
	for _, p := range d.Passages {
		original[token(p.ID)] = p.ID
	}
	var out comparison
	values := make([][]float64, len(e.Items))
	for i, item := range e.Items {
		list, ok := other[token(item.Query.ID)]
		if !ok {
			out.Absent++
		}
		ranked := make([]string, len(list))
		for j, id := range list {
			ranked[j] = id // judged, it may be, and not in the corpus
			if known, ok := original[id]; ok {
				ranked[j] = known
			}
		}
		values[i] = d.score(item.Query, ranked, e.K)
	}
	if out.Absent == len(e.Items) {
		return comparison{}, fmt.Errorf("comparing runs: the other run has none of the %d queries; was it made from other files?", len(e.Items))
	}
	for m, metric := range e.Metrics {
		theirs := make([]float64, len(values))
		for i := range values {
			theirs[i] = values[i][m]
		}
		diff, err := metrics.Paired(e.Values(m), theirs)
		if err != nil {
			return comparison{}, fmt.Errorf("comparing %s: %w", metric.Name, err)
		}
		out.Metrics = append(out.Metrics, delta{Name: metric.Name, Other: metrics.Average(theirs), Difference: diff})
	}
	return out, nil
}
