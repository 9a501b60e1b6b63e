package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"example.com/assay/llm"
	"example.com/assay/skills"
)

// SuiteCalls is how many answers to detect_prompt_injection a scripted or fake backend needs for
// TestModel.
const SuiteCalls = 10

// TestModel checks the contract of llm.Model: a model answers a rendered skill, stops when its
// context has ended, survives an empty request, does not change the request, serves concurrent
// calls, and streams only its answer, if it streams. The model must answer detect_prompt_injection;
// real models are tested against a fake server.
func TestModel(t *testing.T, m llm.Model) {
	t.Helper()
	req := suiteRequest(t)

	t.Run("answers", func(t *testing.T) {
		before := req
		before.Messages = slices.Clone(req.Messages)
		before.Vars, before.Schema = slices.Clone(req.Vars), slices.Clone(req.Schema)
		resp, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		checkResponse(t, resp)
		if !reflect.DeepEqual(req, before) {
			t.Error("the model changed the request")
		}
	})
	t.Run("streams what it answers", func(t *testing.T) {
		text, chunks, resp, err := streamOnce(t.Context(), m, req)
		if err != nil {
			t.Fatal(err)
		}
		checkResponse(t, resp)
		if chunks > 0 && text != resp.Text {
			t.Errorf("streamed %q; answered %q", text, resp.Text)
		}
	})
	t.Run("cancelled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.Generate(ctx, req); !errors.Is(err, context.Canceled) {
			t.Errorf("error = %v; want context.Canceled", err)
		}
	})
	t.Run("deadline passed", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
		defer cancel()
		if _, err := m.Generate(ctx, req); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v; want context.DeadlineExceeded", err)
		}
	})
	t.Run("empty request", func(t *testing.T) {
		if resp, err := m.Generate(t.Context(), llm.Request{}); err == nil {
			t.Errorf("answered %q to an empty request; want an error", resp.Text)
		}
	})
	t.Run("concurrent use", func(t *testing.T) {
		var wg sync.WaitGroup
		for range SuiteCalls - 2 {
			wg.Go(func() {
				resp, err := m.Generate(t.Context(), req)
				if err != nil {
					t.Error(err)
					return
				}
				checkResponse(t, resp)
			})
		}
		wg.Wait()
	})
}

// streamOnce returns the text streamed since the answer last began, and its number of chunks.
func streamOnce(ctx context.Context, m llm.Model, req llm.Request) (text string, chunks int, resp llm.Response, err error) {
	req.OnText = func(c llm.Chunk) {
		if c.Again {
			text, chunks = "", 0
		}
		text += c.Text
		chunks++
	}
	resp, err = m.Generate(ctx, req)
	return text, chunks, resp, err
}

func checkResponse(t *testing.T, resp llm.Response) {
	t.Helper()
	if !json.Valid([]byte(resp.Text)) {
		t.Errorf("answer %q is not JSON, though the request has a schema", resp.Text)
	}
	if resp.Model == "" {
		t.Error("the response does not name its model")
	}
	if resp.Usage.InputTokens < 0 || resp.Usage.OutputTokens < 0 {
		t.Errorf("usage %+v is negative", resp.Usage)
	}
}

func suiteRequest(t *testing.T) llm.Request {
	t.Helper()
	set, err := skills.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	skill, err := set.Get(skills.DetectPromptInjection)
	if err != nil {
		t.Fatal(err)
	}
	vars, err := json.Marshal(skills.DetectInput{Question: "What are the elements of battery?"})
	if err != nil {
		t.Fatal(err)
	}
	prompt, err := skill.Render(vars)
	if err != nil {
		t.Fatal(err)
	}
	return llm.Request{
		Skill: skill.Name, Origin: llm.Origin{SkillHash: skill.Hash, Vars: vars}, Schema: skill.Schema,
		Messages: []llm.Message{{Role: llm.System, Text: prompt.System}, {Role: llm.User, Text: prompt.User}},
	}
}
