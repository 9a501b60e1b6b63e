// Package render lays out the markdown of answers for a terminal or as plain
// text.
//
//	fmt.Print(render.Markdown(answer, render.Options{Width: 80, Colour: true}))
//
// It knows what answers are made of: headings, paragraphs, lists, block
// quotes, rules, fenced code, bold, and the marks of sources. What stands
// between “ and ” is shown as it is, since it is somebody else's text.
// Control characters are made visible: a document cannot steer the terminal.
//
// It does not know links, images, tables or HTML, which stay as they are
// written, and it does not print.
package render
