package queryterms

import (
	"testing"

	"example.com/assay/memory/index/internal/analysis"
	"example.com/assay/memory/text"
)

func TestErrorsBetweenWords(t *testing.T) {
	for _, tt := range []struct {
		written, meant string
		want           bool
	}{
		{"lenght", "length", true}, {"adress", "address", true}, {"verson", "version", true}, {"enviroment", "environment", true},
		{"shop", "show", false}, {"stuck", "stick", false}, {"codenames", "colnames", false}, {"shortlog", "shortly", false},
		{"jsonb", "json", false}, {"eversion", "version", false}, {"port", "port2", false},
	} {
		if got := errorsBetween(tt.written, tt.meant) <= mostErrors; got != tt.want {
			t.Errorf("%s for %s: %v, want %v", tt.written, tt.meant, got, tt.want)
		}
	}
}

func FuzzErrorsBetween(f *testing.F) {
	f.Add("lenght", "length")
	f.Add("é", "e")
	f.Fuzz(func(t *testing.T, a, b string) {
		if !analysis.IsPlain(a) || !analysis.IsPlain(b) {
			t.Skip("only plain words are respelt")
		}
		cost, edits := errorCost([]rune(a), []rune(b)), text.Edits(a, b)
		if cost < edits || cost > 2*edits {
			t.Errorf("%d edits between %q and %q cost %d", edits, a, b, cost)
		}
	})
}
