// Package openai asks models behind the chat API that OpenAI made and that
// Ollama, vLLM, llama.cpp and many others speak, by
// github.com/sashabaranov/go-openai.
//
//	server, err := openai.NewServer(&openai.Options{Key: key})
//	m, err := server.Model("gpt-4.1-mini")
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema is sent with the strictest response format that the
// server knows: json_schema, else json_object, else an instruction in the
// prompt. Which one is found out by the first answers and remembered per
// server (Server.Capability). The temperature is 0, unless the request sets
// another, or sets none and the model refuses to have one. A limit of tokens is
// sent as max_tokens, and as max_completion_tokens to models that ask for that.
// Images are sent by their data or their URL. Errors are llm's typed errors, without keys.
//
// A request with OnText is answered as a stream. An Embedder turns texts into
// vectors.
//
// It does not retry, limit or count (package llm wraps it for that), reads no
// environment variable, and does not check that an answer fits its schema:
// llm.Ask does.
package openai
