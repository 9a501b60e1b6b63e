// Package render prints results for people: answers, claims with their verdicts, sources,
// figures in words, and the progress of a run. Markdown lays out the text of an answer for
// a terminal or as plain text.
//
//	fmt.Print(render.Markdown(answer, render.Options{Width: 80, Colour: true}))
//
// Markdown handles what answers contain: headings, paragraphs, lists, block quotes, rules,
// fenced code, bold, and the marks of sources. Text between “ and ” is a quotation and
// shown unchanged. Control characters are made visible, so that a document cannot control
// the terminal.
//
// It knows no verb and no setting. It leaves links, images, tables and HTML unchanged.
package render
