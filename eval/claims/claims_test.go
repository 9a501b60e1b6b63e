package claims

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/memory/document"
	"example.com/assay/state"
)

const (
	wiceLines = `{"id":"w1","claim":"The beacon is of granite.","label":"supported","evidence":["The beacon on the eastern mole is of granite.","It is old."],"claim_title":"Beacon"}
{"id":"w2","claim":"The beacon was moved by helicopters.","label":"not_supported","evidence":["The beacon on the eastern mole is of granite."],"claim_title":"Beacon"}
{"id":3,"claim":"The granite beacon was painted.","label":"partially_supported","evidence":["The beacon is of granite."]}
`
	faithLines = `{"id":"f1","source":"A mooring costs two crowns a week.","response":"A mooring costs two crowns a week.","hallucinated":0}
{"id":"f2","source":"A mooring costs two crowns a week.","response":"Helicopters land on Tuesdays.","hallucinated":1}
`
	sciClaims = `{"id":1,"claim":"High water follows the moon.","label":"SUPPORT","qrels":{"s1":1,"s2":1},"evidence":[{"doc_id":"s1","label":"SUPPORT","sentences":[0]}]}
{"id":2,"claim":"High water comes before the moon.","label":"CONTRADICT","qrels":{"s2":1},"evidence":[{"doc_id":"s1"}]}
{"id":3,"claim":"Moss prefers granite.","label":"NOT_ENOUGH_INFO","qrels":{"s3":1},"evidence":[]}
`
	sciCorpus = `{"id":"s1","title":"Tides","text":"High water follows the moon."}
{"id":"s2","title":"Bells","text":"The fog bell rings at noon."}
{"id":"s3","title":"Moss","sentences":["Moss prefers the northern side.","It is green."]}
`
)

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, f Files) *Dataset {
	t.Helper()
	d, err := Read(t.Context(), f, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sci(t *testing.T) *Dataset {
	return read(t, Files{Format: "scifact", Data: file(t, "claims.jsonl", sciClaims), Corpus: file(t, "corpus.jsonl", sciCorpus)})
}

func TestRead(t *testing.T) {
	type item struct {
		ID, Group, Text string
		Gold            Label
		Evidence        []string
	}
	items := func(d *Dataset) []item {
		var out []item
		for _, i := range d.Items {
			row := item{ID: i.ID, Group: i.Group, Text: i.Text, Gold: i.Gold}
			for _, e := range i.Evidence {
				row.Evidence = append(row.Evidence, e.Label+"|"+e.Passage.Title+"|"+e.Passage.Text)
			}
			out = append(out, row)
		}
		return out
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(wiceLines)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	plain := read(t, Files{Format: "wice", Data: file(t, "claims.jsonl", wiceLines)})
	wice := read(t, Files{Format: "wice", Data: file(t, "claims.jsonl.gz", packed.String())})
	if plain.Hash != wice.Hash || len(wice.Hash) != 64 {
		t.Errorf("hash %s plain, %s packed", plain.Hash, wice.Hash)
	}
	if diff := cmp.Diff([]item{
		{"w1", "Beacon", "The beacon is of granite.", Supported, []string{"Source 1||The beacon on the eastern mole is of granite.\n\nIt is old."}},
		{"w2", "Beacon", "The beacon was moved by helicopters.", Unsupported, []string{"Source 1||The beacon on the eastern mole is of granite."}},
		{"3", "3", "The granite beacon was painted.", PartiallySupported, []string{"Source 1||The beacon is of granite."}},
	}, items(wice)); diff != "" {
		t.Errorf("wice (-want +got):\n%s", diff)
	}
	// Claims that share an abstract, even by way of a third, are one group.
	if diff := cmp.Diff([]item{
		{"1", "s1", "High water follows the moon.", Supported, []string{"Source 1|Tides|High water follows the moon."}},
		{"2", "s1", "High water comes before the moon.", Contradicted, []string{"Source 1|Tides|High water follows the moon."}},
		{"3", "s3", "Moss prefers granite.", Unsupported, []string{"Source 1|Moss|Moss prefers the northern side. It is green."}},
	}, items(sci(t))); diff != "" {
		t.Errorf("scifact (-want +got):\n%s", diff)
	}
	faith := read(t, Files{Format: "faithbench", Data: file(t, "samples.jsonl", faithLines)})
	if !faith.Responses || faith.Items[0].Gold != Supported || faith.Items[1].Gold != Unsupported || faith.Items[0].Group != faith.Items[1].Group {
		t.Errorf("faithbench: %+v", items(faith))
	}
	other := read(t, Files{Format: "wice", Data: file(t, "claims.jsonl", strings.Replace(wiceLines, "painted", "gilded", 1))})
	if other.Hash == wice.Hash {
		t.Error("other text, equal hash")
	}
}

func TestReadFaults(t *testing.T) {
	for _, tt := range []struct {
		format, old, new string
		line             int
		field            string
	}{
		{"wice", `"label":"not_supported"`, `"label":"refuted"`, 2, "label"},
		{"wice", `"claim":"The beacon is of granite."`, `"claim":" "`, 1, "claim"},
		{"wice", `"evidence":["The beacon is of granite."]`, `"evidence":[]`, 3, "evidence"},
		{"wice", `"id":"w2"`, `"id":"w1"`, 2, "id"},
		{"wice", `"evidence":["The beacon is of granite."]`, `"evidence":"one"`, 3, "evidence"},
		{"faithbench", `"hallucinated":1`, `"hallucinated":2`, 2, "hallucinated"},
		{"faithbench", `,"hallucinated":0`, ``, 1, "hallucinated"},
		{"faithbench", `"source":"A mooring costs two crowns a week.","response":"Hel`, `"response":"Hel`, 2, "source"},
		{"scifact", `{"doc_id":"s1","label":"SUPPORT","sentences":[0]}`, `{"doc_id":"s9"}`, 1, "evidence"},
		{"scifact", `"label":"CONTRADICT"`, `"label":"WRONG"`, 2, "label"},
		{"scifact", `"qrels":{"s3":1}`, `"qrels":{}`, 3, "qrels"},
	} {
		f := Files{Format: tt.format}
		lines := map[string]string{"wice": wiceLines, "faithbench": faithLines, "scifact": sciClaims}[tt.format]
		changed := strings.Replace(lines, tt.old, tt.new, 1)
		if changed == lines {
			t.Fatalf("%q is not there", tt.old)
		}
		f.Data = file(t, "data.jsonl", changed)
		if tt.format == "scifact" {
			f.Corpus = file(t, "corpus.jsonl", sciCorpus)
		}
		_, err := Read(t.Context(), f, nil)
		fault, ok := errors.AsType[*document.InputError](err)
		if !ok || fault.Line != tt.line || fault.Field != tt.field || fault.Hint == "" {
			t.Errorf("%s: %v; want line %d, field %q", tt.new, err, tt.line, tt.field)
		}
	}
	for want, f := range map[string]Files{
		`no format "wic"`:     {Format: "wic", Data: "x"},
		"name it":             {Format: "scifact", Data: "x"},
		`leave "c" out`:       {Format: "wice", Data: "x", Corpus: "c"},
		"it has no claim":     {Format: "wice", Data: file(t, "empty", "\n")},
		"field \"text\"":      {Format: "scifact", Data: file(t, "c", sciClaims), Corpus: file(t, "d", `{"id":"s1","title":"x"}`)},
		"no such file or dir": {Format: "wice", Data: filepath.Join(t.TempDir(), "none")},
	} {
		if _, err := Read(t.Context(), f, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// A scripted judge answers in order.
type scripted struct{ verdicts []state.Verdict }

func (s *scripted) Judge(context.Context, string, []state.Evidence) (state.Verdict, error) {
	if len(s.verdicts) == 0 {
		return state.Verdict{}, errors.New("nothing left to say")
	}
	v := s.verdicts[0]
	s.verdicts = s.verdicts[1:]
	return v, nil
}

func values(e Evaluation) map[string]float64 {
	out := map[string]float64{}
	for _, m := range e.Metrics {
		out[m.Name] = m.Value
	}
	return out
}

func TestEvaluate(t *testing.T) {
	d := sci(t)
	judge := &scripted{[]state.Verdict{
		{Status: state.Supported, Confidence: .9},
		{Status: state.Supported, Confidence: .6, Conflicts: []state.Conflict{{Kind: state.ConflictDirection, Opposed: true}}},
		{Status: state.PartiallySupported, Confidence: .3},
	}}
	calls := 0
	got, err := Evaluate(t.Context(), d, judge, func(string, int, int) { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{
		"AUC": 1, "balanced_accuracy": .75, "F1": 2. / 3, "precision": .5, "recall": 1, "accuracy": 1, "macro_F1": 1, "ECE": (.1 + .6 + .3) / 3,
	}
	for name, v := range want {
		if g := values(got)[name]; math.Abs(g-v) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, g, v)
		}
	}
	if len(got.Metrics) != len(want) || calls != 3 || got.Outcomes[1].Label != Contradicted || got.Outcomes[2].Label != Unsupported {
		t.Errorf("%+v", got)
	}
	if _, err := Evaluate(t.Context(), d, judge, nil); err == nil || !strings.Contains(err.Error(), `evaluating item "1": nothing left to say`) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, d, judge, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// A verdict with an error counts as unsupported, whatever its status says;
// a response that is partly supported counts as unsupported.
func TestMeasureLabels(t *testing.T) {
	wice := read(t, Files{Format: "wice", Data: file(t, "c", wiceLines)})
	got, err := Measure(wice, []state.Verdict{{Status: state.Supported, Confidence: 1, Error: "timeout"}, {Status: state.Unsupported}, {Status: state.PartiallySupported}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Failed != 1 || values(got)["recall"] != 0 || got.Outcomes[0].Label != Unsupported || got.Outcomes[2].Label != PartiallySupported {
		t.Errorf("%+v", got)
	}
	faith := read(t, Files{Format: "faithbench", Data: file(t, "f", faithLines)})
	got, err = Measure(faith, []state.Verdict{{Status: state.PartiallySupported}, {Status: state.PartiallySupported, Conflicts: []state.Conflict{{Opposed: true}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcomes[0].Label != Unsupported || got.Outcomes[1].Label != Unsupported {
		t.Errorf("%+v", got.Outcomes)
	}
	if _, err := Measure(faith, nil); err == nil {
		t.Error("no verdicts, no error")
	}
	if _, err := Measure(&Dataset{}, nil); err == nil {
		t.Error("no items, no error")
	}
}

// The offline judge quotes what the passage holds, at its bytes.
func TestOffline(t *testing.T) {
	const page = "Moss is green. The beacon on the eastern mole is of granite."
	evidence := []state.Evidence{
		{Label: "A", Passage: state.Passage{ID: "p0", Text: "Nothing of the kind.", Source: "x"}},
		{Label: "B", Passage: state.Passage{ID: "p1", Text: page, Source: "harbour.md", Start: 100, End: 100 + len(page)}},
	}
	v, err := NewOffline().Judge(t.Context(), "The beacon on the eastern mole is of granite.", evidence)
	if err != nil {
		t.Fatal(err)
	}
	want := []state.Quote{{Passage: "p1", Source: "harbour.md", Start: 115, End: 160, Text: "The beacon on the eastern mole is of granite."}}
	if diff := cmp.Diff(want, v.For); diff != "" || v.Status != state.Supported {
		t.Errorf("%s (-want +got):\n%s", v.Status, diff)
	}
	if seen, err := offlineSaw(sci(t)); err != nil || seen {
		t.Errorf("trained on a fixture: %v, %v", seen, err)
	}
}

// The pipeline's judge overrules the model where a number differs, and says
// that scifact's label is contradicted where the evidence says the contrary.
func TestVerified(t *testing.T) {
	judge, err := NewVerified(nil)
	if err != nil {
		t.Fatal(err)
	}
	evidence := []state.Evidence{{Label: "A", Passage: state.Passage{ID: "p", Source: "p", Text: "The beacon was built of granite in 1931. Volunteers tend it."}}}
	for claim, want := range map[string]state.ClaimStatus{
		"The beacon was built of granite in 1931.":  state.Supported,
		"In 1931 the beacon was built of granite.":  state.Supported,
		"The beacon was built of granite in 1907.":  state.Unsupported,
		"The beacon was not built of granite.":      state.Unsupported,
		"Helicopters land in Kessock on Wednesdays": state.Unsupported,
	} {
		v, err := judge.Judge(t.Context(), claim, evidence)
		if err != nil || v.Status != want || (v.Status == state.Supported) != (len(v.For) > 0) {
			t.Errorf("%q: %+v, %v; want %s", claim, v, err, want)
		}
	}
}

// What the shipped judge reaches on sets that it was not trained on, and that
// it says of the others that it was.
func TestOfflineOnData(t *testing.T) {
	root := os.Getenv("ASSAY_DATA")
	if root == "" {
		t.Skip("set ASSAY_DATA to the folder of evaluation data to measure the judge")
	}
	wice := read(t, Files{Format: "wice", Data: filepath.Join(root, "wice", "claims.jsonl.gz")})
	if seen, err := offlineSaw(wice); err != nil || !seen {
		t.Errorf("wice: trained on it: %v, %v", seen, err)
	}
	faith := read(t, Files{Format: "faithbench", Data: filepath.Join(root, "faithbench", "samples.jsonl.gz")})
	got, err := Evaluate(t.Context(), faith, NewOffline(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Metrics {
		t.Logf("faithbench %s %.4f [%.4f, %.4f]", m.Name, m.Value, m.Lo, m.Hi)
	}
	if v := values(got)["balanced_accuracy"]; v < .571 {
		t.Errorf("faithbench: balanced accuracy %.3f, GPT-4o's stored predictions reach .571", v)
	}
}
