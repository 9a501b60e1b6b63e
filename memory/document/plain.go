package document

import (
	"context"
	"strings"
	"unicode"
)

// parsePlain reads plain text: paragraphs between blank lines.
func parsePlain(ctx context.Context, d *Document, raw []byte, _ LoadOptions) error {
	if err := checkText(d.Path, raw); err != nil {
		return err
	}
	d.Text, d.Plain = string(raw), true
	d.Blocks = paragraphs(&watch{ended: ctx.Err}, d.Text, bodyStart(d.Text), len(d.Text), Block{})
	return nil
}

// FromText makes a document from a plain text without a file. The text must be valid UTF-8.
func FromText(source, text string) Document {
	d := Document{Source: source, Format: "txt", Text: text, Plain: true, Title: source, Blocks: paragraphs(&watch{ended: context.Background().Err}, text, bodyStart(text), len(text), Block{})}
	structure(context.Background(), &d)
	return d
}

// bodyStart returns the offset of the text after a byte order mark.
func bodyStart(s string) int {
	if strings.HasPrefix(s, bom) {
		return len(bom)
	}
	return 0
}

// paragraphs cuts s[start:end] at blank lines. Each block is a copy of like
// with its own span.
func paragraphs(w *watch, s string, start, end int, like Block) []Block {
	var out []Block
	open := -1
	flush := func(to int) {
		if open >= 0 {
			out = appendBlock(out, s, open, to, like)
		}
		open = -1
	}
	for i := start; i < end; {
		w.step()
		next := lineEnd(s[:end], i)
		if strings.TrimSpace(s[i:next]) == "" {
			flush(i)
		} else if open < 0 {
			open = i
		}
		i = next
	}
	flush(end)
	return out
}

// appendBlock appends s[start:end] without surrounding white space, unless it is empty.
func appendBlock(blocks []Block, s string, start, end int, like Block) []Block {
	for start < end && isSpace(s[start]) {
		start++
	}
	for start < end && isSpace(s[end-1]) {
		end--
	}
	// Unicode's other spaces are rare enough to be looked for only where a
	// block would consist of nothing else.
	if start == end || strings.TrimFunc(s[start:end], unicode.IsSpace) == "" {
		return blocks
	}
	like.Start, like.End = start, end
	return append(blocks, like)
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v'
}
