package runs

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxURL bounds the bytes of a URL that callers give.
const maxURL = 4096

// CheckURL refuses a URL that no notice is sent to, with an *InvalidError: one without http or https,
// with a name and password, or whose address is inside the network. The address of a name is only
// known, and checked, when a notice is sent.
func (m *Manager) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		err = fmt.Errorf("it has more than %d bytes", maxURL)
	case err != nil:
		err = errors.New("it cannot be parsed")
	case u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		err = errors.New("it must begin with https:// or http:// and name a host")
	case u.User != nil:
		err = errors.New("it must have no user name and password")
	case m.named(u.Hostname()):
	default:
		if ip, failed := netip.ParseAddr(u.Hostname()); failed == nil {
			err = outside(ip)
		}
	}
	if err != nil {
		return &InvalidError{fmt.Errorf("the address %.200q is refused: %w", text, err)}
	}
	return nil
}

// named reports whether WebhookHosts has a host.
func (m *Manager) named(host string) bool {
	return slices.ContainsFunc(m.WebhookHosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// newOutside returns the client for notices. It reaches addresses outside the network, and the hosts
// of WebhookHosts. The address is checked when the connection is made, behind every name. It uses no
// proxy and follows no redirect.
func (m *Manager) newOutside() *http.Client {
	plain := &net.Dialer{Timeout: sendFor}
	checked := &net.Dialer{Timeout: sendFor, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return outside(at.Addr())
	}}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				host, _, err := net.SplitHostPort(address)
				if err == nil && m.named(host) {
					return plain.DialContext(ctx, network, address)
				}
				return checked.DialContext(ctx, network, address)
			},
			ForceAttemptHTTP2: true, TLSHandshakeTimeout: sendFor, MaxIdleConns: sendAtOnce, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// An insideError reports an address inside the network.
type insideError struct{ ip netip.Addr }

func (e *insideError) Error() string {
	return fmt.Sprintf("%v is inside the network, and its host is not named in WebhookHosts", e.ip)
}

// inside are the networks that are not on the internet, in addition to those that netip knows. Some
// contain addresses of version 4.
var inside = func() (out []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	} {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}()

var internet6 = netip.MustParsePrefix("2000::/3") // all that is given out

// outside refuses an address inside the network.
func outside(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !internet6.Contains(ip) || slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return &insideError{ip}
	}
	return nil
}
