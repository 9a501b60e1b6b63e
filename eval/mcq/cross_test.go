package mcq

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/assay/eval/metrics"
	"example.com/assay/eval/train/linear"
	"example.com/assay/skills"
)

// asked writes n questions of which each has four choices and the answer of a turn.
func asked(t *testing.T, n int, facts func(i int) string, choice func(i int, right bool, letter string) string) *Dataset {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		answer := string("ABCD"[i*7%4])
		var choices []string
		for _, letter := range []string{"A", "B", "C", "D"} {
			choices = append(choices, fmt.Sprintf("%q:%q", letter, choice(i, letter == answer, letter)))
		}
		fmt.Fprintf(&lines, `{"id":"q%d","prompt":%q,"question":"Which is it, number %d?","choices":{%s},"answer":%q,"gold_passage_ids":["p%d"]}`+"\n",
			i, facts(i), i, strings.Join(choices, ","), answer, i)
	}
	var corpus strings.Builder
	for i := range n {
		fmt.Fprintf(&corpus, `{"id":"p%d","text":"Passage %d is on moss."}`+"\n", i, i)
	}
	d, err := Read(t.Context(), files(t, corpus.String(), lines.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func accuracy(e Evaluation) float64 {
	return e.Metrics[slices.IndexFunc(e.Metrics, func(m metrics.Metric) bool { return m.Name == "accuracy" })].Value
}

// Where the style of the choices alone says which is right, what is fitted finds it
// without a passage, and the skill, which looks at evidence only, does not.
func TestCrossStyle(t *testing.T) {
	d := asked(t, 60, func(i int) string { return "" }, func(i int, right bool, letter string) string {
		if right {
			return "The fee is due unless the ketch " + letter + " has sunk."
		}
		return "The fee is due because the ketch " + letter + " has sunk."
	})
	got, err := cross(t.Context(), d, &Options{Mode: Closed})
	if err != nil {
		t.Fatal(err)
	}
	if fitted, shipped := accuracy(got.Fitted), accuracy(got.Shipped); fitted < .95 || shipped != .25 {
		t.Errorf("fitted %v, shipped %v; want about 1 and .25", fitted, shipped)
	}
	if len(got.Deals) < 2 || got.Deals[0] != accuracy(got.Fitted) {
		t.Errorf("deals %v", got.Deals)
	}
	again, err := cross(t.Context(), d, &Options{Mode: Closed})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*Evaluation{&got.Shipped, &again.Shipped} { // the clock is not part of it
		e.P50, e.P95 = 0, 0
	}
	if !reflect.DeepEqual(got, again) {
		t.Error("two runs differ")
	}
}

// What only questions of one group teach cannot be known of them: a word that stands
// in the right choices of a group, and nowhere else.
func TestCrossGroups(t *testing.T) {
	const size = 8
	d := asked(t, 12*size, func(i int) string { return fmt.Sprintf("These are the facts of tract number %d.", i/size) }, func(i int, right bool, letter string) string {
		if right {
			return fmt.Sprintf("quarry%d", i/size)
		}
		return fmt.Sprintf("meadow%s%d", letter, i)
	})
	groups := d.groups()
	if n := len(set(groups)); n != 12 {
		t.Fatalf("%d groups, want 12", n)
	}
	folds := linear.Folds(groups, crossFolds)
	for i := range groups {
		if folds[i] != folds[i/size*size] {
			t.Errorf("question %d is in fold %d, and the first with its facts in %d", i, folds[i], folds[i/size*size])
		}
	}
	got, err := cross(t.Context(), d, &Options{Mode: Closed})
	if err != nil {
		t.Fatal(err)
	}
	if v := accuracy(got.Fitted); v > .5 {
		t.Errorf("accuracy %v: folds split groups", v)
	}
}

func TestGroups(t *testing.T) {
	d := &Dataset{Questions: []Question{
		{ID: "a", Stem: "1", Gold: []string{"p"}}, {ID: "b", Stem: "2", Gold: []string{"q"}}, {ID: "c", Stem: "3", Gold: []string{"p", "q"}},
		{ID: "d", Stem: "4"}, {ID: "e", Stem: "5", Facts: "f"}, {ID: "f", Stem: "6", Facts: "f"}, {ID: "g", Stem: "4"},
	}}
	if got, want := d.groups(), []string{"a", "a", "a", "d", "e", "e", "d"}; !slices.Equal(got, want) {
		t.Errorf("groups %v, want %v", got, want)
	}
	if _, err := cross(t.Context(), d, nil); err == nil || !strings.Contains(err.Error(), "are 3 groups") {
		t.Errorf("too few groups: %v", err)
	}
}

// With a search, accuracy is told apart by whether a gold passage was found; where
// the passages decide, what is fitted reads them.
func TestCrossEvidence(t *testing.T) {
	d := asked(t, 40, func(i int) string { return "" }, func(i int, right bool, letter string) string {
		if right {
			return fmt.Sprintf("Passage %d", i)
		}
		return fmt.Sprintf("Section %s%d", letter, i)
	})
	ranker, err := newRanker(t.Context(), filepath.Join(t.TempDir(), "index"), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := ranker.Close(); err != nil {
			t.Error(err)
		}
	}()
	got, err := cross(t.Context(), d, &Options{Mode: Retrieval, Ranker: ranker})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range got.Fitted.Metrics {
		names = append(names, m.Name)
	}
	if want := []string{"accuracy", "ECE", "over_shipped", "gold_found", "right_if_found", "right_if_not"}; !slices.Equal(names, want) {
		t.Errorf("metrics %v, want %v", names, want)
	}
	if v := accuracy(got.Fitted); v < .95 {
		t.Errorf("accuracy %v, want about 1", v)
	}
}

func TestRightWhere(t *testing.T) {
	list := []Outcome{{Right: 1, Found: true}, {Right: .5, Found: true}, {Right: .25}, {Right: .25}}
	for found, want := range map[bool]float64{true: .75, false: .25} {
		if got := rightWhere("", list, found).Of([]int{0, 1, 2, 3}); got != want {
			t.Errorf("found %v: %v, want %v", found, got, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	d := &Dataset{}
	in := input{SelectInput: skills.SelectInput{
		Question: "A ketch was moored. Who pays a fee?",
		Choices: []skills.Choice{
			{Letter: "A", Text: "Yes, because a ketch moored without a permit pays a fee."},
			{Letter: "B", Text: "Yes, only if the owner did not sink."},
			{Letter: "C", Text: "No, since lanterns never burn at harbour quays."},
		},
		Sources: []skills.Source{{N: 1, Text: "A ketch moored without a permit pays a fee. Lanterns burn at harbour quays."}},
	}}
	rows := features(newLexicon(d), in, map[string]int{"sink": 0})
	column := func(name string) []float64 {
		at := 3 * slices.IndexFunc(measured, func(v value) bool { return v.name == name })
		return []float64{rows[0][at+2], rows[1][at+2], rows[2][at+2]}
	}
	for name, want := range map[string][]float64{
		"term score": {1, 0, 0}, "coverage": {1, 0, 0}, "coverage of own words": {1, 0, 0}, "shared pairs": {1, 0, 0}, "best sentence": {1, 0, 0},
		"own words held": {1, 0, 0}, "own words held and not in the facts": {0, 0, 1}, "own words missing": {0, 1, 0}, "overlap with the facts": {1, 0, 0}, "overlap with the question's end": {1, 0, 0},
		"denial agrees": {1, 0, 0}, "proposition denies": {0, 0, 0}, "outcome denies": {0, 0, 1}, "length": {1, 0, 0}, "length of the outcome": {0, 0, 0},
	} {
		if got := column(name); !slices.Equal(got, want) {
			t.Errorf("the only largest %s: %v, want %v", name, got, want)
		}
	}
	style := 3 * len(measured)
	for i, want := range [][]float64{
		{0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}, // because; two share the outcome
		{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1}, // only if; has the word
		{0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}, // since; alone
	} {
		if got := rows[i][style:]; !slices.Equal(got, want) {
			t.Errorf("choice %d: %v, want %v", i, got, want)
		}
	}
}
