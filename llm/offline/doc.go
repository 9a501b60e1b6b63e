// Package offline is a model without key, network or neural weights. It answers a request by the
// skill that it names, each with a deterministic algorithm, and uses the same prompts, schemas and
// budgets as any other model. The table in model.go maps skills to functions. Decisions that
// pipelines share, such as whether a claim is supported, are in packages below decide, which
// document their method and source.
//
//	m := offline.New(nil)
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// It never invents text: statements about a source are verbatim quotes or fixed sentences around
// quotes; questions consist of the user's own words, fixed phrases and a glossary of synonyms
// (glossary.go).
//
// It matches words and does not understand them. It does not recognise paraphrase, reason about law
// or notice that a source is wrong, and is for English, with a few rules for prompt injections in
// other languages. It ignores the rendered prompt and reads the request's Vars.
package offline
