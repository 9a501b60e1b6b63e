// Package eval runs cases. A case is an input of a pipeline with expectations on the answer and on
// the run.
//
//	cases, err := eval.FindCases("case_studies", "")
//	bench, err := eval.NewBench(eval.Deps{Model: offline.New(nil), Skills: set, Corpora: corpora}, nil)
//	ready, err := bench.Prepare(ctx, cases[0])
//	got, err := ready.Run(ctx, nil)
//	for _, miss := range got.Check(cases[0].Want) { … }
//
// A bench knows five pipelines, and Register adds other graphs. RunCases runs many cases, Summarise
// makes Results of them, and Compare returns the changes since earlier ones. Package eval/evaltest
// runs cases as a test, with golden traces.
//
// A case is a folder: README.md describes it, case.yaml has the input and the expectations,
// golden.jsonl the normalised trace of a run that a person has read and found right.
// docs/evaluate-your-own.md lists the keys.
//
// The package does not measure data sets: eval/retrieval and its neighbours do, with the metrics of
// eval/metrics. It does not draw reports: eval/show does.
package eval
