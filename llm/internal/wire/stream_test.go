package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/assay/llm"
)

const secret = "key-secret-0123456789"

// canned answers with a body of a type.
type canned struct {
	kind string
	body io.Reader
}

func (c canned) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(c.body)}, nil
}

// judge knows {"end":true}, {"skip":true} and {"bad":true}.
func judge(event []byte) (Verdict, error) {
	var e struct{ End, Skip, Bad bool }
	if err := json.Unmarshal(event, &e); err != nil {
		return More, err
	}
	switch {
	case e.Bad:
		return More, errBad
	case e.Skip:
		return Skip, nil
	case e.End:
		return Whole, nil
	}
	return More, nil
}

var errBad = errors.New("bad")

// read sends a body through a transport and returns what the library sees and
// how the call ended.
func read(t *testing.T, kind string, body io.Reader, limit int64) (string, error) {
	t.Helper()
	ctx, outcome := Watch(t.Context())
	transport := &Transport{Provider: "p", Base: canned{kind, body}, Secrets: []string{secret}, MaxBytes: limit, Event: judge}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://host/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return "", err
	}
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("the library met %v", err)
	}
	return string(got), errors.Join(outcome.Err(), resp.Body.Close())
}

const sse = "text/event-stream; charset=utf-8"

func TestStream(t *testing.T) {
	connection := func(err error) bool { e, ok := errors.AsType[*llm.ConnectionError](err); return ok && llm.Retryable(e) }
	response := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	status := func(want int) func(error) bool {
		return func(err error) bool { e, ok := errors.AsType[*llm.StatusError](err); return ok && e.Status == want }
	}
	for name, tc := range map[string]struct {
		kind, body, want string
		check            func(error) bool
	}{
		"whole":                 {sse, "data: {\"a\":1}\n\ndata: {\"end\":true}\n\n", "data: {\"a\":1}\n\ndata: {\"end\":true}\n\n", nil},
		"marker":                {sse, "data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\"a\":1}\n\ndata: [DONE]\n\n", nil},
		"no last line":          {sse, "data:{\"a\":1}\r\n\r\ndata: [DONE]", "data: {\"a\":1}\n\ndata: [DONE]\n\n", nil},
		"comments and fields":   {sse, ": ping\n\nevent: x\nid: 3\ndata: {\"end\":true}\n\n: ping\n\n", "data: {\"end\":true}\n\n", nil},
		"many lines":            {sse, "data: {\"end\":\ndata: true}\n\n", "data: {\"end\":true}\n\n", nil},
		"skipped":               {sse, "data: {\"skip\":true}\n\ndata: {\"end\":true}\n\n", "data: {\"end\":true}\n\n", nil},
		"secret":                {sse, "data: {\"a\":\"" + secret + "\",\"end\":true}\n\n", "data: {\"a\":\"[key]\",\"end\":true}\n\n", nil},
		"null error":            {sse, "data: {\"error\":null,\"end\":true}\n\n", "data: {\"error\":null,\"end\":true}\n\n", nil},
		"nothing":               {sse, "", "", connection},
		"cut between events":    {sse, "data: {\"a\":1}\n\n", "data: {\"a\":1}\n\n", connection},
		"cut in an event":       {sse, "data: {\"a\":1}\n\ndata: {\"end\":tr", "data: {\"a\":1}\n\n", connection},
		"cut marker":            {sse, "data: {\"a\":1}\n\ndata: [DON", "data: {\"a\":1}\n\n", connection},
		"no JSON":               {sse, "data: {]\n\ndata: [DONE]\n\n", "", response},
		"judged bad":            {sse, "data: {\"bad\":true}\n\n", "", func(err error) bool { return errors.Is(err, errBad) }},
		"error with number":     {sse, "data: {\"a\":1}\n\ndata: {\"error\":{\"code\":503,\"message\":\"" + secret + "\"}}\n\n", "data: {\"a\":1}\n\n", status(503)},
		"error with digits":     {sse, "data: {\"error\":{\"code\":\"429\"}}\n\n", "", status(429)},
		"error with name":       {sse, "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}\n\n", "", status(529)},
		"error with other name": {sse, "data: {\"error\":{\"type\":\"mystery\"}}\n\n", "", status(500)},
		"error as text":         {sse, "data: {\"error\":\"model failed\"}\n\n", "", status(500)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, body := range []io.Reader{strings.NewReader(tc.body), iotest.OneByteReader(strings.NewReader(tc.body))} {
				got, err := read(t, tc.kind, body, 0)
				if got != tc.want || (tc.check == nil) != (err == nil) || tc.check != nil && !tc.check(err) {
					t.Errorf("got %q, %v; want %q", got, err, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows the key: %v", err)
				}
			}
		})
	}
}

// A connection that is lost is an error even after the answer's last event.
func TestLostStream(t *testing.T) {
	lost := iotest.ErrReader(errors.New("reset by peer"))
	for _, body := range []string{"", "data: {\"a\":1}\n\n", "data: {\"end\":true}\n\n"} {
		_, err := read(t, sse, io.MultiReader(strings.NewReader(body), lost), 0)
		if _, ok := errors.AsType[*llm.ConnectionError](err); !ok {
			t.Errorf("after %q: %v", body, err)
		}
	}
}

func TestLongStream(t *testing.T) {
	event := "data: {\"a\":\"" + strings.Repeat("x", 90) + "\"}\n\n"
	for n, tooLong := range map[int]bool{3: false, 5: true} {
		_, err := read(t, sse, strings.NewReader(strings.Repeat(event, n)+"data: [DONE]\n\n"), 100)
		if e, ok := errors.AsType[*llm.ResponseError](err); ok != tooLong || (err != nil) != tooLong {
			t.Errorf("%d events: %v, %v", n, err, e)
		}
	}
}

// Without an Outcome the error is the reader's.
func TestUnwatchedStream(t *testing.T) {
	transport := &Transport{Provider: "p", Base: canned{sse, strings.NewReader("data: {}\n\n")}, Event: judge}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://host/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("error %v", err)
	}
}

// authorized records the header of the last call and answers with it.
type authorized struct{ seen *string }

func (a authorized) RoundTrip(req *http.Request) (*http.Response, error) {
	*a.seen = req.Header.Get("Authorization")
	return &http.Response{StatusCode: 403, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"error":"bad ` + *a.seen + `"}`))}, nil
}

func TestToken(t *testing.T) {
	var seen string
	token, refused := "token-0123456789", errors.New("no token")
	transport := &Transport{Provider: "p", Base: authorized{&seen}, Token: func(context.Context) (string, error) {
		if token == "" {
			return "", refused
		}
		return token, nil
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://host/", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = transport.RoundTrip(req)
	if seen != "Bearer token-0123456789" || err == nil || strings.Contains(err.Error(), token) || req.Header.Get("Authorization") != "" {
		t.Errorf("sent %q, error %v", seen, err)
	}
	token = ""
	if _, err := transport.RoundTrip(req); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}

func FuzzStream(f *testing.F) {
	for _, seed := range []string{"data: {\"a\":1}\n\ndata: [DONE]\n\n", "data: {\"end\":\ndata: true}", ": x\n\n", "data:\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := read(t, sse, strings.NewReader(body), 0)
		for event := range strings.SplitSeq(strings.TrimSuffix(got, "\n\n"), "\n\n") {
			data, ok := strings.CutPrefix(event, "data: ")
			if got != "" && (!ok || data != doneMarker && !json.Valid([]byte(data))) {
				t.Errorf("event %q of %q", event, body)
			}
		}
		if err == nil && !strings.Contains(got, doneMarker) && !strings.Contains(strings.ToLower(got), `"end"`) {
			t.Errorf("%q was taken for a whole answer", body)
		}
	})
}

func TestCalls(t *testing.T) {
	for text, want := range map[string]string{"": "{}", " ": "{}", `{"a":1}`: `{"a":1}`, `{"a":`: `"{\"a\":"`} {
		got := Arguments(text)
		if string(got) != want || !json.Valid(got) {
			t.Errorf("Arguments(%q) = %s; want %s", text, got, want)
		}
		if back := ArgumentText(got); strings.TrimSpace(text) != "" && back != text {
			t.Errorf("ArgumentText(%s) = %q; want %q", got, back, text)
		}
	}
	calls := []llm.ToolCall{{ID: ""}, {ID: "x"}, {ID: "call_1"}, {ID: "x"}, {ID: ""}}
	NameCalls(calls)
	var ids []string
	for _, c := range calls {
		ids = append(ids, c.ID)
	}
	if got, want := fmt.Sprint(ids), "[call_2 x call_1 call_4 call_5]"; got != want {
		t.Errorf("ids %s; want %s", got, want)
	}
}

func TestInBatches(t *testing.T) {
	var sizes []int
	embed := func(_ context.Context, texts []string) ([][]float32, error) {
		sizes = append(sizes, len(texts))
		out := make([][]float32, len(texts))
		for i, text := range texts {
			out[i] = []float32{float32(len(text)), 1}
		}
		return out, nil
	}
	texts := []string{"a", "bb", "ccc", "dddddddddddd", "e", "ff"}
	got, err := InBatches(t.Context(), texts, 2, 10, 2, embed)
	if err != nil || fmt.Sprint(sizes) != "[2 1 1 2]" || len(got) != len(texts) {
		t.Fatalf("%d vectors in calls of %v, %v", len(got), sizes, err)
	}
	for i, v := range got {
		if int(v[0]) != len(texts[i]) {
			t.Errorf("vector %d is that of another text", i)
		}
	}
	if got, err := InBatches(t.Context(), nil, 2, 10, 0, embed); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
	if _, err := InBatches(t.Context(), []string{"a", " "}, 2, 10, 0, embed); err == nil || !strings.Contains(err.Error(), "text 2") {
		t.Errorf("an empty text: %v", err)
	}
	if _, err := InBatches(t.Context(), texts, 2, 10, 3, embed); err == nil {
		t.Error("vectors of another dimension were taken")
	}
	ragged := func(_ context.Context, texts []string) ([][]float32, error) {
		return [][]float32{make([]float32, len(texts[0]))}, nil
	}
	for _, texts := range [][]string{{"a", "bb"}, {"a", "b"}} {
		if _, err := InBatches(t.Context(), texts, len(texts[1]), 10, 0, func(ctx context.Context, t []string) ([][]float32, error) { return ragged(ctx, t) }); (err == nil) != (texts[1] == "b") {
			t.Errorf("%q: %v", texts, err)
		}
	}
}
