package mcp

import (
	"fmt"
	"strings"
	"unicode"

	"example.com/assay/llm"
)

// A CallError says why a server could not be reached or a call has no result, and what to do.
type CallError struct {
	Server string
	Tool   string // empty when the server was started, or its tools were listed
	What   string // this program's description
	Said   string // the server's text, at most 2,000 bytes; may be empty
	Err    error  // may be nil
}

func (e *CallError) Error() string {
	text := e.text()
	if e.Said != "" {
		text += fmt.Sprintf("; it said: %q", e.Said)
	}
	return text
}

func (e *CallError) Unwrap() error { return e.Err }

// text returns the error without the server's text.
func (e *CallError) text() string {
	if e.Tool == "" {
		return fmt.Sprintf("the server %q: %s", e.Server, e.What)
	}
	return fmt.Sprintf("calling the tool %q of the server %q: %s", e.Tool, e.Server, e.What)
}

const maxSaid = 2000

// Printable returns a server's text in a form for people: on one line, without control characters,
// at most 2,000 bytes.
func Printable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return llm.Cut(strings.TrimSpace(clean), maxSaid)
}
