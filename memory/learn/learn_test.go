package learn

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/assay/memory/index"
	"example.com/assay/memory/retrieval"
	"example.com/assay/state"
)

var (
	things = strings.Fields("lantern anchor ledger barrel compass kettle mirror saddle trumpet basket hammer candle violin carpet bucket ladder")
	traits = strings.Fields("copper wooden silver painted folded hollow polished narrow striped heavy")
	acts   = strings.Fields("stored repaired weighed counted sold moved washed labelled")
)

// shelf makes passages and questions about them. Of each subject there is a
// terse catalogue line, which the index likes better, and a rule, which is
// what answers.
func shelf(n int) ([]state.Passage, []Question) {
	rng := rand.New(rand.NewPCG(5, 5))
	var passages []state.Passage
	var questions []Question
	for i := range n {
		subject := fmt.Sprintf("%s %s", traits[rng.IntN(len(traits))], things[rng.IntN(len(things))])
		act := acts[rng.IntN(len(acts))]
		for kind, text := range []string{
			fmt.Sprintf("%s %s, %s, item %d:", subject, act, subject, i),
			fmt.Sprintf("Whoever keeps item %d, which is a %s, sees to it that before the end of each month it is %s in the yard under supervision.", i, subject, act),
		} {
			id := fmt.Sprintf("%03d-%d", i, kind)
			passages = append(passages, state.Passage{ID: id, Doc: "shelf", Text: text, Source: id, End: len(text), Line: len(passages) + 1})
		}
		questions = append(questions, Question{
			Text:   fmt.Sprintf("When is item %d, the %s, %s?", i, subject, act),
			Grades: map[string]int{fmt.Sprintf("%03d-1", i): 1, fmt.Sprintf("%03d-0", i): 0},
		})
	}
	return passages, questions
}

func build(t testing.TB, passages []state.Passage) *index.Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gen")
	if _, err := index.Update(t.Context(), index.UpdateOptions{Dir: dir, Add: passages}); err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// firsts counts the questions whose first hit is relevant.
func firsts(t testing.TB, x *index.Index, questions []Question) int {
	t.Helper()
	n := 0
	for _, q := range questions {
		found, err := x.Search(t.Context(), retrieval.Query{Primary: q.Text})
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) > 0 && q.Grades[found.Hits[0].Passage.ID] > 0 {
			n++
		}
	}
	return n
}

func TestTrainHelpsWithOtherQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("it only computes, and takes long")
	}
	passages, questions := shelf(160)
	x := build(t, passages)
	var phases []string
	model, err := Train(t.Context(), x, questions[:100], &Options{Progress: func(phase string, done, total int) {
		if len(phases) == 0 || phases[len(phases)-1] != phase {
			phases = append(phases, phase)
		}
		if done > total {
			t.Errorf("%s: %d of %d", phase, done, total)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(phases, []string{PhaseCandidates, PhaseTrain}) {
		t.Errorf("phases %q", phases)
	}
	before := firsts(t, x, questions[100:])
	trained, err := model.Trained()
	if err != nil {
		t.Fatal(err)
	}
	x.Use(trained)
	after := firsts(t, x, questions[100:])
	t.Logf("right first: %d of 60, trained %d", before, after)
	if before > 30 || after < 50 {
		t.Errorf("right first: %d of 60 without a ranker, %d with one", before, after)
	}

	// The same again, to the byte; and it survives being written.
	again, err := Train(t.Context(), x, questions[:100], nil)
	if err != nil {
		t.Fatal(err)
	}
	data, _ := model.Encode()
	if other, _ := again.Encode(); !bytes.Equal(data, other) {
		t.Error("equal questions train different rankers")
	}
	back, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if a, _ := back.ID(); a != trained.ID || !strings.HasPrefix(a, "trained:") {
		t.Errorf("read back it is %q, was %q", a, trained.ID)
	}
	seeded, err := Train(t.Context(), x, questions[:100], &Options{Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	if id, _ := seeded.ID(); id == trained.ID {
		t.Error("another seed trains the same ranker")
	}
}

func TestTrainRefuses(t *testing.T) {
	passages, questions := shelf(20)
	x := build(t, passages)
	if _, err := Train(t.Context(), x, nil, nil); err == nil || !strings.Contains(err.Error(), "no judged questions") {
		t.Errorf("no questions: %v", err)
	}
	if _, err := Train(t.Context(), x, []Question{{Text: "lantern", Grades: map[string]int{"elsewhere": 1}}}, nil); err == nil || !strings.Contains(err.Error(), "no group has both") {
		t.Errorf("nothing relevant: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := Train(ctx, x, questions, &Options{Progress: func(string, int, int) { cancel(errors.New("gone")) }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestFolds(t *testing.T) {
	_, questions := shelf(50)
	questions = append(questions, questions[7], questions[7]) // asked three times
	for _, k := range []int{2, 5} {
		folds := Folds(questions, k, 1)
		sizes := make([]int, k)
		for i, f := range folds {
			sizes[f]++
			if questions[i].Text == questions[7].Text && f != folds[7] {
				t.Errorf("one question is in the folds %d and %d", f, folds[7])
			}
		}
		if slices.Min(sizes) < 50/k || slices.Max(sizes) > 50/k+3 {
			t.Errorf("%d folds of sizes %v", k, sizes)
		}
		for f := range k {
			rest := Without(questions, folds, f)
			if len(rest) != len(questions)-sizes[f] {
				t.Errorf("without fold %d there are %d questions of %d", f, len(rest), len(questions))
			}
		}
		if !slices.Equal(folds, Folds(questions, k, 1)) {
			t.Error("equal seeds deal differently")
		}
		if slices.Equal(folds, Folds(questions, k, 2)) {
			t.Error("another seed deals alike")
		}
	}
}

func tiny(t testing.TB) []byte {
	t.Helper()
	passages, questions := shelf(40)
	m, err := Train(t.Context(), build(t, passages), questions, nil)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDecodeRefuses(t *testing.T) {
	data := tiny(t)
	change := func(key string, value any) []byte {
		var m map[string]any
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		m[key] = value
		out, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, "EOF"},
		{"cut", data[:len(data)/2], "unexpected"},
		{"version", change("version", 99), "train it again"},
		{"features", change("features", 99), "train it again"},
		{"no trees", change("trees", nil), "no trees"},
		{"a loop", change("trees", map[string]any{"features": 42, "trees": []any{[]any{map[string]any{"l": 1, "r": 1}, map[string]any{"l": 1, "r": 1}}}}), "malformed"},
		{"other features", change("trees", map[string]any{"features": 3, "trees": []any{[]any{map[string]any{"v": 1}}}}), "3 features"},
	} {
		if _, err := Decode(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	if _, err := Decode(change("features", 0)); !errors.Is(err, errFeatures) {
		t.Errorf("features of another version: %v", err)
	}
}

// Whatever is read, a model that was decoded can score.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"features":1,"trees":{"features":42,"trees":[[{"f":3,"t":0.5,"l":1,"r":2},{"v":1},{"v":-1}]]}}`))
	f.Add([]byte(`{"version":1,"features":1}`))
	f.Add([]byte(`[]`))
	row := make([]float64, len(index.FeatureNames()))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err == nil {
			m.Trees.Score(row)
		}
	})
}
