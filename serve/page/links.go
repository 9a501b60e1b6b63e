package page

import (
	"crypto/rand"
	"maps"
	"net/url"
	"sync"
	"time"
)

// LinkTime is how long a link of Links signs in.
const LinkTime = 5 * time.Minute

// Links are links that sign a browser in once, so that no token stands in an address. They are known
// to this process only. The zero value has none.
type Links struct {
	mu   sync.Mutex
	held map[string]link
}

type link struct {
	token string
	until time.Time
}

// New returns the path of a link that signs in with a token.
func (l *Links) New(token string, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.held, func(_ string, other link) bool { return !now.Before(other.until) })
	if l.held == nil {
		l.held = map[string]link{}
	}
	code := rand.Text()
	l.held[code] = link{token, now.Add(LinkTime)}
	return root + "enter?code=" + url.QueryEscape(code)
}

// take returns the token of a link, which then signs in no more; "" for a used, old or unknown one.
func (l *Links) take(code string, now time.Time) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.held[code]
	delete(l.held, code)
	if !now.Before(found.until) {
		return ""
	}
	return found.token
}
