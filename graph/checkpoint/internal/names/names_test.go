package names

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzGood(f *testing.F) {
	for _, s := range []string{"", "a", "\x00", "12345678", "1234567\x00", "12345678\x00", "\x01\x01\x00\x01\x01\x01\x01\x01", "1234567é", "123456789é\xff", "\x7f\x7f\x7f\x7f\x7f\x7f\x7f\x7f", "\x80234567890", "日本語日本語\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := good(s), utf8.ValidString(s) && !strings.Contains(s, "\x00"); got != want {
			t.Errorf("good(%q) = %v; want %v", s, got, want)
		}
	})
}
