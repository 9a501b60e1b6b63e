// Package qa remembers answers, and finds the one that was given to the same
// question.
//
//	m, err := qa.Open(ctx, qa.Path(home, "law"), &qa.Options{Embed: corpus.Embed})
//	defer m.Close()
//	found, err := m.Lookup(ctx, "What is a lien?", now)
//	if found.Kind.Hit() {
//		return found.Entry.Answer
//	}
//
// An answer is served again only under the conditions that it was given under:
// the corpus's fingerprint, the pipeline, the model, the skills and whatever
// else its maker names ([Condition]). Among those a lookup has three stages:
//
//   - Exact: the question is the same but for case, spaces, punctuation and
//     contractions.
//   - Near: its cosine is at least .92 and every word that bears meaning agrees
//     (shape.go).
//   - Hint: a question that is like it, and not the same. Its answer must not be
//     served; what it was found with may be looked at.
//
// It is strict: a wrong repeat is worse than a second search.
//
// A memory is one file of SQLite in WAL mode, which several processes may use
// at the same time, or rows in a PostgreSQL database (memory/qa/postgres), which
// several machines may use. An answer is on disk when Store returns; a process that
// dies at any moment leaves every answer that was stored before. Nothing is
// read when it is opened, and a lookup reads a few rows of indexes, whatever
// the number of answers.
//
// What this package does not do: it does not judge answers, does not check that
// what an answer cites is still there (its caller does, before it serves), keeps
// no file on a network drive, and does not share answers between corpora.
package qa
