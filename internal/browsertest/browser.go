// Package browsertest tests pages in Chromium: it opens, uses, checks and photographs them. It also
// has hostile texts, which a page must show as text.
//
//	page := browsertest.Open(t)
//	page.Inspect(t, "answer", server.URL+"/ui/", nil)
//
// It starts no server, and does not know what a page should say.
package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A browser is a Chromium without a window. It is driven over a pipe by the DevTools protocol, whose
// messages are JSON that ends with a zero byte.
type browser struct {
	to    *os.File
	from  *os.File
	read  *bufio.Reader
	calls int
	pages map[string]*Page // by session
}

// An event is a message about a page that no command asked for.
type event struct {
	Method string
	Params json.RawMessage
}

type message struct {
	ID        int
	SessionID string
	Method    string
	Params    json.RawMessage
	Result    json.RawMessage
	Error     *struct{ Message string }
}

// Open starts the Chromium on the path and returns an empty page. It skips the test without Chromium,
// and if ASSAY_TEST_BROWSER is not set: all pages take minutes. The end of the test ends the browser.
func Open(t testing.TB) *Page {
	t.Helper()
	if os.Getenv("ASSAY_TEST_BROWSER") == "" {
		t.Skip("ASSAY_TEST_BROWSER is not set: it makes this test look at pages in Chromium")
	}
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("no chromium, chromium-browser or google-chrome is on the path: the page is not looked at in a browser")
	}
	profile, err := os.MkdirTemp("", "assay-browser-*")
	if err != nil {
		t.Fatal(err)
	}
	return start(t, program, profile).page(t)
}

func start(t testing.TB, program, profile string) *browser {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Without a sandbox, since a test may run as root in a container, and the pages are ours. Only
	// this machine's own name can be resolved.
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close() // the browser has its own
	_ = out.Close()
	t.Cleanup(func() {
		// The browser ends when its pipe is closed.
		_ = to.Close()
		ended := make(chan struct{})
		go func() { _ = cmd.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-ended
		}
		_ = from.Close()
		for range 10 { // its children may still be writing there
			if os.RemoveAll(profile) == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	return &browser{to: to, from: from, read: bufio.NewReader(from), pages: map[string]*Page{}}
}

// send writes a command and returns its number.
func (b *browser) send(t testing.TB, session, method string, params any) int {
	t.Helper()
	b.calls++
	command := map[string]any{"id": b.calls, "method": method}
	if params != nil {
		command["params"] = params
	}
	if session != "" {
		command["sessionId"] = session
	}
	data, err := json.Marshal(command)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	return b.calls
}

// ask sends a command and returns the browser's answer.
func (b *browser) ask(t testing.TB, session, method string, params any) message {
	t.Helper()
	id := b.send(t, session, method, params)
	for {
		if answer := b.next(t, method); answer.ID == id {
			return answer
		}
	}
}

// next reads a message and gives it to its page if it is an event.
func (b *browser) next(t testing.TB, waitingFor string) message {
	t.Helper()
	if err := b.from.SetReadDeadline(time.Now().Add(60 * time.Second)); err != nil {
		t.Fatal(err)
	}
	data, err := b.read.ReadBytes(0)
	if err != nil {
		t.Fatalf("waiting for %s: %v; does chromium --headless=new --no-sandbox --dump-dom about:blank work here?", waitingFor, err)
	}
	var m message
	if err := json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m); err != nil {
		t.Fatal(err)
	}
	p := b.pages[m.SessionID]
	if m.ID != 0 || p == nil {
		return m
	}
	p.events = append(p.events, event{m.Method, m.Params})
	if m.Method == "Page.javascriptDialogOpening" { // an open dialog blocks the page
		b.send(t, m.SessionID, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
	}
	return m
}
