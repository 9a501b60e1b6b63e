package analysis

import "testing"

func TestTitleKey(t *testing.T) {
	tests := []struct {
		title string
		want  string // a mention that must have the same key; "" for a title that is never mentioned
	}{
		{"The Sallow Islands", "the sallow islands"}, {"Odilo Brandt (astronomer)", "Odilo Brandt"}, {"Ohm", ""}, {"between", ""},
		{"", ""}, {"()", ""}, {"one two three four five six seven eight nine", ""}, {"a) b", "a b"}, {"Möwe", "möwe"},
	}
	for _, test := range tests {
		want := uint64(0)
		if test.want != "" {
			want = wordsKey(Words(test.want))
		}
		if got := TitleKey(test.title); got != want {
			t.Errorf("TitleKey(%q) = %x, want %x", test.title, got, want)
		}
	}
}

func TestFileName(t *testing.T) {
	tests := []struct{ source, want string }{
		{"dir/acmeCo_NDA-2017.txt", "acme Co NDA 2017"}, {"plain.md", "plain"}, {"", ""}, {"a/b.c/XY.tar.gz", "XY tar"},
	}
	for _, test := range tests {
		if got := FileName(test.source); got != test.want {
			t.Errorf("FileName(%q) = %q, want %q", test.source, got, test.want)
		}
	}
}
