// Package openai asks models behind OpenAI's chat API, which Ollama, vLLM, llama.cpp and many
// others also speak, with github.com/sashabaranov/go-openai.
//
//	server, err := openai.NewServer(&openai.Options{Key: key})
//	m, err := server.Model("gpt-4.1-mini")
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema uses the strictest response format that the server supports: json_schema,
// else json_object, else an instruction in the prompt. The first answers show which one; the server
// remembers it (Server.Capability). The temperature is 0 unless the request sets another; if the
// model refuses the 0, it is left out. A token limit is sent as max_tokens, or as
// max_completion_tokens to models that require it. Images are sent as data or as a URL. Errors have
// llm's types and hold no keys.
//
// A request with OnText is answered as a stream. An Embedder turns texts into vectors.
//
// The package does not retry, limit or count calls; package llm does. It reads no environment
// variable, and does not check answers against their schema: llm.Ask does.
package openai
