package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/openai"
	"example.com/assay/skills"
)

const loopbackKey = "key-secret-0123456789"

// A provider is a client library against a loopback server.
type provider struct {
	model func(t *testing.T, url string) llm.Model
	body  func(text string) string // an answer in the provider's format
}

var providers = map[string]provider{
	"openai": {
		func(t *testing.T, url string) llm.Model {
			server, err := openai.NewServer(&openai.Options{Key: loopbackKey, BaseURL: url + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			m, err := server.Model("m")
			if err != nil {
				t.Fatal(err)
			}
			return m
		},
		func(text string) string {
			return fmt.Sprintf(`{"model":"m","choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, quoted(text))
		},
	},
	"gemini": {
		func(t *testing.T, url string) llm.Model {
			m, err := gemini.New(t.Context(), "m", &gemini.Options{Key: loopbackKey, BaseURL: url})
			if err != nil {
				t.Fatal(err)
			}
			return m
		},
		func(text string) string {
			return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[{"text":%s}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}`, quoted(text))
		},
	},
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// loopback starts a server whose handler is told how many requests came
// before.
func loopback(t *testing.T, start func(http.Handler) *httptest.Server, handle func(w http.ResponseWriter, r *http.Request, before int)) (url string, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	server := start(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what a client does not send is not needed here
		handle(w, r, int(asked.Add(1))-1)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return server.URL, asked
}

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello."}}}

// reset promises 1000 bytes, sends a few and resets the connection.
func reset(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, body[:10])
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0) // a reset and not an orderly end
	_ = conn.Close()
}

// Each fault has one documented outcome, the same with every provider.
func TestFaults(t *testing.T) {
	isStatus := func(code int) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && e.Status == code }
	}
	isConnection := func(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }
	isResponse := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	isTimeout := func(err error) bool { _, ok := errors.AsType[*llm.TimeoutError](err); return ok }
	status := func(code int) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) { w.WriteHeader(code) }
	}
	for name, tc := range map[string]struct {
		start  func(http.Handler) *httptest.Server
		fault  func(w http.ResponseWriter, body string) // of the first faults answers
		faults int
		check  func(error) bool // nil: it succeeds
		asked  int32
	}{
		"happy":           {asked: 1},
		"500, then good":  {fault: status(500), faults: 1, asked: 2},
		"503 for good":    {fault: status(503), faults: 9, check: isStatus(503), asked: 4},
		"400":             {fault: status(400), faults: 9, check: isStatus(400), asked: 1},
		"401":             {fault: status(401), faults: 9, check: isStatus(401), asked: 1},
		"403":             {fault: status(403), faults: 9, check: isStatus(403), asked: 1},
		"reset mid-body":  {fault: reset, faults: 2, asked: 3},
		"reset for good":  {fault: reset, faults: 9, check: isConnection, asked: 4},
		"malformed JSON":  {fault: func(w http.ResponseWriter, _ string) { _, _ = io.WriteString(w, "{]") }, faults: 9, check: isResponse, asked: 1},
		"truncated JSON":  {fault: func(w http.ResponseWriter, body string) { _, _ = io.WriteString(w, body[:len(body)/2]) }, faults: 9, check: isResponse, asked: 1},
		"slow loris once": {fault: loris, faults: 1, asked: 2},
		"slow loris":      {fault: loris, faults: 9, check: isTimeout, asked: 4},
		"unknown issuer":  {start: httptest.NewTLSServer, check: isConnection, asked: 0},
		"endless answer":  {fault: endless, faults: 9, check: isResponse, asked: 1},
	} {
		for providerName, p := range providers {
			t.Run(name+"/"+providerName, func(t *testing.T) {
				t.Parallel()
				start := tc.start
				if start == nil {
					start = httptest.NewServer
				}
				url, asked := loopback(t, start, func(w http.ResponseWriter, _ *http.Request, before int) {
					if before < tc.faults {
						tc.fault(w, p.body("Hi."))
						return
					}
					_, _ = io.WriteString(w, p.body("Hi."))
				})
				var retries atomic.Int32
				controls := llm.NewControls(&llm.ControlOptions{
					Timeout: 2 * time.Second,
					Retry:   llm.RetryOptions{MaxRetries: 3, Base: time.Millisecond, JitterMax: time.Millisecond, OnRetry: func(llm.RetryEvent) { retries.Add(1) }},
				})
				if strings.HasPrefix(name, "slow") {
					controls = llm.NewControls(&llm.ControlOptions{Timeout: time.Second, Retry: llm.RetryOptions{MaxRetries: 3, Base: time.Millisecond, JitterMax: time.Millisecond}})
				}
				resp, err := controls.Wrap(p.model(t, url)).Generate(t.Context(), hello)
				if tc.check == nil {
					if err != nil || resp.Text != "Hi." || resp.Usage.OutputTokens != 2 {
						t.Errorf("got %+v, %v", resp, err)
					}
				} else if err == nil || !tc.check(err) {
					t.Errorf("error %v", err)
				} else if strings.Contains(err.Error(), loopbackKey) || len(err.Error()) > 600 {
					t.Errorf("the error shows too much: %v", err)
				}
				if asked.Load() != tc.asked {
					t.Errorf("the server was asked %d times; want %d", asked.Load(), tc.asked)
				}
				if name == "unknown issuer" && retries.Load() != 0 {
					t.Errorf("a refused certificate was tried %d times more", retries.Load())
				}
			})
		}
	}
}

func loris(w http.ResponseWriter, body string) {
	for i := range len(body) {
		if _, err := io.WriteString(w, body[i:i+1]); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func endless(w http.ResponseWriter, _ string) {
	chunk := strings.Repeat("x", 1<<20)
	for range 40 {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

func TestLargeAnswer(t *testing.T) {
	text := strings.Repeat("0123456789", 1<<20)
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			url, _ := loopback(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, p.body(text)) })
			resp, err := p.model(t, url).Generate(t.Context(), hello)
			if err != nil || resp.Text != text {
				t.Errorf("got %d bytes, %v; want %d", len(resp.Text), err, len(text))
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for name, p := range providers {
		for address, retries := range map[string]int32{url: 2, strings.Replace(url, "http", "https", 1): 2} {
			var told atomic.Int32
			retry := llm.Retry(&llm.RetryOptions{MaxRetries: 2, Base: time.Millisecond, JitterMax: -1, OnRetry: func(llm.RetryEvent) { told.Add(1) }})
			_, err := retry(p.model(t, address)).Generate(t.Context(), hello)
			if _, ok := errors.AsType[*llm.ConnectionError](err); !ok || told.Load() != retries {
				t.Errorf("%s: %v after %d retries", name, err, told.Load())
			}
		}
	}
}

// An https address of a server that speaks http is not tried again.
func TestWrongScheme(t *testing.T) {
	for name, p := range providers {
		url, asked := loopback(t, httptest.NewServer, func(http.ResponseWriter, *http.Request, int) {})
		_, err := p.model(t, strings.Replace(url, "http", "https", 1)).Generate(t.Context(), hello)
		if _, ok := errors.AsType[*llm.ConnectionError](err); !ok || asked.Load() != 0 || llm.Retryable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An answer that does not fit its schema is repaired once and then refused.
func TestWrongSchema(t *testing.T) {
	for name, p := range providers {
		for good, want := range map[int]string{1: "repaired", 2: "refused"} {
			t.Run(name+"/"+want, func(t *testing.T) {
				url, asked := loopback(t, httptest.NewServer, func(w http.ResponseWriter, _ *http.Request, before int) {
					text := `{"query_type":"hard"}`
					if before >= good {
						text = simple
					}
					_, _ = io.WriteString(w, p.body(text))
				})
				out, usage, err := classify(t.Context(), t, llm.NewControls(nil).Wrap(p.model(t, url)))
				_, misfit := errors.AsType[*llm.ParseError](err)
				if misfit != (want == "refused") || !misfit && (err != nil || out != skills.ClassifyOutput{QueryType: "simple", Reason: "one rule"}) {
					t.Errorf("got %+v, %v", out, err)
				}
				if asked.Load() != 2 || usage.Calls != 2 || usage.InputTokens != 6 {
					t.Errorf("%d requests, usage %+v", asked.Load(), usage)
				}
			})
		}
	}
}

// TestStorm: a server that refuses everybody's first two calls.
func TestStorm(t *testing.T) {
	const callers = 32
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			var inFlight, peak atomic.Int32
			var mu sync.Mutex
			turns := map[string]int{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := inFlight.Add(1)
				defer inFlight.Add(-1)
				for old := peak.Load(); n > old && !peak.CompareAndSwap(old, n); old = peak.Load() {
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return
				}
				_, after, _ := strings.Cut(string(body), "caller-")
				who, _, _ := strings.Cut(after, ".")
				mu.Lock()
				turns[who]++
				turn := turns[who]
				mu.Unlock()
				time.Sleep(2 * time.Millisecond)
				switch turn {
				case 1:
					w.WriteHeader(http.StatusTooManyRequests)
				case 2:
					w.Header().Set("Retry-After", "0.05")
					w.WriteHeader(http.StatusTooManyRequests)
				default:
					_, _ = io.WriteString(w, p.body("for "+who))
				}
			}))
			defer server.Close()
			waits := map[time.Duration]int{}
			controls := llm.NewControls(&llm.ControlOptions{Retry: llm.RetryOptions{Base: 5 * time.Millisecond, JitterMax: 200 * time.Millisecond, OnRetry: func(e llm.RetryEvent) {
				mu.Lock()
				defer mu.Unlock()
				waits[e.Wait]++
				if e.Attempt == 2 && e.Wait < 50*time.Millisecond {
					t.Errorf("waits %v; the server asked for 50 ms", e.Wait)
				}
			}}})
			m := controls.Wrap(p.model(t, server.URL))
			var wg sync.WaitGroup
			for i := range callers {
				wg.Go(func() {
					who := strconv.Itoa(i)
					resp, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "I am caller-" + who + "."}}})
					if err != nil || resp.Text != "for "+who {
						t.Errorf("caller %d: %+v, %v", i, resp, err)
					}
				})
			}
			wg.Wait()
			if got := peak.Load(); got > llm.DefaultLimit || got < 2 {
				t.Errorf("%d calls in flight at the peak", got)
			}
			if len(waits) != 2*callers {
				t.Errorf("%d different waits of %d", len(waits), 2*callers)
			}
		})
	}
}
