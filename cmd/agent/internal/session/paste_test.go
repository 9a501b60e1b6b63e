package session

import (
	"strings"
	"testing"
)

// Pasted text becomes one line, in whatever chunks it arrives. Keys pass through.
func TestPaster(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a|b|\r", "ab\r"},
		{"\x1b[200~one\rtwo\r\n\r\nthree\r\x1b[201~", "one↵two↵three"},
		{"\x1b[200~one\x1b[2|01~!", "one!"},
		{"\x1b[|200~a\tb\x03\x1b[31mc\x1b[201~", "a b[31mc"},
		{"\x1b[200~one\x1b|[201~two\r", "onetwo\r"},
		{"\x1b[2~x", "\x1b[2~x"},
		{"one\rtwo\r", "one↵two\r"}, // a terminal that does not mark pastes
		{"one\r|two\r", "one\rtwo\r"},
		{"one\x1b\rtwo\r", "one↵two\r"}, // Alt-Enter
		{"one\x1b\n\x1b\ntwo\r", "one↵↵two\r"},
		{"\r\x1b[A", "\r\x1b[A"},
	} {
		var p paster
		got := ""
		for _, chunk := range strings.Split(c.in, "|") {
			got += string(p.next([]byte(chunk)))
		}
		if got != c.want {
			t.Errorf("%q became %q, not %q", c.in, got, c.want)
		}
	}
}
