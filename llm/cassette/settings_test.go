package cassette_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/llmtest"
)

// Settings and images are part of the key. A request without them keeps the key that
// it had before there were any.
func TestKeyOfSettings(t *testing.T) {
	plain := func() llm.Request { return user("s", "one") }
	full := func() llm.Request {
		r := plain()
		r.Sampling = llm.Sampling{Temperature: new(0.5), MaxTokens: 9, Stop: []string{"<end>"}, Seed: new(3)}
		r.Messages[1].Images = []llm.Image{{MediaType: "image/png", Data: []byte("png bytes")}, {URL: "https://host/a.png?signature=hidden"}}
		return r
	}
	file := record(t, scripted(llmtest.Answer{Text: "a"}), nil, func(m llm.Model) { ask(t, m, plain()) })
	const before = `{"call":1,"key":"24d79323ec93a55bc6c02559fd91677ea9e40d8308c109f0c5a21d43bfc00043"`
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), before) || strings.Contains(string(data), "sampling") || strings.Contains(string(data), "images") {
		t.Errorf("recorded %s, %v; want %s", data, err, before)
	}
	if _, err := replay(t, file).Generate(t.Context(), full()); err == nil {
		t.Error("settings and images are not part of the key")
	}
	file = record(t, scripted(llmtest.Answer{Text: "a"}), nil, func(m llm.Model) { ask(t, m, full()) })
	data, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(data), `"sampling":{"temperature":0.5,"max_tokens":9,"stop":["<end>"],"seed":3}`) || strings.Contains(string(data), "cG5n") || strings.Contains(string(data), "hidden") {
		t.Errorf("recorded %s, %v", data, err)
	}
	if _, err := replay(t, file).Generate(t.Context(), full()); err != nil {
		t.Error(err)
	}
	for name, tc := range map[string]struct {
		change func(*llm.Request)
		says   string
	}{
		"nothing set":    {func(r *llm.Request) { r.Sampling = llm.Sampling{} }, `the sampling is {"temperature":0.5,"max_tokens":9,"stop":["<end>"],"seed":3} there and not set here`},
		"no temperature": {func(r *llm.Request) { r.Sampling.Temperature = nil }, "sampling"},
		"no number":      {func(r *llm.Request) { r.Sampling.Temperature = new(math.NaN()) }, "sampling"},
		"tokens":         {func(r *llm.Request) { r.Sampling.MaxTokens = 8 }, "sampling"},
		"stop":           {func(r *llm.Request) { r.Sampling.Stop = []string{"<end", ">"} }, "sampling"},
		"seed":           {func(r *llm.Request) { r.Sampling.Seed = new(0) }, "sampling"},
		"data":           {func(r *llm.Request) { r.Messages[1].Images[0].Data = []byte("other bytes") }, "message 2 has other images"},
		"type":           {func(r *llm.Request) { r.Messages[1].Images[0].MediaType = "image/gif" }, "message 2 has other images"},
		"address":        {func(r *llm.Request) { r.Messages[1].Images[1].URL = "https://host/b.png" }, "message 2 has other images"},
		"fewer":          {func(r *llm.Request) { r.Messages[1].Images = r.Messages[1].Images[:1] }, "message 2 has other images"},
		"other message":  {func(r *llm.Request) { r.Messages[0].Images, r.Messages[1].Images = r.Messages[1].Images, nil }, "message 1 has other images"},
	} {
		req := full()
		tc.change(&req)
		if _, err := replay(t, file).Generate(t.Context(), req); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	secret := record(t, scripted(llmtest.Answer{Text: "a"}), &cassette.RecordOptions{Secrets: []string{"<end> of it"}}, func(m llm.Model) {
		req := full()
		req.Sampling.Stop = []string{"the <end> of it"}
		ask(t, m, req)
	})
	if data, err := os.ReadFile(secret); err != nil || !strings.Contains(string(data), `"stop":["the [key]"]`) {
		t.Errorf("recorded %s, %v", data, err)
	}
}
