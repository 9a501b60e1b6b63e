package main

import (
	"encoding/xml"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestScreenIsWhatATerminalShows(t *testing.T) {
	lines := screen("\r\x1b[K… plan\r\x1b[K\x1b[1mRule\x1b[0m\r\n\x1b]8;;file:///a\x1b\\\x1b[32mquote\x1b[0m\x1b]8;;\x1b\\ end\r\n" + strings.Repeat("x", columns+1))
	got := ""
	for _, l := range lines {
		got += spans(l) + "\n"
	}
	want := `<tspan class="b">Rule</tspan>` + "\n" + `<tspan class="g">quote</tspan> end` + "\n" + strings.Repeat("x", columns) + "\nx\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if long := screen(strings.Repeat("line\r\n", 100)); len(long) != rows {
		t.Errorf("a terminal of %d rows shows %d", rows, len(long))
	}
}

// TestRecordingIsOfToday holds the recording to the answer that the README shows, which
// eval/repository holds to a run.
func TestRecordingIsOfToday(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	words := func(text string) string {
		return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))), " ")
	}
	recording := read(target)
	shown := words(recording)
	_, rest, _ := strings.Cut(read("README.md"), "```text\n")
	answer, _, _ := strings.Cut(rest, "```")
	quotes := regexp.MustCompile(`“[^”]+”`).FindAllString(answer, -1)
	for _, quote := range quotes {
		if !strings.Contains(shown, words(quote)) {
			t.Errorf("%s does not show %s; write it anew with: go run ./docs/terminal", target, quote)
		}
	}
	if len(quotes) == 0 || !strings.Contains(shown, words("Your documents do not answer this")) {
		t.Error("the README or the recording has no answer")
	}
	if err := xml.Unmarshal([]byte(recording), new(struct{})); err != nil || len(recording) > 60_000 {
		t.Errorf("%s: %d bytes, %v", target, len(recording), err)
	}
}
