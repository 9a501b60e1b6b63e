package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
)

// The answer is what stands behind the person's last message, whatever blocks it has.
func TestReadAnswer(t *testing.T) {
	const asked = `{"id":"1","type":"ai","content":"old"},{"id":"2","type":"human","content":"q"},`
	cited := func(text string, start, end int) string {
		data, _ := json.Marshal([]any{map[string]any{"type": "text", "text": text, "annotations": []any{map[string]any{"start_index": start, "end_index": end, "doc": "d"}}}})
		return string(data)
	}
	for _, c := range []struct {
		messages, text, cites, fault string
	}{
		{asked + `{"id":"3","type":"ai","content":"new"}`, "new", "", ""},
		{asked + `{"id":"3","type":"tool","content":"t"},{"id":"4","type":"ai","content":"é"},{"id":"5","role":"assistant","content":` + cited("öä", 1, 2) + `}`, "é\n\nöä", "ä", ""},
		{asked + `{"id":"3","type":"ai","content":[{"type":"text","text":"é"},{"type":"image"},{"type":"text","text":"b"}]}`, "é\nb", "", ""},
		{asked[:len(asked)-1], "", "", "without an answer"},
		{asked + `{"id":"3","type":"ai","content":` + cited("öä", 0, 3) + `}`, "", "", "characters 0 to 3 of a text of 2"},
		{asked + `{"id":"3","type":"ai","content":` + cited("öä", 2, 1) + `}`, "", "", "characters 2 to 1"},
		{`{"id":"3","type":"ghost"}`, "", "", "ghost"},
	} {
		a := newAnswer("t")
		err := a.read(&runs.Snapshot{State: json.RawMessage(`{"messages":[` + c.messages + `]}`)})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v; want %q", c.messages, err, c.fault)
			}
			continue
		}
		if err != nil || a.text != c.text {
			t.Errorf("%s: %q, %v", c.messages, a.text, err)
			continue
		}
		var cites string
		for _, one := range a.citations {
			cites += string([]rune(a.text)[one.URL.Start:one.URL.End])
			if one.URL.URL != "d" || one.URL.Title != "d" {
				t.Errorf("%+v", one)
			}
		}
		if cites != c.cites {
			t.Errorf("%s cites %q", c.messages, cites)
		}
	}
}

// A question that is no text is asked as JSON, with what was wrong with the last answer.
func TestQuestionOf(t *testing.T) {
	for payload, want := range map[string]string{`"Who?"`: "Who?\n\nnot he", `{"a":1}`: "{\"a\":1}\n\nnot he", `""`: "not he"} {
		if got := questionOf(graph.PendingInterrupt{Payload: json.RawMessage(payload), Problem: "not he"}); got != want {
			t.Errorf("%s: %q", payload, got)
		}
	}
}
