// Package wire is shared by the providers' HTTP clients. A Transport sits below a provider's client
// library. It reads each answer whole, or its stream event by event, and turns everything other
// than a successful JSON answer into one of llm's typed errors. So the libraries' own errors, which
// may hold keys and whole answers, never occur.
//
//	client := &http.Client{Transport: &wire.Transport{Provider: "openai", Secrets: []string{key}}}
//
// A stream that ends before its format marks the answer as complete is a *llm.ConnectionError,
// whatever the library reports: Watch shows how a call ended.
//
// The package does not retry. Of the providers' formats it knows only the common "error" object and
// the end marker of OpenAI's streams.
package wire
