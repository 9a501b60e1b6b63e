// Package gemini asks Google's Gemini models with google.golang.org/genai.
//
//	m, err := gemini.New(ctx, "gemini-2.5-flash", &gemini.Options{Key: key})
//	out, usage, err := llm.Ask[skills.RewriteOutput](ctx, m, skill, in)
//
// A request with a schema is sent with the response type application/json and the schema in
// Gemini's form, its fields in the schema's order. If the request also has tools, the schema goes
// into the prompt, since older models take only one of both. The temperature is 0 unless the
// request sets another. An image is sent as data or as a URL, and needs a media type. Errors have
// llm's types and hold no keys. A blocked prompt or answer is a *llm.BlockedError, also during a
// stream.
//
// Newer models sign their tool calls and expect the signature back. The ID of such a call carries
// it, so it stays wherever a conversation is stored.
//
// An Embedder distinguishes documents from queries: Embed and EmbedQuery return different vectors
// of the same text.
//
// All settings come from Options. The library would fill empty ones from variables such as
// GOOGLE_API_KEY and GOOGLE_GEMINI_BASE_URL; New leaves none empty. When variables contradict each
// other, the library writes a line to the standard logger, which only a program can silence. Only
// DefaultCredentials, for Vertex, reads the machine's settings.
//
// The package does not retry, limit or count calls; package llm does. It sends text and images, and
// reads only text.
package gemini
