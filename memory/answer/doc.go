// Package answer selects, without a model, the passages' sentences that answer a question.
//
//	r := answer.Rank("How many columns may a table have?", sources)
//	for _, q := range r.Quotes {
//		fmt.Println(sources[q.Source].Text[q.Start:q.End])
//	}
//
// Rank scores every sentence by the share of the question's words in it, by the headings and the
// headword above it, by its source's rank in the search, and by whether it has the form asked for:
// a number, a definition, a command. Each quote is a byte range of its source that can be read
// alone.
//
// The package writes no sentences, does not follow references such as "see section 5", and does not
// combine two places. Related words come from WordNet, for English only; for other languages it
// knows question words, stop words and stems.
package answer
