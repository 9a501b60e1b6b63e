// Package langchain joins github.com/tmc/langchaingo and this module, both
// ways: Anthropic is asked through its client, New makes any model of it one of
// ours, and Wrap any of ours one of its. Tool makes any of its tools one of ours.
// Ollama is asked by package openai, whose wire carries tools and schemas.
//
//	m, err := langchain.Anthropic("claude-sonnet-4-5", &langchain.AnthropicOptions{Key: key})
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema is sent with the schema in the prompt and the
// library's JSON mode, which providers without one overlook. The temperature
// is 0, unless the request sets another. Anthropic takes no seed, and images by
// their data only. A client given to New may overlook settings, which
// is not seen here.
//
// The library leaves most errors untyped, among them refusals for rate, and
// some of its clients take a cut stream for a whole answer. Below Anthropic
// stands a transport that sees both. Below a client given to New it
// does not: errors that the library types become llm's, others are not
// retried, as nothing here decides by an error's text.
//
// It reads no environment variable and makes no embeddings.
package langchain
