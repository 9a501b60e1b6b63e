// Package qa stores answers, and finds the one that was given to the same question.
//
//	m, err := qa.Open(ctx, qa.Path(home, "law"), &qa.Options{Embed: corpus.Embed})
//	defer m.Close()
//	found, err := m.Lookup(ctx, "What is a lien?", now)
//	if found.Kind.Hit() {
//		return found.Entry.Answer
//	}
//
// An answer is reused only under the conditions that it was given under: the corpus's fingerprint,
// the pipeline, the model, the skills and any others that the caller names ([Condition]). Among
// those a lookup has three stages:
//
//   - Exact: the question is the same but for case, spaces, punctuation and contractions.
//   - Near: its cosine is at least .92 and all content words agree (shape.go).
//   - Hint: a similar question. Its answer must not be served; its sources may be looked at.
//
// It is strict: a wrong reuse is worse than a second search.
//
// A memory is an SQLite file in WAL mode, which several processes may use at the same time, or rows
// in a PostgreSQL database (memory/qa/postgres), which several machines may use. An answer is on
// disk when Store returns and survives a crash at any moment. Opening reads nothing, and a lookup
// reads a few rows by index, whatever the number of answers.
//
// The package does not judge answers, check that their citations still exist (the caller does,
// before it serves one), work on network drives, or share answers between corpora.
package qa
