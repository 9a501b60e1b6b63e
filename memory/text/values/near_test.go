package values

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.com/assay/memory/text/pattern"
)

// Patterns that are looked for near their marks find what they find in the whole
// text.
func TestNear(t *testing.T) {
	if testing.Short() {
		t.Skip("it only computes, and takes long")
	}
	pieces := strings.Split("4/5/2019|12 . 3 . 2020|3. März 2021|mars|2 May 19|2020年 1月 2日|the twenty-first day of May, 2014|Sept. 3rd, 2020|RM 1,200.50|-5.00|USD\n7|two (2) years|forty-eight full months|7|x|May|day|\n|"+strings.Repeat("nothing is said here, by anybody; ", 8)+"|wordwithoutanyend"+strings.Repeat("a", 150)+"|1.1.1.1|’|8", "|")
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
			b.WriteString([]string{" ", "", "\n"}[random.IntN(3)])
		}
		text := b.String()
		check := func(got [][]int, pattern *pattern.Pattern) {
			if want := pattern.FindAllStringSubmatchIndex(text, -1); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
				t.Fatalf("%s in %q: %v; want %v", pattern, text, got, want)
			}
		}
		for _, l := range dateLayouts {
			check(allNear(near(text, dateReach, dateMarks[l.mark]), l.pattern, text), l.pattern)
		}
		check(allNear(nearDigits(text, numberReach), amountPattern, text), amountPattern)
		check(allNear(nearDigits(text, numberReach), numberPattern, text), numberPattern)
		var counted [][]int // a unit without a number is none
		for _, m := range durationPattern.FindAllStringSubmatchIndex(text, -1) {
			if m[4] >= 0 && strings.Trim(text[m[4]:m[5]], "0") != "" || m[4] < 0 && m[2] >= 0 {
				counted = append(counted, m)
			}
		}
		if found := Durations(text); len(found) != len(counted) {
			t.Fatalf("%q: %v; want %v", text, found, counted)
		}
	}
}
