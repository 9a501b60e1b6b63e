// Package llmtest tests models, and programs that use models. Script is a model that answers from a
// list. TestModel is the suite that every Model must pass.
//
//	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
//		skills.ClassifyAndRoute: {{Text: `{"query_type":"simple","reason":"one rule"}`}},
//	}}
//
// Server is a loopback server that speaks a provider's wire format and fails on request.
// TestProvider is the suite that a provider's model must pass against it: TestModel, streaming and
// tools.
//
// The package does not judge the quality of answers, and its usage counts words, not tokens.
package llmtest
