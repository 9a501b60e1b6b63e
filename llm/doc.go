// Package llm asks models. Model is the one method that a model must have;
// Ask and AskText put a skill's question to it and return a typed answer that
// was validated against the skill's schema; Generate and AskFor ask with a request
// of one's own. NewTool makes a tool of a Go function, which agents of package
// nodes/react let a model call. Limit, Rate, Budget, Retry, Circuit, Timeout,
// Priced and Fallback are wrappers that keep calls under control; NewControls
// composes all but the last.
//
//	set, err := skills.Load(nil)
//	skill, err := set.Get(skills.ClassifyAndRoute)
//	out, usage, err := llm.Ask[skills.ClassifyOutput](ctx, m, skill, in)
//
// A model's answer is untrusted input. Ask checks that it is JSON and fits the
// schema, gives the model one chance to repair it, and otherwise returns a
// *ParseError; whether what the answer says is true is for the caller to
// check against the sources.
//
// Why a call failed is one of this package's types, whichever provider made
// it; Retryable says whether asking again can help.
//
// The package knows no prices but those it is given, stores no prompts and
// knows no provider; the models themselves are in the folders below it.
package llm
