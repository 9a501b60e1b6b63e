// Package llm asks models. Model has one method. Ask and AskText ask a skill's question and return
// an answer that was checked against the skill's schema. Generate and AskFor take the caller's own
// request. NewTool makes a tool from a Go function, for the agents of package nodes/react. Limit,
// Rate, Budget, Retry, Circuit, Timeout, Priced and Fallback are wrappers that control calls;
// NewControls composes all of them except Fallback.
//
//	set, err := skills.Load(nil)
//	skill, err := set.Get(skills.ClassifyAndRoute)
//	out, usage, err := llm.Ask[skills.ClassifyOutput](ctx, m, skill, in)
//
// A model's answer is untrusted input. Ask checks that it is JSON and fits the schema, lets the
// model repair it once, and otherwise returns a *ParseError. The caller checks against the sources
// whether the answer is true.
//
// Errors of all providers have this package's types. Retryable says whether a retry can help.
//
// The package has no built-in prices, stores no prompts and knows no provider: the models are in
// the packages below it.
package llm
