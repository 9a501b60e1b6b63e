package eval_test

import (
	"fmt"
	"testing"

	"example.com/assay/decide/injection"
	"example.com/assay/llm/offline"
	"example.com/assay/nodes/verify"
	"example.com/assay/skills"
	"example.com/assay/state"
)

// BenchmarkVerify is the time per claim of a response of 20 paraphrases against
// 100 sentences of evidence in 10 passages, as agent verify judges them: the
// offline judge, the hard checks and the look for orders included.
func BenchmarkVerify(b *testing.B) {
	set, err := skills.Load(nil)
	if err != nil {
		b.Fatal(err)
	}
	p, err := verify.New(verify.Deps{Model: offline.New(nil), Skills: set, Inspect: injection.Orders}, nil)
	if err != nil {
		b.Fatal(err)
	}
	const claims = 20
	in := verify.Input{}
	for i := range 10 {
		text := ""
		for j := range 10 {
			text += fmt.Sprintf("The keeper of lighthouse %d must report the state of lamp %d to the harbour office within %d days, unless a storm of force %d prevents it. ", i, j, 10+i+j, 5+j)
		}
		in.Evidence = append(in.Evidence, state.Evidence{Label: fmt.Sprintf("Source %d", i+1), Passage: state.Passage{ID: fmt.Sprint(i), Text: text, End: len(text)}})
	}
	for i := range claims {
		in.Response += fmt.Sprintf("Within %d days the state of lamp %d is to be reported to the harbour office by the keeper of lighthouse %d.\n\n", 10+i/2+i%10, i%10, i/2)
	}
	for b.Loop() {
		final, err := p.Run(b.Context(), in, nil)
		if err != nil || len(final.Verdicts) != claims {
			b.Fatalf("%d verdicts, %v", len(final.Verdicts), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N*claims), "ms/claim")
}
