// Package mcq measures multiple choice by evidence. It reads questions with their
// choices, adds passages, and reports how often the choice that the passages match
// best is right, and what abstaining gains.
//
//	set, err := mcq.Read(ctx, mcq.Files{Corpus: "corpus.jsonl", Questions: "questions.jsonl"}, nil)
//	got, err := mcq.Evaluate(ctx, set, mcq.NewOffline(), &mcq.Options{Mode: mcq.Gold})
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// The package does not print, train or ship data. It calls only the skill that
// selects. The research pipeline also abstains when it finds no evidence.
package mcq
