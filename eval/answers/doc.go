// Package answers measures answers to a person's own questions. Each question has the fact
// that a right quote contains, or is one that its corpus does not answer.
//
//	set, err := answers.Read(ctx, "questions.jsonl", nil)
//	got, err := answers.Evaluate(ctx, set, asker, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// [Draft] writes questions from the passages of a corpus, for a person to correct.
//
// The package opens no corpus and calls no model: its caller gives an [Asker]. It compares
// words, not meaning. An answer that states the fact in other words counts as wrong, so
// list every right wording.
package answers
