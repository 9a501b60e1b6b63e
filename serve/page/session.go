package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

// sessionTime is how long a browser stays signed in.
const sessionTime = 30 * 24 * time.Hour

// sessions recognise browsers by a signed cookie. The server stores nothing: a session ends after
// sessionTime, or when the tenant's token changes.
type sessions struct {
	keys map[string][]byte // of the tenants, by name
	open []byte            // the key for forms on an open server; else nil
	now  func() time.Time
}

func newSessions(tenants []Tenant, now func() time.Time) sessions {
	s := sessions{keys: map[string][]byte{}, now: now}
	for _, t := range tenants {
		s.keys[t.Name] = signed([]byte(t.Token), "assay session of a browser")
	}
	if len(tenants) == 0 {
		s.open = []byte(rand.Text())
	}
	return s
}

func signed(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func signature(key []byte, text string) string {
	return base64.RawURLEncoding.EncodeToString(signed(key, text))
}

// cookieName distinguishes servers on one machine: browsers send a host's cookies to all its ports.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		return "assay"
	}
	return "assay-" + port
}

// begin returns the cookie of a new session.
func (s sessions) begin(r *http.Request, tenant string) *http.Cookie {
	until := s.now().Add(sessionTime)
	value := tenant + "." + strconv.FormatInt(until.Unix(), 10) + "." + rand.Text()
	c := cookie(r, value+"."+signature(s.keys[tenant], "session\n"+value))
	c.MaxAge = int(sessionTime / time.Second)
	return c
}

func cookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{Name: cookieName(r), Value: value, Path: root, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil}
}

// tenant returns the tenant of a request's session and the ticket for its forms; "" without a
// session.
func (s sessions) tenant(r *http.Request) (name, ticket string) {
	if s.open != nil {
		return runs.DefaultTenant, signature(s.open, "form")
	}
	c, err := r.Cookie(cookieName(r))
	if err != nil {
		return "", ""
	}
	value, given, ok := cutLast(c.Value, ".")
	parts := strings.Split(value, ".")
	if !ok || len(parts) != 3 {
		return "", ""
	}
	key := s.keys[parts[0]]
	until, err := strconv.ParseInt(parts[1], 10, 64)
	if key == nil || err != nil || s.now().Unix() >= until || !hmac.Equal([]byte(given), []byte(signature(key, "session\n"+value))) {
		return "", ""
	}
	return parts[0], signature(key, "form\n"+value)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// ticketField is the form field which shows that a page of this server made the form.
const ticketField = "ticket"

// checkTicket refuses a form that was not made by a page of this session.
func (v *visit) checkTicket() error {
	if !hmac.Equal([]byte(v.r.PostFormValue(ticketField)), []byte(v.ticket)) {
		return refusal.New(http.StatusForbidden, "this form is of another session: go back, load the page again, and send it once more")
	}
	return nil
}

// turnAway redirects a browser without a session to the sign-in page.
func (h *handler) turnAway(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && r.Header.Get("Accept") != "text/event-stream" {
		http.Redirect(w, r, root+"enter?to="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	}
	v := &visit{handler: h, w: w, r: r}
	v.fail(refusal.New(http.StatusUnauthorized, "you are not signed in: open %senter", root))
}

// maxEntry bounds the bytes of a sign-in form.
const maxEntry = 4 << 10

// enter begins a session for a valid token, and otherwise asks for one.
func (h *handler) enter(w http.ResponseWriter, r *http.Request) {
	v := &visit{handler: h, w: w, r: r}
	r.Body = http.MaxBytesReader(w, r.Body, maxEntry)
	token, to := r.FormValue("token"), ownPath(r.FormValue("to"))
	tenant, status := h.Whose(token), http.StatusOK
	if len(h.Tenants) == 0 || tenant != "" {
		if tenant != "" {
			http.SetCookie(w, h.sessions.begin(r, tenant))
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	if token != "" {
		status = http.StatusForbidden
	}
	if err := v.answer(status, enterPage, "", look.Frame{Title: "Enter"}, entry{To: to, Refused: token != ""}); err != nil {
		v.fail(err)
	}
}

var enterPage = parsed("enter.tmpl")

// entry is the data of the sign-in page.
type entry struct {
	To      string
	Refused bool
}

// ownPath returns path if it is a path of this server that a browser may be redirected to; else the
// first page.
func ownPath(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(path, root) || strings.ContainsAny(path, "\\\r\n") {
		return root
	}
	return u.RequestURI()
}

// leave ends the session in this browser.
func (v *visit) leave() error {
	c := cookie(v.r, "")
	c.MaxAge = -1
	http.SetCookie(v.w, c)
	return v.to(root + "enter")
}
