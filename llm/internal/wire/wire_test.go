package wire

import (
	"math"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, " 7 ": 7 * time.Second, "1.5": 1500 * time.Millisecond, "0": 0, "-3": 0, "soon": 0, "NaN": 0, "1h": 0,
		"1e300": 24 * time.Hour, "Inf": 24 * time.Hour, "99999999999999999999": 24 * time.Hour,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:04:00 GMT": 0, "Fri, 02 Jan 2099 03:04:00 GMT": 24 * time.Hour,
		"Friday, 02-Jan-26 03:04:15 GMT": 10 * time.Second,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("RetryAfter(%q) = %v; want %v", header, got, want)
		}
	}
}

func TestSaid(t *testing.T) {
	for body, want := range map[string][3]string{
		`{"error":{"message":"m","type":"t","code":"c","param":"p"}}`:      {"m", "c", "p"},
		`{"error":{"message":"m","type":"t","code":null,"param":null}}`:    {"m", "t", ""},
		`{"error":{"message":"m","status":"INVALID_ARGUMENT","code":400}}`: {"m", "INVALID_ARGUMENT", ""},
		`{"error":"m"}`: {"m", "", ""},
		`{"object":"error","message":"m","type":"BadRequest","code":400}`: {"m", "BadRequest", ""},
		`{"error":null,"message":"m"}`:                                    {"m", "", ""},
		`{"error":[1]}`:                                                   {"", "", ""},
		"  first\nsecond":                                                 {"first", "", ""},
		"\xff":                                                            {"�", "", ""},
		``:                                                                {"", "", ""},
	} {
		m, c, p := said([]byte(body))
		if got := [3]string{m, c, p}; got != want {
			t.Errorf("said(%q) = %q; want %q", body, got, want)
		}
	}
}

func FuzzSaid(f *testing.F) {
	for _, seed := range []string{`{"error":{"message":"m"}}`, `{"error":"m"}`, `[`, "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		m, _, _ := said([]byte(body))
		if m != strings.ToValidUTF8(m, "�") {
			t.Errorf("message %q is not UTF-8", m)
		}
	})
}

func TestCheckRequest(t *testing.T) {
	user := llm.Message{Role: llm.User, Text: "hello"}
	tools := func(tools ...llm.Tool) llm.Request {
		return llm.Request{Messages: []llm.Message{user}, Tools: tools}
	}
	sampled := func(s llm.Sampling) llm.Request {
		return llm.Request{Messages: []llm.Message{user}, Sampling: s}
	}
	shown := func(messages ...llm.Message) llm.Request { return llm.Request{Messages: messages} }
	f := llm.Tool{Name: "f", Parameters: []byte(`{"type":"object"}`)}
	for name, tc := range map[string]struct {
		req llm.Request
		ok  bool
	}{
		"good":         {llm.Request{Messages: []llm.Message{user}}, true},
		"empty":        {llm.Request{}, false},
		"system only":  {llm.Request{Messages: []llm.Message{{Role: llm.System, Text: "x"}}}, false},
		"blank":        {llm.Request{Messages: []llm.Message{{Role: llm.User, Text: " "}}}, false},
		"unknown role": {llm.Request{Messages: []llm.Message{user, {Role: "tool", Text: "x"}}}, false},
		"bad schema":   {llm.Request{Messages: []llm.Message{user}, Schema: []byte("{")}, false},
		"results":      {llm.Request{Messages: []llm.Message{user, {Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: "a"}}}}}, true},
		"no results":   {llm.Request{Messages: []llm.Message{user, {Role: llm.ToolRole}}}, false},
		"bad call":     {llm.Request{Messages: []llm.Message{user, {Role: llm.Assistant, Calls: []llm.ToolCall{{Arguments: []byte("{")}}}}}, false},
		"tool":         {tools(f), true},
		"same tools":   {tools(f, f), false},
		"unnamed tool": {tools(llm.Tool{Parameters: f.Parameters}), false},
		"spaced tool":  {tools(llm.Tool{Name: "a b", Parameters: f.Parameters}), false},
		"long tool":    {tools(llm.Tool{Name: strings.Repeat("f", 65), Parameters: f.Parameters}), false},
		"bad tool":     {tools(llm.Tool{Name: "f", Parameters: []byte(`[]`)}), false},
		"null tool":    {tools(llm.Tool{Name: "f"}), false},

		"sampling":      {sampled(llm.Sampling{Temperature: new(2.0), MaxTokens: 1, Stop: []string{"\n"}, Seed: new(-1)}), true},
		"cold":          {sampled(llm.Sampling{Temperature: new(-0.1)}), false},
		"hot":           {sampled(llm.Sampling{Temperature: new(2.1)}), false},
		"no number":     {sampled(llm.Sampling{Temperature: new(math.NaN())}), false},
		"no tokens":     {sampled(llm.Sampling{MaxTokens: -1}), false},
		"stop anywhere": {sampled(llm.Sampling{Stop: []string{"a", ""}}), false},

		"image":           {shown(llm.Message{Role: llm.User, Images: []llm.Image{{MediaType: "image/png", Data: []byte("x")}}}), true},
		"image by URL":    {shown(llm.Message{Role: llm.User, Images: []llm.Image{{URL: "https://host/a.png"}}}), true},
		"nothing":         {shown(llm.Message{Role: llm.User, Images: []llm.Image{{MediaType: "image/png"}}}), false},
		"data and URL":    {shown(llm.Message{Role: llm.User, Images: []llm.Image{{MediaType: "image/png", Data: []byte("x"), URL: "https://host/a.png"}}}), false},
		"untyped data":    {shown(llm.Message{Role: llm.User, Images: []llm.Image{{Data: []byte("x")}}}), false},
		"a PDF":           {shown(llm.Message{Role: llm.User, Images: []llm.Image{{MediaType: "application/pdf", Data: []byte("x")}}}), false},
		"a file's name":   {shown(llm.Message{Role: llm.User, Images: []llm.Image{{URL: "a.png"}}}), false},
		"the model's":     {shown(user, llm.Message{Role: llm.Assistant, Images: []llm.Image{{URL: "https://host/a.png"}}}), false},
		"only the system": {shown(llm.Message{Role: llm.System, Images: []llm.Image{{URL: "https://host/a.png"}}}), false},
	} {
		if err := CheckRequest(tc.req); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
