// Package llmtest tests what uses models, and models themselves. Script is a
// model that answers from a list; TestModel is the suite that every Model
// must pass.
//
//	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
//		skills.ClassifyAndRoute: {{Text: `{"query_type":"simple","reason":"one rule"}`}},
//	}}
//
// Server is a loopback server of a provider's wire format, with faults to
// order, and TestProvider the suite that a provider's model must pass against
// it: TestModel, streaming and tools.
//
// It does not judge the quality of answers and does not fake tokens: usage
// counts words.
package llmtest
