package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/assay/graph"
	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/skills"
)

// shown is what a listener holds after all chunks.
func shown(chunks []llm.Chunk) string {
	text := ""
	for _, c := range chunks {
		if c.Again {
			text = ""
		}
		text += c.Text
	}
	return text
}

func TestRetryStreams(t *testing.T) {
	down := status(503)
	for name, tc := range map[string]struct {
		answers []llmtest.Answer
		want    []llm.Chunk
	}{
		"at once":          {[]llmtest.Answer{{Text: "ab", Chunks: []string{"a", "b"}}}, []llm.Chunk{{Text: "a"}, {Text: "b"}}},
		"failed silently":  {[]llmtest.Answer{{Err: down}, {Text: "ab", Chunks: []string{"a", "b"}}}, []llm.Chunk{{Text: "a"}, {Text: "b"}}},
		"failed midway":    {[]llmtest.Answer{{Chunks: []string{"x"}, Err: down}, {Text: "ab", Chunks: []string{"a", "b"}}}, []llm.Chunk{{Text: "x"}, {Text: "a", Again: true}, {Text: "b"}}},
		"silence between":  {[]llmtest.Answer{{Chunks: []string{"x"}, Err: down}, {Err: down}, {Text: "ab"}}, []llm.Chunk{{Text: "x"}, {Text: "ab", Again: true}}},
		"twice midway":     {[]llmtest.Answer{{Chunks: []string{"x"}, Err: down}, {Chunks: []string{"y"}, Err: down}, {Text: "ab"}}, []llm.Chunk{{Text: "x"}, {Text: "y", Again: true}, {Text: "ab", Again: true}}},
		"answers in a row": {[]llmtest.Answer{{Chunks: []string{"x"}, Err: down}, {Text: "ab", Chunks: []string{}}}, []llm.Chunk{{Text: "x"}, {Text: "ab", Again: true}}},
	} {
		m := script("", tc.answers...)
		var got []llm.Chunk
		resp, err := llm.Retry(&llm.RetryOptions{Base: 1, JitterMax: -1})(m).Generate(t.Context(), llm.Request{OnText: func(c llm.Chunk) { got = append(got, c) }})
		if err != nil || !slices.Equal(got, tc.want) || shown(got) != resp.Text {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
		m = script("", tc.answers...)
		if _, err := llm.Retry(&llm.RetryOptions{Base: 1, JitterMax: -1})(m).Generate(t.Context(), llm.Request{}); err != nil || m.Requests()[0].OnText != nil {
			t.Errorf("%s: a call that nobody listens to streams: %v", name, err)
		}
	}
}

// dripping streams a chunk a second, n in all, and then answers.
type dripping struct{ n int }

func (m dripping) Generate(ctx context.Context, req llm.Request) (llm.Response, error) {
	text := ""
	for range m.n {
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return llm.Response{Usage: llm.Usage{OutputTokens: len(text)}}, &llm.ConnectionError{Provider: "p", Err: ctx.Err()}
		}
		text += "x"
		req.OnText(llm.Chunk{Text: "x"})
	}
	return llm.Response{Text: text, Usage: llm.Usage{OutputTokens: m.n}}, nil
}

// The time, the place and the cost of a streamed call are those of a whole
// one, and a call that was stopped within its text begins anew.
func TestControlsOfStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		controls := llm.NewControls(&llm.ControlOptions{
			Concurrency: 1, Timeout: 5 * time.Second, Retry: llm.RetryOptions{MaxRetries: 1, Base: time.Second, JitterMax: -1},
			Rate: llm.RateOptions{TokensPerMinute: 60}, Budget: llm.BudgetOptions{MaxTokens: 20},
		})
		m := controls.Wrap(&switching{models: []llm.Model{dripping{9}, dripping{3}, dripping{4}, dripping{4}, dripping{40}, dripping{40}}})
		var first, second []llm.Chunk
		var wg sync.WaitGroup
		start := time.Now()
		wg.Go(func() { // 5 s until the timeout, with 4 chunks; the second call's 3 s; 4 s
			resp, err := m.Generate(t.Context(), llm.Request{OnText: func(c llm.Chunk) { first = append(first, c) }})
			if err != nil || shown(first) != resp.Text || len(first) != 8 && len(first) != 9 || resp.Usage.OutputTokens != len(first) {
				t.Errorf("%+v, %v: %+v", resp, err, first)
			}
		})
		wg.Go(func() {
			time.Sleep(time.Millisecond)
			resp, err := m.Generate(t.Context(), llm.Request{OnText: func(c llm.Chunk) { second = append(second, c) }})
			if err != nil || shown(second) != resp.Text {
				t.Errorf("%+v, %v: %+v", resp, err, second)
			}
		})
		wg.Wait()
		if took := time.Since(start); took < 11*time.Second { // one after the other, but for the wait
			t.Errorf("streams of 5, 3 and 4 s shared one place and took %v", took)
		}
		time.Sleep(time.Minute)
		if _, err := m.Generate(t.Context(), llm.Request{OnText: func(llm.Chunk) {}}); err != nil {
			t.Error(err)
		}
		start = time.Now()
		_, err := m.Generate(t.Context(), llm.Request{OnText: func(llm.Chunk) {}})
		if e, ok := errors.AsType[*llm.TimeoutError](err); !ok || e.After != 5*time.Second || time.Since(start) > 20*time.Second {
			t.Errorf("a stream without an end: %v after %v", err, time.Since(start))
		}
		if got := ofRun(controls.Budget()); got.Calls != 4 || got.InputTokens+got.OutputTokens < 20 {
			t.Errorf("spent %+v", got)
		}
		if _, err := m.Generate(t.Context(), llm.Request{OnText: func(llm.Chunk) { t.Error("a refused call streams") }}); err == nil {
			t.Error("a call beyond the budget was made")
		}
	})
}

// AskText streams to who listens, and only then.
func TestAskTextStreams(t *testing.T) {
	s := skill(t, skills.SynthesizeAndCite)
	in := skills.SynthesizeInput{Sources: []skills.Source{}}
	for name, tc := range map[string]struct {
		answers []llmtest.Answer
		retry   bool
		want    []string // tokens, and "again"
	}{
		"streams":        {[]llmtest.Answer{{Text: "ab", Chunks: []string{"a", "b"}}}, false, []string{"a", "b"}},
		"does not":       {[]llmtest.Answer{{Text: "ab", Chunks: []string{}}}, false, []string{"ab"}},
		"repeated":       {[]llmtest.Answer{{Chunks: []string{"x"}, Err: status(503)}, {Text: "ab"}}, true, []string{"x", "again", "ab"}},
		"repaired":       {[]llmtest.Answer{{Text: " "}, {Text: "ab"}}, false, []string{" ", "again", "ab"}},
		"repaired whole": {[]llmtest.Answer{{Text: " "}, {Text: "ab", Chunks: []string{}}}, false, []string{" ", "again", "ab"}},
	} {
		for _, modes := range []graph.Mode{graph.Tokens | graph.Custom, graph.Custom} {
			m := script(s.Name, tc.answers...)
			ask := llm.Model(m)
			if tc.retry {
				ask = llm.Retry(&llm.RetryOptions{Base: 1, JitterMax: -1})(m)
			}
			var got []string
			inNode(t, modes, func(ctx context.Context) error {
				text, _, err := llm.AskText(ctx, ask, s, in)
				if text != "ab" {
					t.Errorf("%s: text %q", name, text)
				}
				return err
			}, func(kind graph.EventKind, event, text string, data json.RawMessage) {
				switch {
				case kind == graph.NodeToken:
					got = append(got, text)
				case event == llm.EventTextAgain:
					got = append(got, "again")
					if !strings.Contains(string(data), s.Name) {
						t.Errorf("%s: payload %s", name, data)
					}
				}
			})
			listens := modes&graph.Tokens != 0
			if want := tc.want; listens && !slices.Equal(got, want) || !listens && len(got) > 0 {
				t.Errorf("%s: %q; want %q", name, got, want)
			}
			for _, req := range m.Requests() {
				if (req.OnText != nil) != listens {
					t.Errorf("%s: modes %v: streaming asked for: %v", name, modes, req.OnText != nil)
				}
			}
		}
	}
	m := script(s.Name, llmtest.Answer{Text: "ab"})
	if _, _, err := llm.AskText(t.Context(), m, s, in); err != nil || m.Requests()[0].OnText != nil {
		t.Errorf("outside a run it streams: %v", err)
	}
}

// An idle timeout is kept off by the text of a model, also when nobody reads it.
func TestTokensKeepANodeAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type counter struct {
			N int `json:"n"`
		}
		n := graph.LastValue("n", func(s *counter) *int { return &s.N })
		g := graph.NewStateGraph[counter](n)
		g.AddNode("ask", func(ctx context.Context, _ counter) (graph.Update[counter], error) {
			if !graph.WantsTokens(ctx) {
				t.Error("the node is not asked for signs of life")
				return nil, nil
			}
			_, _, err := llm.AskText(ctx, dripping{10}, skill(t, skills.SynthesizeAndCite), skills.SynthesizeInput{Sources: []skills.Source{}})
			return graph.Update[counter]{n.Set(1)}, err
		}, graph.NodeOptions[counter]{Timeout: graph.Timeout{Idle: 2 * time.Second}})
		g.AddEdge(graph.Start, "ask")
		g.AddEdge("ask", graph.End)
		app, err := g.Compile(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.Invoke(t.Context(), graph.Update[counter]{n.Set(0)}, nil); err != nil {
			t.Error(err)
		}
	})
}
