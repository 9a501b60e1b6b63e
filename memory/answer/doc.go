// Package answer chooses, among passages that a search found, the stretches that
// answer a question, without a model.
//
//	r := answer.Rank("How many columns may a table have?", sources)
//	for _, q := range r.Quotes {
//		fmt.Println(sources[q.Source].Text[q.Start:q.End])
//	}
//
// Every sentence is scored by how much of the question it holds, by the headings
// and the headword above it, by the order of the search, and by whether it has the
// form of what is asked for: a number, a definition, a command. What is returned is
// a stretch of bytes of its source that can be read alone.
//
// What it does not do: it writes no sentence, follows no "see section 5", and joins
// nothing from two places. Near meanings of words are WordNet's, of English words alone;
// of other languages it knows question words, stop words and stems.
package answer
