// Package evidence is the compliance pipeline: it answers a question with
// requirements that statutes and policies state word for word, and with nothing
// else. Without one it says that there is none.
//
//	p, err := evidence.New(evidence.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, evidence.Input{Question: question}, nil)
//	audit := evidence.Result(final, nil, corpus)
//	problems, err := evidence.Check(audit)
//
// Requirements are extracted from passages, verified one by one, composed into
// statements that end with their ids, and reviewed. What a model says counts only
// when code finds it so: a quote is bytes of its passage, an id is that of a
// verified requirement, a statement is carried by the quotes that it cites, in
// every number and every must, may and must not. What is caught is kept, with its
// stage, in the audit.
//
// The package does not say what the law is. It does not know which requirement is
// in force or prevails, does not read what a requirement refers to on its behalf,
// and takes a document's word for what it is (statute or policy).
package evidence
