package open

import (
	"strings"
	"testing"

	"example.com/assay/memory/qa"
)

func TestWhyNot(t *testing.T) {
	for _, c := range []struct {
		d    qa.Difference
		want string
	}{
		{qa.Difference{Name: "corpus", Then: strings.Repeat("a", 64), Now: strings.Repeat("b", 64)}, "the corpus has changed: its fingerprint was aaaaaaaaaaaa, it is bbbbbbbbbbbb"},
		{qa.Difference{Name: "skill plan", Then: strings.Repeat("1", 64), Now: strings.Repeat("2", 64)}, "the skill plan has changed: its hash was 111111111111, it is 222222222222"},
		{qa.Difference{Name: "skill plan", Now: strings.Repeat("2", 64)}, "the skill plan has changed: its hash was none, it is 222222222222"},
		{qa.Difference{Name: "model", Then: "offline", Now: "openai:x"}, "model was offline, it is openai:x"},
		{qa.Difference{Name: "reranker", Now: "judge"}, "reranker was none, it is judge"},
	} {
		if got := whyNot(c.d); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
