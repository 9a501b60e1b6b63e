package look_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/assay/serve/page/look"
)

// Values are shown whole, or say how much is missing.
func TestValues(t *testing.T) {
	const whole = 1 << 17
	for in, want := range map[string]look.Value{
		`1`: {Short: "1"}, `"a  b"`: {Short: "a  b"}, `""`: {Short: `""`}, `null`: {Short: "null"}, `{"a": [1, 2]}`: {Short: `{"a":[1,2]}`}, `{broken`: {Short: "{broken"}, ``: {},
		`"a\nb"`: {Short: "a b", Whole: "a\nb", Size: "6 B"}, `["` + strings.Repeat("x", 140) + `"]`: {Short: `["` + strings.Repeat("x", 138) + " …", Whole: "[\n  \"" + strings.Repeat("x", 140) + "\"\n]", Size: "144 B"},
	} {
		if diff := cmp.Diff(want, look.ValueOf(json.RawMessage(in), 1, 140, whole)); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
	for in, want := range map[string]look.Value{`[1]`: {Short: "[\n  1\n]"}, `"a\nb\nc\nd"`: {Short: "a\nb\nc\n …", Whole: "a\nb\nc\nd", Size: "12 B"}} {
		if diff := cmp.Diff(want, look.ValueOf(json.RawMessage(in), 3, 140, whole)); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
	v := look.ValueOf(json.RawMessage(`["`+strings.Repeat("ä", whole)+`"]`), 1, 140, whole)
	if n := len([]rune(v.Whole)); n != whole || v.Left != "13 B" || strings.ContainsRune(v.Whole, '\ufffd') || !strings.HasSuffix(v.Short, " …") || v.Size != "256.0 KiB" {
		t.Errorf("%d characters, %s left out, %s", n, v.Left, v.Size)
	}
	if got := []string{look.Size(1023), look.Size(1024), look.Size(int64(5 << 19))}; !slices.Equal(got, []string{"1023 B", "1.0 KiB", "2.5 MiB"}) {
		t.Errorf("%q", got)
	}
}
