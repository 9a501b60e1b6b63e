package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"example.com/assay/graph"
	"example.com/assay/serve/runs"
	"example.com/assay/state/event"
)

// A message is told while its model writes it. The answer does not have what the model takes back, or
// what a tool's model writes.
func TestTell(t *testing.T) {
	begin := func(task, message string) graph.EventRecord {
		return graph.EventRecord{Kind: graph.NodeCustom.String(), Tasks: []string{task}, Name: event.ModelText, Data: json.RawMessage(`{"message":"` + message + `"}`)}
	}
	token := func(task, text string) graph.EventRecord {
		return graph.EventRecord{Kind: graph.NodeToken.String(), Tasks: []string{task}, Text: text}
	}
	update := func(task, messages string) graph.EventRecord {
		return graph.EventRecord{Kind: graph.NodeUpdate.String(), Tasks: []string{task}, Update: json.RawMessage(`[{"channel":"n","value":1},{"channel":"messages","op":"put","value":` + messages + `}]`)}
	}
	attempt := graph.EventRecord{Kind: runs.KindAttempt, Attempt: 2}
	again := graph.EventRecord{Kind: graph.NodeCustom.String(), Tasks: []string{"a"}, Name: textAgain}
	checkpoint := graph.EventRecord{Kind: graph.CheckpointSaved.String(), Checkpoint: "c"}
	const cited = `[{"type":"ai","id":"1","content":[{"type":"text","text":"one two","annotations":[{"end_index":3,"doc":"d"}]}]}]`
	for name, c := range map[string]struct {
		events []graph.EventRecord
		want   string
	}{
		"whole":      {[]graph.EventRecord{update("a", `[{"type":"ai","id":"1","content":"one"}]`)}, `+one "one"`},
		"written":    {[]graph.EventRecord{begin("a", "1"), token("a", "one "), token("a", "two"), update("a", cited)}, `+one  +two @d "one two"`},
		"grown":      {[]graph.EventRecord{begin("a", "1"), token("a", "one"), update("a", cited)}, `+one + two @d "one two"`},
		"cited late": {[]graph.EventRecord{update("a", `[{"type":"ai","id":"1","content":"one two"}]`), checkpoint, update("b", cited)}, `+one two @d "one two"`},
		"again":      {[]graph.EventRecord{begin("a", "1"), token("a", "o"), again, token("a", "one"), update("a", `[{"type":"ai","id":"1","content":"two"}]`)}, `+o "two"`},
		"died":       {[]graph.EventRecord{begin("a", "1"), token("a", "o"), attempt, begin("a", "1"), token("a", "one"), update("a", `[{"type":"ai","id":"1","content":"one"}]`)}, `+o +ne "one"`},
		"taken back": {[]graph.EventRecord{begin("a", "1"), token("a", "o"), update("a", `["1"]`), update("b", `[{"type":"ai","id":"2","content":"one"}]`)}, `+o +one "one" "o" incomplete`},
		"two":        {[]graph.EventRecord{begin("a", "1"), token("a", "o"), begin("b", "2"), token("b", "p"), update("b", `[{"type":"ai","id":"2","content":"p"}]`), update("a", `[{"type":"ai","id":"1","content":"o"}]`)}, `+o +p "p" "o"`},
		"no message": {[]graph.EventRecord{begin("t", ""), token("t", "hm"), update("a", `[{"type":"ai","id":"1","content":"one"}]`)}, `+one "one"`},
		"thought": {[]graph.EventRecord{update("a", `[{"type":"ai","id":"1","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"one"}],"additional_kwargs":{"reasoning_content":"so"}}]`)},
			`reasoning +one "one"`},
		"called": {[]graph.EventRecord{update("a", `[{"type":"ai","id":"1","content":"","tool_calls":[{"id":"c","name":"f","args":{}}]},{"type":"tool","id":"2","tool_call_id":"c","content":"r"},{"type":"tool","id":"3","tool_call_id":"x","content":"r"},{"type":"human","id":"4","content":"h"}]`)},
			`mcp_call`},
	} {
		var got []string
		s := &teller{turn: &turn{in: &request{}}, after: -1, done: map[string]bool{}, send: func(frame string) error {
			var e struct {
				Type       string
				Delta      string
				Annotation struct{ URL string }
				Item       struct {
					Type, Status string
					Content      []struct{ Text string }
				}
			}
			_, data, _ := strings.Cut(frame, "data: ")
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Error(err)
			}
			switch strings.TrimPrefix(e.Type, "response.") {
			case "output_text.delta":
				got = append(got, "+"+e.Delta)
			case "output_text.annotation.added":
				got = append(got, "@"+e.Annotation.URL)
			case "output_item.done":
				line := e.Item.Type
				if len(e.Item.Content) > 0 {
					line = strings.TrimSuffix(fmt.Sprintf("%q %s", e.Item.Content[0].Text, e.Item.Status), " completed")
				}
				got = append(got, line)
			}
			return nil
		}}
		a := newAnswer("t")
		for _, rec := range c.events {
			if err := new(call).hear(context.Background(), a, runs.Event{EventRecord: rec}, s); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := s.close(); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, %v; want %s", name, strings.Join(got, " "), err, c.want)
		}
	}
}
