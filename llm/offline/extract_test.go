package offline

import (
	"strings"
	"testing"

	"example.com/assay/skills"
)

// The items of a list are requirements when its lead-in lays down a duty, and none
// when it only defines.
func TestExtractLists(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // how the quotes begin
	}{
		{"A keeper of the lamp must:\n(a) a lantern of glass;\n(b) oil for nine nights.", []string{"A keeper of the lamp must:", "(b) oil"}},
		{"\"Keeper\" means a person who:\n(a) is required to light the lamp of the harbour at dusk; or\n(b) must put it out.", nil},
		{"A club may:\n(a) a boat of wood;\n(b) a boat of iron.", nil},
		{"The clerk must decide—\n(a) on the fee;\n(b) on the berth.", []string{"The clerk must decide—", "(b) on"}},
	} {
		got, err := extract(skills.RequirementsInput{Sources: []skills.RequirementSource{{Source: skills.Source{N: 1, Text: c.text}}}})
		if err != nil {
			t.Fatal(err)
		}
		ok := len(got.Requirements) == len(c.want)
		for i := range min(len(c.want), len(got.Requirements)) {
			ok = ok && strings.HasPrefix(got.Requirements[i].Quote, c.want[i])
		}
		if !ok {
			t.Errorf("%q: %+v; want %q", c.text, got.Requirements, c.want)
		}
	}
}
