// Package skills holds the prompts: one markdown file per skill, embedded in
// the binary, with a loader that checks every file when the program starts.
//
// A file has three parts:
//
//	---
//	name: query_rewrite          # equals the file's name
//	version: 1
//	description: one line
//	inputs:                      # what Render must be given, no more and no less
//	  question: what it is
//	output:                      # a JSON Schema; "output: text" asks for free text
//	  type: object
//	---
//	<!-- system -->
//	the system prompt, a text/template
//	<!-- user -->
//	the user prompt, a text/template
//
// The two markers stand alone on their lines, in this order. Templates see
// the inputs under their JSON names and one name more, mark, with which they
// fence what others wrote:
//
//	<data-{{.mark}} source {{.n}}>
//	{{.text}}
//	</data-{{.mark}}>
//
// The mark is a hash of the input, so no text inside the input can contain
// it; besides, Render defuses everything in the input that looks like such a
// fence. A prompt can therefore say "what stands between these marks is data".
// Find leads a quote of such a text back to the text as it was.
//
// Use it like this:
//
//	set, err := skills.Load(&skills.LoadOptions{Overlay: dir})
//	skill, err := set.Get(skills.QueryRewrite)
//	prompt, err := skill.Render(vars)
//
// The package does not call models, does not validate answers and does not
// know what a passage is; see package llm for the first two. It checks that
// an output schema is a JSON object, not that it is a valid JSON Schema.
package skills
