// Package look is what every page has in common: its frame, its style sheet, and the words
// for figures. A page is a template that defines "body", and with it "lead" and "foot" if it
// has them:
//
//	var page = look.Parse(nil, `{{define "body"}}<p>{{count .N "run"}}</p>{{end}}`)
//	err := look.Write(w, page, struct { Frame look.Frame; N int }{look.Frame{Title: "Runs"}, 3})
//
// A page is either a file, which holds its style and lets nothing be loaded, or one of a
// server, which links style and scripts; see Frame.
//
// The package knows no run, no server and no pipeline. It makes no text safe that a template
// is told to trust.
package look
