// Package offline is a model that needs no key, no network and no weights. It
// answers a request by the skill that it names, each with a deterministic
// algorithm, and goes through the same prompts, schemas and budgets as any other
// model. The table in model.go says which function answers which skill. What a
// pipeline decides too, such as whether a claim is supported, is in packages below
// decide, which say their method and source.
//
//	m := offline.New(nil)
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// It never invents. What it says of a source is a verbatim quote of it or a
// fixed sentence around quotes; what it asks is made of the question's own
// words, of fixed phrases and of a glossary of synonyms (glossary.go).
//
// What it does not do: it does not understand. It matches words. It does not
// see paraphrase, does not reason about law, cannot tell that a source is
// wrong, and reads English, with a few rules for orders in other languages.
// It ignores the rendered prompt and reads the request's Vars.
package offline
