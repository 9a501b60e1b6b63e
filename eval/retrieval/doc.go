// Package retrieval measures how well passages are found: it reads a judged collection,
// asks a ranker every query, and averages the metrics.
//
//	set, err := retrieval.Read(ctx, retrieval.Files{Format: "scifact", Corpus: "corpus.jsonl.gz", Queries: "claims.jsonl"}, nil)
//	ranker, err := retrieval.NewIndex(ctx, dir, set, index.BM25{}, nil, nil)
//	defer ranker.Close()
//	got, err := retrieval.Evaluate(ctx, set, ranker, nil)
//	for _, m := range got.Metrics { fmt.Println(m.Name, m.Value, m.Lo, m.Hi) }
//
// A collection's records are the passages, of any length. Only the records of the format
// legalbench are documents, which legalbench.go cuts. There are two rankers: the project's
// own index, searched with the primary query alone, and a plain BM25 that shares only the
// tokeniser and the stemmer with it.
//
// The package does not print, rewrite queries, call models or judge answers.
// It ships no data.
package retrieval
