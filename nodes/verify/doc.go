// Package verify checks a response against evidence, claim by claim. With a corpus, it searches for
// each claim before it judges. Where support is weak it has a correction written and checks it too
// (corrective retrieval, CRAG).
//
// The given response is judged. A correction is only reported, and changes no verdict.
//
//	p, err := verify.New(verify.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, verify.Input{Query: question, Response: answer, Evidence: evidence}, nil)
//	fmt.Println(final.Final)
//
// A model's verdict alone does not count. A quote that no passage contains is dropped, and a claim
// without a quote is unsupported. Code (package facts) compares numbers, units, dates, names,
// negation, direction, quantifiers, modality and subjects, whatever the model says. A claim that is
// a whole sentence of a passage needs no model.
//
// The package does not say what is true: the given evidence states a supported claim, and does not
// state an unsupported one, which does not make it false.
package verify
