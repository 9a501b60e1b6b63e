package openai_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/openai"
)

func TestImagesOnTheWire(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, _ call) { reply(w, "A cat.", "stop") })
	req := llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "What is it?", Images: []llm.Image{{MediaType: "image/png", Data: []byte("png")}, {URL: "https://host/a.png"}}}}}
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	const want = `[{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},{"type":"image_url","image_url":{"url":"https://host/a.png"}}]}]`
	if got := string(seen.list()[0].fields["messages"]); got != want {
		t.Errorf("sent %s; want %s", got, want)
	}
}

// A temperature that the request sets is not left out when the model refuses it, by
// the server or by the library.
func TestRefusedSetTemperature(t *testing.T) {
	m, seen := serve(t, func(w http.ResponseWriter, c call) {
		refuse(w, 400, `{"error":{"message":"only 1","param":"temperature","code":"unsupported_value"}}`)
	})
	for _, temperature := range []float64{0, 0.7} {
		req := request("")
		req.Sampling.Temperature = &temperature
		_, err := m.Generate(t.Context(), req)
		if e, ok := errors.AsType[*llm.StatusError](err); !ok || e.Param != "temperature" {
			t.Errorf("at %v: %v", temperature, err)
		}
	}
	if n := len(seen.list()); n != 2 {
		t.Errorf("%d calls for two requests; want 2", n)
	}
	reasoning := named(t, "o3-mini", &openai.Options{BaseURL: "http://127.0.0.1:1"})
	req := request("")
	req.Sampling.Temperature = new(0.7)
	_, err := reasoning.Generate(t.Context(), req)
	if e, ok := errors.AsType[*llm.UnsupportedError](err); !ok || e.What != "a temperature" {
		t.Errorf("a model that reasons: %v", err)
	}
}

// Newer models want the limit of tokens under another name, which their refusal or
// the library tells.
func TestRenamedLimit(t *testing.T) {
	for model, calls := range map[string]int{"gpt-test": 3, "o3-mini": 2} {
		var sent []string
		loopback := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var fields map[string]json.RawMessage
			if err := json.NewDecoder(r.Body).Decode(&fields); err != nil {
				t.Error(err)
			}
			sent = append(sent, string(fields["max_tokens"])+"/"+string(fields["max_completion_tokens"]))
			if fields["max_tokens"] != nil {
				refuse(w, 400, `{"error":{"message":"use the other","param":"max_tokens","code":"unsupported_parameter"}}`)
				return
			}
			reply(w, "Hello.", "stop")
		}))
		t.Cleanup(loopback.Close)
		m := named(t, model, &openai.Options{BaseURL: loopback.URL})
		req := request("")
		req.Sampling.MaxTokens = 77
		for range 2 {
			if _, err := m.Generate(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		if len(sent) != calls || !slices.Equal(sent[len(sent)-2:], []string{"/77", "/77"}) {
			t.Errorf("%s: sent %q; want %d", model, sent, calls)
		}
	}
}

// Of first calls at the same time to a model that refuses temperature 0, each finds
// out for itself.
func TestRefusedTemperatureAtTheSameTime(t *testing.T) {
	var first sync.WaitGroup
	first.Add(2)
	m, _ := serve(t, func(w http.ResponseWriter, c call) {
		if c.fields["temperature"] != nil {
			first.Done()
			first.Wait()
			refuse(w, 400, `{"error":{"message":"only 1","param":"temperature"}}`)
			return
		}
		reply(w, "Hello.", "stop")
	})
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if _, err := m.Generate(t.Context(), request("")); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}
