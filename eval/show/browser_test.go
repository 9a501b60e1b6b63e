package show

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// A browser is a Chromium without a window, driven over a pipe by the DevTools
// protocol: messages are JSON that ends with a zero byte.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *os.File
	read    *bufio.Reader
	session string
	calls   int
	events  []browserEvent
}

type browserEvent struct {
	Method string
	Params json.RawMessage
}

// openBrowser starts the Chromium that is found on the path, and skips the test
// where there is none.
func openBrowser(t *testing.T) *browser {
	t.Helper()
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
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	profile, err := os.MkdirTemp("", "assay-browser-*")
	if err != nil {
		t.Fatal(err)
	}
	// A test may run as root in a container, where there is no sandbox to be had;
	// the page is a file of ours.
	cmd := exec.Command(program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--user-data-dir="+profile, "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{t: t, to: to, from: from, read: bufio.NewReader(from)}
	t.Cleanup(func() {
		// It ends when its pipe does; what it has not finished then is not waited for.
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
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call sends a command and reads its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.calls++
	id := b.calls
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	data, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.to.Write(append(data, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		answer := b.next(method)
		if answer.ID != id {
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
		return
	}
}

type browserMessage struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// next reads a message and keeps it if it is an event.
func (b *browser) next(waitingFor string) browserMessage {
	b.t.Helper()
	if err := b.from.SetReadDeadline(time.Now().Add(60 * time.Second)); err != nil {
		b.t.Fatal(err)
	}
	data, err := b.read.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("waiting for %s: %v; does chromium --headless=new --no-sandbox --dump-dom about:blank work here?", waitingFor, err)
	}
	var m browserMessage
	if err := json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m); err != nil {
		b.t.Fatal(err)
	}
	if m.ID == 0 {
		b.events = append(b.events, browserEvent{m.Method, m.Params})
	}
	return m
}

// open loads a file as a page of a width, in a colour scheme, and forgets the
// events before.
func (b *browser) open(file string, width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": "file://" + filepath.ToSlash(file)}, nil)
	for _, ev := range b.events {
		if ev.Method == "Page.loadEventFired" {
			return
		}
	}
	for b.next("the page").Method != "Page.loadEventFired" {
	}
}

// eval evaluates an expression, also on a page whose scripts are disabled.
func (b *browser) eval(expression string, result any) {
	b.t.Helper()
	var out struct {
		Result struct {
			Value       json.RawMessage
			Description string
		}
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out)
	if out.ExceptionDetails != nil {
		b.t.Fatal(out.ExceptionDetails.Exception.Description)
	}
	if err := json.Unmarshal(out.Result.Value, result); err != nil {
		b.t.Fatalf("%v: %s", err, out.Result.Value)
	}
}

// press presses a key and lets it go.
func (b *browser) press(key string) {
	b.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13}
	for _, kind := range []string{"rawKeyDown", "char", "keyUp"} {
		params := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
		if kind == "char" {
			if key != "Enter" {
				continue
			}
			params["text"] = "\r"
		}
		b.call("Input.dispatchKeyEvent", params, nil)
	}
}

// complaints are what the page, or the browser about the page, has written to the
// console, and requests for anything but the page itself.
func (b *browser) complaints() error {
	var errs []error
	requests := 0
	for _, ev := range b.events {
		switch ev.Method {
		case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded", "Page.javascriptDialogOpening", "Network.loadingFailed":
			errs = append(errs, fmt.Errorf("%s: %s", ev.Method, ev.Params))
		case "Network.requestWillBeSent":
			if requests++; requests > 1 {
				errs = append(errs, fmt.Errorf("a request: %s", ev.Params))
			}
		}
	}
	return errors.Join(errs...)
}

// screenshot writes the page from its top down to a height.
func (b *browser) screenshot(file string, width, height int) {
	b.t.Helper()
	var shot struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1}}, &shot)
	if err := os.WriteFile(file, shot.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
