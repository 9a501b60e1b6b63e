// Package render shows people what a run came to: answers, claims with their verdicts,
// sources, figures in words, how far a run is. Markdown lays out the text of an answer
// for a terminal or as plain text.
//
//	fmt.Print(render.Markdown(answer, render.Options{Width: 80, Colour: true}))
//
// Markdown knows what answers are made of: headings, paragraphs, lists, block quotes,
// rules, fenced code, bold, and the marks of sources. What stands between “ and ” is
// shown as it is, since it is somebody else's text. Control characters are made visible:
// a document cannot steer the terminal.
//
// It knows no verb and no setting. Links, images, tables and HTML stay as they are
// written.
package render
