// Package research answers a question from a corpus. It plans steps, searches and reads
// for each, writes a cited answer and judges it. It plans again when something is missing,
// picks a choice when the question offers some, and remembers answers.
//
//	p, err := research.New(research.Deps{Model: offline.New(nil), Skills: set, Corpus: corpus})
//	final, err := p.Run(ctx, "What must a plaintiff prove for battery?", nil)
//	fmt.Println(final.Answer)
//
// The graph is compiled once and shared by all runs. Each node is a function in a file of
// its name: it reads the state, asks, parses, and returns an update. It uses neither the
// clock nor the file system.
//
// A step is confident when its passages are about the person's question and the step's
// own question, whatever queries a model made. An answer is complete when each part of the
// question has a sentence of a form that answers it; parts without one are named. That
// check knows forms, not meanings: a sentence of the right form can still answer something
// else.
//
// The package guarantees that every citation names a passage that was read, and that every
// quote consists of that passage's bytes. It does not verify the claims of an answer:
// package verify does.
package research
