package look

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// What stands on what, and the least contrast of WCAG 2.2 that it needs: 4.5 for
// text (1.4.3), 3 for what is drawn and for the focus (1.4.11, 2.4.13).
var onTop = []struct {
	above, below string
	least        float64
}{
	{"text", "page", 4.5}, {"text", "card", 4.5}, {"text", "inset", 4.5}, {"muted", "page", 4.5}, {"muted", "card", 4.5}, {"muted", "inset", 4.5},
	{"accent", "page", 4.5}, {"accent", "card", 4.5}, {"accent", "inset", 4.5}, {"mark-text", "mark", 4.5},
	{"good", "good-soft", 4.5}, {"bad", "bad-soft", 4.5}, {"warn", "warn-soft", 4.5},
	{"text", "good-soft", 4.5}, {"text", "bad-soft", 4.5}, {"text", "warn-soft", 4.5}, {"good", "grid", 3}, {"bad", "grid", 3}, {"warn", "grid", 3}, {"muted", "grid", 3},
	{"accent", "good-soft", 3}, {"accent", "bad-soft", 3}, {"accent", "warn-soft", 3}, {"accent", "mark", 3},
	{"good", "card", 3}, {"bad", "card", 3}, {"warn", "card", 3}, {"accent", "accent-soft", 3}, {"accent", "grid", 3}, {"pen-edge", "sheet", 3}, {"pen-edge", "pen", 3},
}

// decoration carries no meaning: lines between things that differ without them,
// and bars whose figures stand beside them.
var decoration = []string{"line", "grid", "accent-soft"}

var (
	colourOf = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)
	hexOf    = regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|rgba|hsla)\(`)
	varOf    = regexp.MustCompile(`var\(--([a-z-]+)\)`)
)

// Colours are named once for light and once for dark, are used by name only, and
// have the contrast of level AA wherever one stands on the other.
func TestContrast(t *testing.T) {
	light, rest, found := strings.Cut(Style, "@media (prefers-color-scheme: dark) {")
	dark, rules, ended := strings.Cut(rest, "\n}\n")
	if !found || !ended {
		t.Fatal("the style has no dark colours")
	}
	schemes := map[string]map[string]string{"light": colours(light), "dark": colours(dark)}
	if len(schemes["light"]) < 10 || len(schemes["light"]) != len(schemes["dark"]) {
		t.Fatalf("%d light colours, %d dark ones", len(schemes["light"]), len(schemes["dark"]))
	}
	if other := hexOf.FindString(rules); other != "" {
		t.Errorf("a rule names the colour %s itself", other)
	}
	tested := map[string]bool{}
	for _, name := range decoration {
		tested[name] = true
	}
	for scheme, named := range schemes {
		for _, pair := range onTop {
			a, b := named[pair.above], named[pair.below]
			if a == "" || b == "" {
				t.Fatalf("%s: %s or %s is no colour", scheme, pair.above, pair.below)
			}
			if ratio := contrast(t, a, b); ratio < pair.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, less than %g", scheme, pair.above, pair.below, ratio, pair.least)
			}
			tested[pair.above], tested[pair.below] = true, true
		}
		for _, m := range varOf.FindAllStringSubmatch(rules, -1) {
			if named[m[1]] == "" || !tested[m[1]] {
				t.Errorf("%s: %s is used, and is no colour whose contrast is known", scheme, m[1])
			}
		}
	}
}

func colours(css string) map[string]string {
	out := map[string]string{}
	for _, m := range colourOf.FindAllStringSubmatch(css, -1) {
		out[m[1]] = m[2]
	}
	return out
}

// contrast is the contrast ratio of WCAG 2.2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= .04045 {
			return c / 12.92
		}
		return math.Pow((c+.055)/1.055, 2.4)
	}
	return .2126*linear(n>>16) + .7152*linear(n>>8) + .0722*linear(n)
}

// The ratio is that of published examples.
func TestContrastOfKnownColours(t *testing.T) {
	for pair, want := range map[[2]string]float64{{"#000000", "#ffffff"}: 21, {"#777777", "#ffffff"}: 4.48, {"#ffffff", "#ffffff"}: 1} {
		if got := contrast(t, pair[0], pair[1]); math.Abs(got-want) > .005 {
			t.Errorf("%v: %.3f, want %g", pair, got, want)
		}
	}
}
