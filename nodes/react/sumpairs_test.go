package react_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/assay/llm"
	"example.com/assay/nodes/react"
)

// Over random histories, summaries and what a request leaves out keep calls and their results together,
// the person's last message stays, and requests keep to the limit.
func TestSummariesKeepPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tokens, keep := rapid.IntRange(100, 2000).Draw(t, "tokens"), rapid.IntRange(0, 12).Draw(t, "keep")
		words := func(most int) string { return strings.Repeat("word ", rapid.IntRange(1, most).Draw(t, "words")) }
		sums := keeps(func(llm.Request) llm.Response { return llm.Response{Text: words(100), Model: "m"} })
		step := react.Summarise(sums, tokens, keep)
		var s react.State
		n := 0
		add := func(m react.Message) {
			n++
			m.ID = fmt.Sprint("m", n)
			s.Messages = append(s.Messages, m)
		}
		for range rapid.IntRange(1, 5).Draw(t, "turns") {
			add(react.Message{Message: llm.Message{Role: llm.User, Text: words(20)}})
			for range rapid.IntRange(0, 6).Draw(t, "rounds") {
				made := llm.Message{Role: llm.Assistant, Text: words(10)}
				for c := range rapid.IntRange(1, 4).Draw(t, "calls") {
					made.Calls = append(made.Calls, llm.ToolCall{ID: fmt.Sprint("c", n, "-", c), Name: "f", Arguments: json.RawMessage("{}")})
				}
				add(react.Message{Message: made})
				for _, c := range made.Calls {
					add(react.Message{Message: llm.Message{Role: llm.ToolRole, Results: []llm.ToolResult{{CallID: c.ID, Name: "f", Text: words(300)}}}})
				}
				check(t, step, &s, tokens)
			}
			add(react.Message{Message: llm.Message{Role: llm.Assistant, Text: words(50)}})
		}
	})
}

// check runs the step as before a model call, and looks at what the request would have.
func check(t *rapid.T, step react.Step, s *react.State, tokens int) {
	change, err := step.Run(t.Context(), *s)
	if err != nil {
		if strings.Contains(err.Error(), "raise the limit") { // what must be there does not fit
			t.Skip("what must be in a request does not fit into its limit")
		}
		t.Fatal(err)
	}
	for _, m := range change.Put {
		if m.ID == "" {
			m.ID = fmt.Sprint("s", len(s.Messages))
		}
		s.Messages = append(s.Messages, m)
	}
	gone := map[string]bool{}
	for _, m := range s.Messages {
		if m.Sum != nil {
			for _, id := range m.Sum.For {
				gone[id] = true
			}
		}
	}
	view := react.View{}
	if change.View != nil {
		view = *change.View
	}
	for _, id := range view.Skip {
		gone[id] = true
	}
	question, size := "", 0
	for i, m := range s.Messages {
		if m.Role == llm.User && m.Sum == nil {
			question = m.ID
		}
		if !gone[m.ID] {
			size += len(m.Text)/4 + 4
			for _, r := range m.Results {
				if size += len(r.Text) / 4; view.MaxResult > 0 {
					size -= (len(r.Text) - min(len(r.Text), view.MaxResult)) / 4
				}
			}
		}
		for j := range m.Calls {
			if result := s.Messages[slices.IndexFunc(s.Messages, func(o react.Message) bool { return len(o.Results) > 0 && o.Results[0].CallID == m.Calls[j].ID })]; gone[result.ID] != gone[m.ID] {
				t.Fatalf("call %d of message %d is gone: %t, its result: %t", j, i, gone[m.ID], gone[result.ID])
			}
		}
	}
	if gone[question] {
		t.Fatal("the person's last message is gone")
	}
	if room := 8 * len(s.Messages); size > tokens+room {
		t.Fatalf("%d tokens, the limit is %d", size, tokens)
	}
}
