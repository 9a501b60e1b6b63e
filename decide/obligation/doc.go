// Package obligation reads sentences of statutes, policies and rulebooks: which
// lay down what must or must not be done, which words say so, what of a long
// sentence can stand alone as an excerpt, which list a short one belongs to, and
// where a text holds a place open that was never filled.
//
//	m, err := obligation.Default()
//	for _, s := range text.Sentences(passage) {
//		if r := m.Read(passage[s.Start:s.End]); r.Obligation {
//			fmt.Println(obligation.Fit(passage, s).Quote)
//		}
//	}
//
// Reading is by lists of English cues and a logistic regression over them,
// trained on sentences that were written for the project (weights.md).
//
// What it does not do: it does not know who is bound, whether a rule is in force,
// or what a sentence without any cue word implies. It reads one sentence at a
// time. A sentence that only defines ("shall mean") is no obligation to it.
package obligation
