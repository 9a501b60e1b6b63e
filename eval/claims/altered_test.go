package claims_test

import (
	"reflect"
	"strings"
	"testing"

	"example.com/assay/eval/claims"
	"example.com/assay/state"
)

// written is a dataset of the test's own.
func written(texts ...string) *claims.Dataset {
	d := &claims.Dataset{Format: claims.FormatWice, Labels: []claims.Label{claims.Supported, claims.Unsupported}}
	for i, text := range texts {
		d.Items = append(d.Items, claims.Item{ID: string(rune('a' + i)), Text: text, Gold: claims.Supported})
	}
	return d
}

func TestAltered(t *testing.T) {
	set := written(
		"In March 2019 Petra Haas bought the old mill from Oskar Lind for 40 dollars.",
		"Every visitor must wear a badge, and his guide was never absent for three days.",
	)
	got := claims.Altered(set)
	if !reflect.DeepEqual(got, claims.Altered(set)) {
		t.Error("two alterations of one dataset differ")
	}
	text := map[string]string{}
	for _, item := range got.Items {
		original, kind, altered := claims.AlterationOf(item.ID)
		if !altered {
			text[item.ID] = item.Text
			continue
		}
		if item.Gold != claims.Unsupported || item.Text == text[original] {
			t.Errorf("%s: %s %q of %q", item.ID, item.Gold, item.Text, text[original])
		}
		text[kind+original] = item.Text
	}
	for key, word := range map[string]string{"numbera": "", "montha": "2019", "exchangea": "Oskar Lind bought", "genderb": "her", "quantifierb": "", "modalityb": "may", "unitb": "weeks"} {
		if text[key] == "" || !strings.Contains(text[key], word) {
			t.Errorf("%s is %q; want it to hold %q", key, text[key], word)
		}
	}
	if text["negationb"] != "" {
		t.Errorf("a claim that is denied was denied again: %q", text["negationb"])
	}
}

// The subject of another sentence takes the place of the claim's: a thing that of a thing,
// a name that of a name, and no pronoun.
func TestAlteredSubject(t *testing.T) {
	set := written("The landlord repaired the roof in spring.", "Petra Haas bought the mill.", "It was sold again.")
	evidence := "They met twice. The old tenant painted the fence. Oskar Lind sold the mill. The landlord had a ladder."
	for i := range set.Items {
		set.Items[i].Evidence = []state.Evidence{{Passage: state.Passage{ID: "p", Text: evidence}}}
	}
	want := map[string]string{"a": "The old tenant repaired the roof in spring.", "b": "Oskar Lind bought the mill."}
	for _, item := range claims.Altered(set).Items {
		original, kind, _ := claims.AlterationOf(item.ID)
		if kind != "subject" {
			continue
		}
		if item.Text != want[original] {
			t.Errorf("%s is %q; want %q", item.ID, item.Text, want[original])
		}
		delete(want, original)
	}
	if len(want) > 0 {
		t.Errorf("not altered: %v", want)
	}
}

func TestResist(t *testing.T) {
	outcome := func(id string, gold claims.Label, status state.ClaimStatus, doubts int) claims.Outcome {
		return claims.Outcome{Item: claims.Item{ID: id, Gold: gold}, Verdict: state.Verdict{Status: status, Doubts: make([]state.Doubt, doubts)}}
	}
	got, ok := claims.Resist([]claims.Outcome{
		outcome("a", claims.Supported, state.Supported, 1), outcome("a+number", claims.Unsupported, state.Unsupported, 0), outcome("a+name", claims.Unsupported, state.Supported, 1),
		outcome("b", claims.Supported, state.Unsupported, 0), outcome("b+number", claims.Unsupported, state.Supported, 0), // not counted: its original is refused
		outcome("c", claims.Supported, state.Supported, 0), outcome("c+number", claims.Unsupported, state.Supported, 0),
		outcome("d", claims.Unsupported, state.Supported, 0),
	})
	want := claims.Resistance{Originals: 3, Accepted: 2, InDoubt: 1, Kinds: []claims.Resisted{{Kind: "name", N: 1, Doubted: 1}, {Kind: "number", N: 2, Refused: 1}}}
	if !ok || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, ok, want)
	}
	if _, ok := claims.Resist([]claims.Outcome{outcome("a", claims.Supported, state.Supported, 0)}); ok {
		t.Error("claims without alterations have a resistance")
	}
}
