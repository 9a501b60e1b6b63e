// Package eval runs cases: a question with what is expected of its answer and
// of the way to it.
//
//	c, err := eval.LoadCase("case_studies/battery_ricochet")
//	got, err := eval.RunCase(ctx, c, pipeline, set, corpus, nil)
//	for _, miss := range got.Check(c.Want) { … }
//
// A case lives in a folder: README.md says what it is about, case.yaml what is
// asked and expected, golden.jsonl holds the normalised trace of a run that
// somebody has read and found right.
//
// The package does not measure data sets: eval/retrieval does, by the metrics of
// eval/metrics.
package eval
