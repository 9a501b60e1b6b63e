// Package converse makes a conversation of each pipeline, for clients that know messages:
// what a person writes becomes the pipeline's input, and its answer a message in Markdown
// whose quotes are citations.
//
// The package opens nothing, and decides nothing that a pipeline does not: a message says
// what the answer's JSON says, which travels with it.
package converse
