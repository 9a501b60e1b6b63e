package facts

import (
	"fmt"
	"testing"
)

func benchSentences() []string {
	matter := []string{"harbour", "ferry", "library", "budget", "turbine", "vaccine", "contract", "licence", "museum", "railway"}
	verbs := []string{"approved", "inspected", "published", "replaced", "measured"}
	var out []string
	for i := range 100 {
		out = append(out, fmt.Sprintf("In %d the council of Talvik %s %d parts of the %s, which must not be used for more than %d years, and the %s board in Ordal paid %d,%03d euros for it.",
			1900+i, verbs[i%5], i+3, matter[i%10], i%9+2, matter[(i*3+1)%10], i+1, i*7%1000))
	}
	return out
}

func BenchmarkPrepare100(b *testing.B) {
	s := benchSentences()
	for b.Loop() {
		Prepare(s)
	}
}

func BenchmarkCheck100(b *testing.B) {
	ev := Prepare(benchSentences())
	for b.Loop() {
		ev.Check("In 1944 the council of Talvik did not inspect 47 parts of the turbine, and all boards in Velby paid 45,308 euros for it.")
	}
}
