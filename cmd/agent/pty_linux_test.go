package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/cmd/agent/internal/clitest"
)

// prompt is the prompt of a session.
const prompt = "agent> "

// A terminal is the program running behind a pseudo-terminal.
type terminal struct {
	t    *testing.T
	ctrl *os.File
	cmd  *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer
}

// startTerminal runs one of the test binary's programs with a terminal of 80
// columns as its standard streams.
func startTerminal(t *testing.T, env []string, name string, args ...string) *terminal {
	t.Helper()
	ctrl, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { ctrl.Close() }) // the program has ended: nothing is lost
	fd := int(ctrl.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 80}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.Env = append(append(os.Environ(), "TERM=xterm", "NO_COLOR="), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	p := &terminal{t: t, ctrl: ctrl, cmd: cmd}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := ctrl.Read(buf)
			p.mu.Lock()
			p.out.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *terminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// await waits until the n-th copy of a text was printed.
func (p *terminal) await(n int, text string) {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); strings.Count(p.text(), text) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("%q was not printed %d times:\n%s", text, n, p.text())
		}
	}
}

// awaitEditing waits until the editor reads keys. It prints its prompt a moment before, and
// until then Ctrl-C is a signal.
func (p *terminal) awaitEditing() {
	p.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		mode, err := unix.IoctlGetTermios(int(p.ctrl.Fd()), unix.TCGETS)
		if err != nil {
			p.t.Fatal(err)
		}
		if mode.Lflag&unix.ISIG == 0 {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the editor does not take the terminal over:\n%s", p.text())
		}
	}
}

func (p *terminal) key(keys string) {
	p.t.Helper()
	if _, err := p.ctrl.WriteString(keys); err != nil {
		p.t.Fatal(err)
	}
}

// exit waits for the program's end.
func (p *terminal) exit() int {
	p.t.Helper()
	done := make(chan error, 1)
	go func() { done <- p.cmd.Wait() }()
	select {
	case <-done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(20 * time.Second):
		if err := p.cmd.Process.Kill(); err != nil {
			p.t.Error(err)
		}
		p.t.Fatalf("the program does not end:\n%s", p.text())
		return 0
	}
}

// In a session Ctrl-C drops a line, then stops a running question, and the session goes on.
// Ctrl-D ends it, and the history stays.
func TestTerminalSession(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	blocked := filepath.Join(home, "blocked")
	p := startTerminal(t, []string{cli.EnvHome + "=" + home, "BLOCKED=" + blocked}, "agent-hang", "--no-memory")
	p.await(1, "corpus default, model offline; /help lists commands, Ctrl-D quits")
	p.await(1, prompt)
	p.awaitEditing()
	p.key("half a line\x03")
	p.await(2, prompt)

	p.key("What are the elements of a valid lantern permit, and how do they differ from the elements of a guild badge?\r")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(blocked); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the model was not asked to plan anew:\n%s", p.text())
		}
	}
	p.key("\x03")
	p.await(1, "agent: interrupted")

	p.awaitEditing()
	p.key("/mod\t\r") // completed
	p.await(1, "using offline; known: offline")
	p.key("What are the elements of a valid lantern permit?\r")
	p.await(1, "payment of the lantern fee in full;")
	p.await(1, "\x1b[1;4m")
	p.awaitEditing()
	p.key("\x04")
	if code := p.exit(); code != cli.ExitDone {
		t.Errorf("exit code %d:\n%s", code, p.text())
	}
	history, err := os.ReadFile(filepath.Join(home, "history"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(history); strings.Contains(got, "half a line") || !strings.Contains(got, "/model\nWhat are the elements of a valid lantern permit?\n") {
		t.Errorf("history: %q", got)
	}
}

// A paste of several lines is one question, which the person sends. The history returns it
// unchanged.
func TestTerminalPaste(t *testing.T) {
	home := t.TempDir()
	clitest.Ingest(t, home, clitest.Permits)
	p := startTerminal(t, []string{cli.EnvHome + "=" + home}, "agent", "--no-memory")
	p.await(1, prompt)
	p.awaitEditing()
	p.key("\x1b[200~The guild asks me for papers.\rI only have a lantern.\r\rWhat are the elements of a valid lantern permit?\r\x1b[201~")
	p.await(1, "lantern permit?")
	if strings.Contains(p.text(), "Sources") {
		t.Error("the paste was sent off by itself")
	}
	p.key("\r")
	p.await(1, "payment of the lantern fee in full;")
	p.awaitEditing()
	p.key("\x04")
	p.exit()
	history, err := os.ReadFile(filepath.Join(home, "history"))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(history); got != "The guild asks me for papers.↵I only have a lantern.↵What are the elements of a valid lantern permit?\n" {
		t.Errorf("history: %q", got)
	}
	if n := strings.Count(p.text(), "corpus default · offline"); n != 1 {
		t.Errorf("%d answers:\n%s", n, p.text())
	}
}

// A progress bar and the live line do not reach standard output's pipe.
func TestTerminalIngest(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(t.TempDir(), "permits.md")
	if err := os.WriteFile(file, []byte(clitest.Permits), 0o644); err != nil {
		t.Fatal(err)
	}
	p := startTerminal(t, []string{cli.EnvHome + "=" + home}, "agent", "ingest", file)
	p.await(1, `Next: agent ask "your question"`)
	if code := p.exit(); code != cli.ExitDone {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(p.text(), "reading files") {
		t.Errorf("no progress bar:\n%q", p.text())
	}
}
