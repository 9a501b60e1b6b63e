// Package followup makes of a question that leans on the one before it a question
// that stands alone, by rules and without a model.
//
//	earlier := followup.Turn{Question: "What is the default value of max_connections?"}
//	q := followup.Resolve("and how do I change it?", earlier)
//	// how do I change max_connections?
//
// It fills in pronouns (it, them, that setting), repeats what an ellipsis leaves out
// ("why?", "and on Windows?", "how many of them?") and puts another thing in the
// place of the one that was asked about ("what about shared_buffers?").
//
// It is meant to err on one side: a question that may stand alone is left as it is,
// also when a person meant it as a follow-up. It knows English, looks one question
// back, and knows nothing of what words mean: "the limit" is not found to be the one
// that was spoken of.
package followup
