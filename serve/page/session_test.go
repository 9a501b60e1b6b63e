package page_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/assay/serve"
	"example.com/assay/serve/page"
)

// paths are each route that needs a session, as a method and a path of a run and its thread.
func paths(run, thread string) (list [][2]string) {
	fill := strings.NewReplacer("{$}", "", "{run}", run, "{thread}", thread, "{part}", "graph", "{corpus}", "default", "{id}", "1", "{bundle}", "none", "{rest...}", "none")
	for _, pattern := range page.Routes() {
		method, path, _ := strings.Cut(fill.Replace(pattern), " ")
		if path == "compare" {
			path += "?a=" + run + "&b=" + run
		}
		list = append(list, [2]string{method, "/ui/" + path})
	}
	return list
}

// Without a session every page leads to where one begins, and nothing is done.
func TestNobody(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{"text":"secret"}`)
	stranger := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	all := paths(r.ID, r.Thread)
	for _, p := range all {
		status, body, answer := s.do(stranger, p[0], p[1], nil)
		if want := "/ui/enter?to=" + url.QueryEscape(p[1]); p[0] == "GET" && (status != http.StatusSeeOther || answer.Header.Get("Location") != want) {
			t.Errorf("GET %s: %d to %q, want %q", p[1], status, answer.Header.Get("Location"), want)
		}
		if p[0] == "POST" && (status != http.StatusUnauthorized || !strings.Contains(body, `name="token"`)) {
			t.Errorf("POST %s: %d\n%s", p[1], status, body)
		}
		if strings.Contains(body, "secret") {
			t.Errorf("%v shows what was asked", p)
		}
	}
	if len(all) < 20 {
		t.Errorf("only %d routes", len(all))
	}
}

// A token makes a session that no script reads and no other site sends; it leads to where
// one wanted to go, on this server only.
func TestEnter(t *testing.T) {
	s := served(t, nil)
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for to, want := range map[string]string{
		"": "/ui/", "/ui/keys": "/ui/keys", "/ui/?q=a+b": "/ui/?q=a+b", "https://evil.example/": "/ui/", "//evil.example/ui/": "/ui/", "/ui/\\evil": "/ui/", "/v1/models": "/ui/", "javascript:alert(1)": "/ui/", "/ui/%0d%0aSet-Cookie:x": "/ui/%0d%0aSet-Cookie:x",
	} {
		status, _, answer := s.do(direct, "POST", "/ui/enter", url.Values{"token": {tokenOfAnn}, "to": {to}})
		if status != http.StatusSeeOther || answer.Header.Get("Location") != want {
			t.Errorf("to %q: %d, %q", to, status, answer.Header.Get("Location"))
		}
		c := answer.Cookies()
		if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Path != "/ui/" || c[0].MaxAge != 30*24*3600 || strings.Contains(c[0].Value, tokenOfAnn) {
			t.Fatalf("cookies %v", c)
		}
	}
	status, body, answer := s.do(direct, "POST", "/ui/enter", url.Values{"token": {"another-token-that-is-long"}})
	if status != http.StatusForbidden || len(answer.Cookies()) > 0 || !strings.Contains(body, "No one has this token") {
		t.Errorf("another token: %d %v\n%s", status, answer.Cookies(), body)
	}
	if status, _, _ := s.do(direct, "POST", "/ui/enter", url.Values{"token": {strings.Repeat("x", 5000)}}); status == http.StatusSeeOther {
		t.Errorf("a long token: %d", status)
	}
}

// A link signs in once, for a few minutes; its code is not in the address that follows. A token in an
// address signs nobody in, and neither does a request that only looks.
func TestLink(t *testing.T) {
	now, links := time.Now(), &page.Links{}
	s := served(t, func(o *serve.Options) { o.Page.Now = func() time.Time { return now } })
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	enters := func(method, path string) (int, []*http.Cookie, string) {
		status, _, answer := s.do(direct, method, path, nil)
		return status, answer.Cookies(), answer.Header.Get("Location")
	}
	path := s.server.SignInLink(tokenOfAnn)
	if strings.Contains(path, tokenOfAnn) || len(path) < 30 {
		t.Errorf("the link is %s", path)
	}
	if _, c, _ := enters("HEAD", path); len(c) > 0 {
		t.Errorf("looking signs in")
	}
	status, c, to := enters("GET", path)
	if status != http.StatusSeeOther || to != "/ui/" || len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
		t.Errorf("the link: %d to %q, %v", status, to, c)
	}
	old := s.server.SignInLink(tokenOfAnn)
	now = now.Add(page.LinkTime)
	for what, path := range map[string]string{"used": path, "old": old, "unknown": "/ui/enter?code=x", "a token": "/ui/enter?token=" + tokenOfAnn, "of another server": links.New(tokenOfAnn, now)} {
		status, c, _ := enters("GET", path)
		if want := http.StatusForbidden; len(c) > 0 || status != want && what != "a token" {
			t.Errorf("%s: %d, %v", what, status, c)
		}
	}
	if status, body, _ := s.do(s.ann, "GET", path, nil); status != http.StatusOK || strings.Contains(body, `name="token"`) {
		t.Errorf("who is signed in already: %d\n%s", status, body)
	}
}

// The sign-in page says where the token is, and what to do.
func TestSignInPage(t *testing.T) {
	s := served(t, func(o *serve.Options) {
		o.Page.TokenFile, o.Page.HowToEnter = "/home/<i>/serve.token", "Copy it from there."
	})
	if _, body, _ := s.do(http.DefaultClient, "GET", "/ui/", nil); !strings.Contains(body, "/home/&lt;i&gt;/serve.token") || !strings.Contains(body, "Copy it from there.") {
		t.Errorf("%s", body)
	}
}

// A cookie that was changed, or is too old, is none.
func TestCookie(t *testing.T) {
	now := time.Now()
	s := served(t, func(o *serve.Options) { o.Page.Now = func() time.Time { return now } })
	at, err := url.Parse(s.url + "/ui/")
	if err != nil {
		t.Fatal(err)
	}
	own := s.ann.Jar.Cookies(at)[0]
	direct := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	with := func(value string) int {
		r, err := http.NewRequest("GET", s.url+"/ui/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Cookie", own.Name+"="+value)
		answer, err := direct.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	for i := range own.Value[:len(own.Value)-1] { // the last byte has bits that mean nothing
		changed := []byte(own.Value)
		if changed[i] = 'A'; own.Value[i] == 'A' {
			changed[i] = 'B'
		}
		if status := with(string(changed)); status != http.StatusSeeOther {
			t.Errorf("with another byte %d: %d", i, status)
		}
	}
	for name, value := range map[string]string{"the token": tokenOfAnn, "the form's": s.ticket(s.ann), "too short": own.Value[:40], "too long": own.Value + "x", "nothing": ""} {
		if status := with(value); status != http.StatusSeeOther {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status := with(own.Value); status != http.StatusOK {
		t.Errorf("the cookie itself: %d", status)
	}
	now = now.Add(30 * 24 * time.Hour)
	if status := with(own.Value); status != http.StatusSeeOther {
		t.Errorf("after 30 days: %d", status)
	}
}

// A form counts only with the ticket of its session; one who sends the token needs none.
func TestForms(t *testing.T) {
	s := served(t, nil)
	bob := s.enters(tokenOfBob)
	for name, form := range map[string]url.Values{"none": {}, "another": {"ticket": {"x"}}, "bob's": {"ticket": {s.ticket(bob)}}} {
		if status, body, _ := s.do(s.ann, "POST", "/ui/leave", form); status != http.StatusForbidden || !strings.Contains(body, "another session") {
			t.Errorf("%s: %d\n%s", name, status, body)
		}
	}
	if status, body, _ := s.post("/ui/leave", nil); status != http.StatusOK || !strings.Contains(body, `name="token"`) {
		t.Errorf("leaving: %d\n%s", status, body)
	}
	if status, body, _ := s.do(s.ann, "GET", "/ui/", nil); status != http.StatusOK || !strings.Contains(body, `name="token"`) {
		t.Errorf("after leaving: %d\n%s", status, body)
	}
	r, err := http.NewRequest("POST", s.url+"/ui/leave", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", tokenOfBob)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("with the token: %d", answer.StatusCode)
	}
}

// Where everybody may enter, nobody is asked, and forms still need their ticket.
func TestOpen(t *testing.T) {
	s := opened(t, t.TempDir(), func(o *serve.Options) { o.Open, o.Tenants = true, nil })
	s.ann = http.DefaultClient
	s.get("/ui/")
	if status, _, _ := s.do(s.ann, "POST", "/ui/leave", url.Values{}); status != http.StatusForbidden {
		t.Errorf("without a ticket: %d", status)
	}
	if status, _, _ := s.post("/ui/leave", nil); status != http.StatusOK {
		t.Errorf("with one: %d", status)
	}
}

// Every answer under /ui/ says what it may load, and that nobody may frame or keep it.
func TestHeaders(t *testing.T) {
	s := served(t, nil)
	r := s.run("plain", `{}`)
	list := paths(r.ID, r.Thread)
	for _, path := range []string{"/ui/enter", "/ui/static/style.css", "/ui/static/pdf.worker.min.mjs", "/ui/static/keys.js", "/ui/static/none.js", "/ui/static/..%2fpage.go", "/ui"} {
		list = append(list, [2]string{"GET", path})
	}
	for _, p := range list {
		status, _, answer := s.do(s.ann, p[0], p[1], nil)
		h := answer.Header
		if !strings.HasPrefix(h.Get("Content-Security-Policy"), "default-src 'none'") || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" ||
			h.Get("X-Frame-Options") != "DENY" || !strings.Contains(h.Get("Cache-Control"), "no-") {
			t.Errorf("%v: %d %v", p, status, h)
		}
	}
	for path, kind := range map[string]string{"/ui/static/style.css": "text/css; charset=utf-8", "/ui/static/keys.js": "text/javascript; charset=utf-8"} {
		_, _, answer := s.do(s.ann, "GET", path, nil)
		if got := answer.Header.Get("Content-Type"); got != kind {
			t.Errorf("%s is %q", path, got)
		}
	}
}

// A question that was asked without a session is in the field after signing in.
func TestAskWithoutSession(t *testing.T) {
	s := served(t, nil)
	c := &http.Client{}
	status, body, _ := s.do(c, "POST", "/ui/ask", url.Values{"graph": {"plain"}, "question": {"Who <b>keeps</b> it?"}})
	if want := `name="to" value="/ui/ask?graph=plain&amp;question=Who&#43;%3Cb%3Ekeeps%3C%2Fb%3E&#43;it%3F"`; status != http.StatusUnauthorized || !strings.Contains(body, want) {
		t.Errorf("%d, no %s in\n%s", status, want, body)
	}
	if status, _, _ := s.do(c, "POST", "/ui/ask", url.Values{"question": {strings.Repeat("long ", 10_000)}}); status != http.StatusUnauthorized {
		t.Errorf("with a long question: %d", status)
	}
}
