// Package evidence is the compliance pipeline. It answers a question only with
// requirements that statutes and policies state word for word. Without a requirement it
// says so.
//
//	p, err := evidence.New(evidence.Deps{Model: model, Skills: set, Corpus: corpus}, nil)
//	final, err := p.Run(ctx, evidence.Input{Question: question}, nil)
//	audit := evidence.Result(final, nil, corpus)
//	problems, err := evidence.Check(audit)
//
// Requirements are extracted from passages, verified one by one, composed into statements
// that end with their ids, and reviewed. Code checks everything that a model writes: a
// quote must be bytes of its passage, an id must belong to a verified requirement, and the
// cited quotes must support a statement with every number and every must, may and must
// not. The audit keeps each fault with its stage.
//
// The package does not say what the law is. It does not know which requirement is in force
// or prevails, does not follow the references of a requirement, and believes a document's
// own statement that it is a statute or a policy.
package evidence
