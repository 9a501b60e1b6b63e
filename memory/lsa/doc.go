// Package lsa is the embedder that needs no network and no weights: latent
// semantic analysis, trained on the corpus that is searched.
//
// A corpus is a bag of terms per passage. [Fit] weights the bags by log tf ·
// idf, scales each passage to unit length and keeps the leading left singular
// vectors of that matrix, found by the randomised range finder of Halko,
// Martinsson and Tropp ("Finding structure with randomness", 2011). A text is
// embedded by folding it in: the weighted sum of its terms' rows.
//
//	m, err := lsa.Fit(ctx, lsa.Corpus{Terms: terms, DF: df, Passages: len(docs), Docs: docs})
//	v := m.Embed(lsa.Bag(text.Terms(question, text.QueryStops)))
//
// Of a corpus of more than 50,000 passages the caller gives a [Sample], chosen by
// content ([Hash]); the other passages are folded in like texts.
//
// Fitting is deterministic: the same corpus gives the same bytes on any number
// of processors. It is not bit-stable between processor architectures or
// between versions of gonum.
//
// What the package does not do: it reads no text (terms come from package
// text), keeps no vectors, finds no neighbours, and knows nothing of word
// order, negation or any word that it has not seen; [Model.Embed] says what
// happens to such words.
package lsa
