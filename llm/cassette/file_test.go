package cassette_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/llm"
	"example.com/assay/llm/cassette"
	"example.com/assay/llm/llmtest"
)

// A file that ends too soon is read up to there, wherever that is.
func TestCut(t *testing.T) {
	file := record(t, scripted(llmtest.Answer{Text: "1"}, llmtest.Answer{Text: "2"}), nil, func(m llm.Model) {
		ask(t, m, user("s", "x"))
		ask(t, m, user("s", "y"))
	})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for size := range data {
		if err := os.WriteFile(file, data[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := cassette.Replay(file)
		e, ok := errors.AsType[*cassette.CutError](err)
		whole := max(0, strings.Count(string(data[:size]), "\n")-1)
		if !ok || p == nil || e.Recordings != whole || len(p.Unused()) != whole || e.Line != strings.Count(string(data[:size]), "\n")+1 {
			t.Fatalf("cut at %d of %d: %v", size, len(data), err)
		}
	}
}

func TestDamaged(t *testing.T) {
	good := `{"cassette":1}` + "\n" + `{"call":1,"key":"k","request":{"messages":[]}}` + "\n"
	for name, text := range map[string]string{
		"no cassette":     "{}\n",
		"another version": "{\"cassette\":2}\n",
		"no JSON":         good + "{]\n" + `{"recordings":1}` + "\n",
		"no key":          good + "{\"call\":2}\n" + `{"recordings":2}` + "\n",
		"lines lost":      good + `{"recordings":2}` + "\n",
		"text after":      good + `{"recordings":1}` + "\n{}\n",
	} {
		file := filepath.Join(t.TempDir(), "c")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := cassette.Replay(file); err == nil || errors.As(err, new(*cassette.CutError)) || p != nil || !strings.Contains(err.Error(), file+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := cassette.Replay(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// What the program calls its models is kept, without its keys.
func TestModelIsKept(t *testing.T) {
	const key = "sk-test-0123456789"
	for name, opts := range map[string]*cassette.RecordOptions{
		"":                   nil,
		"openai:m":           {Model: "openai:m"},
		"openai:m at [key].": {Model: "openai:m at " + key + ".", Secrets: []string{key}},
	} {
		file := record(t, scripted(llmtest.Answer{Text: "1"}), opts, func(m llm.Model) { ask(t, m, user("s", "x")) })
		if got := replay(t, file).Model(); got != name {
			t.Errorf("the model is %q; want %q", got, name)
		}
	}
}
