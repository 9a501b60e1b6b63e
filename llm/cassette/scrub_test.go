package cassette_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/llmtest"
)

// No key reaches the file, whatever brings it.
func TestKeysAreCut(t *testing.T) {
	const known = `my"own<secret>value`
	keys := []string{known, "sk-proj-0123456789abcdef", "AIzaSyA0123456789abcdefghijk", "hunter2hunter2", "tok3n0123456789", "eyJhbGciOi.JIUzI1NiJ9"}
	var answers []llmtest.Answer
	for _, err := range []error{
		&llm.ConnectionError{Provider: "p", Err: fmt.Errorf(`Post "https://me:%s@host/v1/chat?key=%s&alt=json": EOF`, keys[3], keys[4])},
		&llm.StatusError{Provider: "p", Status: 401, Message: "Incorrect API key provided: " + keys[1] + ". Authorization: Bearer " + keys[4], Code: keys[2], Param: `{"api_key": "` + keys[3] + `"}`},
		&llm.ResponseError{Provider: "p", Err: errors.New("at " + keys[5] + " and " + known + " and " + keys[2])},
		&llm.CircuitError{Last: errors.New("x-goog-api-key: " + keys[4] + ", then Bearer " + keys[4])},
		fmt.Errorf("dialing http://%s@host: password=%s", keys[3], keys[3]),
	} {
		answers = append(answers, llmtest.Answer{Err: err})
	}
	answers = append(answers, llmtest.Answer{Text: "you said " + known, Chunks: []string{known}, Calls: []llm.ToolCall{{Name: "f", Arguments: json.RawMessage(`{"k":"my\"own<secret>value"}`)}}})
	req := user("s", "use "+known)
	req.OnText = func(llm.Chunk) {}
	req.Messages = append(req.Messages, llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{Text: known}}})
	file := record(t, scripted(answers...), &cassette.RecordOptions{Secrets: []string{known, "short"}}, func(m llm.Model) {
		for i := range answers {
			resp, err := m.Generate(t.Context(), req)
			if i+1 == len(answers) && (err != nil || resp.Text != "you said "+known || string(resp.Calls[0].Arguments) != `{"k":"my\"own<secret>value"}`) {
				t.Errorf("the answer itself was changed: %+v, %v", resp, err)
			}
		}
	})
	if req.Messages[2].Results[0].Text != known {
		t.Error("the request itself was changed")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append(keys, "secret>value") {
		for line := range strings.Lines(string(data)) {
			if strings.Contains(line, key) {
				t.Errorf("the file shows %q: %s", key, line)
			}
		}
	}
	for _, kept := range []string{"host/v1/chat?key=[key]&alt=json", "EOF", "Incorrect API key provided", "you said [key]"} {
		if !strings.Contains(string(data), kept) {
			t.Errorf("the file does not show %q", kept)
		}
	}
	p := replay(t, file) // the key in the request is not in the file, and found by its hash
	for range answers {
		if _, err := p.Generate(t.Context(), req); errors.As(err, new(*cassette.UnknownRequestError)) {
			t.Error(err)
		}
	}
}
