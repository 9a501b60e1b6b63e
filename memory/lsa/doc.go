// Package lsa is an embedder without network or pretrained weights: latent semantic analysis,
// trained on the corpus that is searched.
//
// A corpus is a bag of terms per passage. [Fit] weights the bags by log tf · idf, scales each
// passage to unit length and keeps the leading left singular vectors of that matrix, found by the
// randomised range finder of Halko, Martinsson and Tropp ("Finding structure with randomness",
// 2011). A text is embedded by folding it in: the weighted sum of its terms' rows.
//
//	m, err := lsa.Fit(ctx, lsa.Corpus{Terms: terms, DF: df, Passages: len(docs), Docs: docs})
//	v := m.Embed(lsa.Bag(text.Terms(question, text.QueryStops)))
//
// For a corpus of more than 50,000 passages the caller passes a [Sample], chosen by content
// ([Hash]); the other passages are folded in like texts.
//
// Fitting is deterministic: the same corpus gives the same bytes on any number of processors. The
// bytes may differ between processor architectures and versions of gonum.
//
// The package does not tokenise text (terms come from package text), store vectors or find
// neighbours. It ignores word order and negation; [Model.Embed] describes its treatment of unknown
// words.
package lsa
