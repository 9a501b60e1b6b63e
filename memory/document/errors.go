package document

import (
	"fmt"
	"strings"
)

// An InputError describes a fault in a file supplied by the user, its place, and how to fix it.
// Errors of Load wrap one if the file is at fault, not the machine.
type InputError struct {
	Path  string // the file
	Line  int    // 1-based; 0 when the whole file is meant
	Field string // the record's field, for CSV and JSONL; may be empty
	Msg   string // the fault
	Hint  string // how to fix it; may be empty

	// Option is the JSON name of the option of LoadOptions that would help, or empty.
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
