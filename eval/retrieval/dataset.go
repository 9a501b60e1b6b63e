package retrieval

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/assay/eval/metrics"
	"example.com/assay/memory/document"
	"example.com/assay/state"
)

// A Dataset is a judged collection. It does not change after reading.
type Dataset struct {
	Format   string
	Passages []state.Passage // in the order of the corpus file; none without text; ids distinct
	Queries  []Query         // in the order of the query file; each with something relevant; ids distinct

	Empty    int    // skipped passages without text
	Unjudged int    // skipped queries without a relevant passage
	Missing  int    // judgments of passages that are not in the corpus or have no text; they count as not found
	NotHeld  string // the ID of one of them, or empty

	spans []metrics.Span // of Passages, in characters; nil for formats without spans
	at    map[string]int // passage by id
}

// A Query is a query with its judgments.
type Query struct {
	ID     string
	Texts  []string // searched one by one; the results of several are pooled
	Judged metrics.Judgments
	Gold   []metrics.Span // the characters that answer it; empty for formats without spans

	docs metrics.Judgments // the documents of relevant passages
}

// Relevant returns the ids of the relevant passages, sorted.
func (q Query) Relevant() []string {
	var out []string
	for id, grade := range q.Judged {
		if grade > 0 {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// Spans reports whether the collection judges characters.
func (d *Dataset) Spans() bool { return d.spans != nil }

// Only returns the dataset with the queries for whose index keep returns true.
func (d *Dataset) Only(keep func(i int) bool) *Dataset {
	out := *d
	out.Queries = nil
	for i, q := range d.Queries {
		if keep(i) {
			out.Queries = append(out.Queries, q)
		}
	}
	return &out
}

// Found returns the dataset with the queries that have a relevant passage in
// the corpus; the others count as Unjudged.
func (d *Dataset) Found() *Dataset {
	out := d.Only(func(i int) bool {
		return slices.ContainsFunc(d.Queries[i].Relevant(), func(id string) bool { _, ok := d.at[id]; return ok })
	})
	out.Unjudged += len(d.Queries) - len(out.Queries)
	return out
}

// steps are the cutoffs at which recall is shown below the deepest one.
var steps = []int{1, 2, 5, 10, 20, 50, 100}

// cutoffs returns the steps below k and k.
func cutoffs(k int) []int {
	var out []int
	for _, step := range steps {
		if step < k {
			out = append(out, step)
		}
	}
	return append(out, k)
}

// metricNames returns the names of the metrics of score, in order.
func (d *Dataset) metricNames(k int) []string {
	out := []string{fmt.Sprintf("nDCG@%d", k), fmt.Sprintf("MAP@%d", k), fmt.Sprintf("MRR@%d", k)}
	families := []string{"R", "doc_hit"}
	if d.Spans() {
		families = append(families, "char_recall", "char_precision")
	}
	for _, family := range families {
		for _, cut := range cutoffs(k) {
			out = append(out, fmt.Sprintf("%s@%d", family, cut))
		}
	}
	return out
}

// score measures one ranking of a query. IDs that are not in the corpus have no document and no
// characters.
func (d *Dataset) score(q Query, ranked []string, k int) []float64 {
	docs := make([]string, len(ranked))
	spans := make([]metrics.Span, len(ranked))
	for i, id := range ranked {
		if at, ok := d.at[id]; ok {
			docs[i] = d.Passages[at].Doc
			if d.Spans() {
				spans[i] = d.spans[at]
			}
		}
	}
	out := []float64{metrics.NDCG(ranked, q.Judged, k), metrics.AveragePrecision(ranked, q.Judged, k), metrics.ReciprocalRank(ranked, q.Judged, k)}
	families := []func(int) float64{
		func(k int) float64 { return metrics.Recall(ranked, q.Judged, k) },
		func(k int) float64 { return metrics.Hit(docs, q.docs, k) },
	}
	if d.Spans() {
		families = append(families,
			func(k int) float64 { return metrics.CharRecall(spans, q.Gold, k) },
			func(k int) float64 { return metrics.CharPrecision(spans, q.Gold, k) })
	}
	for _, family := range families {
		for _, cut := range cutoffs(k) {
			out = append(out, family(cut))
		}
	}
	return out
}

// finish derives which queries count, and the documents of the relevant passages. A
// collection without passages or without queries is a fault of its files.
func (d *Dataset) finish(f Files) error {
	if len(d.Passages) == 0 {
		return &document.InputError{Path: f.Corpus, Msg: "it has no passage with text", Hint: "write one JSON object per line, as the format " + d.Format + " has them"}
	}
	var judged []Query
	for _, q := range d.Queries {
		if q.Judged.Relevant() == 0 {
			d.Unjudged++
			continue
		}
		q.docs = make(metrics.Judgments)
		for _, id := range q.Relevant() {
			if at, ok := d.at[id]; ok {
				q.docs[d.Passages[at].Doc] = 1
			} else {
				d.Missing++
				d.NotHeld = cmp.Or(d.NotHeld, id)
			}
		}
		for _, s := range q.Gold {
			q.docs[s.Doc] = 1
		}
		judged = append(judged, q)
	}
	d.Queries = judged
	if len(d.Queries) == 0 {
		return &document.InputError{Path: f.Queries, Msg: "none of its queries has a relevant passage", Hint: "check that queries and judgments belong together"}
	}
	return nil
}
