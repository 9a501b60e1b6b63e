// Package wire is what the providers' HTTP clients share: Transport stands
// below a provider's client library, reads each answer whole and turns
// everything that is not a JSON answer with a status of success into one of
// llm's typed errors, so that the libraries' own errors, which may hold keys
// and whole answers, are never met.
//
//	client := &http.Client{Transport: &wire.Transport{Provider: "openai", Secrets: []string{key}}}
//
// It does not retry, does not stream, and knows no provider's format beyond
// the "error" object that all of them send.
package wire
