package research_test

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/research"
)

// TestAModelSearchesTheCorpus: a scripted model asks wrongly, then rightly, and
// sees passages with their offsets.
func TestAModelSearchesTheCorpus(t *testing.T) {
	tool, err := research.SearchCorpus(&shelf{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(id, arguments string) llm.ToolCall {
		return llm.ToolCall{ID: id, Name: research.ToolSearchCorpus, Arguments: json.RawMessage(arguments)}
	}
	m := &llmtest.Script{Answers: map[string][]llmtest.Answer{"chat": {
		{Calls: []llm.ToolCall{call("1", `{"query":" "}`), call("2", `{"query":"who pays","limit":21}`), call("3", `{"query":"who pays","limit":2}`)}},
		{Text: "Owners pay."},
	}}}
	talk, err := llm.Converse(t.Context(), m, llm.Request{Skill: "chat", Messages: []llm.Message{{Role: llm.User, Text: "Who pays?"}}}, []llm.Callable{tool}, nil)
	if err != nil || talk.Response.Text != "Owners pay." {
		t.Fatalf("answer %q, error %v", talk.Response.Text, err)
	}
	results := talk.Messages[2].Results
	if len(results) != 3 || !results[0].Failed || !strings.Contains(results[0].Text, "empty") || !results[1].Failed || !strings.Contains(results[1].Text, "1 to 20") {
		t.Fatalf("results %+v", results)
	}
	var found research.SearchFound
	if err := json.Unmarshal([]byte(results[2].Text), &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Passages) != 2 || found.Confidence == 0 || found.Note == "" {
		t.Fatalf("found %+v", found)
	}
	for i, p := range found.Passages {
		if want := passage(i); p.Passage != want.ID || p.Text != want.Text || p.Start != want.Start || p.End != want.End {
			t.Errorf("passage %d is %+v, want %+v", i, p, want)
		}
	}
}
