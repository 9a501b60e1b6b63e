package analysis

import (
	"fmt"
	"testing"

	"example.com/assay/state"
)

func TestLanguageIsKept(t *testing.T) {
	var in []state.Passage
	for i, s := range []string{"Die Kaution beträgt drei Monatsmieten und ist vor dem Einzug zu zahlen.", "The deposit is two months of rent and is paid before moving in.", "Frist: 3"} {
		in = append(in, state.Passage{ID: fmt.Sprint(i), Doc: fmt.Sprint(i), Source: fmt.Sprint(i), Text: s, End: len(s)})
	}
	in[2].Source, in[2].Metadata = in[0].Source, map[string]string{"author": "A"}
	in[1], in[2] = in[2], in[1]
	out := WithLanguages(in)
	if out[0].Metadata["language"] != "de" || out[1].Metadata["language"] != "de" || out[1].Metadata["author"] != "A" || out[2].Metadata != nil {
		t.Errorf("got %+v", out)
	}
	if in[0].Metadata != nil || len(in[1].Metadata) != 1 {
		t.Errorf("the passages handed in were changed: %+v", in)
	}
	in[0].Metadata = map[string]string{"Language": "fr-CA"}
	if got := LanguageOf(WithLanguages(in)[0]); got != "fr" {
		t.Errorf("declared French is %q", got)
	}
}
