// Package chat is agent chat: a conversation with a model that calls tools over a
// person's own documents, and whose answers are judged against what the tools returned.
//
// It answers by a model's words, not by quotations: agent ask quotes.
package chat
