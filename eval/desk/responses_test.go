package desk

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// Of five responses two are right, and the confidence in one of them is below the threshold. One false
// claim is mended, and one has nothing to be mended with.
func TestEvaluateResponses(t *testing.T) {
	dir := folder(t, map[string]string{
		"documents/card.pdf": "%PDF-1.4 broken",
		"documents/jetty.md": "# Jetty rules\n\nThe jetty closes at nine in the evening. Boats must pay five crowns a night. A lantern left on the jetty belongs to the harbour.\n",
		"responses.jsonl": `{"id": "right", "response": "The jetty closes at nine in the evening. Boats must pay five crowns a night.", "claims": [{"claim": "The jetty closes at nine in the evening.", "supported": true, "evidence": "closes at nine in the evening"}, {"claim": "Boats must pay five crowns a night.", "supported": true, "evidence": "pay five crowns a night"}]}
{"id": "wrong", "response": "Boats must pay eight crowns a night.", "claims": [{"claim": "Boats must pay eight crowns a night.", "supported": false, "evidence": "pay five crowns a night"}]}
{"id": "unsaid", "response": "The harbour master plays the cello.", "claims": [{"claim": "The harbour master plays the cello.", "supported": false}]}
{"id": "misjudged", "response": "A lantern left on the jetty belongs to the harbour.", "claims": [{"claim": "A lantern left on the jetty belongs to the harbour.", "supported": false}]}
{"response": "The jetty closes at nine in the evening, as all know.", "claims": [{"claim": "The jetty closes at nine in the evening", "supported": true}]}
`,
	})
	list, err := ReadResponses(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := EvaluateResponses(t.Context(), filepath.Join(dir, "documents"), list, Options{Jobs: 3, Words: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Checked{
		{ID: "right", Right: true, True: 2, Kept: 2},
		{ID: "wrong", False: 1, Tried: true, Better: true, Mended: true},
		{ID: "unsaid", False: 1, Tried: true},
		{ID: "misjudged", False: 1, Passed: 1},
		{ID: "line 5", Right: true, True: 1, Kept: 1},
	} {
		item := got.Items[i]
		want.Status, want.Confidence, want.Correction = item.Status, item.Confidence, item.Correction
		if item != want {
			t.Errorf("%+v, want %+v", item, want)
		}
	}
	if c := got.Items[1].Correction; !strings.Contains(c, "five crowns") {
		t.Errorf("the correction is %q", c)
	}
	if len(got.Skipped) != 1 {
		t.Errorf("skipped are %v, not the broken card", got.Skipped)
	}
	figures := map[string]float64{}
	for _, m := range got.Metrics {
		figures[m.Name] = m.Value
	}
	if want := map[string]float64{"true_kept": 1, "false_pass": 1. / 3, "right_side": .6, "tried_on_right": 0, "tried_on_wrong": 2. / 3, "better": .5, "better_and_right": .5}; !maps.Equal(figures, want) {
		t.Errorf("figures are %v, want %v", figures, want)
	}
	if want := map[string]int{"true_kept": 3, "false_pass": 3, "right_side": 5, "tried_on_right": 2, "tried_on_wrong": 3, "better": 2, "better_and_right": 2}; !maps.Equal(got.N, want) {
		t.Errorf("n is %v, want %v", got.N, want)
	}
}

// A correction is right when no false claim is left and what decides stands in it.
func TestMended(t *testing.T) {
	yes, no := true, false
	claims := []Judged{{"It is open.", &yes, "open all day"}, {"It costs six.", &no, "costs five"}, {"It sings.", &no, ""}}
	for text, want := range map[string]bool{
		"It is open. It costs five.":               true,
		"Open all day. It costs five.":             true,
		"It costs five.":                           false,
		"It is open.":                              false,
		"It is open. It costs five. It costs six.": false,
		"It is open. It costs five. It sings.":     false,
	} {
		if mended(text, claims) != want {
			t.Errorf("%q is right: %t", text, !want)
		}
	}
}

func TestReadResponsesFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"response": " ", "claims": [{}]}`:                                    `field "response"`,
		`{"response": "So.", "claims": []}`:                                    `field "claims"`,
		`{"response": "So.", "claims": [{"claim": "So."}]}`:                    "does not say whether",
		`{"response": "So.", "claims": [{"claim": "No.", "supported": true}]}`: `"No." does not stand in the response`,
		`{"id": "a", "response": "So.", "claims": [{"claim": "So.", "supported": true}]}` + "\n" + `{"id": "a", "response": "So.", "claims": [{"claim": "So.", "supported": true}]}`: "responses.jsonl:2",
	} {
		if _, err := ReadResponses(t.Context(), folder(t, map[string]string{"responses.jsonl": text}), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}
