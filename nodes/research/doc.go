// Package research answers a question from a corpus: it plans steps, searches
// and reads for each, writes a cited answer, judges it, plans again where
// something is missing, picks a choice when the question offers some, and
// remembers what it can answer again.
//
//	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus})
//	final, err := p.Run(ctx, "What must a plaintiff prove for battery?", nil)
//	fmt.Println(final.Answer)
//
// The graph is compiled once and shared by all runs. Each node is a function
// in a file of its own name: it reads the state, asks, parses, returns an
// update, and knows neither the clock nor the file system.
//
// A step is confident when its passages are about the person's question and the
// step's own, whatever queries a model made of them. An answer is whole when each
// part of the question that code can tell apart has a sentence of the form that
// answers such a part; what has none is named. That check knows forms, not
// meanings: a sentence of the right form can still answer something else.
//
// The package does not verify the claims of an answer against its sources itself:
// it guarantees that every citation names a passage that was read and that every
// quote is made of that passage's bytes. Package verify judges the rest.
package research
