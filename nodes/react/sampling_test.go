package react_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/llm"
	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/react"
)

// Each call of the model has the settings, and sees the images of the thread, that of
// an earlier run, too, unless a view clears them.
func TestSamplingAndImages(t *testing.T) {
	set := llm.Sampling{Temperature: new(0.3), MaxTokens: 50, Stop: []string{"END"}, Seed: new(7)}
	image := llm.Image{MediaType: "image/png", Data: []byte{0, 1, 255}}
	m := says(calls(`look {"town":"Oslo"}`), text("A harbour."), text("Oslo."), text("I see none."))
	clears := false
	opts := &react.Options{Sampling: set, Before: []react.Step{{Name: "clear", Run: func(_ context.Context, s react.State) (react.Change, error) {
		if !clears {
			return react.Change{}, nil
		}
		return react.Change{View: &react.View{Cleared: []string{s.Messages[0].ID}}}, nil
	}}}}
	app := compile(t, m, []react.Tool{echo(t, "look")}, opts)
	if _, err := app.Invoke(t.Context(), react.Say("What is it?", image), onThread); err != nil {
		t.Fatal(err)
	}
	run(t, app, "Where?")
	clears = true
	run(t, app, "And now?")
	requests := m.Requests()
	if len(requests) != 4 {
		t.Fatalf("asked %d times; want 4", len(requests))
	}
	for i, req := range requests {
		if diff := cmp.Diff(set, req.Sampling); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i+1, diff)
		}
		want := llm.Message{Role: llm.User, Text: "What is it?", Images: []llm.Image{image}}
		if i == 3 {
			want = llm.Message{Role: llm.User, Text: "(left out, to save space)"}
		}
		if diff := cmp.Diff(want, req.Messages[0]); diff != "" {
			t.Errorf("request %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// What a provider cannot take ends the run with an error that says so.
func TestUnsupportedSettingEndsTheRun(t *testing.T) {
	refusal := &llm.UnsupportedError{Provider: "p", Model: "m", What: "a seed"}
	app := compile(t, says(llmtest.Answer{Err: refusal}), nil, &react.Options{Sampling: llm.Sampling{Seed: new(7)}})
	if _, err := app.Invoke(t.Context(), react.Say("Hi"), onThread); !errors.Is(err, refusal) {
		t.Errorf("error %v", err)
	}
}
