package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/net/html"

	"example.com/assay/memory/text"
)

// formatting are the elements that a parser opens again in every paragraph until
// they are closed.
var formatting = text.Set(`b big code em font i s small strike strong tt u`)

// void are the elements that have no content and are not closed.
var void = text.Set(`area base br col embed hr img input link meta param source track wbr`)

// mostOpen is the greatest number of formatting elements open at a time. Pages that never close
// them make a tree of hundreds of nodes for every paragraph.
const mostOpen = 8

// htmlTags leaves out tags that change no text and make parsing slow: formatting
// elements beyond mostOpen, and <html> and <body> when they come again. Empty elements
// of XHTML are closed.
func htmlTags(ctx context.Context, raw []byte) ([]byte, error) {
	out := make([]byte, 0, len(raw))
	z := html.NewTokenizer(stoppable(ctx, bytes.NewReader(raw)))
	xml := bytes.HasPrefix(bytes.TrimLeft(raw[:min(len(raw), 64)], " \t\r\n"), []byte("<?xml"))
	open := 0
	opened := map[string]int{}
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		from := len(out)
		out = append(out, z.Raw()...)
		name := ""
		if kind == html.StartTagToken || kind == html.EndTagToken || kind == html.SelfClosingTagToken {
			b, _ := z.TagName()
			name = string(b)
		}
		if xml && kind == html.SelfClosingTagToken && !void[name] { // HTML knows no empty element of such a name
			z.NextIsNotRawText()
			out = append(append(append(out, "</"...), name...), '>')
			continue
		}
		start := kind != html.EndTagToken
		switch {
		case name == "html" || name == "body":
			if start && opened[name] > 0 {
				out = out[:from]
			}
			opened[name]++
		case !formatting[name]:
		case !start && opened[name] > 0:
			opened[name]--
			open--
		case start && open == mostOpen:
			out = out[:from]
		case start:
			opened[name]++
			open++
		}
	}
	if err := z.Err(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading its tags: %w", err)
	}
	return append(out, z.Raw()...), nil
}
