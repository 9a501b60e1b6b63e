package causal_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/eval/causal"
	"example.com/assay/memory/document"
)

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const pairs = `{"id": "1", "text": "Rain causes floods .", "cause": "Rain", "effect": "floods", "causal": 1}
{"id": "2", "text": "Rain fell on roofs .", "cause": "Rain", "effect": "roofs", "causal": 0}
{"id": "3", "text": "Frost causes cracks .", "cause": "Frost", "effect": "cracks", "causal": 1}
`

func TestRead(t *testing.T) {
	for _, c := range []struct {
		format, data string
		want         []causal.Label
		group        string
	}{
		{"pairs", pairs, []causal.Label{causal.True, causal.False, causal.True}, "Rain causes floods ."},
		{"cnc", `{"id": "train_1_2_3", "text": "A.", "causal": 1}` + "\n" + `{"id": "train_1_2_4", "text": "B.", "causal": 0}`, []causal.Label{causal.True, causal.False}, "train_1_2"},
		{"pubmed", `{"id": 1, "sentence": "A.", "label": "conditional_causal"}` + "\n" + `{"id": 2, "sentence": "B.", "label": "correlational"}`, []causal.Label{causal.Direct, causal.Correlation}, "1"},
	} {
		set, err := causal.Read(context.Background(), causal.Files{Format: c.format, Data: file(t, c.data)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range set.Items {
			if item.Gold != c.want[i] {
				t.Errorf("%s: item %d is %s, want %s", c.format, i, item.Gold, c.want[i])
			}
		}
		if len(set.Items) != len(c.want) || set.Items[0].Group != c.group || set.Hash == "" {
			t.Errorf("%s: %d items, group %q, hash %q", c.format, len(set.Items), set.Items[0].Group, set.Hash)
		}
	}
}

// What people marked in a causal sentence is read, and is part of the hash.
func TestReadRelations(t *testing.T) {
	read := func(signal string) *causal.Dataset {
		data := `{"id": "1", "text": "Rain fell, so rivers rose.", "causal": 1, "edges": [{"cause": "Rain fell", "effect": "rivers rose", "signal": ["` + signal + `"]}]}`
		set, err := causal.Read(context.Background(), causal.Files{Format: "cnc", Data: file(t, data)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	set := read("so")
	if want := []causal.Relation{{Cause: "Rain fell", Effect: "rivers rose", Signals: []string{"so"}}}; !reflect.DeepEqual(set.Items[0].Relations, want) {
		t.Errorf("read %+v, want %+v", set.Items[0].Relations, want)
	}
	if read("rose").Hash == set.Hash {
		t.Error("other marks give the same hash")
	}
}

func TestReadNamesTheFault(t *testing.T) {
	for _, c := range []struct{ format, data, field string }{
		{"pairs", `{"id": "1", "text": "A b", "cause": "A", "causal": 1}`, "effect"},
		{"pairs", `{"id": "1", "text": "A b", "cause": "A", "effect": "b", "causal": 2}`, "causal"},
		{"cnc", `{"id": "1", "text": "A b"}`, "causal"},
		{"cnc", `{"id": "1", "causal": 1}`, "text"},
		{"pubmed", `{"id": "1", "sentence": "A", "label": "perhaps"}`, "label"},
		{"pubmed", `{"id": "1", "label": "correlational"}`, "sentence"},
		{"pubmed", "\n", ""},
	} {
		_, err := causal.Read(context.Background(), causal.Files{Format: c.format, Data: file(t, c.data)}, nil)
		fault, ok := errors.AsType[*document.InputError](err)
		if !ok || fault.Field != c.field {
			t.Errorf("%s: got %v, want a fault of %q", c.data, err, c.field)
		}
	}
	if _, err := causal.Read(context.Background(), causal.Files{Format: "news"}, nil); err == nil || !strings.Contains(err.Error(), "known: cnc, pairs, pubmed") {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestMeasure(t *testing.T) {
	set, err := causal.Read(context.Background(), causal.Files{Format: "pairs", Data: file(t, pairs)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	judged := []causal.Judgement{{Label: causal.True, P: .9}, {Label: causal.True, P: .6}, {Label: causal.False, P: .3}}
	value := func(e causal.Evaluation, name string) float64 {
		for _, m := range e.Metrics {
			if m.Name == name {
				return m.Value
			}
		}
		t.Fatalf("there is no metric %q", name)
		return 0
	}
	got, err := causal.Measure(set, judged)
	if err != nil {
		t.Fatal(err)
	}
	// Causal: one found, one missed, one false alarm. The rest: none right of one.
	for name, want := range map[string]float64{"precision": .5, "recall": .5, "F1": .5, "accuracy": 1.0 / 3, "macro_F1": .25, "AUC": .5} {
		if v := value(got, name); math.Abs(v-want) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	turned, err := causal.Measure(set.Swap(), judged)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := value(turned, "accepted"), value(turned, "accepted_causal"); math.Abs(a-2.0/3) > 1e-9 || a == b || b != .5 {
		t.Errorf("of swapped pairs %v are accepted, and of the causal ones %v", a, b)
	}
	if again := set.Swap().Swap(); !reflect.DeepEqual(again.Items[0], set.Items[0]) || again.Swapped {
		t.Errorf("swapped twice: %+v", again.Items[0])
	}
	if _, err := causal.Measure(set, judged[:1]); err == nil {
		t.Error("too few judgements were measured")
	}
}

// What ships must know the plainest pairs, and refuse them turned round.
func TestOffline(t *testing.T) {
	set, err := causal.Read(context.Background(), causal.Files{Format: "pairs", Data: file(t, pairs)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := causal.NewOffline("pairs")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*causal.Dataset{set, set.Swap()} {
		got, err := causal.Evaluate(context.Background(), d, judge, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range got.Outcomes {
			if o.Label != o.Item.Gold {
				t.Errorf("%s → %s in %q is called %s (%.2f)", o.Item.Cause, o.Item.Effect, o.Item.Text, o.Label, o.P)
			}
		}
	}
	if judge.Saw(set) {
		t.Error("the judge says that it was trained on what this test made up")
	}
}

// TestTargets holds the figures of docs/results.md, a little below what was
// measured, on the data of ASSAY_DATA.
func TestTargets(t *testing.T) {
	dir := os.Getenv("ASSAY_DATA")
	if dir == "" {
		t.Skip("ASSAY_DATA does not name the folder of the data sets")
	}
	set, err := causal.Read(context.Background(), causal.Files{Format: "pubmed", Data: filepath.Join(dir, "pubmed_causal_language", "sentences.jsonl")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	judge, err := causal.NewOffline("pubmed")
	if err != nil {
		t.Fatal(err)
	}
	got, err := causal.Evaluate(context.Background(), set, judge, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Metrics[0]; m.Name != "macro_F1" || m.Value < .72 || judge.Saw(set) {
		t.Errorf("%s is %.3f, want .72 without training on it (%v)", m.Name, m.Value, judge.Saw(set))
	}
}
