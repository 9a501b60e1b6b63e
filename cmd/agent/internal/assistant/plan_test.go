package assistant

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// The form of a message chooses the pipeline.
func TestPlanned(t *testing.T) {
	for text, want := range map[string]string{
		"What is battery?":               `ask {"question":"What is battery?"}`,
		"check: Battery needs intent.":   `verify {"text":"Battery needs intent."}`,
		"Please verify this answer:\nA.": `verify {"text":"A."}`,
		"Can you check the lease?":       `ask {"question":"Can you check the lease?"}`,
		"comply: What must be paid?":     `comply {"question":"What must be paid?"}`,
		"Define negligence.":             `glossary {"term":"negligence"}`,
		"a => b\n\nc → d":                `verify_edges {"edges":[{"cause":"a","effect":"b"},{"cause":"c","effect":"d"}]}`,
		"a => b\nand so on":              `ask {"question":"a => b\nand so on"}`,
		"What does x -> y mean?":         `ask {"question":"What does x -> y mean?"}`,
	} {
		tool, args := planned(text)
		var said bytes.Buffer
		e := json.NewEncoder(&said)
		e.SetEscapeHTML(false)
		if err := e.Encode(args); err != nil {
			t.Fatal(err)
		}
		if got := tool + " " + strings.TrimSpace(said.String()); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
