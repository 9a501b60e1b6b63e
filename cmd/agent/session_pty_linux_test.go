package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
)

// startSession runs a session over a document and waits for its editor.
func startSession(t *testing.T, text, program string, env []string, args ...string) (p *terminal, home string) {
	t.Helper()
	home = t.TempDir()
	clitest.Ingest(t, home, text)
	p = startTerminal(t, append([]string{cli.EnvHome + "=" + home}, env...), program, append([]string{"--no-memory"}, args...)...)
	p.await(1, prompt)
	return p, home
}

// say types a line as soon as the editor waits, and waits for the n-th copy of the expected
// text.
func (p *terminal) say(line string, n int, seen string) {
	p.t.Helper()
	p.awaitEditing()
	p.key(line + "\r")
	p.await(n, seen)
}

// leave ends a session at its prompt, and checks that it wrote nothing forbidden.
func (p *terminal) leave(keys string) {
	p.t.Helper()
	p.key(keys)
	if code := p.exit(); code != cli.ExitDone {
		p.t.Errorf("exit code %d:\n%s", code, p.text())
	}
	if bad := forbidden.FindString(p.text()); bad != "" {
		p.t.Errorf("the session wrote %q:\n%q", bad, p.text())
	}
}

// forbidden are the alternate screen, the mouse, clearing the screen, and a window's title.
var forbidden = regexp.MustCompile(`\x1b\[\?(47|1047|1049|9|100[0-6]|1015)[hl]|\x1b\[[23]J|\x1b\]0;`)

// Alt-Enter makes several lines, and Ctrl-R finds them again. Tab completes names. A follow-up
// says how it was understood, in a thread whose name is completed afterwards.
func TestTerminalKeys(t *testing.T) {
	p, home := startSession(t, clitest.Permits, "agent", nil)
	p.say("Tell me about papers.\x1b\rWhat are the elements of a valid lantern permit?", 1, "payment of the lantern fee in full;")
	p.awaitEditing()
	p.key("\x12papers")
	p.await(1, "`papers': Tell me about papers.↵What")
	p.key("\r")
	p.await(2, "payment of the lantern fee in full;")
	p.say("/thr\tharbour", 1, "a new conversation is saved under harbour")
	p.say("When does a lantern permit expire?", 1, "after two winters")
	p.say("and how may the holder renew it?", 1, "searched for: how may the holder renew")
	p.await(6, prompt)
	p.say("/corpus d\t", 1, "answering from default")
	p.say("/thread h\t", 1, "going on after: and how may the holder renew it?")
	p.awaitEditing()
	p.leave("\x04")
	history, err := os.ReadFile(filepath.Join(home, "history"))
	if err != nil || !strings.HasPrefix(string(history), "Tell me about papers.↵What are") {
		t.Errorf("history %q, %v", history, err)
	}
}

// Ctrl-C twice ends the session: at an empty prompt at any pace, and during a question within
// two seconds.
func TestTerminalTwice(t *testing.T) {
	p, home := startSession(t, clitest.Permits, "agent", nil)
	p.awaitEditing()
	p.key("half\x03")
	p.await(1, "Ctrl-C once more")
	p.await(2, prompt)
	p.awaitEditing()
	time.Sleep(2100 * time.Millisecond) // the first Ctrl-C no longer counts
	p.key("half again\x03")
	p.await(2, "Ctrl-C once more")
	p.awaitEditing()
	time.Sleep(2100 * time.Millisecond)
	p.leave("\x03")

	blocked := filepath.Join(home, "blocked")
	p = startTerminal(t, []string{cli.EnvHome + "=" + home, "BLOCKED=" + blocked}, "agent-hang", "--no-memory")
	p.await(1, prompt)
	p.awaitEditing()
	p.key("What are the elements of a valid lantern permit, and how do they differ from the elements of a guild badge?\r")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(blocked); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the model was not asked:\n%s", p.text())
		}
	}
	p.await(1, "1s  step 1") // the time of the question so far
	p.key("\x03")
	p.await(1, "agent: interrupted")
	p.await(2, prompt)
	p.awaitEditing()
	p.leave("\x03")
}

// Escape sequences of a document reach the terminal as visible characters.
func TestTerminalHostileText(t *testing.T) {
	p, _ := startSession(t, "# Codes\n\nThe alarm code of the store room is \x1b[?1049h\x1b]0;owned\x07\x1b[2J\u202e4711 and changes each month.\n", "agent", nil)
	p.say("What is the alarm code of the store room?", 1, "�[?1049h�]0;owned��[2J�4711")
	p.await(2, prompt)
	p.say("/sources", 2, "�[?1049h�]0;owned��[2J�4711")
	p.awaitEditing()
	p.leave("\x04")
}

// NO_COLOR does not affect editing. With --plain and on a dumb terminal no control sequence is
// written, and a backslash continues a line.
func TestTerminalPlain(t *testing.T) {
	colour := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	p, _ := startSession(t, clitest.Permits, "agent", []string{"NO_COLOR=1"})
	p.say(clitest.PermitQuestion, 2, prompt)
	p.awaitEditing()
	p.leave("\x04")
	if got := colour.FindString(p.text()); got != "" {
		t.Errorf("NO_COLOR, and the session wrote %q", got)
	}
	for name, c := range map[string]struct {
		env  []string
		args []string
	}{
		"--plain":   {nil, []string{"--plain"}},
		"TERM=dumb": {[]string{"TERM=dumb"}, nil},
	} {
		p, _ := startSession(t, clitest.Permits, "agent", c.env, c.args...)
		p.key("What are the elements\\\r")
		p.await(1, "...... ")
		p.key("of a valid lantern permit?\r")
		p.await(1, "payment of the lantern fee in full;")
		p.await(2, prompt)
		p.key("/corpus nowhere\\\r")
		p.await(2, "...... ")
		p.key("\x03")
		p.await(1, "Ctrl-C once more")
		p.key("When does a lantern permit expire?\r") // the begun line is dropped
		p.await(2, "exact · corpus default")
		p.await(4, prompt)
		p.key("\x03")
		p.await(2, "Ctrl-C once more")
		p.leave("\x03")
		if strings.Contains(p.text(), "\x1b") {
			t.Errorf("%s: the session wrote a control sequence:\n%q", name, p.text())
		}
	}
}

// A window of 20 columns, and one that changes its width, show whole answers. A paste of 100 KB
// is refused with advice, and the session goes on.
func TestTerminalSizes(t *testing.T) {
	p, home := startSession(t, clitest.Permits, "agent", nil)
	p.awaitEditing()
	if err := unix.IoctlSetWinsize(int(p.ctrl.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 20}); err != nil {
		t.Fatal(err)
	}
	p.key(clitest.PermitQuestion + "\r")
	p.await(1, "all exact")
	if !regexp.MustCompile(`payment of\S* the\S*\r\n`).MatchString(p.text()) {
		t.Errorf("the answer does not wrap at 20 columns:\n%s", p.text())
	}
	p.awaitEditing()
	p.key("\x1b[200~")
	for range 100 {
		p.key(strings.Repeat("lantern ", 127) + "lamp fee\r")
	}
	p.key("\x1b[201~\r")
	p.await(1, "the question is longer than 65536 bytes")
	p.awaitEditing()
	p.leave("\x04")

	// The next session reads that history.
	p = startTerminal(t, []string{cli.EnvHome + "=" + home}, "agent")
	p.await(1, prompt)
	p.awaitEditing()
	p.leave("\x04")
	if strings.Contains(p.text(), "history") {
		t.Errorf("the history of a long line cannot be read:\n%s", p.text())
	}
}

// A session works without a readable history, and says so once.
func TestTerminalHistoryUnreadable(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	if err := os.Mkdir(filepath.Join(home, "history"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := startTerminal(t, []string{cli.EnvHome + "=" + home}, "agent", "--no-memory")
	p.await(1, prompt)
	p.say(clitest.PermitQuestion, 1, "payment of the lantern fee in full;")
	p.await(2, prompt)
	p.awaitEditing()
	p.leave("\x04")
	if n := strings.Count(p.text(), "history"); n != 2 { // one line, with the path
		t.Errorf("the history is named %d times:\n%s", n, p.text())
	}
}
