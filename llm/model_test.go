package llm_test

import (
	"encoding/json"
	"testing"

	"example.com/assay/llm"
)

// Requests are kept as JSON: what is not set does not show.
func TestRequestAsJSON(t *testing.T) {
	req := llm.Request{
		Skill: "s", Origin: llm.Origin{SkillHash: "h", Vars: json.RawMessage(`{"a":1}`)},
		Messages: []llm.Message{{Role: llm.User, Text: "Go."}},
	}
	const plain = `{"skill":"s","skill_hash":"h","vars":{"a":1},"messages":[{"role":"user","text":"Go."}]}`
	set := req
	set.Sampling = llm.Sampling{Temperature: new(0.0), MaxTokens: 3, Stop: []string{"x"}, Seed: new(0)}
	set.Messages = []llm.Message{{Role: llm.User, Text: "Go.", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}, {URL: "https://host/a"}}}}
	for want, req := range map[string]llm.Request{
		plain: req,
		`{"skill":"s","skill_hash":"h","vars":{"a":1},"messages":[{"role":"user","text":"Go.","images":[{"media_type":"image/png","data":"cG5n"},{"url":"https://host/a"}]}],` +
			`"sampling":{"temperature":0,"max_tokens":3,"stop":["x"],"seed":0}}`: set,
	} {
		if got, err := json.Marshal(req); err != nil || string(got) != want {
			t.Errorf("got\n%s, %v; want\n%s", got, err, want)
		}
	}
}
