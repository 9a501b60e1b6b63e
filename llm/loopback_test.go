package llm_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/langchain"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/openai"
	"example.com/assay/skills"
)

const loopbackKey = "key-secret-0123456789"

// A provider is a client library and the format that it speaks.
type provider struct {
	format  llmtest.Format
	connect func(t *testing.T, url string) llm.Model
}

var providers = map[string]provider{
	"openai": {llmtest.OpenAI, func(t *testing.T, url string) llm.Model {
		server, err := openai.NewServer(&openai.Options{Key: loopbackKey, BaseURL: url + "/v1"})
		if err != nil {
			t.Fatal(err)
		}
		m, err := server.Model("m")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}},
	"gemini": {llmtest.Gemini, func(t *testing.T, url string) llm.Model {
		m, err := gemini.New(t.Context(), "m", &gemini.Options{Key: loopbackKey, BaseURL: url})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}},
	"anthropic": {llmtest.Anthropic, func(t *testing.T, url string) llm.Model {
		m, err := langchain.Anthropic("m", &langchain.AnthropicOptions{Key: loopbackKey, BaseURL: url})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}},
}

// answering is the model behind a loopback server: it answers by call, the
// first being 1.
func answering(text func(call int) string) llm.Model {
	var calls atomic.Int32
	return answerer(func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: text(int(calls.Add(1))), Usage: llm.Usage{InputTokens: 3, OutputTokens: 2}}, nil
	})
}

type answerer func(context.Context, llm.Request) (llm.Response, error)

func (a answerer) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	return a(ctx, req)
}

var hello = llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Hello."}}}

// isStatus, and the functions below, are outcomes.
func isStatus(code int) func(error) bool {
	return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && e.Status == code }
}
func isConnection(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }
func isResponse(err error) bool   { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
func isTimeout(err error) bool    { _, ok := errors.AsType[*llm.TimeoutError](err); return ok }

// A faultCase is a fault and its documented outcome, the same with every
// provider, and streamed as whole unless it says otherwise.
type faultCase struct {
	fault  llmtest.Fault
	times  int              // how often; then the server answers
	text   string           // the answer; default "Hi."
	tls    bool             // behind an unknown certificate
	check  func(error) bool // the error; nil: it succeeds
	asked  int
	stream *faultCase    // check and asked of a stream, when they differ
	wait   time.Duration // at least, before the first retry
	slow   bool          // the call runs into its timeout
}

const good = 9 // more often than a call is made again

// faultCases are the outcomes that package llm documents.
func faultCases() map[string]faultCase {
	inTwoSeconds := func(w http.ResponseWriter, reply llmtest.Reply) {
		llmtest.Refuse(429, time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))(w, reply)
	}
	return map[string]faultCase{
		"happy":               {asked: 1},
		"10 MB answer":        {text: strings.Repeat("0123456789", 1<<20), asked: 1},
		"500, then good":      {fault: llmtest.Refuse(500, ""), times: 1, asked: 2},
		"503 for good":        {fault: llmtest.Refuse(503, ""), times: good, check: isStatus(503), asked: 4},
		"408, then good":      {fault: llmtest.Refuse(408, ""), times: 1, asked: 2},
		"409, then good":      {fault: llmtest.Refuse(409, ""), times: 1, asked: 2},
		"429 with seconds":    {fault: llmtest.Refuse(429, "1"), times: 1, asked: 2, wait: time.Second},
		"429 with a date":     {fault: inTwoSeconds, times: 1, asked: 2, wait: 100 * time.Millisecond},
		"429, too long":       {fault: llmtest.Refuse(429, "3600"), times: good, check: isStatus(429), asked: 1},
		"400":                 {fault: llmtest.Refuse(400, ""), times: good, check: isStatus(400), asked: 1},
		"401":                 {fault: llmtest.Refuse(401, ""), times: good, check: isStatus(401), asked: 1},
		"403":                 {fault: llmtest.Refuse(403, ""), times: good, check: isStatus(403), asked: 1},
		"reset inside":        {fault: llmtest.Reset, times: 2, asked: 3},
		"reset for good":      {fault: llmtest.Reset, times: good, check: isConnection, asked: 4},
		"malformed JSON":      {fault: llmtest.Malformed, times: good, check: isResponse, asked: 1},
		"truncated JSON":      {fault: llmtest.Cut, times: good, check: isResponse, asked: 1, stream: &faultCase{check: isConnection, asked: 4}},
		"truncated, then not": {fault: llmtest.Cut, times: 1, check: isResponse, asked: 1, stream: &faultCase{asked: 2}},
		"slow loris once":     {fault: llmtest.Loris, times: 1, asked: 2, slow: true},
		"slow loris":          {fault: llmtest.Loris, times: good, check: isTimeout, asked: 2, slow: true},
		"endless answer":      {fault: llmtest.Endless, times: good, check: isResponse, asked: 1},
		"unknown issuer":      {tls: true, check: isConnection, asked: 0},
	}
}

func TestFaults(t *testing.T) {
	for name, tc := range faultCases() {
		for providerName, p := range providers {
			for _, stream := range []bool{false, true} {
				kind := map[bool]string{false: "whole", true: "streamed"}[stream]
				t.Run(name+"/"+providerName+"/"+kind, func(t *testing.T) {
					t.Parallel()
					testFault(t, tc, p, stream)
				})
			}
		}
	}
}

func testFault(t *testing.T, tc faultCase, p provider, stream bool) {
	check, asked := tc.check, tc.asked
	if stream && tc.stream != nil {
		check, asked = tc.stream.check, tc.stream.asked
	}
	text := tc.text
	if text == "" {
		text = "Hi. How are you?" // of some events
	}
	start := llmtest.NewServer
	if tc.tls {
		start = llmtest.NewTLSServer
	}
	server := start(t, p.format, answering(func(int) string { return text }))
	server.Fail(llmtest.Times(tc.times, tc.fault)...)
	var retries atomic.Int32
	opts := llm.ControlOptions{Timeout: time.Minute, Retry: llm.RetryOptions{MaxRetries: 3, Base: time.Millisecond, JitterMax: time.Millisecond, OnRetry: func(e llm.RetryEvent) {
		if retries.Add(1) == 1 && e.Wait < tc.wait {
			t.Errorf("waits %v; the server asked for %v", e.Wait, tc.wait)
		}
	}}}
	if tc.slow {
		opts.Timeout, opts.Retry.MaxRetries = time.Second, 1
	}
	req := hello
	var told atomic.Int32
	if stream {
		req.OnText = func(llm.Chunk) { told.Add(1) }
	}
	resp, err := llm.NewControls(&opts).Wrap(p.connect(t, server.URL)).Generate(t.Context(), req)
	if check == nil {
		if err != nil || resp.Text != text || resp.Usage.OutputTokens != 2 || stream && told.Load() < 2 {
			t.Errorf("got %d bytes, %+v, %v, in %d chunks", len(resp.Text), resp.Usage, err, told.Load())
		}
	} else if err == nil || !check(err) || resp.Text != "" {
		t.Errorf("error %v beside %d bytes", err, len(resp.Text))
	} else if strings.Contains(err.Error(), loopbackKey) || len(err.Error()) > 600 {
		t.Errorf("the error shows too much: %v", err)
	}
	if got := server.Asked(); got != asked {
		t.Errorf("the server was asked %d times; want %d", got, asked)
	}
	if tc.tls && retries.Load() != 0 {
		t.Errorf("a refused certificate was tried %d times more", retries.Load())
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
			_, err := retry(p.connect(t, address)).Generate(t.Context(), hello)
			if _, ok := errors.AsType[*llm.ConnectionError](err); !ok || told.Load() != retries {
				t.Errorf("%s: %v after %d retries", name, err, told.Load())
			}
		}
	}
}

// An https address of a server that speaks http is not tried again.
func TestWrongScheme(t *testing.T) {
	for name, p := range providers {
		server := llmtest.NewServer(t, p.format, nil)
		_, err := p.connect(t, strings.Replace(server.URL, "http", "https", 1)).Generate(t.Context(), hello)
		if _, ok := errors.AsType[*llm.ConnectionError](err); !ok || server.Asked() != 0 || llm.Retryable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// streaming asks for streams, whoever asks it.
type streaming struct{ model llm.Model }

func (s streaming) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	req.OnText = func(llm.Chunk) {}
	return s.model.Generate(ctx, req)
}

// An answer that does not fit its schema is repaired once and then refused.
func TestWrongSchema(t *testing.T) {
	for name, p := range providers {
		for wrong, want := range map[int]string{1: "repaired", 2: "refused"} {
			for _, stream := range []bool{false, true} {
				t.Run(name+"/"+want, func(t *testing.T) {
					server := llmtest.NewServer(t, p.format, answering(func(call int) string {
						if call > wrong {
							return simple
						}
						return `{"query_type":"hard"}`
					}))
					m := llm.NewControls(nil).Wrap(p.connect(t, server.URL))
					if stream {
						m = streaming{m}
					}
					out, usage, err := classify(t.Context(), t, m)
					_, misfit := errors.AsType[*llm.ParseError](err)
					if misfit != (want == "refused") || !misfit && (err != nil || out != skills.ClassifyOutput{QueryType: "simple", Reason: "one rule"}) {
						t.Errorf("got %+v, %v", out, err)
					}
					if server.Asked() != 2 || usage.Calls != 2 || usage.InputTokens != 6 {
						t.Errorf("%d requests, usage %+v", server.Asked(), usage)
					}
				})
			}
		}
	}
}
