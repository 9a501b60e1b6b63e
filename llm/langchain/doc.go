// Package langchain lets any model of github.com/tmc/langchaingo answer as an
// llm.Model, for providers that have no package of their own here.
//
//	client, err := anthropic.New(anthropic.WithToken(key), anthropic.WithModel(name))
//	m, err := langchain.New(client, &langchain.Options{Provider: "anthropic", Name: name, Secrets: []string{key}})
//
// A request with a schema is sent with the schema in the prompt and the
// library's JSON mode, which providers without one overlook. The temperature
// is 0. Errors that the library types become llm's typed errors; it leaves
// many untyped, among them most refusals for rate, and those are not retried,
// as nothing here decides by an error's text.
//
// It imports the library's interface only, none of its providers, and does
// not stream, offer tools or make a model of ours one of the library's.
package langchain
