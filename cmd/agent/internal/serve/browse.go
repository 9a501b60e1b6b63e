package serve

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"example.com/assay/serve"
	"example.com/assay/serve/page"
)

// link returns the address of the page. If the server has a token of its own, the address signs one
// browser in with it, once.
func (s *server) link(addr string, o *serve.Server) string {
	scheme := "http"
	if s.pairs != nil {
		scheme = "https"
	}
	if host, port, err := net.SplitHostPort(addr); err == nil && net.ParseIP(host).IsUnspecified() { // it is no address to call
		addr = net.JoinHostPort(append(slices.Clone(s.hosts), "localhost")[0], port)
	}
	if !s.byToken() {
		return scheme + "://" + addr + "/ui/"
	}
	return scheme + "://" + addr + o.SignInLink(s.tenants[0].Token)
}

// greetPage prints the address of the page: on a terminal the one that signs in, which a log must not
// have.
func (s *server) greetPage(link string) {
	plain, _, signs := strings.Cut(link, "enter?")
	switch {
	case signs && s.Stdout.TTY:
		fmt.Fprintf(s.Stdout, "page %s\n  the link signs in one browser, within %d minutes\n", link, int(page.LinkTime.Minutes()))
	default:
		fmt.Fprintf(s.Stdout, "page %s\n", plain)
	}
}

// browse opens a link in the browser, with --open. The channel, nil without, says how that ended.
// The browser may go on after the server.
func (s *server) browse(link string) <-chan error {
	if !s.browser {
		return nil
	}
	opened := make(chan error, 1)
	words := s.Opener()
	if words == nil {
		opened <- fmt.Errorf("there is no display")
		return opened
	}
	cmd := exec.Command(words[0], append(words[1:], link)...)
	apart(cmd)
	if err := cmd.Start(); err != nil {
		opened <- err
		return opened
	}
	go func() { opened <- cmd.Wait() }()
	return opened
}

// unopened says what to do if the browser has not opened.
func (s *server) unopened(err error) {
	if err == nil {
		return
	}
	hint := "open the page yourself: its address is above"
	if s.byToken() && !s.Stdout.TTY {
		hint += ", and its token is in " + s.tokens
	}
	s.Warn("the browser did not open: %v; %s", err, hint)
}

// tokenFile is the file that the sign-in page names: none to callers who are not of this machine.
func (s *server) tokenFile() string {
	if !s.byToken() || !s.own || s.shared() {
		return ""
	}
	if path, err := filepath.Abs(s.tokens); err == nil {
		return path
	}
	return s.tokens
}

// howToEnter says on the sign-in page what to do.
func (s *server) howToEnter() string {
	switch {
	case s.byToken() && !s.shared():
		text := "Copy it from there. Or start the server again: on a terminal it prints a link that signs in."
		if !s.own {
			text = "The token is in the file that the server named when it started. Ask whoever runs the server, who can read it."
		}
		return text
	case s.issuer.Issuer != "":
		return "Enter a token of " + s.issuer.Issuer + " for " + s.issuer.Audience + "."
	}
	return "Enter your own token. Whoever runs the server has given it to you, and can look it up in the file of tenants."
}
