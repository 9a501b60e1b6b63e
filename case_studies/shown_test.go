package casestudies_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"example.com/assay/eval"
	"example.com/assay/nodes/causal"
	"example.com/assay/nodes/evidence"
	"example.com/assay/nodes/extract"
)

// shown holds what a case shows to people to the run: its answer, in answer.md; of
// edges the picture of its README.
func shown(t *testing.T, c eval.Case, got eval.Run) {
	t.Helper()
	text := got.Answer.Answer
	switch c.Pipeline {
	case eval.Edges:
		var a causal.Answer
		decode(t, got.Result, &a)
		file := filepath.Join(c.Dir, "README.md")
		same(t, file, block(t, read(t, file), "```mermaid\n", causal.Mermaid(a.Edges, a.DAG)))
		return
	case eval.Comply:
		var a evidence.Audit
		if decode(t, got.Result, &a); a.Result != evidence.ResultAnswered {
			text = a.Result + ": " + a.Message
		}
	case eval.Extract:
		var a extract.Answer
		decode(t, got.Result, &a)
		var b strings.Builder
		for _, v := range a.Fields {
			b.WriteString(v.Field + ": " + v.Value + "\n")
		}
		text = strings.TrimSpace(b.String())
	}
	same(t, filepath.Join(c.Dir, "answer.md"), text+"\n")
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// same compares a file of a case, or rewrites it.
func same(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		write(t, file, got)
		return
	}
	if want := read(t, file); want != got {
		t.Errorf("%s is not what the run shows; `go test ./case_studies -update` rewrites it\nwant %s\ngot  %s", file, want, got)
	}
}

// block replaces what the first block of a kind holds.
func block(t *testing.T, text, opening, with string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, opening)
	_, tail, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("the README has no %q block", opening)
	}
	return head + opening + with + "```\n" + tail
}
