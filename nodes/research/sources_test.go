package research

import "testing"

func TestWithoutSources(t *testing.T) {
	for in, want := range map[string]string{
		"a":                        "a",
		"a\n\n## Sources\n\n- [1]": "a\n",
		"a\n\n## Sources\n\n- [1]\n\n---\n\n**Answer: (A)**": "a\n\n\n---\n\n**Answer: (A)**",
		"“x\n## Sources\ny”\n\n## Sources\n\n- [1]":          "“x\n## Sources\ny”\n",
	} {
		if got := WithoutSources(in); got != want {
			t.Errorf("withoutSources(%q) = %q, want %q", in, got, want)
		}
	}
}
