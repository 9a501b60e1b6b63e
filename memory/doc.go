// Package memory stores corpora on disk. Package qa stores the answers given from them.
//
//	report, err := memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: "law", Paths: []string{"docs/"}})
//	corpus, err := memory.Open(home, "law")
//	defer corpus.Close()
//	found, err := corpus.Search(ctx, retrieval.Query{Primary: "What does battery require?"})
//
// A corpus is a directory, HOME/corpora/NAME:
//
//	CURRENT        the name of the live generation
//	gen-000007/    one generation: index/ (package index), manifest.json, inuse; served/ if a server has the index
//	servers        the servers that may have data of the corpus, and under which names
//	texts/         extracted texts of HTML, PDF, CSV and JSONL files, by hash
//	ranker         the trained ranker, if there is one (SaveRanker)
//	lock           locked by the process that ingests
//
// The vectors of remote embedders are in HOME/vectors (package embed), for all corpora.
//
// A generation is written once, then CURRENT is renamed into place; after a crash at any moment
// CURRENT names a complete generation, and the next ingest removes incomplete ones. Readers have a
// shared lock on the generation that they opened, so it stays until they close it.
//
// With a remote embedder (IngestOptions.Space, OpenOptions.Space) a corpus has its vectors in
// addition to those of the offline one and records which embedder made them. A [Reranker] reorders
// the hits of the index; if it fails, the index's order stays, and the result says so. A trained
// ranker (package learn) belongs to one corpus and orders its hits before a Reranker does.
//
// The index may be on a server (IngestOptions.Index, OpenOptions.Servers). Each generation is a
// collection there; that of the previous generation stays until the next ingest, for machines that
// still have its manifest. A machine that only searches needs the corpus's directory without the
// index/ directories, and the documents. With index/, the machine that ingests need not read all
// files again.
//
// The package does not watch directories, copy markdown and plain text files (their passages point
// into the originals), answer questions, rank, or share one directory between machines. Ingesting
// needs the file locks of Unix systems.
package memory
