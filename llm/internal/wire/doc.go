// Package wire is what the providers' HTTP clients share: Transport stands
// below a provider's client library, reads each answer whole, or its stream
// event by event, and turns everything that is not an answer in JSON with a
// status of success into one of llm's typed errors, so that the libraries' own
// errors, which may hold keys and whole answers, are never met.
//
//	client := &http.Client{Transport: &wire.Transport{Provider: "openai", Secrets: []string{key}}}
//
// A stream that ends before its provider's format says that the answer is
// whole is a *llm.ConnectionError, whatever the library above makes of it:
// Watch shows how a call ended.
//
// It does not retry, and knows no provider's format beyond the "error" object
// that all of them send and the marker that ends OpenAI's streams.
package wire
