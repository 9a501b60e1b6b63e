// Package skills has the prompts: one markdown file per skill, embedded in the binary, with a
// loader that checks every file when the program starts.
//
// A file has three parts:
//
//	---
//	name: query_rewrite          # equals the file's name
//	version: 1
//	description: one line
//	inputs:                      # the inputs of Render, no more and no less
//	  question: what it is
//	output:                      # a JSON Schema; "output: text" asks for free text
//	  type: object
//	---
//	<!-- system -->
//	the system prompt, a text/template
//	<!-- user -->
//	the user prompt, a text/template
//
// The two markers are on lines of their own, in this order. Templates have the inputs under their
// JSON names and one more name, mark, for fencing text from other sources:
//
//	<data-{{.mark}} source {{.n}}>
//	{{.text}}
//	</data-{{.mark}}>
//
// The mark is a hash of the input, so no text inside the input can contain it; in addition, Render
// defuses everything in the input that looks like such a fence. A prompt can therefore say that the
// text between these marks is data. Find maps a quote of such a text back to the original text.
//
//	set, err := skills.Load(&skills.LoadOptions{Overlay: dir})
//	skill, err := set.Get(skills.QueryRewrite)
//	prompt, err := skill.Render(vars)
//
// The package does not call models or validate answers (package llm does), and does not depend on
// passages. It checks that an output schema is a JSON object, not that it is a valid JSON Schema.
package skills
