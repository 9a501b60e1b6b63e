package index

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Of a query of more words than are looked at, those count that few passages hold,
// wherever they stand in the alphabet. Words that no passage holds count last.
func TestLongQuery(t *testing.T) {
	var common, unknown strings.Builder
	for i := range 2 * maxTerms {
		fmt.Fprintf(&common, "a%03dx ", i)
		fmt.Fprintf(&unknown, "b%03dx ", i)
	}
	texts := make([]string, 12)
	for i := range texts {
		texts[i] = common.String() + fmt.Sprintf("page%d", i)
	}
	texts[7] = "A zymurgist brews with yeast."
	x := open(t, build(t, plain(texts...)))
	for _, query := range []string{
		common.String() + "zymurgist",
		common.String() + unknown.String() + "zymurgist",
		"zymurgist " + unknown.String(),
	} {
		s := newScratch(x.gen.table.len(), len(x.gen.table.docs))
		sig, _, err := x.corpus.score(t.Context(), queryTerms(query), nil, s)
		if err != nil {
			t.Fatal(err)
		}
		names := make([]string, len(sig.terms))
		for i, q := range sig.terms {
			names[i] = q.term
		}
		if len(names) > maxTerms || !slices.IsSorted(names) || !slices.Contains(names, "zymurgist") {
			t.Errorf("%.20s…: looked at %d terms: %v", query, len(names), names)
		}
		held := 0
		for _, holds := range sig.holds {
			if holds != 0 {
				held++
			}
		}
		if want := map[bool]int{true: 12, false: 1}[strings.Contains(query, "a000x")]; held != want {
			t.Errorf("%.20s…: %d passages hold a term, want %d", query, held, want)
		}
	}
}
