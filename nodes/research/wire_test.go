package research_test

import (
	"bytes"
	"strings"
	"testing"

	"example.com/assay/graph/trace"
	"example.com/assay/llm"
	"example.com/assay/llm/gemini"
	"example.com/assay/llm/llmtest"
	"example.com/assay/llm/openai"
	"example.com/assay/nodes/research"
)

// A run over a provider's client and wire gives the trace of the scripted
// model, but for the model's name.
func TestTraceIsTheSameOverTheWire(t *testing.T) {
	const key = "key-secret-0123456789"
	run := func(t *testing.T, m llm.Model) string {
		t.Helper()
		p, err := research.New(research.Deps{Model: m, Skills: set(t), Corpus: &shelf{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		final, _, err := p.Ask(t.Context(), withChoices, &research.AskOptions{Trace: trace.NewWriter(&out, trace.Header{RunID: "r"})})
		if err != nil {
			t.Fatal(err)
		}
		if final.Choice.Letter != "B" {
			t.Errorf("choice %q", final.Choice.Letter)
		}
		records, err := trace.Read(&out)
		if err != nil {
			t.Fatal(err)
		}
		var normal bytes.Buffer
		if err := trace.Write(&normal, trace.Normalise(records)); err != nil {
			t.Fatal(err)
		}
		return normal.String()
	}
	local := script(multi)
	want := run(t, local)
	for format, connect := range map[llmtest.Format]func(url string) (llm.Model, error){
		llmtest.OpenAI: func(url string) (llm.Model, error) {
			server, err := openai.NewServer(&openai.Options{Key: key, BaseURL: url})
			if err != nil {
				return nil, err
			}
			return server.Model("script")
		},
		llmtest.Gemini: func(url string) (llm.Model, error) {
			return gemini.New(t.Context(), "script", &gemini.Options{Key: key, BaseURL: url})
		},
	} {
		t.Run(string(format), func(t *testing.T) {
			remote := script(multi)
			server := llmtest.NewServer(t, format, remote)
			m, err := connect(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			got := run(t, server.Wrap(llm.NewControls(nil).Wrap(m)))
			if strings.Contains(got, key) {
				t.Error("the trace shows the key")
			}
			name := `"model":"` + string(format) + `:script"`
			if !strings.Contains(got, name) {
				t.Errorf("the trace does not name %s", name)
			}
			if got := strings.ReplaceAll(got, name, `"model":"script"`); got != want {
				t.Errorf("the traces differ:\n%s", firstDifference(want, got))
			}
			if remote.Total() != local.Total() {
				t.Errorf("%d calls over the wire, %d without", remote.Total(), local.Total())
			}
		})
	}
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one is longer"
}
