// Package mcq measures multiple choice by evidence: it reads questions with
// their choices, puts passages beside them, and reports how often the choice
// that the passages match best is the right one, and what abstaining gains.
//
//	set, err := mcq.Read(ctx, mcq.Files{Corpus: "corpus.jsonl", Questions: "questions.jsonl"}, nil)
//	got, err := mcq.Evaluate(ctx, set, mcq.NewOffline(), &mcq.Options{Mode: mcq.Gold})
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// The package does not print, train or ship data. It asks the skill that
// selects and not the whole research pipeline, which abstains besides where it
// finds no evidence.
package mcq
