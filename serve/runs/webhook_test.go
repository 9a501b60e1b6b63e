package runs_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/serve/runs"
)

// receiver takes notices.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []*http.Request
	bodies []string
	answer func(n int, w http.ResponseWriter) // to the request with this number, from 1
}

func receive(t *testing.T) *receiver {
	t.Helper()
	c := &receiver{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.mu.Lock()
		c.got, c.bodies = append(c.got, r), append(c.bodies, string(body))
		n, answer := len(c.got), c.answer
		c.mu.Unlock()
		if answer != nil {
			answer(n, w)
		}
	}))
	c.Config.SetKeepAlivesEnabled(false) // an open connection would stop the fake clock
	t.Cleanup(c.Close)
	return c
}

func (c *receiver) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

// ends are the IDs of the notices that runs have succeeded, by run.
func (c *receiver) ends(t *testing.T) map[string]map[string]bool {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]map[string]bool{}
	for i, body := range c.bodies {
		var about struct {
			Run    string
			Status runs.Status
		}
		if err := json.Unmarshal([]byte(body), &about); err != nil {
			t.Fatal(err)
		}
		if about.Status == runs.Success {
			if out[about.Run] == nil {
				out[about.Run] = map[string]bool{}
			}
			out[about.Run][c.got[i].Header.Get("Webhook-Id")] = true
		}
	}
	return out
}

// teller tells the webhook of a run what it is.
func teller(_ context.Context, _ *runs.Space, r runs.Run) ([]runs.Notice, error) {
	if r.Webhook == "" {
		return nil, nil
	}
	body, err := json.Marshal(map[string]any{"run": r.ID, "status": r.Status})
	return []runs.Notice{{URL: r.Webhook, Body: body, Header: map[string]string{"X-Own": "a"}, Stamp: "sent"}}, err
}

func telling(hosts ...string) func(*runs.Options) {
	return func(o *runs.Options) {
		o.Tell, o.WebhookHosts, o.WebhookSecret = []runs.Teller{teller}, hosts, []byte("secret")
	}
}

// A receiver gets each notice once from two servers, signed, when a run begins and when it ends.
func TestWebhook(t *testing.T) {
	to, folder := receive(t), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		one, _ := server(t, folder, telling("127.0.0.1"))
		_, _ = server(t, folder, telling("127.0.0.1"))
		r := begin(t, one, runs.Spec{Graph: "a", Input: json.RawMessage(hello), Webhook: to.URL, Temporary: true})
		wait(t, one, r.ID)
		time.Sleep(time.Minute)
	})
	if len(to.got) != 2 {
		t.Fatalf("%d notices: %q", len(to.got), to.bodies)
	}
	slices.Sort(to.bodies) // two are sent at the same time
	for i, status := range []string{"running", "success"} {
		var body struct{ Run, Status, Sent string }
		if err := json.Unmarshal([]byte(to.bodies[i]), &body); err != nil || body.Status != status || !strings.HasSuffix(body.Sent, "Z") {
			t.Errorf("%s: %v", to.bodies[i], err)
		}
	}
	seen := map[string]bool{}
	for _, r := range to.got {
		id := r.Header.Get("Webhook-Id")
		signed := false
		for _, body := range to.bodies {
			sum := hmac.New(sha256.New, []byte("secret"))
			_, _ = fmt.Fprintf(sum, "%s.%s.%s", id, r.Header.Get("Webhook-Timestamp"), body)
			signed = signed || r.Header.Get("Webhook-Signature") == "v1,"+base64.StdEncoding.EncodeToString(sum.Sum(nil))
		}
		if !signed || seen[id] || r.Header.Get("X-Own") != "a" || r.Header.Get("Content-Type") != "application/json" || r.Method != http.MethodPost {
			t.Errorf("%s %v, signed %v, seen %v", r.Method, r.Header, signed, seen[id])
		}
		seen[id] = true
	}
}

// A notice that one server is sending is sent by no other.
func TestWebhookOnce(t *testing.T) {
	to, folder := receive(t), t.TempDir()
	answer := make(chan struct{})
	to.answer = func(int, http.ResponseWriter) { <-answer }
	s, _ := server(t, folder, telling("127.0.0.1"))
	wait(t, s, begin(t, s, runs.Spec{Graph: "a", Input: json.RawMessage(hello), Webhook: to.URL}).ID)
	for deadline := time.Now().Add(10 * time.Second); to.count() < 2 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
	server(t, folder, telling("127.0.0.1"))
	time.Sleep(300 * time.Millisecond)
	if n := to.count(); n != 2 {
		t.Errorf("%d requests for two notices", n)
	}
	close(answer)
}

// A receiver that fails is asked again, less and less often, also by the next server.
func TestWebhookAgain(t *testing.T) {
	to, folder := receive(t), t.TempDir()
	to.answer = func(n int, w http.ResponseWriter) {
		if n < 9 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s, stop := server(t, folder, telling("127.0.0.1"))
		for range 2 {
			wait(t, s, begin(t, s, runs.Spec{Graph: "a", Input: json.RawMessage(hello), Webhook: to.URL}).ID)
		}
		time.Sleep(3 * time.Second)
		if n := to.count(); n != 4 {
			t.Errorf("%d requests at once, want 4", n)
		}
		stop()
		_, _ = server(t, folder, telling("127.0.0.1"))
		time.Sleep(4 * time.Second)
		if n := to.count(); n != 8 {
			t.Errorf("%d requests after the first pause, want 8", n)
		}
		time.Sleep(22 * time.Second)
		if n := to.count(); n != 12 {
			t.Errorf("%d requests after the second pause, want 12", n)
		}
		time.Sleep(26 * time.Hour)
		if n := to.count(); n != 12 {
			t.Errorf("%d requests after their end", n)
		}
	})
}

// What will not get better is given up, and so is everything after a day.
func TestWebhookGivesUp(t *testing.T) {
	to, other, folder := receive(t), receive(t), t.TempDir()
	to.answer = func(n int, w http.ResponseWriter) {
		if n == 1 {
			w.Header().Set("Location", other.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
	}
	down := httptest.NewServer(nil)
	down.Close()
	var mu sync.Mutex
	var said []string
	synctest.Test(t, func(t *testing.T) {
		s, _ := server(t, folder, func(o *runs.Options) {
			telling("127.0.0.1")(o)
			o.Warn = func(err error) {
				mu.Lock()
				defer mu.Unlock()
				said = append(said, err.Error())
			}
		})
		for _, hook := range []string{to.URL, down.URL} {
			wait(t, s, begin(t, s, runs.Spec{Graph: "a", Input: json.RawMessage(hello), Webhook: hook}).ID)
		}
		time.Sleep(30 * time.Hour)
	})
	all := strings.Join(said, "\n")
	if n := to.count(); n != 2 || other.count() != 0 || strings.Count(all, "giving up after 1 tries") != 2 {
		t.Errorf("%d requests, %d followed: %s", n, other.count(), all)
	}
	if i := slices.IndexFunc(said, func(s string) bool { return strings.Contains(s, "connection refused") }); i < 0 || len(said) != 4 {
		t.Errorf("%d warnings: %s", len(said), all)
	}
}

// A run whose notices go inside the network, or nowhere, is refused.
func TestCheckURL(t *testing.T) {
	s, _ := server(t, t.TempDir(), telling("hooks.example.com", "127.0.0.1"))
	for _, ok := range []string{"https://example.org/a?b=c", "http://hooks.EXAMPLE.com:8080", "http://127.0.0.1:9", "http://93.184.216.34", "https://[2606:2800:220:1:248:1893:25c8:1946]/", "http://localhost"} {
		if err := s.CheckURL(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{
		"/threads", "ftp://example.org", "https://", "https:example.org", "http://a:b@example.org", "http://127.0.0.2", "http://10.1.2.3", "http://169.254.169.254/latest", "http://[::1]",
		"http://[::ffff:10.0.0.1]", "http://[fd00:ec2::254]", "http://[fe80::1%25eth0]", "http://0.0.0.0", "http://[::]", "http://224.0.0.1", "http://[ff02::1]", "http://255.255.255.255", "http://100.64.0.1",
		"http://[64:ff9b::a00:1]", "http://[2002:a00:1::]", "http://[2001:0:1::]", "http://192.168.0.1", "http://\x00", "https://example.org/" + strings.Repeat("a", 5000),
	} {
		if err := s.CheckURL(bad); !errors.As(err, new(*runs.InvalidError)) {
			t.Errorf("%s: %v", bad, err)
		}
		if _, err := s.Begin(t.Context(), runs.Spec{Graph: "a", Input: json.RawMessage(hello), Webhook: bad}); !errors.As(err, new(*runs.InvalidError)) {
			t.Errorf("a run for %s: %v", bad, err)
		}
	}
}

// The address is checked when the connection is made, whatever the URL said of it.
func TestInsideByName(t *testing.T) {
	to := receive(t)
	u, err := url.Parse(to.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"localhost", "127.1", "0x7f000001", "2130706433", "[::ffff:127.0.0.1]"} {
		err := runs.Send(t.Context(), "http://"+host+":"+u.Port())
		if err == nil || host == "localhost" && !strings.Contains(err.Error(), "inside the network") {
			t.Errorf("%s: %v", host, err)
		}
	}
	if to.count() != 0 {
		t.Errorf("%d requests", to.count())
	}
	if err := runs.Send(t.Context(), to.URL, "127.0.0.1"); err != nil || to.count() != 1 {
		t.Errorf("the host that is named: %v", err)
	}
}
