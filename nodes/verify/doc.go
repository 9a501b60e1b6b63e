// Package verify checks a response against evidence, claim by claim. With a
// corpus, it searches for each claim before it judges, and where support is weak it
// has a correction written and checked (corrective retrieval, CRAG).
//
// The response is judged as it was given. A correction is reported and changes no
// verdict.
//
//	p, err := verify.New(verify.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, verify.Input{Query: question, Response: answer, Evidence: evidence}, nil)
//	fmt.Println(final.Final)
//
// What a model says of a claim does not count by itself. A quote that no
// passage holds is dropped, and a claim without one is unsupported; numbers,
// units, dates, names, negation, direction, quantifiers, modality and subjects are
// compared by code (package facts), whatever the model says. A claim that is a
// whole sentence of a passage needs no model.
//
// The package does not say what is true: a claim is supported when the given
// evidence states it, and unsupported when it does not, which is not the same as
// false.
package verify
