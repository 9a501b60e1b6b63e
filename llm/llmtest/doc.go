// Package llmtest tests what uses models, and models themselves. Script is a
// model that answers from a list; TestModel is the suite that every Model
// must pass.
//
//	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{
//		skills.ClassifyAndRoute: {{Text: `{"query_type":"simple","reason":"one rule"}`}},
//	}}
//
// It does not judge the quality of answers and does not fake tokens: usage
// counts words.
package llmtest
