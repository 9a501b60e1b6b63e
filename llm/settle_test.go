package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
)

// counting numbers its results on, and refuses some.
type counting struct {
	llm.Callable
	n int
}

func (c *counting) Settle(_ context.Context, result json.RawMessage) (json.RawMessage, error) {
	switch c.n++; string(result) {
	case "4":
		return nil, errors.New("no four")
	case "5":
		panic("five")
	}
	return json.RawMessage(string(result) + " is number " + string(rune('0'+c.n))), nil
}

// Results are settled in the order of the calls, not of their ends, and only
// those of calls that succeeded.
func TestConverseSettles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := &counting{Callable: newTool(t, "late", func(_ context.Context, in number) (int, error) {
			time.Sleep(time.Duration(10-in.N) * time.Second)
			if in.N == 3 {
				return 0, errors.New("no three")
			}
			return in.N, nil
		})}
		m := script("calc", wish("", "late", `{"n":1}`, "late", `{"n":2}`, "late", `{"n":3}`, "late", `{"n":4}`, "late", `{"n":5}`, "late", `{"n":6}`), llmtest.Answer{Text: "done"})
		conv, err := llm.Converse(t.Context(), m, question, []llm.Callable{tool}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range conv.Messages[2].Results {
			got = append(got, r.Text)
			if r.Failed != (strings.HasPrefix(r.Text, "no ") || strings.Contains(r.Text, "panicked")) {
				t.Errorf("%+v", r)
			}
		}
		want := []string{"1 is number 1", "2 is number 2", "no three", "no four", "the tool panicked: five", "6 is number 5"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
	})
}

// A text that comes after calls, or after a blank answer, is the whole of what a
// listener holds.
func TestAskTextWith(t *testing.T) {
	echo := newTool(t, "echo", func(_ context.Context, in number) (number, error) { return in, nil })
	write := skill(t, skills.SynthesizeAndCite)
	in := skills.SynthesizeInput{Objective: "o", Question: "q", Sources: []skills.Source{{N: 1, Text: "t"}}}
	m := script(write.Name, wish("I look.", "echo", `{"n":1}`), llmtest.Answer{Text: " "}, wish("", "echo", `{"n":2}`), llmtest.Answer{Text: "ab", Chunks: []string{"a", "b"}})
	var repaired []bool
	held := ""
	inNode(t, graph.Custom|graph.Tokens, func(ctx context.Context) error {
		text, usage, err := llm.AskTextWith(ctx, m, write, in, []llm.Callable{echo}, nil)
		if text != "ab" || usage.Calls != 4 || usage.ParseFailures != 1 {
			t.Errorf("%q, %+v", text, usage)
		}
		return err
	}, func(kind graph.EventKind, name, text string, data json.RawMessage) {
		switch {
		case kind == graph.NodeToken:
			held += text
		case name == llm.EventTextAgain:
			held = ""
		case name == llm.EventModelCall:
			var e llm.CallEvent
			if err := json.Unmarshal(data, &e); err != nil {
				t.Error(err)
			}
			repaired = append(repaired, e.Repaired)
		}
	})
	if diff := cmp.Diff([]bool{false, false, true, false}, repaired); diff != "" || held != "ab" {
		t.Errorf("the listener holds %q; repairs (-want +got):\n%s", held, diff)
	}
	blank := script(write.Name, llmtest.Answer{Text: ""}, llmtest.Answer{Text: " "})
	if _, usage, err := llm.AskTextWith(t.Context(), blank, write, in, nil, nil); !errors.As(err, new(*llm.ParseError)) || usage.Calls != 2 {
		t.Errorf("%+v, %v", usage, err)
	}
	endless := script(write.Name, wish("", "echo", `{"n":1}`), wish("", "echo", `{"n":1}`))
	if _, usage, err := llm.AskTextWith(t.Context(), endless, write, in, []llm.Callable{echo}, &llm.ConverseOptions{MaxRounds: 1}); !errors.As(err, new(*llm.RoundsError)) || usage.Calls != 2 {
		t.Errorf("%+v, %v", usage, err)
	}
	if _, _, err := llm.AskTextWith(t.Context(), m, skill(t, skills.ClassifyAndRoute), skills.ClassifyInput{}, nil, nil); err == nil {
		t.Error("a skill that answers in JSON was asked for text")
	}
}
