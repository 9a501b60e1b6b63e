// Package index is the search index of a corpus: passages stored in bleve,
// scored by the project's own ranking, with an embedder and a calibration
// that are learnt from the corpus when it is indexed.
//
// An index is a directory, a generation, that is written once and never
// changed. [Update] makes a new generation from nothing or from an earlier
// one; the caller points readers at it. It consists of parts (part.go), which
// generations share by links: an update writes a part of what is new, and the
// table of all passages, and merges small parts.
//
//	stats, err := index.Update(ctx, index.UpdateOptions{Dir: "gen-2", From: "gen-1", Add: passages})
//	ix, err := index.Open("gen-2")
//	defer ix.Close()
//	found, err := ix.Search(ctx, retrieval.Query{Primary: "Who may appoint a deputy?"})
//
// # Ranking
//
// The candidates of the primary query and of its alternatives are pooled and
// scored against the primary query by a weighted sum of six signals, each
// divided by its largest value in the pool (signals.go, fuse.go):
// BM25 (textbook: k1 1.2, b .7, over bleve's postings; bleve's own "bm25" is
// not BM25), BM25 of adjacent word pairs, latent semantic similarity, links
// through titles that the best passages mention, the document's score gated
// by its margin over the next document, and similarity to the best passages.
//
// What the primary query names by its number ("Rule 8.7.1", package citation)
// comes before everything else: passages say at ingest which numbered parts
// they are (resolve.go). Near duplicates are listed with the hit that they
// repeat (distinct.go). A filter on metadata is looked up in bleve's postings
// and makes the search that of a smaller index (filter.go); Query.MMR chooses
// hits that differ, Query.Neighbours reads what stands around them
// (diversify.go).
//
// Where there is a remote embedder (UpdateOptions.Space), its cosine is one more
// summand, as large as BM25 (meaning.go). The offline embedder stays: it compares
// passages with each other.
//
// A ranker that was trained on judged questions about the corpus may order the
// best candidates anew (Index.Use), by features of them (features.go) and by
// the judged questions that they answered (precedents.go). Package learn
// trains it.
//
// # Size
//
// Vectors are scanned whole, exactly, up to 200,000 passages; above that they
// are kept in eight bits a coordinate, in lists of which the nearest are looked
// at (package vector), and are read when they are. An update links their file and
// writes what differs from it. Parts are checked whole when
// they are opened up to 64 MB; above that, what is read of them is. The offline
// embedder is trained on 50,000 passages at most (package lsa), again when a
// fifth of the passages have changed, and below 5,000 passages at every change;
// between two trainings, new passages are folded in. [Index.Training] tells
// where a generation stands. The postings of a question and its other wordings
// are read once, on all processors.
//
// # A corpus past one machine
//
// [Publish] copies a generation to a server (Collection; package weaviate), and [OpenServed]
// searches it there: the server finds some hundred candidates, which are loaded into an
// index in memory, and all else is as with files. What such an index cannot know of the
// whole, a lexicon on each searching machine says (lexicon.go).
//
// # Confidence
//
// [retrieval.Result]'s Confidence answers "are these hits about this question?". It is a
// logistic function of two numbers (similarity.go): the share of the question
// that the hits cover, and how much they have of it in absolute terms over
// what any passage has. The curve is learnt per corpus from short and long
// questions made of its own sentences and from questions that it cannot
// answer (calibrate.go, pseudo.go), so its thresholds mean the same with every
// corpus. [Index.Calibration] shows it. A remote
// embedder's cosines are first put on a scale from unrelated to answering, learnt
// from the corpus too.
//
// # Languages
//
// A passage is analysed in the language of its document, which its metadata have
// ("language") where that is not English, and a question in its own if the corpus has it,
// else in each that the corpus has (languages.go). Chinese, Japanese, Korean and Thai are
// found by pairs of characters; a German word that no passage holds by its parts. Labels,
// columns and headings of a passage's blocks are searched with it.
//
// # What it does not do
//
// It does not read files or cut passages, rewrite queries, call models, swap
// generations, delete old ones or lock out a second writer. It does not translate: a
// question finds passages of its own language, and names and numbers in others. Misspelt
// words and abbreviations are looked for in English questions alone. A changed word in a question
// that the corpus answers in other words lowers the confidence: the index
// sees words, not meanings. A question on another subject in the words of this
// one gets a confidence in the middle, at times a high one.
package index
