package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/assay/serve"
)

// A body of 100 MB is refused: at once when its length is told or its caller is nobody,
// else at the bound.
func TestHugeBody(t *testing.T) {
	h := served(t, func(o *serve.Options) { o.MaxBody = 1 << 20 })
	const all = 100 << 20
	told, chunks := fmt.Sprintf("Content-Length: %d\r\n\r\n", all), fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", all)
	for _, c := range []struct {
		name, token, length string
		status              int
	}{{"told", ann, told, 413}, {"not told", ann, chunks, 413}, {"of nobody", "", told, 401}, {"of nobody, not told", "", chunks, 401}} {
		conn, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sent := make(chan int)
		go func() {
			_, err := fmt.Fprintf(conn, "POST /runs HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\n%s", c.token, c.length)
			n, part := 0, []byte(strings.Repeat(" ", 1<<16))
			for ; err == nil && n < all; n += len(part) {
				_, err = conn.Write(part)
			}
			sent <- n
		}()
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || answer.StatusCode != c.status {
			t.Errorf("%s: %v, %v", c.name, answer, err)
		}
		n := <-sent
		conn.Close()
		runtime.ReadMemStats(&after)
		if n > 20<<20 { // with what the sockets hold
			t.Errorf("%s: %d bytes are taken", c.name, n)
		}
		if made := (after.TotalAlloc - before.TotalAlloc) >> 20; made > 16 {
			t.Errorf("%s: it costs %d MiB", c.name, made)
		}
	}
}

// raw sends bytes as they are, and returns the answer to the end.
func raw(t *testing.T, h *httptest.Server, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", h.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go io.WriteString(conn, request) // the server may answer before it has read all
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	answer, _ := io.ReadAll(conn) // it may be cut off
	return string(answer)
}

// What is no request of a client, or of a page that may not ask, is refused.
func TestWire(t *testing.T) {
	h := served(t, func(o *serve.Options) { o.Origins = []string{"https://chat.example.com"} })
	const key = "X-Api-Key: " + ann + "\r\n"
	const end = "Connection: close\r\n\r\n"
	for _, c := range []struct{ name, request, want string }{
		{"HTTP/1.0", "GET /info HTTP/1.0\r\nHost: localhost\r\n" + key + "\r\n", " 200 "},
		{"HTTP/1.0 without a host", "GET /info HTTP/1.0\r\n" + key + "\r\n", " 403 "},
		{"no host", "GET /info HTTP/1.1\r\n" + key + end, " 400 "},
		{"two hosts", "GET /info HTTP/1.1\r\nHost: localhost\r\nHost: evil.example.com\r\n" + key + end, " 400 "},
		{"a name that leads here", "GET /info HTTP/1.1\r\nHost: evil.example.com:2024\r\n" + key + end, " 403 "},
		{"a name that begins as one of ours", "GET /info HTTP/1.1\r\nHost: localhost.evil.example.com\r\n" + key + end, " 403 "},
		{"a name that begins as an address", "GET /info HTTP/1.1\r\nHost: 127.0.0.1.evil.example.com\r\n" + key + end, " 403 "},
		{"any address", "GET /info HTTP/1.1\r\nHost: 0.0.0.0:2024\r\n" + key + end, " 403 "},
		{"a whole address", "GET http://evil.example.com/info HTTP/1.1\r\nHost: localhost\r\n" + key + end, " 403 "},
		{"the address of IPv6", "GET /info HTTP/1.1\r\nHost: [::1]:2024\r\n" + key + end, " 200 "},
		{"a forwarded host", "GET /info HTTP/1.1\r\nHost: evil.example.com\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n" + key + end, " 403 "},
		{"HEAD", "HEAD /info HTTP/1.1\r\nHost: localhost\r\n" + key + end, " 200 "},
		{"HEAD without a token", "HEAD /info HTTP/1.1\r\nHost: localhost\r\n" + end, " 401 "},
		{"OPTIONS", "OPTIONS /threads HTTP/1.1\r\nHost: localhost\r\n" + key + end, " 405 "},
		{"OPTIONS of all", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n" + end, "HTTP/1.1 "},
		{"TRACE", "TRACE /info HTTP/1.1\r\nHost: localhost\r\nX-Secret: shown\r\n" + key + end, " 405 "},
		{"CONNECT", "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n" + key + end, " 40"},
		{"a web socket", "GET /info HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" + key + "\r\n", " 200 "},
		{"a web socket of a foreign page", "GET /info HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n" + key + end, " 403 "},
		{"HTTP/2 by force", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 "},
		{"two lengths", "POST /threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n" + key + end + "{}", " 400 "},
		{"a length and chunks", "POST /threads HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\nTransfer-Encoding: chunked\r\n" + key + end + "2\r\n{}\r\n0\r\n\r\n", "HTTP/1.1 "},
		{"10,000 headers", "GET /info HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X-A: bbbbbb\r\n", 10_000) + key + end, " 431 "},
		{"a header of a megabyte", "GET /info HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("b", 1<<20) + "\r\n" + key + end, " 431 "},
		{"a path of a megabyte", "GET /" + strings.Repeat("b", 1<<20) + " HTTP/1.1\r\nHost: localhost\r\n" + key + end, " 431 "},
		{"a token with a line", "GET /info HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: a\rb\r\n" + end, " 400 "},
		{"a token in the query", "GET /info?token=" + ann + "&api_key=" + ann + "&access_token=" + ann + " HTTP/1.1\r\nHost: localhost\r\n" + end, " 401 "},
		{"a token as a password", "GET /info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic " + ann + "\r\n" + end, " 401 "},
		{"a part of a token", "GET /info HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: " + ann[:len(ann)-1] + "\r\n" + end, " 401 "},
		{"an empty token", "GET /info HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \r\n" + end, " 401 "},
		{"no request", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", " 400 "},
	} {
		answer := raw(t, h, c.request)
		line, _, _ := strings.Cut(answer, "\r\n")
		if !strings.Contains(line, strings.TrimSpace(c.want)) || strings.Contains(line, " 500 ") || strings.Contains(line, " 101 ") || strings.Contains(answer, "shown") || strings.Contains(answer, ann) {
			t.Errorf("%s: %.300q; want %q", c.name, answer, c.want)
		}
	}
}

// Browsers ask before a page calls: for pages that are named they get what they need.
func TestPreflight(t *testing.T) {
	h := served(t, func(o *serve.Options) { o.Origins = []string{"https://chat.example.com"} })
	for _, c := range []struct {
		origin string
		ok     bool
	}{{"https://chat.example.com", true}, {"https://chat.example.com.evil.com", false}, {"http://chat.example.com", false}, {"https://CHAT.example.com", false}, {"null", false}, {"https://evil.example.com", false}, {"file://", false}} {
		status, _, header := call(t, "OPTIONS", h.URL+"/threads/x/runs/stream", "", map[string]string{
			"Origin": c.origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key,content-type,last-event-id", "Access-Control-Request-Private-Network": "true",
		})
		if !c.ok {
			for name := range header {
				if strings.HasPrefix(name, "Access-Control-Allow") {
					t.Errorf("%s is told %s", c.origin, name)
				}
			}
			if status != http.StatusForbidden {
				t.Errorf("%s: %d", c.origin, status)
			}
			continue
		}
		allowed := strings.ToLower(header.Get("Access-Control-Allow-Headers"))
		if status != http.StatusNoContent || header.Get("Access-Control-Allow-Private-Network") != "true" || header.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(allowed, "x-api-key") || !strings.Contains(allowed, "last-event-id") || !strings.Contains(header.Get("Access-Control-Allow-Methods"), "POST") || header.Get("Vary") == "" {
			t.Errorf("%s: %d %v", c.origin, status, header)
		}
	}
}

// A caller that sends its headers slowly, or not to the end, is left.
func TestSlowHeaders(t *testing.T) {
	h := served(t, nil)
	s := h.Config
	if s.ReadHeaderTimeout <= 0 || s.ReadHeaderTimeout > 30*time.Second || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 || s.ErrorLog == nil {
		t.Fatalf("the server's bounds are %+v", s)
	}
	slow := httptest.NewUnstartedServer(nil)
	slow.Config = &http.Server{Handler: s.Handler, ReadHeaderTimeout: 50 * time.Millisecond}
	slow.Start()
	defer slow.Close()
	if answer := raw(t, slow, "GET /info HTTP/1.1\r\nHost: localhost\r\nX-A"); strings.Contains(answer, " 200 ") {
		t.Errorf("it is answered: %s", answer)
	}
}

// What a caller says of itself, and its token, are in no log, no text and no metric.
func TestNothingIsTold(t *testing.T) {
	var mu sync.Mutex
	var told strings.Builder
	note := func(v any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(&told, "%+v\n", v)
	}
	h := served(t, func(o *serve.Options) {
		o.Access = func(a serve.Access) { note(a) }
		o.Runs.Warn = func(err error) { note(err) }
	})
	const wrong = "another-token-that-is-secret"
	var texts strings.Builder
	for _, token := range []string{ann, wrong} {
		for _, route := range routes(t) {
			method, path, _ := strings.Cut(things{"thread": "t", "run": "r", "cron": "c", "assistant": "one", "checkpoint": "c", "node": "n", "graph": "one", "model": "talk", "response": "resp_r"}.fill(t, route), " ")
			_, body, _ := call(t, method, h.URL+path+"?token="+token+"&api_key="+token, "{", map[string]string{
				"Authorization": "Bearer " + token, "X-Forwarded-For": "6.6.6.6", "X-Real-Ip": "6.6.6.6", "Forwarded": "for=6.6.6.6", "Cookie": "token=" + token,
			})
			texts.WriteString(body)
		}
	}
	raw(t, h, "GET /info HTTP/1.1\r\nX-Api-Key: "+ann+"\r\nHost: localhost\r\nbroken "+ann+"\r\n\r\n")
	raw(t, h, "GET /"+strings.Repeat("long", 10_000)+" HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: "+ann+"\r\nConnection: close\r\n\r\n")
	_, metrics, _ := call(t, "GET", h.URL+"/metrics", "", map[string]string{"X-Api-Key": ann})
	mu.Lock()
	defer mu.Unlock()
	for _, never := range []string{ann, wrong, "6.6.6.6", "longlong" + strings.Repeat("long", 500)} {
		for where, text := range map[string]string{"the logs": told.String(), "the answers": texts.String(), "the metrics": metrics} {
			if at := strings.Index(text, never); at >= 0 {
				t.Errorf("%s have %.30q: %.300s", where, never, text[max(0, at-100):])
			}
		}
	}
	if n := strings.Count(told.String(), "Status:"); n < 2*len(routes(t)) {
		t.Errorf("only %d requests are logged", n)
	}
}

// Values of any size and depth cost what their request costs, and no more. What it costs is
// taken from the same machine in the same run: how long encoding/json takes over the same bytes.
func TestHugeValues(t *testing.T) {
	h := served(t, nil)
	own(t, h.URL, ann)
	for i := range 20 {
		if status, body, _ := call(t, "POST", h.URL+"/threads", fmt.Sprintf(`{"metadata":{"i":%d,"a":{"a":{"a":1}}}}`, i), map[string]string{"X-Api-Key": ann}); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	many := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat(`"x",`, n), ",") + "]" }
	wide := `{"a":"` + strings.Repeat("x", 4<<20) + `"}`
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/threads/search", `{"metadata":` + deep(9000) + `}`, 200},
		{"POST", "/threads/search", `{"metadata":` + deep(200_000) + `}`, 422},
		{"POST", "/threads/search", `{"metadata":` + wide + `}`, 422},
		{"POST", "/threads/search", `{"values":` + wide + `}`, 422},
		{"POST", "/threads/search", `{"ids":` + many(1_000_000) + `}`, 422},
		{"POST", "/threads/count", `{"ids":` + many(1_000_000) + `}`, 422},
		{"POST", "/threads/search", `{"limit":1000000000}`, 422},
		{"POST", "/threads/search", `{"offset":9223372036854775807}`, 200},
		{"POST", "/assistants/search", `{"limit":1000000000}`, 422},
		{"POST", "/assistants/search", `{"metadata":` + wide + `}`, 422},
		{"POST", "/store/items/search", `{"limit":1000000000}`, 422},
		{"POST", "/store/items/search", `{"filter":` + deep(9000) + `}`, 422},
		{"POST", "/store/items/search", `{"filter":{"a":{"$in":` + many(1_000_000) + `}}}`, 422},
		{"POST", "/store/items/search", `{"filter":` + strings.Repeat(`{"a":`, 9000) + `"` + strings.Repeat("x", 4<<20) + `"` + strings.Repeat("}", 9000) + `}`, 422},
		{"POST", "/store/namespaces", `{"limit":1000000000}`, 422},
		{"POST", "/runs/batch", "[" + strings.TrimSuffix(strings.Repeat("{},", 1_000_000), ",") + "]", 404},
		{"POST", "/runs", `{"assistant_id":"one","stream_mode":` + many(1_000_000) + `,"input":{}}`, 422},
		{"POST", "/runs", `{"assistant_id":"one","interrupt_before":` + many(1_000_000) + `,"input":{}}`, 422},
		{"POST", "/runs", `{"assistant_id":"one","input":` + deep(200_000) + `}`, 422},
		{"PUT", "/store/items", `{"namespace":["n"],"key":"deep","value":` + deep(9000) + `}`, 204},
		{"PUT", "/store/items", `{"namespace":` + many(1_000_000) + `,"key":"k","value":{}}`, 422},
	} {
		began := time.Now()
		var floor any
		_ = json.Unmarshal([]byte(c.body), &floor) // some are deeper than it reads
		limit := 10*time.Second + 20*time.Since(began)
		ctx, stop := context.WithTimeout(t.Context(), limit)
		r, err := http.NewRequestWithContext(ctx, c.method, h.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", ann)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Errorf("%s %s %.60s, limit %v: %v", c.method, c.path, c.body, limit, err)
			stop()
			continue
		}
		text, err := io.ReadAll(bufio.NewReader(answer.Body))
		answer.Body.Close()
		stop()
		if answer.StatusCode != c.status || err != nil || len(text) > 4000 {
			t.Errorf("%s %s %.60s: %d %.300s %v", c.method, c.path, c.body, answer.StatusCode, text, err)
		}
	}
}
