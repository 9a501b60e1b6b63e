// Package index is the search index of a corpus. Passages are stored in bleve's
// segments and ranked by the project's own scores.
//
// An index is a directory, called a generation, that is written once and never changed.
// [Update] makes a new generation, from nothing or from an earlier one. Generations share
// files by links: an update writes a part of what is new and the table of all passages, and
// merges small parts.
//
//	stats, err := index.Update(ctx, index.UpdateOptions{Dir: "gen-2", From: "gen-1", Add: passages})
//	ix, err := index.Open("gen-2")
//	defer ix.Close()
//	found, err := ix.Search(ctx, retrieval.Query{Primary: "Who may appoint a deputy?"})
//
// What is stored, how text is analysed, how a query is read and how passages are ranked are
// packages below internal. This one opens, updates, publishes and searches generations.
//
// # Ranking
//
// Search gathers the candidates of the primary query and of its alternatives, and scores all of
// them against the primary query alone (internal/ranking lists the signals). A passage that the
// query names by its number ("Rule 8.7.1", package citation) comes before all others. A near
// duplicate is listed with the hit that it repeats. A filter makes the search that of a smaller
// index. A ranker that was trained on judged questions can order the best candidates anew
// ([Index.Use]; package learn trains it).
//
// # Size
//
// Up to 200,000 passages every vector is looked at. Above that, vectors are kept in eight
// bits a coordinate and in lists; a search reads the nearest lists (package vector). An
// update links the earlier file of vectors and writes what differs from it.
//
// Opening a generation compares its parts with their check sums, up to 64 MB. Of larger
// parts, what a search reads is checked when it is read.
//
// The offline embedder is trained on at most 50,000 passages. Below 5,000 passages every
// change trains it again; above that, a change of a fifth of the passages does, and new
// passages are folded in until then. [Index.Training] tells where a generation stands.
//
// # A corpus past one machine
//
// [Publish] copies a generation to a server ([Collection]; package weaviate), and
// [OpenServed] searches it there. The server finds some hundred candidates, which are ranked
// in memory as those in files are. A lexicon on each searching machine counts what ranking
// must know of the whole corpus.
//
// # Confidence
//
// [retrieval.Result]'s Confidence answers "are these hits about this question?". It is a
// logistic function ([Calibration]) of the share of the question that the hits cover, and of
// how much they have of it beyond what any passage has.
//
// # Languages
//
// A passage is analysed in the language of its document; the metadata name it ("language")
// where it is not English. A question is analysed in its own language if the corpus has
// passages in it, and else in each language of the corpus. Chinese, Japanese, Korean and Thai
// are found by pairs of characters. A German compound that no passage holds is found by its
// parts.
//
// # What it does not do
//
// It does not read files, cut passages, rewrite queries, call language models, swap or
// delete generations, or lock out a second writer. It does not translate: a question finds
// passages of its own language, and names and numbers in others. Misspelt words and
// abbreviations are looked for in English questions alone. Without an embedder the index
// knows words only: a question in other words than the corpus's gets a low confidence. A
// question on another subject in the corpus's words gets a confidence in the middle, at
// times a high one.
package index
