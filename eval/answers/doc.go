// Package answers measures answers to questions of one's own: each question has
// the fact that a right quote holds, or is not answered in its corpus at all.
//
//	set, err := answers.Read(ctx, "questions.jsonl", nil)
//	got, err := answers.Evaluate(ctx, set, asker, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// [Draft] writes questions from the passages of a corpus, for a person to correct.
//
// The package opens no corpus and asks no model: its caller gives an [Asker]. It
// compares words and not meaning: an answer that says the fact in words of its own
// counts as wrong, so give each wording that is right.
package answers
