package document

import (
	"fmt"
	"strings"
)

// An InputError says what is wrong with a file that a person supplied, where, and what
// to do about it. Errors of Load wrap one where the file is at fault, not the machine.
type InputError struct {
	Path  string // the file
	Line  int    // 1-based; 0 when the whole file is meant
	Field string // the record's field, for CSV and JSONL; may be empty
	Msg   string // what is wrong
	Hint  string // what would be right, or what to do; may be empty

	// Option is the option that would help, by its name in the JSON of LoadOptions;
	// empty for none.
	Option string
}

// Error returns "path:line: field "f": msg; hint" without the empty parts.
func (e *InputError) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
	}
	b.WriteString(": ")
	if e.Field != "" {
		fmt.Fprintf(&b, "field %.100q: ", e.Field)
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString("; " + e.Hint)
	}
	return b.String()
}
