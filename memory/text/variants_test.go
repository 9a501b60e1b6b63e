package text

import (
	"slices"
	"testing"
)

func TestVariants(t *testing.T) {
	for _, pair := range [][2]string{
		{"colour", "color"}, {"materialised", "materialized"}, {"analyse", "analyze"}, {"centre", "center"}, {"fibre", "fiber"}, {"catalogue", "catalog"},
		{"cancelled", "canceled"}, {"licence", "license"}, {"programme", "program"}, {"archaeology", "archeology"}, {"grey", "gray"}, {"judgement", "judgment"}, {"fulfil", "fulfill"},
	} {
		if !slices.Contains(Variants(pair[0]), pair[1]) || !slices.Contains(Variants(pair[1]), pair[0]) {
			t.Errorf("%s and %s are not variants: %v, %v", pair[0], pair[1], Variants(pair[0]), Variants(pair[1]))
		}
	}
	if v := Variants("table"); slices.Contains(v, "table") {
		t.Errorf("a word is its own variant: %v", v)
	}
}

func TestRespelt(t *testing.T) {
	got := Respelt("Veiw the veiws: a view’s VEIW?", map[string]string{"veiw": "view", "absent": "x"})
	if want := "view the veiws: a view’s view?"; got != want {
		t.Errorf("respelt %q, want %q", got, want)
	}
}
