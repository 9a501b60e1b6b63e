// Package memory keeps corpora on disk. The answers that were given from them
// are kept by package qa.
//
//	report, err := memory.Ingest(ctx, memory.IngestOptions{Home: home, Corpus: "law", Paths: []string{"docs/"}})
//	corpus, err := memory.Open(home, "law")
//	defer corpus.Close()
//	found, err := corpus.Search(ctx, retrieval.Query{Primary: "What does battery require?"})
//
// A corpus lives in HOME/corpora/NAME:
//
//	CURRENT        the name of the live generation
//	gen-000007/    one generation: index/ (package index), manifest.json, inuse; served/ where a server has the index
//	servers        which servers may hold something of the corpus, and under which names
//	texts/         extracted texts of HTML, PDF, CSV and JSONL files, by hash
//	ranker         the trained ranker, where there is one (SaveRanker)
//	lock           held by the process that ingests
//
// Vectors of remote embedders are in HOME/vectors (package embed), for all
// corpora.
//
// A generation is written once, then CURRENT is renamed into place; a process
// that dies at any moment leaves CURRENT naming a whole generation, and what
// it leaves behind is removed by the next ingest. Readers hold a shared lock
// on the generation that they opened, so it stays until they close it.
//
// With a remote embedder (IngestOptions.Space, OpenOptions.Space) a corpus holds
// its vectors beside those of the offline one and says whose they are. A
// [Reranker] orders what the index found; when it fails, the index's order
// stands, and the result says so. A trained ranker (package learn) is a corpus's
// own: it orders whatever is found there, before a Reranker does.
//
// The index may be on a server (IngestOptions.Index, OpenOptions.Servers). Each generation
// is a collection there; that of the generation before the live one stays until the next
// ingest, for machines that still have its manifest. A machine that only searches needs the
// corpus's directory without the folders index/, and the documents. The folder index/ of the
// machine that ingests saves the next ingest from reading all files again.
//
// What this package does not do: it does not watch directories, copy markdown
// and plain text files (their passages point into the originals), answer
// questions, rank, or serve several machines from one directory. Ingesting
// needs the file locks of Unix systems.
package memory
