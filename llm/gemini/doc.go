// Package gemini asks Google's Gemini models, by google.golang.org/genai.
//
//	m, err := gemini.New(ctx, "gemini-2.5-flash", &gemini.Options{Key: key})
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema is sent with the response type application/json and
// the schema in Gemini's own form, fields in the schema's order; with tools
// beside it, the schema goes into the prompt, as older models take only one of
// both. The temperature is 0, unless the request sets another. An image is sent
// by its data or its URL, and needs its media type. Errors are llm's typed errors, without keys; a
// blocked prompt and a blocked answer are *llm.BlockedError, in the midst of a
// stream, too.
//
// Newer models sign their calls of tools and want the signature back. The id
// of such a call carries it, so that it survives wherever a conversation is
// kept.
//
// An Embedder tells documents from queries: Embed and EmbedQuery ask for
// different vectors of the same text.
//
// All settings come from Options. The library would fill empty ones from
// variables such as GOOGLE_API_KEY and GOOGLE_GEMINI_BASE_URL; New leaves it
// none to fill. (When variables contradict each other the library writes a
// line to the standard logger, which only a program can silence.) Only
// DefaultCredentials reads what the machine is set up with, for Vertex.
//
// It does not retry, limit or count (package llm wraps it for that), sends text
// and images, and reads text only.
package gemini
