// Package followup turns a follow-up question into one that can be understood alone, by rules and
// without a model.
//
//	earlier := followup.Turn{Question: "What is the default value of max_connections?"}
//	q := followup.Resolve("and how do I change it?", earlier)
//	// how do I change max_connections?
//
// It replaces pronouns (it, them, that setting), fills in elliptical questions ("why?", "and on
// Windows?", "how many of them?") and substitutes another thing for the one asked about ("what
// about shared_buffers?").
//
// A question that can be understood alone is not changed, even if the user meant it as a follow-up.
// The package is for English, considers only the previous question, and does not know the meaning
// of words: it does not find that "the limit" is the one mentioned before.
package followup
