// Package langchain connects this module with github.com/tmc/langchaingo, in both directions.
// Anthropic returns a model over the library's client. New turns any model of the library into an
// llm.Model, and Wrap does the reverse. Tool turns a tool of the library into an llm.Callable. For
// Ollama use package openai, which also carries tools and schemas.
//
//	m, err := langchain.Anthropic("claude-sonnet-4-5", &langchain.AnthropicOptions{Key: key})
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema is sent with the schema in the prompt and the library's JSON mode, which
// providers without one ignore. The temperature is 0 unless the request sets another. Anthropic
// takes no seed, and images only as data. A client given to New may ignore settings silently.
//
// The library leaves most errors untyped, among them rate limits, and some of its clients take a
// cut stream for a complete answer. Anthropic uses a transport that detects both. New cannot: it
// converts the errors that the library types, and other errors are not retried, since no error's
// text decides.
//
// The package reads no environment variable and makes no embeddings.
package langchain
