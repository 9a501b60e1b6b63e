//go:build unix

package serve_test

import (
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/assay/cmd/agent/internal/cli"
	"example.com/assay/internal/browsertest"
)

var pageLine = regexp.MustCompile(`(?m)^page (\S+)$`)

// fakeOpener puts a program in the place of the desktop's opener. It writes its argument to the file
// and ends with the code.
func fakeOpener(t *testing.T, code string) (file string) {
	t.Helper()
	if runtime.GOOS == "darwin" {
		t.Skip("the opener of this system is another")
	}
	dir := t.TempDir()
	file = filepath.Join(dir, "opened")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$1\" > "+file+".new && mv "+file+".new "+file+"\nexit "+code+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return file
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for until := time.Now().Add(30 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("waiting for %s", what)
		}
	}
}

// With --open the browser gets a link that signs in once. Neither the link nor the log has the token,
// and the log has no link.
func TestOpensTheBrowser(t *testing.T) {
	file, home := fakeOpener(t, "0"), t.TempDir()
	s := startWith(t, []string{cli.EnvHome + "=" + home, "DISPLAY=:9"}, "--open")
	waitFor(t, "the opener", func() bool { _, err := os.Stat(file); return err == nil })
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	link := string(data)
	if !strings.HasPrefix(link, s.url+"/ui/enter?code=") || strings.Contains(link, token(t, home)) {
		t.Fatalf("opened %q", link)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		client *http.Client
		at     string
	}{{&http.Client{Jar: jar}, "/ui/"}, {http.DefaultClient, "/ui/enter"}} {
		answer, err := c.client.Get(link)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.Request.URL.Path != c.at {
			t.Errorf("the link leads to %s, want %s", answer.Request.URL, c.at)
		}
	}
	if said := s.stdout.String() + s.stderr.String(); strings.Contains(said, "code=") || strings.Contains(said, token(t, home)) || strings.Contains(said, "did not open") {
		t.Errorf("it says\n%s", said)
	}
}

// A browser that does not open is a hint: the server serves.
func TestBrowserThatDoesNotOpen(t *testing.T) {
	fakeOpener(t, "3")
	for name, display := range map[string]string{"a failure": "DISPLAY=:9", "no display": "DISPLAY="} {
		home := t.TempDir()
		s := startWith(t, []string{cli.EnvHome + "=" + home, display}, "--open")
		waitFor(t, "the hint after "+name, func() bool { return strings.Contains(s.stderr.String(), "the browser did not open: ") })
		if status, _, _ := s.enters(token(t, home)).load("GET", "/ui/keys", nil); status != http.StatusOK {
			t.Errorf("%s: %d", name, status)
		}
	}
}

// On a terminal the link that signs in is printed; an open server needs none.
func TestLinkOnTerminal(t *testing.T) {
	terminal := func(a *cli.App) { a.Stdout.TTY = true }
	home := t.TempDir()
	s := startAs(t, terminal, []string{cli.EnvHome + "=" + home})
	waitFor(t, "the link", func() bool { return pageLine.MatchString(s.stdout.String()) })
	if link := pageLine.FindStringSubmatch(s.stdout.String())[1]; !strings.HasPrefix(link, s.url+"/ui/enter?code=") {
		t.Errorf("a terminal has %q", link)
	}
	s = startAs(t, terminal, []string{cli.EnvHome + "=" + t.TempDir()}, "--no-auth")
	waitFor(t, "the page", func() bool { return pageLine.MatchString(s.stdout.String()) })
	if link := pageLine.FindStringSubmatch(s.stdout.String())[1]; link != s.url+"/ui/" {
		t.Errorf("an open server has %q", link)
	}
}

// The sign-in page names the file of the token to this machine only.
func TestSignInSaysWhere(t *testing.T) {
	home := t.TempDir()
	for _, args := range [][]string{nil, {"--host", "assay.example.com"}} {
		s := start(t, home, args...)
		b := &browser{s, http.DefaultClient}
		_, body, _ := b.load("GET", "/ui/", nil)
		if named := strings.Contains(body, filepath.Join(home, "serve.token")); named != (args == nil) || !strings.Contains(body, "<label for=\"token\">") {
			t.Errorf("%v:\n%s", args, body)
		}
	}
}

// A person opens the address, and the printed link: no address has a code afterwards, and the link
// is used up.
func TestEntranceInBrowser(t *testing.T) {
	p := browsertest.Open(t)
	s := startAs(t, func(a *cli.App) { a.Stdout.TTY = true }, []string{cli.EnvHome + "=" + t.TempDir()})
	p.Goto(s.url + "/")
	p.Wait(`location.pathname === '/ui/enter'`)
	p.Sees("serve.token")
	p.Inspect(t, "sign-in", s.url+"/ui/enter", nil)
	waitFor(t, "the link", func() bool { return pageLine.MatchString(s.stdout.String()) })
	link := pageLine.FindStringSubmatch(s.stdout.String())[1]
	p.Goto(link)
	p.Wait(`location.pathname + location.search === '/ui/'`)
	p.Wait(`!performance.getEntriesByType('navigation').some(e => e.name.includes('code='))`)
	p.Goto(s.url + "/")
	p.Wait(`location.pathname === '/ui/'`)
	sound(t, p)
}
