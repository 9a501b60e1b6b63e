package llmtest

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"example.com/assay/llm"
)

// settings are requests that set one thing each.
var settings = map[string]struct {
	sampling llm.Sampling
	text     string
	images   []llm.Image
}{
	"nothing":        {},
	"temperature":    {sampling: llm.Sampling{Temperature: new(0.7)}},
	"no temperature": {sampling: llm.Sampling{Temperature: new(0.0)}},
	"tokens":         {sampling: llm.Sampling{MaxTokens: 77}},
	"stop":           {sampling: llm.Sampling{Stop: []string{"END", "\n\n"}}},
	"seed":           {sampling: llm.Sampling{Seed: new(-7)}},
	"seed of 0":      {sampling: llm.Sampling{Seed: new(0)}},
	"large seed":     {sampling: llm.Sampling{Seed: new(1 << 40)}},
	"image":          {text: "this", images: []llm.Image{{MediaType: "image/png", Data: []byte{0, 255, 7}}}},
	"images alone":   {images: []llm.Image{{MediaType: "image/png", Data: []byte("a")}, {MediaType: "image/jpeg", Data: []byte("b")}}},
	"address":        {text: "this", images: []llm.Image{{URL: "https://host/a.png?b=c"}}},
	"typed address":  {text: "this", images: []llm.Image{{MediaType: "image/png", URL: "https://host/a.png"}}},
}

// checkSettings checks that a server receives each setting. A refusal also passes if nothing was
// sent.
func checkSettings(t *testing.T, format Format, connect func(t *testing.T, url string) llm.Model) {
	seen := &Script{Answers: map[string][]Answer{"": slices.Repeat([]Answer{{Text: "Yes."}}, len(settings)+1)}}
	s := NewServer(t, format, seen)
	m := connect(t, s.URL)
	plain := llm.Message{Role: llm.User, Text: "Say yes."}
	if _, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{plain}}); err != nil {
		t.Fatal(err)
	}
	limit := seen.Requests()[0].Sampling.MaxTokens // the limit from the provider's configuration
	for name, set := range settings {
		asked := plain
		if set.images != nil {
			asked.Text, asked.Images = set.text, set.images
		}
		before := s.Asked()
		_, err := m.Generate(t.Context(), llm.Request{Messages: []llm.Message{asked}, Sampling: set.sampling})
		if _, refused := errors.AsType[*llm.UnsupportedError](err); refused && s.Asked() == before {
			continue
		}
		if err != nil || s.Asked() != before+1 {
			t.Errorf("%s: %v after %d requests", name, err, s.Asked()-before)
			continue
		}
		want := set.sampling
		if want.Temperature == nil {
			want.Temperature = new(0.0)
		}
		if want.MaxTokens == 0 {
			want.MaxTokens = limit
		}
		got := seen.Requests()[seen.Total()-1]
		var read llm.Message
		if n := len(got.Messages); n > 0 {
			read = got.Messages[n-1]
		}
		for i, img := range read.Images { // some formats have no type for an address
			if img.URL != "" && i < len(asked.Images) {
				read.Images[i].MediaType = asked.Images[i].MediaType
			}
		}
		if !reflect.DeepEqual(got.Sampling, want) || !reflect.DeepEqual(read, asked) {
			t.Errorf("%s: the server read %+v of\n%+v; want %+v of\n%+v", name, got.Sampling, read, want, asked)
		}
	}
}
