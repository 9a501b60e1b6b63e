// Package look holds the common parts of all pages: the frame, the style sheet, and the words for
// figures. A page is a template that defines "body", and optionally "lead" and "foot":
//
//	var page = look.Parse(nil, `{{define "body"}}<p>{{count .N "run"}}</p>{{end}}`)
//	err := look.Write(w, page, struct { Frame look.Frame; N int }{look.Frame{Title: "Runs"}, 3})
//
// A page is either a self-contained file, with its style inside and nothing to load, or a page of a
// server, which links its style and scripts; see Frame.
//
// The package knows no run, server or pipeline. It does not escape values that a template marks as
// trusted.
package look
