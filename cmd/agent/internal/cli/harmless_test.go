package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
)

func TestHarmless(t *testing.T) {
	for _, c := range []struct{ in, pipe, terminal string }{
		{"plain\ttext\n", "plain\ttext\n", "plain\ttext\n"},
		{"a\r\nb\rc", "a\nb\ufffdc", "a\r\nb\rc"},
		{"\x1b[1mx\x1b[0m", "\ufffd[1mx\ufffd[0m", "\x1b[1mx\x1b[0m"},
		{"\x1b]0;x\a", "\ufffd]0;x\ufffd", "\ufffd]0;x\ufffd"},
		{"\x1b[2J", "\ufffd[2J", "\ufffd[2J"},
		{"\u009b2J\u00a0é\x7f", "\ufffd2J\u00a0é\ufffd", "\ufffd2J\u00a0é\ufffd"},
		{"\x1b]8;;https://a/\x1b\\", "\ufffd]8;;https://a/\ufffd\\", "\x1b]8;;https://a/\x1b\\"},
	} {
		if got := string(harmless([]byte(c.in), false)); got != c.pipe {
			t.Errorf("%q in a pipe is %q; want %q", c.in, got, c.pipe)
		}
		if got := string(harmless([]byte(c.in), true)); got != c.terminal {
			t.Errorf("%q on a terminal is %q; want %q", c.in, got, c.terminal)
		}
	}
}

// JSON keeps every character, <, > and & as they are, and an error loses its commands also on a terminal.
func TestPrintHarmless(t *testing.T) {
	var out, errs bytes.Buffer
	a := New(nil, &out, &errs, nil)
	a.Stderr.TTY = true
	const text = "a\u009b\u009d\x7f\x1b[1m\u00a0é<&>"
	a.PrintJSON(text)
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text || bytes.ContainsAny(out.Bytes(), "\u009b\u009d\x7f") || !bytes.Contains(out.Bytes(), []byte("<&>")) {
		t.Errorf("%q is %q: %v", text, out.String(), err)
	}
	a.Finish(errors.New("no corpus \x1b[1m"), nil)
	if got, want := errs.String(), "agent: no corpus \ufffd[1m\n"; got != want {
		t.Errorf("the error is %q; want %q", got, want)
	}
}
