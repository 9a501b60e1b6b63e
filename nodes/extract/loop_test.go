package extract_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/assay/llm/llmtest"
	"example.com/assay/nodes/extract"
)

// Whatever a model answers, in whatever order, what the loop returns is the best
// of what it saw, the first of equals, and no call follows a reading that passed,
// changed nothing or failed.
func TestLoopNeverMakesItWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long, and -short was asked for")
	}
	random := rand.New(rand.NewPCG(9, 9))
	wrong := []string{"2031-01-01", "Oil", "99.00", "", "-1", "2.50"}
	one := func() llmtest.Answer {
		if random.IntN(8) == 0 {
			return down
		}
		list := slices.Clone(whole)
		for i := 0; i < len(list); i += 3 {
			switch random.IntN(6) {
			case 0: // another value, with the quote of the right one
				list[i+1] = wrong[random.IntN(len(wrong))]
			case 1: // another value and quote
				list[i+1] = wrong[random.IntN(len(wrong))]
				list[i+2] = list[i+1]
			case 2: // none
				list[i+1] = ""
			}
		}
		return answer(list...)
	}
	fixed, spoiled := 0, 0
	for range 400 {
		most := 1 + random.IntN(5)
		first, again := one(), []llmtest.Answer{}
		for range most {
			again = append(again, one())
		}
		s, final, m, err := run(t, invoice, paper, &extract.Options{MaxIterations: most}, []llmtest.Answer{first}, again)
		a := s.Answer(final, err)
		if err != nil {
			if first.Err == nil || a.Result != nil || m.Total() != 1 {
				t.Fatalf("%v after %d calls: %s", err, m.Total(), a.Result)
			}
			continue
		}
		best := a.History[a.Loop.Best-1]
		for i, it := range a.History {
			if it.N != i+1 || it.Score > best.Score || it.N < best.N && it.Score == best.Score {
				t.Fatalf("iteration %d has %.3f, and %d with %.3f is returned", it.N, it.Score, best.N, best.Score)
			}
			if last := i == len(a.History)-1; !last && i > 0 && len(it.ChangedFields) == 0 {
				t.Fatalf("iteration %d changed nothing, and another followed", it.N)
			}
		}
		if a.Report.Score != best.Score || string(a.Result) != string(s.Result(final.Iterations[best.N-1].Values)) {
			t.Fatalf("%+v is not what iteration %d has", a.Report, best.N)
		}
		if m.Total() > most || a.Loop.ModelCalls != m.Total() || (a.Loop.Failure != "") != (a.Loop.Stopped == "a model call failed") {
			t.Fatalf("%d calls of at most %d: %+v", m.Total(), most, a.Loop)
		}
		switch n := len(a.History); {
		case best.Score > a.History[0].Score:
			fixed++
		case n > 1 && a.History[n-1].Score < best.Score:
			spoiled++
		}
	}
	if fixed < 20 || spoiled < 20 {
		t.Errorf("%d loops were of use and %d would have spoiled the first reading: too few to tell", fixed, spoiled)
	}
}
