package classify_test

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/llm/classify"
)

func close3(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// Each wire, with labels in many spellings, tells the same probabilities.
func TestWires(t *testing.T) {
	inputs := []classify.Input{{"a b c d", "a b"}, {"a x y z", "a b"}, {"x", "a b"}}
	want := []float64{.98, .5, .02}
	for wire, suffix := range suffixes {
		for _, names := range []struct{ yes, no, mapping string }{
			{"ENTAILMENT", "CONTRADICTION", ""}, {"entailment", "not_entailment", ""}, {"Yes", "No", ""}, {"supported", "unsupported", ""},
			{"LABEL_1", "LABEL_0", "LABEL_1=supported, label_0=unsupported"}, {"OUI", "NON", "oui=supported,non=unsupported"},
		} {
			if wire == "minicheck" && strings.HasPrefix(names.yes, "LABEL") {
				continue // it answers in words
			}
			t.Run(wire+"/"+names.yes, func(t *testing.T) {
				s := serve(t, &server{p: shared, yes: names.yes, no: names.no})
				o := classify.Options{URL: s.URL + suffix, Model: "m", Key: key}
				if names.mapping != "" {
					var err error
					if o.Labels, err = classify.ParseLabels(classify.Support, names.mapping); err != nil {
						t.Fatal(err)
					}
				}
				got, usage, err := client(t, classify.Support, o).Score(t.Context(), inputs)
				if err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if !close3(got[i].P, want[i]) {
						t.Errorf("input %d: %.3f; want %.3f", i, got[i].P, want[i])
					}
				}
				if names.no == "CONTRADICTION" && !close3(got[2].Against, .98) {
					t.Errorf("against %.3f", got[2].Against)
				}
				seen := s.requests()
				requests, tokens := 1, 7
				if wire == "minicheck" {
					requests, tokens = 3, 21
				}
				if wire == "tei" {
					tokens = 0
				}
				if len(seen) != requests || usage.InputTokens != tokens || seen[0].auth != "Bearer "+key {
					t.Errorf("%d requests, usage %+v, first %+v", len(seen), usage, seen[0])
				}
			})
		}
	}
}

// The bodies are those that the servers document.
func TestRequests(t *testing.T) {
	for url, want := range map[string]struct{ path, body string }{
		"/predict":             {"/predict", `{"inputs":[["d & e","c"]],"truncate":true}`},
		"/v1/classify/":        {"/v1/classify", `{"model":"m","input":["Document: d & e\nClaim: c"]}`},
		"/v1":                  {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"Document: d & e\nClaim: c"}],"max_tokens":1,"temperature":0,"logprobs":true,"top_logprobs":5}`},
		"/x/chat/completions/": {"/x/chat/completions", `{"model":"m","messages":[{"role":"user","content":"Document: d & e\nClaim: c"}],"max_tokens":1,"temperature":0,"logprobs":true,"top_logprobs":5}`},
	} {
		s := serve(t, &server{p: shared, yes: "Yes", no: "No"})
		if _, _, err := client(t, classify.Support, classify.Options{URL: s.URL + url, Model: "m"}).Score(t.Context(), []classify.Input{{"d & e", "c"}}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if seen := s.requests(); len(seen) != 1 || seen[0].path != want.path || strings.TrimSpace(seen[0].body) != want.body || seen[0].auth != "" {
			t.Errorf("%s: %+v", url, seen)
		}
	}
	s := serve(t, &server{p: shared, yes: "INJECTION", no: "SAFE"})
	if _, _, err := client(t, classify.Injection, classify.Options{URL: s.URL + "/predict"}).Score(t.Context(), []classify.Input{{Text: "a"}, {Text: "b"}}); err != nil {
		t.Error(err)
	}
	if got := strings.TrimSpace(s.requests()[0].body); got != `{"inputs":[["a"],["b"]],"truncate":true}` {
		t.Errorf("request %s", got) // a list of two texts would be a pair
	}
}

func TestBatches(t *testing.T) {
	s := serve(t, &server{p: shared, yes: "yes", no: "no"})
	var inputs []classify.Input
	for i := range 70 {
		inputs = append(inputs, classify.Input{Text: "a b", Claim: strings.Repeat("a ", i%2) + "z"})
	}
	got, _, err := client(t, classify.Support, classify.Options{URL: s.URL + "/predict"}).Score(t.Context(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range inputs {
		if want := .02 + .48*float64(i%2); !close3(got[i].P, want) {
			t.Fatalf("input %d: %v; want %v", i, got[i], want)
		}
	}
	sizes := map[int]int{}
	for _, r := range s.requests() {
		sizes[len(r.texts)]++
	}
	if sizes[32] != 2 || sizes[6] != 1 || len(sizes) != 2 {
		t.Errorf("batches of %v", sizes)
	}
	if got, _, err := client(t, classify.Support, classify.Options{URL: s.URL + "/predict"}).Score(t.Context(), nil); err != nil || len(got) != 0 || len(s.requests()) != 3 {
		t.Errorf("of nothing: %v, %v", got, err)
	}
}

// What a server of /classify says of three classes, and in bare words one of /v1.
func TestScores(t *testing.T) {
	three := `{"data":[{"index":0,"label":"%s","probs":[0.1,0.7,0.2]}]}`
	bare := `{"choices":[{"message":{"content":"%s"}}]}`
	for name, tc := range map[string]struct {
		suffix, mapping, body, label string
		want                         classify.Score
	}{
		"likeliest":         {"/classify", "", three, "entailment", classify.Score{P: .7}},
		"of the rest":       {"/classify", "", three, "neutral", classify.Score{P: .15}},
		"contradicted":      {"/classify", "", three, "contradiction", classify.Score{P: .15, Against: .7}},
		"by number":         {"/classify", "2=supported,0=contradicted", three, "neutral", classify.Score{P: .2, Against: .1}},
		"by LABEL_n":        {"/classify", "LABEL_0=supported", three, "LABEL_1", classify.Score{P: .1}},
		"bare Yes":          {"/v1", "", bare, "Yes.", classify.Score{P: .9}},
		"bare No":           {"/v1", "", bare, " no", classify.Score{P: .1}},
		"three scores":      {"/predict", "", `[[{"label":"neutral","score":0.3},{"label":"ENTAILMENT","score":0.6},{"label":"Contradiction","score":0.1}]]`, "", classify.Score{P: .6, Against: .1}},
		"logprobs, no word": {"/v1", "", `{"choices":[{"message":{"content":"Yes"},"logprobs":{"content":[{"top_logprobs":[{"token":"Hm","logprob":-0.1}]}]}}]}`, "", classify.Score{P: .9}},
	} {
		s := serve(t, &server{answer: func(w http.ResponseWriter, _ request) bool {
			io.WriteString(w, strings.Replace(tc.body, "%s", tc.label, 1))
			return true
		}})
		o := classify.Options{URL: s.URL + tc.suffix, Model: "m"}
		if tc.mapping != "" {
			o.Labels, _ = classify.ParseLabels(classify.Support, tc.mapping)
		}
		got, _, err := client(t, classify.Support, o).Score(t.Context(), []classify.Input{{"d", "c"}})
		if err != nil || len(got) != 1 || !close3(got[0].P, tc.want.P) || !close3(got[0].Against, tc.want.Against) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, tc.want)
		}
	}
}

// A server that refuses logprobs is asked without them, and not again with them.
func TestWithoutLogprobs(t *testing.T) {
	s := serve(t, &server{answer: func(w http.ResponseWriter, r request) bool {
		if strings.Contains(r.body, "logprobs") {
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"Yes"}}]}`)
		return true
	}})
	c := client(t, classify.Support, classify.Options{URL: s.URL + "/v1", Model: "m"})
	for range 2 {
		if got, _, err := c.Score(t.Context(), []classify.Input{{"d", "c"}}); err != nil || got[0].P != .9 {
			t.Errorf("%v, %v", got, err)
		}
	}
	if n := len(s.requests()); n != 3 {
		t.Errorf("%d requests; want 3", n)
	}
}

// Failures are llm's typed errors and never show the key, a document or a claim.
func TestFailures(t *testing.T) {
	status := func(code int) func(error) bool {
		return func(err error) bool {
			e, ok := errors.AsType[*llm.StatusError](err)
			return ok && e.Status == code
		}
	}
	garbled := func(err error) bool { _, ok := errors.AsType[*llm.ResponseError](err); return ok }
	lost := func(err error) bool { _, ok := errors.AsType[*llm.ConnectionError](err); return ok }
	unlabelled := func(err error) bool { _, ok := errors.AsType[*classify.LabelError](err); return ok }
	says := func(code int, body string) func(http.ResponseWriter, request) bool {
		return func(w http.ResponseWriter, _ request) bool {
			w.WriteHeader(code)
			io.WriteString(w, body)
			return true
		}
	}
	hang := func(w http.ResponseWriter, _ request) bool {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
		return true
	}
	for _, tc := range []struct {
		name, suffix string
		answer       func(http.ResponseWriter, request) bool
		is           func(error) bool
	}{
		{"refused key", "", says(401, `{"error":"bad `+key+`"}`), status(401)},
		{"overloaded", "", says(500, `oops`), status(500)},
		{"garbage", "", says(200, `<html>`), garbled},
		{"another object", "", says(200, `{}`), garbled},
		{"closed connection", "", hang, lost},
		{"unknown labels", "/predict", says(200, `[[{"label":"joy","score":0.5},{"label":"anger","score":0.5}]]`), unlabelled},
		{"unknown label", "/classify", says(200, `{"data":[{"label":"LABEL_0","probs":[0.9,0.1]}]}`), unlabelled},
		{"neither", "/v1", says(200, `{"choices":[{"message":{"content":"Perhaps"}}]}`), garbled},
		{"no choice", "/v1", says(200, `{"choices":[]}`), garbled},
		{"raw scores", "/predict", says(200, `[[{"label":"entailment","score":4.2}]]`), garbled},
		{"no score", "/predict", says(200, `[[{"label":"entailment"}]]`), garbled},
		{"too few", "/predict", says(200, `[]`), garbled},
		{"too many", "/classify", says(200, `{"data":[{"label":"yes","probs":[1]},{"label":"yes","probs":[1]}]}`), garbled},
		{"another text", "/classify", says(200, `{"data":[{"index":7,"label":"yes","probs":[1]}]}`), garbled},
		{"no probabilities", "/classify", says(200, `{"data":[{"label":"yes"}]}`), garbled},
		{"no server", "", nil, lost},
	} {
		for wire, suffix := range suffixes {
			if tc.suffix != "" && tc.suffix != suffix {
				continue
			}
			s := serve(t, &server{answer: tc.answer, p: shared})
			if tc.name == "no server" {
				s.Close()
			}
			got, _, err := client(t, classify.Support, classify.Options{URL: s.URL + suffix, Model: "m", Key: key}).Score(t.Context(), []classify.Input{{"private document", "private claim"}})
			if err == nil || got != nil || !tc.is(err) || strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "private") {
				t.Errorf("%s of %s: %v, %v", tc.name, wire, got, err)
			}
		}
	}
}

// A slow server is left when the context ends, with the context's cause.
func TestCancelled(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	for wire, suffix := range suffixes {
		asked := make(chan struct{}, 1)
		s := serve(t, &server{answer: func(http.ResponseWriter, request) bool { asked <- struct{}{}; <-release; return true }})
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-asked; cancel(why) }()
		_, _, err := client(t, classify.Support, classify.Options{URL: s.URL + suffix, Model: "m"}).Score(ctx, []classify.Input{{"d", "c"}})
		if !errors.Is(err, why) {
			t.Errorf("%s: %v", wire, err)
		}
	}
}

// Under a Caller requests are repeated, timed and counted as those of models are.
func TestUnderControl(t *testing.T) {
	failed := false
	s := serve(t, &server{p: shared, yes: "yes", no: "no"})
	s.answer = func(w http.ResponseWriter, _ request) bool {
		first := !failed
		failed = true
		if first {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return first
	}
	controls := llm.NewControls(&llm.ControlOptions{Retry: llm.RetryOptions{MaxRetries: 1, Base: time.Millisecond, JitterMax: time.Millisecond}, Budget: llm.BudgetOptions{MaxCalls: 2}})
	c := client(t, classify.Support, classify.Options{URL: s.URL + "/predict", Caller: llm.NewCaller("judge", controls.WrapUnpriced)})
	for range 2 {
		if _, _, err := c.Score(t.Context(), []classify.Input{{"a", "a"}}); err != nil {
			t.Error(err)
		}
	}
	_, _, err := c.Score(t.Context(), []classify.Input{{"a", "a"}})
	if spent, ok := errors.AsType[*llm.BudgetError](err); !ok || len(s.requests()) != 3 || spent.Spent != 2 {
		t.Errorf("%v after %d requests", err, len(s.requests()))
	}
}

func TestNewClientRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		task classify.Task
		o    classify.Options
		want string
	}{
		"no end":          {classify.Support, classify.Options{URL: "http://h:1"}, "must end in /predict"},
		"no address":      {classify.Support, classify.Options{URL: "h/predict"}, "base URL must be an address"},
		"credentials":     {classify.Support, classify.Options{URL: "http://u:p@h/predict"}, "must not hold credentials"},
		"key":             {classify.Support, classify.Options{URL: "http://h/predict", Key: "a b"}, "the key holds a space"},
		"no model":        {classify.Support, classify.Options{URL: "http://h/v1"}, "needs the name of a model"},
		"chat for orders": {classify.Injection, classify.Options{URL: "http://h/v1", Model: "m"}, "asked about claims alone"},
		"labels":          {classify.Injection, classify.Options{URL: "http://h/predict", Labels: classify.Labels{"x": classify.Supported}}, "must be one of [orders harmless]"},
	} {
		if _, err := classify.NewClient(tc.task, &tc.o); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v; want %q", name, err, tc.want)
		}
	}
	if _, err := classify.NewClient(classify.Support, nil); err == nil {
		t.Error("no options were taken")
	}
}

func TestParseLabels(t *testing.T) {
	got, err := classify.ParseLabels(classify.Support, " LABEL_1 = supported ,LABEL_0=unsupported")
	if err != nil || got.String() != "LABEL_0=unsupported, LABEL_1=supported" {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "x", "=supported", "x=supported,x=unsupported", "x=maybe"} {
		if got, err := classify.ParseLabels(classify.Support, text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The model's name holds no address.
func TestServed(t *testing.T) {
	info := `{"model_id":"org/nli","model_sha":null}`
	s := serve(t, &server{p: shared, yes: "yes", no: "no"})
	s.answer = func(w http.ResponseWriter, r request) bool {
		if r.path != "/info" {
			return false
		}
		io.WriteString(w, info)
		return true
	}
	for _, tc := range []struct{ suffix, model, info, want string }{
		{"/predict", "", info, "org/nli"}, {"/predict", "mine", `{"model_id":"/data/model"}`, "mine"}, {"/predict", "", `{}`, "tei"},
		{"/classify", "", "", "served"}, {"/v1", "m", "", "served"},
	} {
		info = tc.info
		c := client(t, classify.Support, classify.Options{URL: s.URL + tc.suffix, Model: tc.model})
		if _, _, err := c.Score(t.Context(), []classify.Input{{"a", "a"}}); err != nil {
			t.Fatal(err)
		}
		if got := c.Served(t.Context()); got != tc.want {
			t.Errorf("%+v: %q", tc, got)
		}
	}
}
