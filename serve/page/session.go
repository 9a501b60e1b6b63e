package page

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/assay/serve/internal/refusal"
	"example.com/assay/serve/internal/seal"
	"example.com/assay/serve/page/look"
	"example.com/assay/serve/runs"
)

// sessionTime is how long a browser stays signed in.
const sessionTime = 30 * 24 * time.Hour

// sessions recognise browsers by a cookie with the person's token, sealed. The server stores nothing:
// a session ends after sessionTime, or when its token is no longer accepted.
type sessions struct {
	seal  *seal.Seal
	forms []byte // the key of forms
	now   func() time.Time
}

func newSessions(o *Options) sessions {
	key := o.Key
	if key == nil {
		key = []byte(rand.Text() + rand.Text())[:seal.KeySize]
	}
	s, err := seal.New(key)
	if err != nil {
		panic(err) // the key of the calling program is too short
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("assay forms of a browser"))
	return sessions{s, mac.Sum(nil), o.Now}
}

// A session is what the cookie holds.
type session struct {
	Token string `json:"token"`
	Until int64  `json:"until"` // seconds since 1970
}

// purpose is the purpose that sessions are sealed for.
const purpose = "session of a browser"

// ticket returns the ticket of the forms that a cookie or a caller gets.
func (s sessions) ticket(whose string) string {
	mac := hmac.New(sha256.New, s.forms)
	mac.Write([]byte(whose))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
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
func (s sessions) begin(r *http.Request, token string) (*http.Cookie, error) {
	value, err := s.seal.Close(purpose, session{token, s.now().Add(sessionTime).Unix()})
	if err == nil && len(value) > maxCookie {
		err = refusal.New(http.StatusRequestEntityTooLarge, "the token is too long for a browser to keep")
	}
	if err != nil {
		return nil, err
	}
	c := cookie(r, value)
	c.MaxAge = int(sessionTime / time.Second)
	return c, nil
}

// maxCookie bounds the bytes of a cookie's value: browsers keep 4096 with its name.
const maxCookie = 3900

func cookie(r *http.Request, value string) *http.Cookie {
	return &http.Cookie{Name: cookieName(r), Value: value, Path: root, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: r.TLS != nil}
}

// caller returns who sends a request, by its session or else by itself, and the ticket that its forms
// must have; "" for a request with a token in its header, which no browser adds by itself.
func (h *handler) caller(r *http.Request) (runs.Caller, string, error) {
	if kept, err := r.Cookie(cookieName(r)); err == nil {
		var in session
		if h.sessions.seal.Open(purpose, kept.Value, &in) == nil && h.sessions.now().Unix() < in.Until {
			if c, err := h.Authenticate(withToken(r, in.Token)); err == nil {
				return c, h.sessions.ticket(kept.Value), nil
			} else if refusal.Status(err) >= http.StatusInternalServerError {
				return c, "", err
			}
		}
	}
	c, err := h.Authenticate(r)
	scheme, _, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") || r.Header.Get("X-Api-Key") != "" {
		return c, "", err
	}
	return c, h.sessions.ticket(c.Tenant + "\n" + c.Subject), err
}

// withToken returns a request with a token and no other.
func withToken(r *http.Request, token string) *http.Request {
	r = r.Clone(r.Context())
	r.Header.Del("X-Api-Key")
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// ticketField is the form field which shows that a page of this server made the form.
const ticketField = "ticket"

// checkTicket refuses a form that was not made by a page of this session. In a form with files the ticket
// comes first, and nothing after it is read here.
func (v *visit) checkTicket() error {
	var given string
	if Streams(v.r) {
		form, err := v.parts()
		if err != nil {
			return err
		}
		if part, err := form.NextPart(); err == nil && part.FormName() == ticketField {
			given, _ = field(part) // half a ticket is none
		}
	} else {
		given = v.r.PostFormValue(ticketField)
	}
	if !hmac.Equal([]byte(given), []byte(v.ticket)) {
		return refusal.New(http.StatusForbidden, "this form is of another session: go back, load the page again, and send it once more")
	}
	return nil
}

// turnAway leads a browser without a session to the sign-in page.
func (h *handler) turnAway(w http.ResponseWriter, r *http.Request, why error) {
	v := &visit{handler: h, w: w, r: r}
	switch events := r.Header.Get("Accept") == "text/event-stream"; {
	case refusal.Status(why) != http.StatusUnauthorized:
	case events:
		why = refusal.New(http.StatusUnauthorized, "you are not signed in: open %senter", root)
	case r.Method == http.MethodGet:
		http.Redirect(w, r, root+"enter?to="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		return
	default:
		to := root
		if r.Body = http.MaxBytesReader(w, r.Body, maxEntry); r.URL.Path == root+"ask" { // the question is not typed again
			to = query(to+"ask", "graph", r.PostFormValue("graph"), "thread", r.PostFormValue("thread"), "question", r.PostFormValue("question"))
		}
		v.askToken(http.StatusUnauthorized, entry{To: to, Refused: "You are not signed in, so nothing was done."})
		return
	}
	v.fail(why)
}

// maxEntry bounds the bytes of a sign-in form.
const maxEntry = 8 << 10

// enter begins a session for a valid token or link, and otherwise asks for a token. A browser with a
// session goes on with it.
func (h *handler) enter(w http.ResponseWriter, r *http.Request) {
	v := &visit{handler: h, w: w, r: r}
	r.Body = http.MaxBytesReader(w, r.Body, maxEntry)
	token, code, status := r.PostFormValue("token"), r.URL.Query().Get("code"), http.StatusOK
	e := entry{To: ownPath(r.FormValue("to"))}
	if r.Method == http.MethodGet && code != "" { // a HEAD only looks
		token = h.Links.take(code, h.Now())
	}
	var err error
	if token == "" {
		_, _, err = h.caller(r)
	} else if _, err = h.Authenticate(withToken(r, token)); err == nil {
		var c *http.Cookie
		if c, err = h.sessions.begin(r, token); err == nil {
			http.SetCookie(w, c)
		}
	}
	switch {
	case err == nil:
		http.Redirect(w, r, e.To, http.StatusSeeOther)
		return
	case refusal.Status(err) != http.StatusUnauthorized:
		v.fail(err)
		return
	case token != "":
		status, e.Refused = http.StatusForbidden, "No one has this token."
	case code != "":
		status, e.Refused = http.StatusForbidden, "This link has signed in once already, or is too old. The next start of the server makes another."
	}
	v.askToken(status, e)
}

var enterPage = parsed("enter.tmpl")

// askToken shows the sign-in page.
func (v *visit) askToken(status int, e entry) {
	e.TokenFile, e.How = v.TokenFile, v.HowToEnter
	if err := v.answer(status, enterPage, "", look.Frame{Title: "Sign in"}, e); err != nil {
		v.fail(err)
	}
}

// entry is the data of the sign-in page.
type entry struct {
	To, Refused    string // Refused is why the last attempt failed
	TokenFile, How string // of Options
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
